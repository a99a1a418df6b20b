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
from core.persistence.codec import (
    DECODE_ERRORS,
    OrderKeys,
    decode_data,
    decode_fields,
    decode_rows,
    decode_text,
    encode_fields,
    from_microseconds,
    optional,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import by_sequence, record_id, text_key
from core.persistence.pages import pages_by_id, pages_by_order_key, pages_in_range
from core.persistence.statements import Row, Statement, batched, lost_positions
from core.persistence.unreadable import unreadable_error
from core.ports.writes import CloseInterruption, RaiseInterruption

INTERRUPTIONS_PER_PAGE = 20  # what is asked may have megabytes

_RAISE = """{
    LET $new = (INSERT IGNORE INTO interruption $given.rows RETURN VALUE record::id(id));
    INSERT IGNORE INTO interruption_ask $given.asks RETURN NONE;
    INSERT IGNORE INTO interruption_answer $given.answers RETURN NONE;
    $new
}"""
# The rows that are left exist, so each of them is updated.
_CLOSE = """{
    LET $open = $given.filter(|$one| type::record('interruption', $one.row.id).is_open = true);
    INSERT INTO interruption $open.row ON DUPLICATE KEY UPDATE
        status = $input.status, is_open = $input.is_open, closed_at = $input.closed_at RETURN NONE;
    INSERT INTO interruption_answer array::flatten($open.answers) RETURN NONE;
    $open.row.id
}"""
_WHOLE = """*, type::record('interruption_ask', record::id(id)).data AS ask,
    type::record('interruption_answer', record::id(id)).data AS answer"""
_OF_RUN = f"SELECT {_WHOLE} FROM $range"
_STANDING = f"SELECT {_WHOLE} FROM $ids"
_OPEN = f"""SELECT {_WHOLE} FROM interruption
    WHERE is_open = true AND place > $place ORDER BY place LIMIT $limit"""


class InterruptionRepository:
    """The interruptions of runs."""

    def __init__(self, connection: Connection, places: OrderKeys) -> None:
        self._connection = connection
        self._places = places

    def put(self, raises: Iterable[tuple[int, RaiseInterruption]]) -> list[Statement]:
        """Return statements that lose the positions of interruptions that already exist."""
        return [self._put(some) for some in batched(list(raises))]

    def close(self, closes: Iterable[tuple[int, CloseInterruption]]) -> list[Statement]:
        """Return statements that lose the positions of interruptions that are not open."""
        return [_close_statement(some) for some in batched(list(closes))]

    async def ours(
        self, raises: Sequence[tuple[int, RaiseInterruption]], closes: Sequence[tuple[int, CloseInterruption]]
    ) -> set[int]:
        """Return the positions of interruptions that are stored exactly as written."""
        asked = {at: write.interruption for at, write in raises}
        keys = {at: interruption_key(one.run_id, one.id) for at, one in asked.items()}
        keys |= {at: interruption_key(one.run_id, one.id) for at, one in closes}
        stand: dict[tuple[str | int, ...], tuple[Fingerprint, Fingerprint]] = {}
        ids = [record_id("interruption", one) for one in keys.values()]
        async for page in pages_by_id(self._connection, _STANDING, ids, rows=INTERRUPTIONS_PER_PAGE):
            stand |= {
                tuple(row["id"].id): (stored_raise_fingerprint(row), stored_close_fingerprint(row)) for row in page
            }
        found = {at: stand[tuple(one)] for at, one in keys.items() if tuple(one) in stand}
        mine = {at for at, one in asked.items() if at in found and found[at][0] == raise_fingerprint(one)}
        return mine | {at for at, write in closes if at in found and found[at][1] == close_fingerprint(write)}

    async def of_run(self, run_id: RunId) -> list[Interruption]:
        """Return the interruptions by sequence number. Raises StorageFailed `unreadable`."""
        found: list[Interruption] = []
        try:
            async for page in pages_in_range(
                self._connection, _OF_RUN, "interruption", text_key(run_id), rows=INTERRUPTIONS_PER_PAGE
            ):
                found.extend(map(decode_interruption, page))
        except DECODE_ERRORS as error:
            raise unreadable_error(run_id, "interruptions") from error
        return sorted(found, key=by_sequence)

    async def open(self) -> list[Interruption]:
        """Return the readable open interruptions, oldest first."""
        found: list[Interruption] = []
        async for page in pages_by_order_key(self._connection, _OPEN, {}, rows=INTERRUPTIONS_PER_PAGE):
            found.extend(decode_rows(page, decode_interruption))
        return found

    def _put(self, placed: Sequence[tuple[int, RaiseInterruption]]) -> Statement:
        asked = [write.interruption for _, write in placed]
        given = {
            "rows": [encode_interruption(one, self._places.next(one.created_at)) for one in asked],
            "asks": [encode_ask(one) for one in asked],
            "answers": [row for one in asked for row in encode_answers(one)],
        }
        keys = [(at, interruption_key(write.interruption.run_id, write.interruption.id)) for at, write in placed]
        return Statement(_RAISE, given, lambda new: lost_positions(new, keys))


def _close_statement(placed: Sequence[tuple[int, CloseInterruption]]) -> Statement:
    """Close each interruption once: the first of two writes with the same id applies."""
    keys = [(at, interruption_key(write.run_id, write.id)) for at, write in placed]
    first = {tuple(interruption_key(write.run_id, write.id)): write for _, write in reversed(placed)}
    given = [{"row": encode_close(write), "answers": encode_answers(write)} for write in first.values()]
    return Statement(_CLOSE, given, lambda taken: lost_positions(taken, keys))


Fingerprint = tuple[Any, ...]


def interruption_key(run_id: RunId, interruption_id: InterruptionId) -> list[str | int]:
    return [text_key(run_id), text_key(interruption_id)]


def raise_fingerprint(asked: Interruption) -> Fingerprint:
    """Return what raising the interruption writes permanently; equal for a repeated commit."""
    return text_key(asked.workflow_id), _encode_frame(asked), _encode_ask_fields(asked.ask)


def close_fingerprint(closed: Interruption | CloseInterruption) -> Fingerprint:
    """Return what closing the interruption writes; equal for a repeated commit."""
    return closed.status, optional(to_microseconds, closed.closed_at), optional(_encode_answer_fields, closed.answer)


def encode_interruption(asked: Interruption, place: str) -> Row:
    return {
        "id": interruption_key(asked.run_id, asked.id),
        "workflow": text_key(asked.workflow_id),
        "status": asked.status,
        "is_open": asked.is_open,
        "place": place,
        "closed_at": optional(to_microseconds, asked.closed_at),
        "data": _encode_frame(asked),
    }


def encode_close(write: CloseInterruption) -> Row:
    """Encode what closing changes in the interruption's row."""
    return {
        "id": interruption_key(write.run_id, write.id),
        "status": write.status,
        "is_open": write.status.is_open,
        "closed_at": to_microseconds(write.closed_at),
    }


def encode_ask(asked: Interruption) -> Row:
    return {"id": interruption_key(asked.run_id, asked.id), "data": _encode_ask_fields(asked.ask)}


def encode_answers(of: Interruption | CloseInterruption) -> list[Row]:
    """Return the answer's row, if there is an answer."""
    return (
        []
        if of.answer is None
        else [{"id": interruption_key(of.run_id, of.id), "data": _encode_answer_fields(of.answer)}]
    )


def stored_raise_fingerprint(row: Row) -> Fingerprint:
    """Return `raise_fingerprint` of a stored row with its `ask` and `answer`."""
    return row.get("workflow"), row.get("data"), row.get("ask")


def stored_close_fingerprint(row: Row) -> Fingerprint:
    """Return `close_fingerprint` of a stored row with its `ask` and `answer`."""
    return row.get("status"), row.get("closed_at"), row.get("answer")


def decode_interruption(row: Row) -> Interruption:
    """Decode a row with its `ask` and `answer`. Raises any of DECODE_ERRORS."""
    found, asked = decode_data(row), decode_fields(decode_text(row["ask"]))
    run_id, interruption_id = row["id"].id
    ask = InterruptionRequest(
        InterruptionKind(found["kind"]),
        found["step"],
        index=found.get("index"),
        attempt=found["attempt"],
        tool=found.get("tool"),
        risk=optional(Risk, found.get("risk")),
        call_id=optional(CallId, found.get("call_id")),
        timeout_ms=found.get("timeout_ms"),
        default_action=Action(found["default_action"]),
        **asked,
    )
    return Interruption(
        InterruptionId(interruption_id),
        RunId(run_id),
        WorkflowId(row["workflow"]),
        ask,
        InterruptionStatus(row["status"]),
        found["seq"],
        from_microseconds(found["created_at"]),
        expires_at=optional(from_microseconds, found.get("expires_at")),
        answer=optional(_decode_answer, row.get("answer")),
        closed_at=optional(from_microseconds, row.get("closed_at")),
    )


def _encode_frame(asked: Interruption) -> str:
    """Encode the small fields of the question."""
    ask = asked.ask
    return encode_fields(
        kind=ask.kind,
        step=ask.step,
        index=ask.index,
        attempt=ask.attempt,
        tool=ask.tool,
        risk=ask.risk,
        call_id=ask.call_id,
        timeout_ms=ask.timeout_ms,
        default_action=ask.default_action,
        seq=asked.seq,
        created_at=to_microseconds(asked.created_at),
        expires_at=optional(to_microseconds, asked.expires_at),
    )


def _encode_ask_fields(ask: InterruptionRequest) -> str:
    """Encode the fields of the question that may be large."""
    return encode_fields(
        prompt=ask.prompt,
        schema=ask.schema,
        options=ask.options,
        input=ask.input,
        outputs=ask.outputs,
        arguments=ask.arguments,
        sub_agent_name=ask.sub_agent_name,
    )


def _encode_answer_fields(answer: Answer) -> str:
    return encode_fields(action=answer.action, value=answer.value, reason=answer.reason)


def _decode_answer(text: str) -> Answer:
    found = decode_fields(text)
    return Answer(Action(found["action"]), found.get("value"), found.get("reason"))
