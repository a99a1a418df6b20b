"""What a person can set, with the defaults and bounds of ENGINE §7, §9 and AGENTS_AND_TOOLS §6.

Kept in the database, a row a field, so that a field of a later version is left alone.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode

MAX_MODELS = 200


class KeyPlace(StrEnum):
    """Where a key that was put in is kept."""

    KEYRING = "keyring"
    FILE = "file"


class Settings(BaseModel):
    """All settings of the core. Times in seconds.

    `model` answers where none is named; None: the offline agent. `models` are those that can be
    chosen. `default_agent` None, or one that is gone: the
    assistant that comes with the app. `key_places` tells for which origins there is a key, and where; never the key.
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
    key_places: Mapping[str, KeyPlace] = Field(default_factory=dict)

    def max_workflows(self, mode: ValidationMode) -> int:
        """At how many active workflows another one of `mode` may no longer be started (ENGINE §9)."""
        return self.max_workflows_auto if mode is ValidationMode.AUTO else 1
