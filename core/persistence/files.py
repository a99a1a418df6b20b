"""Files of messages and runs: the data in pieces, once for each content, and a row for each use of it.

    file_piece:[HASH, NUMBER]             up to PIECE_BYTES of the data
    file_use:[WORKFLOW, OWNER, HASH]      the file belongs to a message or a run

The data goes with its last use, in the same transaction: a commit that keeps the same content for something else comes
wholly before or after it.
"""

import hashlib
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.ids import WorkflowId
from core.persistence.connection import Connection
from core.persistence.keys import key_range, text_key
from core.persistence.repository import PAGE_SIZE, Repository, subranges
from core.persistence.statements import Row, Statement, batched_statements
from core.ports import KeepFile

log = logging.getLogger(__name__)

PIECE_BYTES = 1024 * 1024
"""A piece is decoded on the loop."""

_PUT_PIECE = "INSERT IGNORE INTO file_piece $argument RETURN NONE"
_PUT_USES = "INSERT IGNORE INTO file_use $argument RETURN NONE"
_RELEASE = """{
    LET $gone = array::distinct(array::flatten($argument.map(|$range| (SELECT VALUE hash FROM $range))));
    DELETE $argument RETURN NONE;
    FOR $hash IN $gone {
        IF array::is_empty((SELECT VALUE id FROM file_use WHERE hash = $hash LIMIT 1)) {
            DELETE file_piece:[$hash, 0]..[$hash, 1000000] RETURN NONE
        }
    }
}"""


class FileRepository(Repository):
    """The data of files, by hash."""

    def put(self, kept: Iterable[KeepFile]) -> list[Statement]:
        """Return a statement per piece: together they may have many megabytes."""
        files = list(kept)
        pieces = [row for file in files if file.data is not None for row in _pieces(file.hash, file.data)]
        uses = batched_statements(_PUT_USES, map(_use, files))
        return [*(Statement(_PUT_PIECE, [row]) for row in pieces), *uses]

    async def get(self, digest: str) -> bytes | None:
        pages = self._pages_in_range("file_piece", text_key(digest), rows=1)
        data = b"".join([row["data"] async for page in pages for row in page])
        if hashlib.sha256(data).hexdigest() == digest:
            return data
        if data:
            log.warning("the file %s is damaged", digest)
        return None

    async def of_workflow(self, workflow_id: WorkflowId) -> list[tuple[str, str]]:
        pages = self._pages_in_range("file_use", text_key(workflow_id))
        return [(row["id"].id[1], row["id"].id[2]) async for page in pages for row in page]


def _pieces(digest: str, data: bytes) -> Iterable[Row]:
    for number, start in enumerate(range(0, max(1, len(data)), PIECE_BYTES)):
        yield {"id": [text_key(digest), number], "data": data[start : start + PIECE_BYTES]}


def _use(file: KeepFile) -> Row:
    return {"id": [text_key(file.workflow_id), text_key(file.owner), text_key(file.hash)], "hash": text_key(file.hash)}


def release_statements(uses: Sequence[Any]) -> list[Statement]:
    """Return a statement that deletes these ranges of uses, and the files that nothing uses any more."""
    return [Statement(_RELEASE, list(uses))] if uses else []


async def delete_files(connection: Connection, workflow_key: str) -> None:
    """Delete the files of a workflow that nothing else uses, in small transactions."""
    for part in await subranges(connection, key_range("file_use", workflow_key), PAGE_SIZE // 4):
        await connection.commit(release_statements([part]))
