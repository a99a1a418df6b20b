"""Brings stores of versions before FACTS_VERSION over: what was in rows beside the events of runs becomes facts.

A run's results, calls and interruptions were rows, and its events left out the outputs that a result had. Now all of it
is facts. The old store is read and a new one is written, run by run; the new store then takes its place in one step
(`replacement`), so that a kill leaves the old or the new. A run whose rows cannot be read stays unreadable, with its
rows as they were.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.domain.checkpoint_items import interruption_item, taken_calls, taken_results
from core.domain.events import (
    CheckpointsTaken,
    Event,
    MessageAdded,
    RawResultSaved,
    StepFinished,
    parse_fact,
    with_text,
)
from core.domain.ids import CallId, InterruptionId, MessageId, RunId, WorkflowId
from core.domain.interruption import Action, Answer, Interruption, InterruptionKind, InterruptionRequest
from core.domain.interruption import InterruptionStatus as Status
from core.domain.progress import RunProgress, progress_of
from core.domain.risk import Risk
from core.domain.run import StepKey, StepResult, StepStatus
from core.domain.text.json_text import decode
from core.domain.tool import CallStatus, Effect, ToolCall
from core.errors import MetierError
from core.persistence import codec
from core.persistence.connection import Connection
from core.persistence.dump import Page, load_pages, read_pages, table_names, verify
from core.persistence.event_rows import EventRow, StoredEvent, encode_events
from core.persistence.interruptions import encode_interruption
from core.persistence.keys import UNFINISHED, key_range, record_id
from core.persistence.repository import SELECT, pages_by_key
from core.persistence.row_lines import encode_row
from core.persistence.schema import VERSION
from core.persistence.statements import Row, batched

# The tables of a run whose keys begin with it, and those that are gone without their rows.
_OF_RUN = (
    *("event", "step_result", "tool_call", "tool_argument"),
    *("interruption", "interruption_ask", "interruption_answer"),
)
_GONE = ("memory_word",)
_ROWS_AT_ONCE = 100
_EVENTS_PER_ROW = 200
_FIRST_ROWS = "RETURN $ranges.map(|$range| (SELECT * FROM $range LIMIT $limit))"


async def migrate_to_facts(source: Connection, target: Connection) -> None:
    """Write everything of a store of an earlier version into a new store of this version, and read it back.

    Raises StorageFailed; the new store is then to be thrown away.
    """
    await verify(target, await load_pages(target, _pages(source)))


async def _pages(source: Connection) -> AsyncIterator[Page]:
    tables = await table_names(source)
    other = [table for table in tables if table not in (*_OF_RUN, *_GONE, "meta")]
    async for page in read_pages(source, other):
        yield page
    async for _, rows in read_pages(source, [table for table in tables if table == "meta"]):
        yield "meta", [{**row, "version": VERSION} if row["id"].id == "schema" else row for row in rows]
    of_run = [table for table in _OF_RUN if table in tables]
    async for _, runs in read_pages(source, [table for table in tables if table == "run"]):
        for run in runs:
            for table, rows in new_rows(run, await _rows_of_run(source, of_run, run["id"].id)).items():
                for part in batched(rows, _ROWS_AT_ONCE):
                    yield table, part


async def _rows_of_run(source: Connection, tables: Sequence[str], run_id: str) -> dict[str, list[Row]]:
    """Return the rows of a run by table, in the order of their keys."""
    ranges = [key_range(table, run_id) for table in tables]
    first: list[list[Row]] = await source.read(_FIRST_ROWS, {"ranges": ranges, "limit": _ROWS_AT_ONCE})
    by_table = dict(zip(tables, first, strict=True))
    for table, rows in by_table.items():
        if len(rows) == _ROWS_AT_ONCE:
            pages = pages_by_key(source, SELECT, key_range(table, run_id), _ROWS_AT_ONCE)
            by_table[table] = [row async for page in pages for row in page]
    return by_table


def new_rows(run: Row, old: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return the rows of a run by table, of its row and of the rows that it had by table. Pure."""
    if not any(old.values()):
        return {}
    try:
        return _as_facts(_read_run(run, old))
    except (*codec.DECODE_ERRORS, MetierError):
        return _as_unreadable(run["id"].id, old)


@dataclass(slots=True)
class _OldRun:
    """What the rows of a run contain. `places` are the order keys of its open interruptions."""

    id: RunId
    workflow_id: WorkflowId
    is_finished: bool
    results: list[StepResult]
    calls: list[ToolCall]
    interruptions: list[Interruption]
    places: dict[InterruptionId, str]
    events: list[StoredEvent] = field(default_factory=list)


def _read_run(run: Row, old: Mapping[str, Sequence[Row]]) -> _OldRun:
    run_id, workflow_id = RunId(run["id"].id), WorkflowId(run["workflow"])
    arguments = {row["id"].id[1]: codec.decode_text(row["text"]) for row in old.get("tool_argument", ())}
    asked, answers = (
        {row["id"].id[1]: row["data"] for row in old.get(table, ())}
        for table in ("interruption_ask", "interruption_answer")
    )
    interruption_rows = old.get("interruption", ())
    read = _OldRun(
        run_id,
        workflow_id,
        run["status"] not in UNFINISHED,
        [_read_result(row) for row in old.get("step_result", ())],
        [_read_call(row, arguments) for row in old.get("tool_call", ())],
        [_read_interruption(row, asked, answers) for row in interruption_rows],
        {InterruptionId(row["id"].id[1]): row["place"] for row in interruption_rows},
    )
    outputs = {
        result.key: result.output_json or "null" for result in read.results if result.status is StepStatus.COMPLETED
    }
    last = 0
    for row in old.get("event", ()):
        for fields in decode(codec.decode_text(row["data"])):
            if fields["seq"] > last:  # rows overlap if a commit was repeated after more events came
                last = fields["seq"]
                read.events.append(_read_event(fields, run_id, workflow_id, outputs))
    return read


def _as_facts(run: _OldRun) -> dict[str, list[Row]]:
    events = list(run.events)
    if (taken := _taken(run)) is not None:
        at = events[-1].event.at if events else codec.from_microseconds(0)
        seq = events[-1].event.seq + 1 if events else 1
        events.append(StoredEvent(Event(run.id, run.workflow_id, seq, at, taken)))
    encoded = [encode_events(EventRow(run.id, tuple(part))) for part in batched(events, _EVENTS_PER_ROW)]
    return {
        "long_value": [_placed("long_value", value) for _, values in encoded for value in values],
        "fact": [_placed("fact", {**row, "commit": 0}) for row, _ in encoded],
        "interruption": [
            _placed("interruption", encode_interruption(asked, run.places[asked.id]))
            for asked in run.interruptions
            if asked.is_open
        ],
    }


def _taken(run: _OldRun) -> CheckpointsTaken | None:
    """Return what the events of the run do not tell of its results, calls and interruptions, if anything."""
    told = progress_of(run.id, [stored.event for stored in run.events])
    results = [result for result in run.results if not _is_told(result, told, run.is_finished)]
    same_output = [result.key for result in results if result.output_json == _output_of(told, result.key)]
    if not (results or run.calls or run.interruptions):
        return None
    return CheckpointsTaken(
        results=taken_results(results, same_output),
        calls=taken_calls(run.calls),
        interruptions=[interruption_item(asked) for asked in run.interruptions],
    )


def _is_told(result: StepResult, told: RunProgress, is_finished: bool) -> bool:
    """Return whether the events contain the result; of a finished run, its times and its active time do not matter."""
    known = told.results_by_key.get(result.key)
    if known is None or not is_finished:
        return False
    timeless = replace(known, started_at=None, finished_at=None, active_ms=0)
    return timeless == replace(result, started_at=None, finished_at=None, active_ms=0)


def _output_of(told: RunProgress, key: StepKey) -> str | None:
    known = told.results_by_key.get(key)
    return None if known is None else known.output_json


def _as_unreadable(run_id: str, old: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return rows that make the run unreadable, as it was, and that keep the text of its rows."""
    texts = [encode_row(row) for rows in old.values() for row in rows]
    kept = [{"id": [run_id, 0, f"row {number}"], "data": text} for number, text in enumerate(texts)]
    return {
        "long_value": [_placed("long_value", row) for row in kept],
        "fact": [_placed("fact", {"id": [run_id, 0], "commit": 0, "last": 0})],
    }


def _placed(table: str, row: Row) -> Row:
    return {**row, "id": record_id(table, row["id"])}


# The rows of earlier versions


def _read_event(
    fields: dict[str, Any], run_id: RunId, workflow_id: WorkflowId, outputs: Mapping[StepKey, str]
) -> StoredEvent:
    """Decode an event. The absence of an output or a text refers to the row of the result or the message."""
    name, text, message_id = fields["type"], None, None
    if name == StepFinished.type and fields["status"] == StepStatus.COMPLETED and "output" not in fields:
        text = outputs.get(StepKey(fields["step"], fields.get("index")), "null")
        fields = {**fields, "output": decode(text)}
    elif name == RawResultSaved.type and "raw" not in fields:
        text = outputs.get(StepKey(fields["step"], fields.get("index")).of_raw, "null")
        fields = {**fields, "raw": decode(text)}
    elif name == MessageAdded.type and "text" not in fields:
        message_id = MessageId(fields["message_id"])
        fields = {**fields, "text": ""}
    fact = parse_fact(name, fields)
    if text is not None:
        with_text(fact, text)
    event = Event(run_id, workflow_id, fields["seq"], codec.from_microseconds(fields["at"]), fact)
    return StoredEvent(event, message_id)


def _read_result(row: Row) -> StepResult:
    fields = codec.decode_data(row)
    run_id, _, step, index, round_ = row["id"].id
    return StepResult(
        RunId(run_id),
        StepKey(step, None if index < 0 else index, None if round_ < 0 else round_),
        StepStatus(row["status"]),
        attempt=fields["attempt"],
        output_json=codec.optional(codec.decode_text, row.get("output")),
        skipped=fields.get("skipped", False),
        error=codec.optional(codec.decode_error, fields.get("error")),
        started_at=codec.optional(codec.from_microseconds, fields.get("started_at")),
        finished_at=codec.optional(codec.from_microseconds, fields.get("finished_at")),
        active_ms=fields["active_ms"],
        attempt_errors=tuple(codec.decode_error(error) for error in fields.get("attempt_errors", ())),
    )


def _read_call(row: Row, arguments: Mapping[str, str]) -> ToolCall:
    fields = codec.decode_data(row)
    run_id, call_id = row["id"].id
    return ToolCall(
        id=CallId(call_id),
        run_id=RunId(run_id),
        step=fields["step"],
        index=fields.get("index"),
        round=fields["round"],
        position=fields["position"],
        tool=fields["tool"],
        status=CallStatus(fields["status"]),
        arguments_json=arguments[call_id],
        effect=Effect(fields["effect"]),
        result_json=codec.optional(codec.decode_text, row.get("result")),
        error=codec.optional(codec.decode_error, fields.get("error")),
        started_at=codec.optional(codec.from_microseconds, fields.get("started_at")),
        finished_at=codec.optional(codec.from_microseconds, fields.get("finished_at")),
        duration_ms=fields.get("duration_ms"),
        sameness=fields.get("sameness"),
    )


def _read_interruption(row: Row, asked: Mapping[str, Any], answers: Mapping[str, Any]) -> Interruption:
    run_id, interruption_id = row["id"].id
    fields, values = codec.decode_data(row), codec.decode_fields(codec.decode_text(asked[interruption_id]))
    ask = InterruptionRequest(
        InterruptionKind(fields["kind"]),
        fields["step"],
        index=fields.get("index"),
        attempt=fields["attempt"],
        tool=fields.get("tool"),
        risk=codec.optional(Risk, fields.get("risk")),
        call_id=codec.optional(CallId, fields.get("call_id")),
        timeout_ms=fields.get("timeout_ms"),
        default_action=Action(fields["default_action"]),
        **values,
    )
    return Interruption(
        InterruptionId(interruption_id),
        RunId(run_id),
        WorkflowId(row["workflow"]),
        ask,
        Status(row["status"]),
        fields["seq"],
        codec.from_microseconds(fields["created_at"]),
        expires_at=codec.optional(codec.from_microseconds, fields.get("expires_at")),
        answer=codec.optional(_read_answer, answers.get(interruption_id)),
        closed_at=codec.optional(codec.from_microseconds, row.get("closed_at")),
    )


def _read_answer(text: Any) -> Answer:
    fields = codec.decode_fields(codec.decode_text(text))
    return Answer(Action(fields["action"]), fields.get("value"), fields.get("reason"))
