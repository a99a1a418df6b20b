"""What a person can set, with the defaults and bounds of ENGINE §7, §9 and AGENTS_AND_TOOLS §6.

Kept in the database, a row a field, so that a field of a later version is left alone.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode
from core.domain.tool import Category


class OnTimeout(StrEnum):
    """What becomes of a request for consent whose time is over."""

    REJECT = "reject"
    APPROVE = "approve"
    ASK_AGAIN = "ask_again"


class NotifyLevel(StrEnum):
    """What the desktop tells a person while the window is not active (UI §7)."""

    EVERYTHING = "everything"
    QUESTIONS_AND_FAILURES = "questions_and_failures"
    QUESTIONS = "questions"
    OFF = "off"


MAX_MODELS = 200


class KeyLocation(StrEnum):
    """Where a key that was put in is kept."""

    KEYRING = "keyring"
    FILE = "file"


class Settings(BaseModel):
    """All settings of the core. Times in seconds.

    `model` answers where none is named; None: the offline agent. `models` are those that can be
    chosen. `default_agent` None, or one that is gone: the
    assistant that comes with the app. `key_places` tells for which origins there is a key, and where; never the key.
    `ask_for_…`: whether calls of that category are asked about in selective mode. `confirm_high_risk` is for automatic
    mode. `consent_expires`: a request for consent is open for `consent_timeout_s`, then `consent_on_timeout` holds.
    `mode_before_demo` is what the demo has changed the mode from, until somebody chooses one (UI §10).
    `remind_after_min`: after so many minutes a person is told once more of a request without a time limit; 0: never.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

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

    def max_workflows(self, mode: ValidationMode) -> int:
        """At how many active workflows another one of `mode` may no longer be started (ENGINE §9)."""
        return self.max_workflows_auto if mode is ValidationMode.AUTO else 1

    def asks_for(self, category: Category) -> bool:
        """Whether calls of this category are asked about in selective mode."""
        return {
            Category.TOOLS: self.ask_for_tools,
            Category.SUB_AGENTS: self.ask_for_sub_agents,
            Category.MCP: self.ask_for_mcp,
            Category.FILES: self.ask_for_files,
            Category.DATABASE: self.ask_for_database,
        }[category]


def bounds(name: str) -> tuple[float, float]:
    """The least and the most that the number of that name may be."""
    limits = Settings.model_fields[name].metadata
    least = next(limit.ge for limit in limits if hasattr(limit, "ge"))
    return least, next(limit.le for limit in limits if hasattr(limit, "le"))
