"""The settings: loaded once, changed one at a time, saved before they apply."""

import asyncio
from typing import Any

from psygnal import Signal
from pydantic import ValidationError

from core.bus import Bus, SettingsChanged
from core.domain.settings import Settings
from core.domain.text.json_text import encode
from core.ports.storage import Storage
from core.ports.writes import PutSetting
from core.services.catalogue import bad_input
from core.services.outcome import returns_outcome
from core.stores.base import emit


class SettingsService:
    """`current` holds the settings; `changed` is emitted after each change."""

    changed = Signal()

    def __init__(self, current: Settings, storage: Storage, bus: Bus) -> None:
        self.current = current
        self._storage = storage
        self._bus = bus
        self._lock = asyncio.Lock()

    def read(self) -> Settings:
        """Return the current settings."""
        return self.current

    @returns_outcome
    async def change(self, **fields: Any) -> Settings:
        """Save some fields, then apply them. Fails with `bad_input` and changes nothing.

        Setting a mode discards the mode that the demo would restore.
        """
        if "validation_mode" in fields:
            fields = {"mode_before_demo": None, **fields}
        async with self._lock:
            return await self._change(fields)

    async def _change(self, fields: dict[str, Any]) -> Settings:
        try:
            changed = Settings.model_validate({**self.current.model_dump(), **fields})
        except ValidationError as error:
            raise bad_input(error, "the settings") from None
        values = changed.model_dump(mode="json")
        # only the given fields: others keep their defaults, which a later version may change
        await self._storage.commit([PutSetting(name, encode(values[name])) for name in fields if name in values])
        self.current = changed
        self._bus.publish(SettingsChanged(changed))
        emit(self.changed)
        return changed


def parse_settings(stored: Any) -> Settings:
    """Return the stored settings. An unreadable field gets its default, because the app must start."""
    values = dict(stored)
    # an error may hide others, so that fields are dropped until the rest is valid
    while True:
        try:
            return Settings.model_validate(values)
        except ValidationError as error:
            for name in {str(problem["loc"][0]) for problem in error.errors()}:
                values.pop(name, None)
