"""Tools and their calls, as the rest of the app sees them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.ids import CallId, RunId
from core.domain.risk import Risk
from core.domain.run import ErrorInfo

# The prefix of the tools for templates and runs.
COLLECTION_PREFIX = "COLLECTION_"
COMMAND_TOOL = "run_command"
SAMPLING_METHOD = "sampling/createMessage"
"""Stands for a tool in the consent to a request of a server to a model. No tool has such a name."""


class Runtime(StrEnum):
    """Where a tool can run: in the app's window, without it, or both (AGENTS_AND_TOOLS §4)."""

    HYBRID = "hybrid"
    CLIENT = "client"
    SERVER = "server"


class Category(StrEnum):
    """The groups of tools for consent (AGENTS_AND_TOOLS §6)."""

    TOOLS = "tools"
    SUB_AGENTS = "sub_agents"
    MCP = "mcp"
    FILES = "files"
    DATABASE = "database"
    SYSTEM = "system"


class Effect(StrEnum):
    """The effect of a call, which decides whether it may be repeated after a crash (ENGINE §10)."""

    NONE = "none"
    IDEMPOTENT = "idempotent"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """The description of a tool for models, templates and the user.

    `risk` is the highest of its calls. `asks_people`: its calls wait for the user's answer and do nothing else.
    `is_scoped`: some of its calls may reach outside their workflow (AGENTS_AND_TOOLS §5). `definition`: of a tool that
    others define, the text that permissions are bound to.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None = None
    runtime: Runtime = Runtime.HYBRID
    risk: Risk = Risk.LOW
    category: Category = Category.TOOLS
    asks_people: bool = False
    is_scoped: bool = False
    definition: str | None = None

    @property
    def begins_agents(self) -> bool:
        """Whether its calls run sub-agents."""
        return self.category is Category.SUB_AGENTS

    @property
    def has_time_limit(self) -> bool:
        """Whether each of its calls ends by itself; users and sub-agents take as long as they need."""
        return not (self.asks_people or self.begins_agents)


class CallStatus(StrEnum):
    """The ledger state of a call (ENGINE §1). `unknown`: a crash interrupted it, and its outcome is not known."""

    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of an agent, folded from its facts (`core.domain.progress`).

    `arguments_json` and `result_json` are masked JSON text. `sameness` is the digest of the arguments of the model,
    which the user may have edited since.
    """

    id: CallId
    run_id: RunId
    step: str
    index: int | None
    round: int
    position: int
    tool: str
    status: CallStatus
    arguments_json: str
    effect: Effect = Effect.ONCE
    result_json: str | None = None
    error: ErrorInfo | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    sameness: str | None = None


def arguments_digest(arguments_json: str) -> str:
    """Hash arguments. The digest is equal for equal arguments, secrets included, and reveals nothing of them."""
    return hashlib.sha256(arguments_json.encode()).hexdigest()


def mcp_server_of(tool: str) -> str | None:
    """Return the MCP server of a tool, by its name `mcp__SERVER__TOOL` (AGENTS_AND_TOOLS §7)."""
    prefix, _, rest = tool.partition("__")
    server, between, name = rest.partition("__")
    return server if prefix == "mcp" and server and between and name else None


def is_sampling(tool: str | None) -> bool:
    """Return whether the name stands for the requests of an MCP server to a model."""
    return tool is not None and tool.endswith(f"__{SAMPLING_METHOD}")


@dataclass(frozen=True, slots=True)
class CallResult:
    """The outcome of a call: a value, or an error for the model or the template."""

    status: CallStatus
    value: Any = None
    error: ErrorInfo | None = None
    duration_ms: int = 0
    summary: str | None = None
