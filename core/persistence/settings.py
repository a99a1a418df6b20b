"""Rows of settings."""

from collections.abc import Iterable
from typing import Any

from core.domain.text.json_text import decode
from core.persistence.codec import decode_rows, decode_text, encode_text
from core.persistence.connection import Connection
from core.persistence.keys import text_key
from core.persistence.pages import pages_of_table
from core.persistence.statements import Row, Statement, batched_statements
from core.ports.storage import PutSetting

_PUT = "INSERT INTO setting $given ON DUPLICATE KEY UPDATE value = $input.value RETURN NONE"


class SettingRepository:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, settings: Iterable[PutSetting]) -> list[Statement]:
        return batched_statements(
            _PUT, ({"id": text_key(one.name), "value": encode_text(one.value_json)} for one in settings)
        )

    async def all(self) -> dict[str, Any]:
        """Name → value, of those that can be read."""
        found: dict[str, Any] = {}
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "setting"):
            found.update(decode_rows(page, _decode_setting))
        return found


def _decode_setting(row: Row) -> tuple[str, Any]:
    return row["id"].id, decode(decode_text(row["value"]))
