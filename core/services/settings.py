"""The settings: loaded once, changed one at a time, saved before they apply."""

import asyncio
from typing import Any

from pydantic import ValidationError

from core.bus import Bus, SettingsChanged
from core.domain.settings import Settings
from core.domain.text.json_text import encode
from core.errors import Refused
from core.ports.storage import Storage
from core.ports.writes import PutSetting
from core.services.outcome import returns_outcome


class SettingsService:
    """`current` holds the settings."""

    def __init__(self, current: Settings, storage: Storage, bus: Bus) -> None:
        self.current = current
        self._storage = storage
        self._bus = bus
        self._one_at_a_time = asyncio.Lock()

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
        async with self._one_at_a_time:
            return await self._change(fields)

    async def _change(self, fields: dict[str, Any]) -> Settings:
        try:
            changed = Settings.model_validate({**self.current.model_dump(), **fields})
        except ValidationError as error:
            first = error.errors()[0]
            name = first["loc"][0] if first["loc"] else "the settings"
            raise Refused("bad_input", f"{name}: {first['msg']}") from None
        values = changed.model_dump(mode="json")
        await self._storage.commit([PutSetting(name, encode(values[name])) for name in fields if name in values])
        self.current = changed
        self._bus.publish(SettingsChanged(changed))
        return changed


def parse_settings(kept: Any) -> Settings:
    """Return the stored settings. An unreadable field gets its default, because the app must start."""
    good = dict(kept)
    while True:
        try:
            return Settings.model_validate(good)
        except ValidationError as error:
            for name in {str(one["loc"][0]) for one in error.errors()}:
                good.pop(name, None)
