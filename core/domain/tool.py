"""Tools and their calls, as everyone but the tools themselves sees them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.ids import CallId, RunId
from core.domain.risk import Risk
from core.domain.run import ErrorInfo

COLLECTION_PREFIX = "COLLECTION_"
"""What the names of tools for templates and runs begin with."""


class Runtime(StrEnum):
    """Where a tool can run: in the app's window, away from it, or both (AGENTS_AND_TOOLS §4)."""

    HYBRID = "hybrid"
    CLIENT = "client"
    SERVER = "server"


class Category(StrEnum):
    """What a person is asked about together (AGENTS_AND_TOOLS §6)."""

    TOOLS = "tools"
    SUB_AGENTS = "sub_agents"
    MCP = "mcp"
    FILES = "files"
    DATABASE = "database"


class Effect(StrEnum):
    """What a call may leave behind, and so whether it may be made again after a crash (ENGINE §10)."""

    NONE = "none"
    IDEMPOTENT = "idempotent"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What is told about a tool to models, templates and people.

    `risk` is the highest that its calls have. `asks_people`: its calls wait for a person's answer, and nothing else.
    `is_scoped`: some of its calls may reach out of the workflow that they are made in (AGENTS_AND_TOOLS §5).
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

    @property
    def begins_agents(self) -> bool:
        """Whether its calls are the work of sub-agents, which end when they end: there is no time limit."""
        return self.category is Category.SUB_AGENTS


class CallStatus(StrEnum):
    """The ledger state of a call (ENGINE §1). `unknown`: begun before a crash, and no one knows how it ended."""

    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A row of the ledger: one call that an agent made.

    `arguments_json` and `result_json` are JSON text without secrets. `sameness` is that of the arguments which
    the model gave: a person may have changed them since.
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
    """Equal for equal arguments, secrets included, and telling none of them."""
    return hashlib.sha256(arguments_json.encode()).hexdigest()


def mcp_server_of(tool: str) -> str | None:
    """The MCP server that a tool is of, by its name `mcp__SERVER__TOOL` (AGENTS_AND_TOOLS §7)."""
    prefix, _, rest = tool.partition("__")
    server, between, name = rest.partition("__")
    return server if prefix == "mcp" and server and between and name else None


def interrupted_call(call: ToolCall) -> ToolCall:
    """The row of a call that was begun, and that nobody goes on with."""
    return replace(call, status=CallStatus.UNKNOWN if call.effect is Effect.ONCE else CallStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class CallResult:
    """How a call ended: a value, or an error that a model or a template reads."""

    status: CallStatus
    value: Any = None
    error: ErrorInfo | None = None
    duration_ms: int = 0
    summary: str | None = None
