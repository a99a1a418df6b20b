"""Rows of streamed text, kept until a message stands for it."""

from collections.abc import Iterable

from core.domain.ids import RunId
from core.persistence.batch import Stream
from core.persistence.codec import readable, text, text_of
from core.persistence.connection import Connection
from core.persistence.keys import rows_of, text_key
from core.persistence.order import number
from core.persistence.pages import in_range
from core.persistence.statements import Row, Statement, each
from core.ports.storage import Chunk

_PUT = "INSERT INTO chunk $given ON DUPLICATE KEY UPDATE text = $input.text RETURN NONE"


class Chunks:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, dropped: Iterable[Stream], pieces: Iterable[Chunk]) -> list[Statement]:
        """Statements that drop those streams, then keep the pieces."""
        ranges = [rows_of("chunk", text_key(run_id), step, number(index)) for run_id, step, index in dropped]
        drops = [Statement("DELETE $given RETURN NONE", ranges)] if ranges else []
        return [*drops, *each(_PUT, map(_row, pieces))]

    async def of_run(self, run_id: RunId) -> list[Chunk]:
        """By stream and offset."""
        found: list[Chunk] = []
        pages = in_range(self._connection, "SELECT * FROM $range", "chunk", text_key(run_id))
        async for page in pages:
            found.extend(readable(page, _chunk))
        return found


def _row(chunk: Chunk) -> Row:
    return {
        "id": [text_key(chunk.run_id), chunk.step, number(chunk.index), chunk.offset],
        "text": text(chunk.text),
    }


def _chunk(row: Row) -> Chunk:
    run_id, step, index, offset = row["id"].id
    return Chunk(RunId(run_id), step, None if index < 0 else index, offset, text_of(row["text"]))
