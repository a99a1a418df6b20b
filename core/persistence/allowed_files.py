"""Rows of the files that people picked for runs."""

import hashlib
from collections.abc import Iterable

from core.domain.ids import RunId
from core.persistence.codec import readable, text, text_of
from core.persistence.connection import Connection
from core.persistence.keys import text_key
from core.persistence.pages import in_range
from core.persistence.statements import Row, Statement, each
from core.ports.storage import AllowFile

_PUT = "INSERT IGNORE INTO allowed_file $given RETURN NONE"


class AllowedFiles:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, allowed: Iterable[AllowFile]) -> list[Statement]:
        return each(_PUT, map(_row, allowed))

    async def of_run(self, run_id: RunId) -> list[str]:
        """Sorted, of those that can be read."""
        found: list[str] = []
        async for page in in_range(self._connection, "SELECT * FROM $range", "allowed_file", text_key(run_id)):
            found.extend(readable(page, lambda row: text_of(row["path"])))
        return sorted(found)


def _row(allowed: AllowFile) -> Row:
    hashed = hashlib.sha256(allowed.path.encode("utf-8", "surrogatepass")).hexdigest()
    return {"id": [text_key(allowed.run_id), hashed], "path": text(allowed.path)}
