"""The settings of the user, with the defaults and bounds of ENGINE §7, §9 and AGENTS_AND_TOOLS §6.

The database has one row per field, so that fields of a later version are preserved.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from core.domain.document import Document
from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode
from core.domain.tool import Category


class OnTimeout(StrEnum):
    """What happens to a request for consent at its time limit."""

    REJECT = "reject"
    APPROVE = "approve"
    ASK_AGAIN = "ask_again"


class NotifyLevel(StrEnum):
    """Which events the desktop notifies the user of while the window is inactive (UI §7)."""

    EVERYTHING = "everything"
    QUESTIONS_AND_FAILURES = "questions_and_failures"
    QUESTIONS = "questions"
    OFF = "off"


MAX_MODELS = 200


class KeyLocation(StrEnum):
    """Where an entered key is stored."""

    KEYRING = "keyring"
    FILE = "file"


class Settings(Document):
    """All settings of the core. Times are in seconds.

    `model` is the default; None: the offline agent. `models` are the available models. `default_agent` None, or a
    deleted agent: the built-in assistant. `key_places` maps origins to the location of their key, never the key itself.
    `ask_for_…`: whether calls of that category need consent in selective mode. `ask_at_round_limit`: whether an agent
    that has used its rounds asks for as many again, instead of failing. `confirm_high_risk` applies to automatic mode.
    `consent_expires`: a request for consent is open for `consent_timeout_s`, then `consent_on_timeout` applies.
    `mode_before_demo` is the mode that the demo replaced, until the user chooses a mode (UI §10). `remind_after_min`:
    the minutes until the reminder of a request without a time limit; 0 disables reminders. `last_folders` were chosen
    last for a workflow (`Workflow.folders`), and are offered to the next new one. `authorities_file` has certificate
    authorities that are trusted beside the system's. `run_spending_limit` and `day_spending_limit` are dollars; None:
    no limit (AGENTS_AND_TOOLS §3).
    """

    validation_mode: ValidationMode = ValidationMode.SELECTIVE
    max_running_runs: Annotated[int, Field(ge=1, le=100)] = 20
    max_workflows_auto: Annotated[int, Field(ge=1, le=20)] = 3
    no_progress_s: Annotated[float, Field(ge=10, le=86_400)] = 300.0
    max_depth: Annotated[int, Field(ge=1, le=1000)] = 100
    stream_write_interval_s: Annotated[float, Field(ge=0.1, le=5)] = 0.5
    model: ModelChoice | None = None
    models: Annotated[tuple[ModelChoice, ...], Field(max_length=MAX_MODELS)] = ()
    default_agent: AgentId | None = None
    key_places: Mapping[str, KeyLocation] = Field(default_factory=dict)
    ask_for_tools: bool = False
    ask_for_sub_agents: bool = True
    ask_for_mcp: bool = True
    ask_for_files: bool = True
    ask_for_database: bool = True
    ask_at_round_limit: bool = False
    run_spending_limit: Annotated[float | None, Field(ge=0.01, le=100_000)] = None
    day_spending_limit: Annotated[float | None, Field(ge=0.01, le=100_000)] = None
    confirm_high_risk: bool = False
    low_risk_free_in_selective: bool = False
    low_risk_free_in_manual: bool = False
    consent_expires: bool = False
    consent_timeout_s: Annotated[int, Field(ge=30, le=300)] = 60
    consent_on_timeout: OnTimeout = OnTimeout.REJECT
    notify: NotifyLevel = NotifyLevel.EVERYTHING
    remind_after_min: Literal[0, 5, 10, 30, 60] = 30
    audit_days: Annotated[int, Field(ge=7, le=90)] = 30
    mode_before_demo: ValidationMode | None = None
    last_folders: tuple[str, ...] = ()
    authorities_file: Annotated[str, Field(min_length=1, max_length=4096)] | None = None

    def max_workflows(self, mode: ValidationMode) -> int:
        """Return at how many active workflows no other of `mode` may start (ENGINE §9)."""
        return self.max_workflows_auto if mode is ValidationMode.AUTO else 1

    def asks_for(self, category: Category) -> bool:
        """Return whether calls of this category need consent in selective mode."""
        return {
            Category.TOOLS: self.ask_for_tools,
            Category.SUB_AGENTS: self.ask_for_sub_agents,
            Category.MCP: self.ask_for_mcp,
            Category.FILES: self.ask_for_files,
            Category.DATABASE: self.ask_for_database,
            Category.SYSTEM: True,
        }[category]


def bounds(name: str) -> tuple[float, float]:
    """Return the least and the greatest value of a numeric setting."""
    limits = Settings.model_fields[name].metadata
    least = next(limit.ge for limit in limits if hasattr(limit, "ge"))
    return least, next(limit.le for limit in limits if hasattr(limit, "le"))
