"""What the rows of an interruption hold: a small one that changes, and what was asked and answered, written once."""

from typing import Any

from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId
from core.domain.interruption import Action, Answer, Ask, Interruption, InterruptionKind, InterruptionStatus
from core.domain.risk import Risk
from core.persistence.codec import data, data_of, fields_of, microseconds, optional, text_of, time_of
from core.persistence.keys import text_key
from core.persistence.statements import Row
from core.ports.storage import CloseInterruption

Written = tuple[Any, ...]


def key(run_id: RunId, interruption_id: InterruptionId) -> list[str | int]:
    return [text_key(run_id), text_key(interruption_id)]


def raising(asked: Interruption) -> Written:
    """What raising it writes for good: of two that are raised just so, these are equal."""
    return text_key(asked.workflow_id), _frame(asked), _ask_data(asked.ask)


def closing(closed: Interruption | CloseInterruption) -> Written:
    """What closing it writes, likewise."""
    return closed.status, optional(microseconds, closed.closed_at), optional(_answer_data, closed.answer)


def interruption_row(asked: Interruption, place: str) -> Row:
    return {
        "id": key(asked.run_id, asked.id),
        "workflow": text_key(asked.workflow_id),
        "status": asked.status,
        "is_open": asked.is_open,
        "place": place,
        "closed_at": optional(microseconds, asked.closed_at),
        "data": _frame(asked),
    }


def closed_row(write: CloseInterruption) -> Row:
    """What closing changes of its row."""
    return {
        "id": key(write.run_id, write.id),
        "status": write.status,
        "is_open": write.status.is_open,
        "closed_at": microseconds(write.closed_at),
    }


def ask_row(asked: Interruption) -> Row:
    return {"id": key(asked.run_id, asked.id), "data": _ask_data(asked.ask)}


def answer_rows(of: Interruption | CloseInterruption) -> list[Row]:
    """One, if there is an answer."""
    return [] if of.answer is None else [{"id": key(of.run_id, of.id), "data": _answer_data(of.answer)}]


def raised(row: Row) -> Written:
    """As `raising`, of a row that was found with its `ask` and `answer`."""
    return row.get("workflow"), row.get("data"), row.get("ask")


def closed(row: Row) -> Written:
    """As `closing`, likewise."""
    return row.get("status"), row.get("closed_at"), row.get("answer")


def interruption_of(row: Row) -> Interruption:
    """Of a row with its `ask` and `answer`. Raises one of BROKEN."""
    found, asked = data_of(row), fields_of(text_of(row["ask"]))
    run_id, interruption_id = row["id"].id
    ask = Ask(
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
        time_of(found["created_at"]),
        expires_at=optional(time_of, found.get("expires_at")),
        answer=optional(_answer, row.get("answer")),
        closed_at=optional(time_of, row.get("closed_at")),
    )


def _frame(asked: Interruption) -> str:
    """What is small of a question, and when it was asked."""
    ask = asked.ask
    return data(
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
        created_at=microseconds(asked.created_at),
        expires_at=optional(microseconds, asked.expires_at),
    )


def _ask_data(ask: Ask) -> str:
    """What may be large of a question."""
    return data(
        prompt=ask.prompt,
        schema=ask.schema,
        options=ask.options,
        input=ask.input,
        outputs=ask.outputs,
        arguments=ask.arguments,
        sub_agent_name=ask.sub_agent_name,
    )


def _answer_data(answer: Answer) -> str:
    return data(action=answer.action, value=answer.value, reason=answer.reason)


def _answer(text: str) -> Answer:
    found = fields_of(text)
    return Answer(Action(found["action"]), found.get("value"), found.get("reason"))
