"""Rows of settings."""

from collections.abc import Iterable
from typing import Any

from core.domain.json_text import decode
from core.persistence.codec import readable, text, text_of
from core.persistence.connection import Connection
from core.persistence.keys import text_key
from core.persistence.pages import of_table
from core.persistence.statements import Row, Statement, each
from core.ports.storage import PutSetting

_PUT = "INSERT INTO setting $given ON DUPLICATE KEY UPDATE value = $input.value RETURN NONE"


class SettingsRows:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, settings: Iterable[PutSetting]) -> list[Statement]:
        return each(_PUT, ({"id": text_key(one.name), "value": text(one.value_json)} for one in settings))

    async def all(self) -> dict[str, Any]:
        """Name → value, of those that can be read."""
        found: dict[str, Any] = {}
        async for page in of_table(self._connection, "SELECT * FROM $range", "setting"):
            found.update(readable(page, _setting))
        return found


def _setting(row: Row) -> tuple[str, Any]:
    return row["id"].id, decode(text_of(row["value"]))
