"""Rows of interruptions: a small row that changes, and the question and the answer, each written once.

Question and answer may have megabytes, and overwritten large values are never reclaimed by the engine.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.risk import Risk
from core.persistence import codec
from core.persistence.keys import by_sequence, record_id, text_key
from core.persistence.repository import OrderedRepository, decode_pages
from core.persistence.statements import Row, Statement, batched, lost_positions
from core.ports import CloseInterruption, RaiseInterruption

INTERRUPTIONS_PER_PAGE = 20  # a question may have megabytes

_RAISE = """{
    LET $new = (INSERT IGNORE INTO interruption $argument.rows RETURN VALUE record::id(id));
    INSERT IGNORE INTO interruption_ask $argument.asks RETURN NONE;
    INSERT IGNORE INTO interruption_answer $argument.answers RETURN NONE;
    $new
}"""
# Only rows that exist and are open remain after the filter, so the INSERT updates each of them.
_CLOSE = """{
    LET $open = $argument.filter(|$close| type::record('interruption', $close.row.id).is_open = true);
    INSERT INTO interruption $open.row ON DUPLICATE KEY UPDATE
        status = $input.status, is_open = $input.is_open, closed_at = $input.closed_at RETURN NONE;
    INSERT INTO interruption_answer array::flatten($open.answers) RETURN NONE;
    $open.row.id
}"""
_WHOLE = """*, type::record('interruption_ask', record::id(id)).data AS ask,
    type::record('interruption_answer', record::id(id)).data AS answer"""
_OF_RUN = f"SELECT {_WHOLE} FROM $range"
_STORED = f"SELECT {_WHOLE} FROM $ids"
_OPEN = f"""SELECT {_WHOLE} FROM interruption
    WHERE is_open = true AND place > $place ORDER BY place LIMIT $limit"""


class InterruptionRepository(OrderedRepository):
    """The interruptions of runs."""

    def put(self, raises: Iterable[tuple[int, RaiseInterruption]]) -> list[Statement]:
        """Return statements that lose the positions of interruptions that already exist."""
        return [self._put(batch) for batch in batched(list(raises))]

    def close(self, closes: Iterable[tuple[int, CloseInterruption]]) -> list[Statement]:
        """Return statements that lose the positions of interruptions that are not open."""
        return [_close_statement(batch) for batch in batched(list(closes))]

    async def already_written(
        self, raises: Sequence[tuple[int, RaiseInterruption]], closes: Sequence[tuple[int, CloseInterruption]]
    ) -> set[int]:
        """Return the positions of interruptions that are stored exactly as written."""
        asked = {position: write.interruption for position, write in raises}
        keys = {position: interruption_key(raised.run_id, raised.id) for position, raised in asked.items()}
        keys |= {position: interruption_key(write.run_id, write.id) for position, write in closes}
        ids = [record_id("interruption", key) for key in keys.values()]
        rows: dict[tuple[str | int, ...], Row] = {}
        async for page in self._pages_by_id(ids, text=_STORED, rows=INTERRUPTIONS_PER_PAGE):
            rows |= {tuple(row["id"].id): row for row in page}
        stored = {position: rows[tuple(key)] for position, key in keys.items() if tuple(key) in rows}
        return {
            *(at for at, raised in asked.items() if at in stored and _is_raised_so(stored[at], raised)),
            *(at for at, write in closes if at in stored and _is_closed_so(stored[at], write)),
        }

    async def of_run(self, run_id: RunId) -> list[Interruption]:
        """Return the interruptions by sequence number. Raises StorageFailed `unreadable`."""
        key, size = text_key(run_id), INTERRUPTIONS_PER_PAGE
        pages = self._pages_in_range("interruption", key, rows=size, text=_OF_RUN)
        with codec.raising_unreadable(run_id, "interruptions"):
            return sorted([decode_interruption(row) async for page in pages for row in page], key=by_sequence)

    async def open(self) -> list[Interruption]:
        """Return the readable open interruptions, oldest first."""
        pages = self._pages_by_order_key(_OPEN, {}, rows=INTERRUPTIONS_PER_PAGE)
        return await decode_pages(pages, decode_interruption)

    def _put(self, writes: Sequence[tuple[int, RaiseInterruption]]) -> Statement:
        raised = [write.interruption for _, write in writes]
        argument = {
            "rows": [self._encode(interruption) for interruption in raised],
            "asks": [_encode_ask(interruption) for interruption in raised],
            "answers": [row for interruption in raised for row in _encode_answers(interruption)],
        }
        keys = [
            (position, interruption_key(write.interruption.run_id, write.interruption.id)) for position, write in writes
        ]
        return Statement(_RAISE, argument, lambda new: lost_positions(new, keys))

    def _encode(self, interruption: Interruption) -> Row:
        return {
            "id": interruption_key(interruption.run_id, interruption.id),
            "workflow": text_key(interruption.workflow_id),
            "status": interruption.status,
            "is_open": interruption.is_open,
            "place": self._order_keys.next(interruption.created_at),
            "closed_at": codec.optional(codec.to_microseconds, interruption.closed_at),
            "data": _encode_frame(interruption),
        }


def _close_statement(writes: Sequence[tuple[int, CloseInterruption]]) -> Statement:
    """Close each interruption once: the first of two writes with the same id applies."""
    keys = [(position, interruption_key(write.run_id, write.id)) for position, write in writes]
    first = {tuple(interruption_key(write.run_id, write.id)): write for _, write in reversed(writes)}
    argument = [{"row": _encode_close(write), "answers": _encode_answers(write)} for write in first.values()]
    return Statement(_CLOSE, argument, lambda taken: lost_positions(taken, keys))


Fingerprint = tuple[Any, ...]


def interruption_key(run_id: RunId, interruption_id: InterruptionId) -> list[str | int]:
    return [text_key(run_id), text_key(interruption_id)]


def raise_fingerprint(interruption: Interruption) -> Fingerprint:
    """Return what raising the interruption writes permanently; equal for a repeated commit."""
    return text_key(interruption.workflow_id), _encode_frame(interruption), _encode_ask_fields(interruption.ask)


def close_fingerprint(closed: Interruption | CloseInterruption) -> Fingerprint:
    """Return what closing the interruption writes; equal for a repeated commit."""
    return (
        closed.status,
        codec.optional(codec.to_microseconds, closed.closed_at),
        codec.optional(_encode_answer_fields, closed.answer),
    )


def _is_raised_so(row: Row, interruption: Interruption) -> bool:
    return (row.get("workflow"), row.get("data"), row.get("ask")) == raise_fingerprint(interruption)


def _is_closed_so(row: Row, write: CloseInterruption) -> bool:
    return (row.get("status"), row.get("closed_at"), row.get("answer")) == close_fingerprint(write)


def _encode_close(write: CloseInterruption) -> Row:
    """Encode what closing changes in the interruption's row."""
    return {
        "id": interruption_key(write.run_id, write.id),
        "status": write.status,
        "is_open": write.status.is_open,
        "closed_at": codec.to_microseconds(write.closed_at),
    }


def _encode_ask(interruption: Interruption) -> Row:
    return {"id": interruption_key(interruption.run_id, interruption.id), "data": _encode_ask_fields(interruption.ask)}


def _encode_answers(write: Interruption | CloseInterruption) -> list[Row]:
    """Return the answer's row, if there is an answer."""
    if write.answer is None:
        return []
    return [{"id": interruption_key(write.run_id, write.id), "data": _encode_answer_fields(write.answer)}]


def decode_interruption(row: Row) -> Interruption:
    """Decode a row with its `ask` and `answer`. Raises any of codec.DECODE_ERRORS."""
    fields, ask_fields = codec.decode_data(row), codec.decode_fields(codec.decode_text(row["ask"]))
    run_id, interruption_id = row["id"].id
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
        **ask_fields,
    )
    return Interruption(
        InterruptionId(interruption_id),
        RunId(run_id),
        WorkflowId(row["workflow"]),
        ask,
        InterruptionStatus(row["status"]),
        fields["seq"],
        codec.from_microseconds(fields["created_at"]),
        expires_at=codec.optional(codec.from_microseconds, fields.get("expires_at")),
        answer=codec.optional(_decode_answer, row.get("answer")),
        closed_at=codec.optional(codec.from_microseconds, row.get("closed_at")),
    )


def _encode_frame(interruption: Interruption) -> str:
    """Encode the small fields of the question."""
    ask = interruption.ask
    return codec.encode_fields(
        kind=ask.kind,
        step=ask.step,
        index=ask.index,
        attempt=ask.attempt,
        tool=ask.tool,
        risk=ask.risk,
        call_id=ask.call_id,
        timeout_ms=ask.timeout_ms,
        default_action=ask.default_action,
        seq=interruption.seq,
        created_at=codec.to_microseconds(interruption.created_at),
        expires_at=codec.optional(codec.to_microseconds, interruption.expires_at),
    )


def _encode_ask_fields(ask: InterruptionRequest) -> str:
    """Encode the fields of the question that may be large."""
    return codec.encode_fields(
        prompt=ask.prompt,
        schema=ask.schema,
        options=ask.options,
        input=ask.input,
        outputs=ask.outputs,
        arguments=ask.arguments,
        sub_agent_name=ask.sub_agent_name,
    )


def _encode_answer_fields(answer: Answer) -> str:
    return codec.encode_fields(action=answer.action, value=answer.value, reason=answer.reason)


def _decode_answer(text: str) -> Answer:
    fields = codec.decode_fields(text)
    return Answer(Action(fields["action"]), fields.get("value"), fields.get("reason"))
