"""Rows of runs and their outcomes.

Each change of status rewrites the run's row, so large values have rows of their own: the snapshot is written with the
run, the outcome with its last change.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from core.domain.ids import RunId, WorkflowId
from core.domain.run import Run, RunStatus
from core.persistence import codec
from core.persistence.batch import Creation
from core.persistence.connection import Connection
from core.persistence.driver import RecordID
from core.persistence.event_rows import encode_events
from core.persistence.events import PUT_EVENTS, PUT_VALUES
from core.persistence.keys import UNFINISHED, record_id, text_key
from core.persistence.messages import PUT_MESSAGES, MessageRepository
from core.persistence.repository import OrderedRepository
from core.persistence.run_rows import decode_run, encode_outcome, encode_run, is_readable, order_key_of
from core.persistence.snapshots import encode_snapshot
from core.persistence.statements import Row, Statement, batched_statements
from core.ports import PAGE_ROWS, ChangeRoot, ChangeRun, MarkUnreadable

# A run that exists must not lose anything to a repeated CreateRun, and must not gain a stray message or event. So all
# rows of a new run are one statement, which writes them only if the run's row is new.
_CREATE = f"""{{
    LET $to = $argument;
    LET $new = (INSERT IGNORE INTO run $to.run RETURN VALUE id);
    IF $new {{
        INSERT INTO snapshot $to.snapshot ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE;
        INSERT INTO outcome $to.outcome ON DUPLICATE KEY UPDATE
            output = $input.output, error = $input.error RETURN NONE;
        {PUT_MESSAGES.replace("$argument", "$to.messages")};
        {PUT_VALUES.replace("$argument", "$to.values")};
        {PUT_EVENTS.replace("$argument", "$to.events")};
    }};
    $new
}}"""
# The comparison and the write are one UPDATE, so two changes of a run cannot both win. MERGE keeps the other columns,
# which CONTENT would lose.
_CHANGE_ROW = "UPDATE type::record('run', $to.run) MERGE $to.fields WHERE status IN $to.expected RETURN VALUE id"
_CHANGE = f"{{ LET $to = $argument; {_CHANGE_ROW} }}"
_CHANGE_WITH_OUTCOME = f"""{{
    LET $to = $argument;
    LET $changed = ({_CHANGE_ROW});
    IF $changed {{ UPSERT type::record('outcome', $to.run) MERGE $to.outcome RETURN NONE }};
    $changed
}}"""
_CHANGE_ROOT = "UPDATE $argument.run SET root = $argument.root RETURN NONE"
_MARK = "INSERT INTO fault $argument ON DUPLICATE KEY UPDATE reason = $input.reason RETURN NONE"
_LISTED = """*, type::record('outcome', record::id(id)).error AS error,
    type::record('fault', record::id(id)).reason AS fault"""
_WHOLE = f"{_LISTED}, type::record('outcome', record::id(id)).output AS output"
_BY_ID = f"SELECT {_WHOLE} FROM ONLY $id"
_UNFINISHED = "SELECT VALUE id FROM run WHERE status IN $statuses"
_ENDED = "SELECT VALUE id FROM run WHERE finished_at >= $at"
_CHILDREN = f"SELECT {_LISTED} FROM run WHERE parent = $parent_run AND place > $place ORDER BY place LIMIT $limit"
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
    FROM interruption)"""

_AFTER_ALL = "~"  # sorts after every order key


class RunRepository(OrderedRepository):
    """Runs, ordered by creation."""

    def __init__(self, connection: Connection, order_keys: codec.OrderKeys, messages: MessageRepository) -> None:
        super().__init__(connection, order_keys)
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
                _CHANGE_ROOT,
                {"run": record_id("run", text_key(change.run_id)), "root": codec.optional(text_key, change.root)},
            )
            for change in changes
        ]

    def mark(self, marks: Iterable[MarkUnreadable]) -> list[Statement]:
        rows = ({"id": text_key(mark.run_id), "reason": codec.encode_text(mark.reason)} for mark in marks)
        return batched_statements(_MARK, rows)

    async def get(self, run_id: RunId) -> Run | None:
        row = await self._connection.read(_BY_ID, {"id": record_id("run", text_key(run_id))})
        return decode_run(row) if row else None

    async def unfinished(self) -> list[Run]:
        """Return unfinished runs, oldest first, without marked and broken ones."""
        ids: list[RecordID] = await self._connection.read(_UNFINISHED, {"statuses": UNFINISHED})
        rows = sorted(await self._by_ids(ids), key=order_key_of)
        return [run for row in rows if (run := decode_run(row)).status in UNFINISHED]

    async def ended_since(self, at: datetime) -> list[RunId]:
        ids: list[RecordID] = await self._connection.read(_ENDED, {"at": codec.to_microseconds(at)})
        return [RunId(str(found.id)) for found in ids]

    async def children(self, run_id: RunId) -> list[Run]:
        """Return the runs that this run started, oldest first, without outputs."""
        pages = self._pages_by_order_key(_CHILDREN, {"parent_run": text_key(run_id)})
        return [decode_run(row) async for page in pages for row in page]

    async def page(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        """Return root runs, newest first, without outputs."""
        place = _AFTER_ALL if before is None else await self._order_key_of(before)
        limit = min(limit, PAGE_ROWS)
        if place is None or limit < 1:
            return []
        rows = await self._rows(status, workflow_id, limit, place)
        # The shown status may differ from the stored status: a marked run counts as an error, and a run with an open
        # interruption as waiting. Both are few, so they are read whole and merged into the page.
        more: list[Row] = []
        if status is RunStatus.ERROR:
            more = await self._by_ids(await self._marked())
        elif status is RunStatus.WAITING:
            more = [row for row in await self._by_ids(await self._interrupted_roots()) if is_readable(row)]
        if more:
            listed = {row["id"].id: row for row in [*rows, *_roots_before(more, workflow_id, place)]}
            rows = sorted(listed.values(), key=order_key_of, reverse=True)[:limit]
        return [decode_run(row) for row in rows]

    async def _rows(
        self, status: RunStatus | None, workflow_id: WorkflowId | None, limit: int, place: str
    ) -> list[Row]:
        """Return the first `limit` rows before the order key. With a status, only readable, unmarked rows."""
        query = _PAGES[status is not None, workflow_id is not None]
        workflow = codec.optional(text_key, workflow_id)
        variables = {"status": status, "workflow": workflow, "limit": limit, "place": place}
        rows: list[Row] = []
        while True:
            page: list[Row] = await self._connection.read(query, variables)
            rows.extend(row for row in page if status is None or is_readable(row))
            if len(page) < limit or len(rows) >= limit:
                return rows[:limit]
            variables["place"] = page[-1].get("place")

    async def _marked(self) -> list[RecordID]:
        """Return the marked runs: few, and in no index."""
        pages = self._pages_of_table("fault", text="SELECT id FROM $range")
        return [record_id("run", mark["id"].id) async for marks in pages for mark in marks]

    async def _interrupted_roots(self) -> list[RecordID]:
        """Return the roots of runs with an open interruption: as few as a user has open questions."""
        return [record_id("run", key) for key in await self._connection.read(_INTERRUPTED_ROOTS)]

    async def _by_ids(self, ids: Sequence[RecordID]) -> list[Row]:
        return [row async for page in self._pages_by_id(ids, text=_BY_IDS) for row in page]

    async def _order_key_of(self, run_id: RunId) -> str | None:
        row = await self._connection.read("SELECT place FROM ONLY $id", {"id": record_id("run", text_key(run_id))})
        return row["place"] if row else None

    def _creation(self, creation: Creation) -> Statement:
        run = creation.run
        outcome = encode_outcome(run.output_json, run.error)
        events, values = encode_events(creation.events) if creation.events else (None, [])
        argument = {
            "run": encode_run(run, self._order_keys.next(run.created_at)),
            "snapshot": encode_snapshot(run.id, creation.snapshot),
            "outcome": [{"id": text_key(run.id), **outcome}] if outcome else [],
            "messages": self._messages.rows(creation.messages),
            "events": [] if events is None else [events],
            "values": values,
        }
        return Statement(_CREATE, argument, lambda new: () if new else creation.positions)


def _roots_before(rows: Iterable[Row], workflow_id: WorkflowId | None, place: str) -> list[Row]:
    """Return the root runs of the workflow before the order key."""
    workflow = codec.optional(text_key, workflow_id)
    roots = (row for row in rows if row.get("root") is None and workflow in (None, row.get("workflow")))
    return [row for row in roots if order_key_of(row) < place]


def _change_statement(position: int, change: ChangeRun) -> Statement:
    fields = {
        "status": change.status,
        "started_at": codec.optional(codec.to_microseconds, change.started_at),
        "finished_at": codec.optional(codec.to_microseconds, change.finished_at),
        "active_ms": change.active_ms,
        "unclean_ends": change.unclean_ends,
        "results_then": change.results_then,
    }
    argument = {
        "run": text_key(change.run_id),
        "fields": {name: value for name, value in fields.items() if value is not None},
        "expected": sorted(change.expected),
    }
    outcome = encode_outcome(change.output_json, change.error)
    if outcome:
        argument["outcome"] = outcome
    text = _CHANGE_WITH_OUTCOME if outcome else _CHANGE
    return Statement(text, argument, lambda changed: () if changed else (position,))
