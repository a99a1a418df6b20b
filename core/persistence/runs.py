"""Rows of runs and their outcomes.

Each change of status rewrites the run's row, so large values have rows of their own: the snapshot is written with the
run, the outcome with its last change.
"""

from collections.abc import Iterable, Sequence

from core.domain.ids import RunId, WorkflowId
from core.domain.run import Run, RunStatus
from core.persistence.batch import Creation
from core.persistence.codec import OrderKeys, encode_text, optional, to_microseconds
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.events import PUT_EVENTS, encode_events
from core.persistence.keys import UNFINISHED, record_id, text_key
from core.persistence.messages import PUT_MESSAGES, MessageRepository
from core.persistence.pages import pages_by_id, pages_by_order_key, pages_of_table
from core.persistence.run_rows import decode_run, encode_outcome, encode_run, is_readable, order_key_of
from core.persistence.snapshots import encode_snapshot
from core.persistence.statements import Row, Statement, batched_statements
from core.ports.storage import PAGE_ROWS
from core.ports.writes import ChangeRoot, ChangeRun, MarkUnreadable

_CREATE = f"""{{
    LET $to = $given;
    LET $new = (INSERT IGNORE INTO run $to.run RETURN VALUE id);
    IF $new {{
        INSERT INTO snapshot $to.snapshot ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE;
        INSERT INTO outcome $to.outcome ON DUPLICATE KEY UPDATE
            output = $input.output, error = $input.error RETURN NONE;
        {PUT_MESSAGES.replace("$given", "$to.messages")};
        {PUT_EVENTS.replace("$given", "$to.events")};
    }};
    $new
}}"""
_CHANGE_ROW = "UPDATE type::record('run', $to.run) MERGE $to.fields WHERE status IN $to.expected RETURN VALUE id"
_CHANGE = f"{{ LET $to = $given; {_CHANGE_ROW} }}"
_CHANGE_WITH_OUTCOME = f"""{{
    LET $to = $given;
    LET $changed = ({_CHANGE_ROW});
    IF $changed {{ UPSERT type::record('outcome', $to.run) MERGE $to.ended RETURN NONE }};
    $changed
}}"""
_CHANGE_ROOT = "UPDATE $given.run SET root = $given.root RETURN NONE"
_MARK = "INSERT INTO fault $given ON DUPLICATE KEY UPDATE reason = $input.reason RETURN NONE"
_LISTED = """*, type::record('outcome', record::id(id)).error AS error,
    type::record('fault', record::id(id)).reason AS fault"""
_WHOLE = f"{_LISTED}, type::record('outcome', record::id(id)).output AS output"
_BY_ID = f"SELECT {_WHOLE} FROM ONLY $id"
_UNFINISHED = "SELECT VALUE id FROM run WHERE status IN $statuses"
_CHILDREN = f"SELECT {_LISTED} FROM run WHERE parent = $beginner AND place > $place ORDER BY place LIMIT $limit"
_PAGES = {
    (has_status, has_workflow): f"""SELECT {_LISTED} FROM run WHERE root = NONE AND place < $place
        {"AND status = $status" if has_status else ""} {"AND workflow = $workflow" if has_workflow else ""}
        ORDER BY place DESC LIMIT $limit"""
    for has_status in (False, True)
    for has_workflow in (False, True)
}
_BY_IDS = f"SELECT {_LISTED} FROM $ids"
_INTERRUPTED_ROOTS = """
    RETURN array::distinct(SELECT VALUE type::record('run', record::id(id)[0]).root ?? record::id(id)[0]
    FROM interruption WHERE is_open = true)"""

_AFTER_ALL = "~"  # sorts after every place


class RunRepository:
    """Runs, ordered by creation."""

    def __init__(self, connection: Connection, places: OrderKeys, messages: MessageRepository) -> None:
        self._connection = connection
        self._places = places
        self._messages = messages

    def create(self, creations: Iterable[Creation]) -> list[Statement]:
        """Return a statement per run, with everything that is lost if the run exists."""
        return [self._creation(creation) for creation in creations]

    def change(self, changes: Iterable[tuple[int, ChangeRun]]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [_change_statement(position, change) for position, change in changes]

    def change_roots(self, changes: Iterable[ChangeRoot]) -> list[Statement]:
        """Return a statement per change, in order."""
        return [
            Statement(
                _CHANGE_ROOT, {"run": record_id("run", text_key(one.run_id)), "root": optional(text_key, one.root)}
            )
            for one in changes
        ]

    def mark(self, marks: Iterable[MarkUnreadable]) -> list[Statement]:
        return batched_statements(
            _MARK, ({"id": text_key(one.run_id), "reason": encode_text(one.reason)} for one in marks)
        )

    async def get(self, run_id: RunId) -> Run | None:
        row = await self._connection.read(_BY_ID, {"id": record_id("run", text_key(run_id))})
        return decode_run(row) if row else None

    async def unfinished(self) -> list[Run]:
        """Return unfinished runs, oldest first, without marked and broken ones."""
        ids: list[RecordID] = await self._connection.read(_UNFINISHED, {"statuses": UNFINISHED})
        rows = sorted(await self._these(ids), key=order_key_of)
        return [run for row in rows if (run := decode_run(row)).status in UNFINISHED]

    async def children(self, run_id: RunId) -> list[Run]:
        """Return the runs that this run started, oldest first, without outputs."""
        found: list[Run] = []
        async for page in pages_by_order_key(self._connection, _CHILDREN, {"beginner": text_key(run_id)}):
            found.extend(map(decode_run, page))
        return found

    async def page(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        """Return root runs, newest first, without outputs."""
        place = _AFTER_ALL if before is None else await self._place_of(before)
        limit = min(limit, PAGE_ROWS)
        if place is None or limit < 1:
            return []
        rows = await self._rows(status, workflow_id, limit, place)
        more: list[Row] = []
        if status is RunStatus.ERROR:
            more = await self._these(await self._marked())
        elif status is RunStatus.WAITING:
            more = [row for row in await self._these(await self._asking()) if is_readable(row)]
        if more:
            listed = {row["id"].id: row for row in [*rows, *_roots_before(more, workflow_id, place)]}
            rows = sorted(listed.values(), key=order_key_of, reverse=True)[:limit]
        return [decode_run(row) for row in rows]

    async def _rows(
        self, status: RunStatus | None, workflow_id: WorkflowId | None, limit: int, place: str
    ) -> list[Row]:
        """Return the first `limit` rows before the order key. With a status, only readable, unmarked rows."""
        query = _PAGES[status is not None, workflow_id is not None]
        given = {"status": status, "workflow": optional(text_key, workflow_id), "limit": limit, "place": place}
        found: list[Row] = []
        while True:
            page: list[Row] = await self._connection.read(query, given)
            found.extend(row for row in page if status is None or is_readable(row))
            if len(page) < limit or len(found) >= limit:
                return found[:limit]
            given["place"] = page[-1].get("place")

    async def _marked(self) -> list[RecordID]:
        """Return the marked runs: few, and in no index."""
        ids: list[RecordID] = []
        async for marks in pages_of_table(self._connection, "SELECT id FROM $range", "fault"):
            ids += [record_id("run", mark["id"].id) for mark in marks]
        return ids

    async def _asking(self) -> list[RecordID]:
        """Return the roots of runs with an open interruption: as few as a user has open questions."""
        return [record_id("run", key) for key in await self._connection.read(_INTERRUPTED_ROOTS)]

    async def _these(self, ids: Sequence[RecordID]) -> list[Row]:
        rows: list[Row] = []
        async for page in pages_by_id(self._connection, _BY_IDS, ids):
            rows.extend(page)
        return rows

    async def _place_of(self, run_id: RunId) -> str | None:
        row = await self._connection.read("SELECT place FROM ONLY $id", {"id": record_id("run", text_key(run_id))})
        return row["place"] if row else None

    def _creation(self, creation: Creation) -> Statement:
        run = creation.run
        ended = encode_outcome(run.output_json, run.error)
        given = {
            "run": encode_run(run, self._places.next(run.created_at)),
            "snapshot": encode_snapshot(run.id, creation.snapshot),
            "outcome": [{"id": text_key(run.id), **ended}] if ended else [],
            "messages": self._messages.rows(creation.messages),
            "events": [encode_events(creation.events)] if creation.events else [],
        }
        return Statement(_CREATE, given, lambda new: () if new else creation.positions)


def _roots_before(rows: Iterable[Row], workflow_id: WorkflowId | None, place: str) -> list[Row]:
    """Return the root runs of the workflow before the order key."""
    workflow = optional(text_key, workflow_id)
    own = (row for row in rows if row.get("root") is None and workflow in (None, row.get("workflow")))
    return [row for row in own if order_key_of(row) < place]


def _change_statement(position: int, change: ChangeRun) -> Statement:
    fields = {
        "status": change.status,
        "started_at": optional(to_microseconds, change.started_at),
        "finished_at": optional(to_microseconds, change.finished_at),
        "active_ms": change.active_ms,
        "unclean_ends": change.unclean_ends,
        "results_then": change.results_then,
    }
    given = {
        "run": text_key(change.run_id),
        "fields": {name: value for name, value in fields.items() if value is not None},
        "expected": sorted(change.expected),
    }
    ended = encode_outcome(change.output_json, change.error)
    if ended:
        given["ended"] = ended
    return Statement(_CHANGE_WITH_OUTCOME if ended else _CHANGE, given, lambda changed: () if changed else (position,))
