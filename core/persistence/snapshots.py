"""Rows of snapshots, which are what a run started with, and of files that the user picked for a run later."""

import hashlib
from collections.abc import Iterable

from core.domain.ids import RunId
from core.domain.run import Snapshot, parse_snapshot, snapshot_fields
from core.persistence import codec
from core.persistence.keys import text_key
from core.persistence.repository import Repository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements
from core.ports import AllowFile

_PUT_FILES = "INSERT IGNORE INTO allowed_file $argument RETURN NONE"


class SnapshotRepository(Repository):
    """The snapshots of runs, each written once."""

    async def of_run(self, run_id: RunId) -> Snapshot:
        """Return the snapshot. Raises StorageFailed `unreadable`, also if there is none."""
        row = await self._row("snapshot", text_key(run_id))
        with codec.raising_unreadable(run_id, "definition"):
            return parse_snapshot(codec.decode_data(row or {}))


def encode_snapshot(run_id: RunId, snapshot: Snapshot) -> Row:
    return {"id": text_key(run_id), "data": codec.encode_fields(**snapshot_fields(snapshot))}


class AllowedFileRepository(Repository):
    """The files that the user picked for runs."""

    def put(self, allowed: Iterable[AllowFile]) -> list[Statement]:
        return batched_statements(_PUT_FILES, map(_encode_file, allowed))

    async def of_run(self, run_id: RunId) -> list[str]:
        """Return the readable paths, sorted."""
        pages = self._pages_in_range("allowed_file", text_key(run_id))
        return sorted(await decode_pages(pages, lambda row: codec.decode_text(row["path"])))


def _encode_file(allowed: AllowFile) -> Row:
    digest = hashlib.sha256(allowed.path.encode("utf-8", "surrogatepass")).hexdigest()
    return {"id": [text_key(allowed.run_id), digest], "path": codec.encode_text(allowed.path)}
