"""What the pages of models and agents work on: the services behind them, and who runs what takes a while."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.bus import Bus
from core.domain.settings import Settings
from core.services.agents import AgentService
from core.services.providers import ProviderService
from core.services.settings import SettingsService
from desktop.settings.waiting import Waiting

Spawn = Callable[[Coroutine[Any, Any, None], str], object]
"""Starts a task that somebody owns, by its name."""


@dataclass(frozen=True, slots=True)
class Minds:
    """`key_file` is where keys are kept if the system has no keyring; None: nowhere then. `waiting`: what waits for a
    person, if anybody looks at that."""

    settings: SettingsService
    providers: ProviderService
    agents: AgentService
    bus: Bus
    spawn: Spawn
    key_file: Path | None
    waiting: Waiting | None = None

    @property
    def current(self) -> Settings:
        """The settings as they hold now."""
        return self.settings.current
