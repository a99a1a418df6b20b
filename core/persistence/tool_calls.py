"""Rows of the ledger. The arguments of a call lie apart: its row is written again when it has ended."""

from collections.abc import Iterable

from core.domain.ids import CallId, RunId
from core.domain.tool import CallStatus, Effect, ToolCall
from core.persistence.codec import (
    BROKEN,
    data,
    data_of,
    error_fields,
    error_of,
    microseconds,
    optional,
    text,
    text_of,
    time_of,
)
from core.persistence.connection import Connection
from core.persistence.keys import text_key
from core.persistence.order import by_call
from core.persistence.pages import in_range
from core.persistence.statements import Row, Statement, each
from core.persistence.unreadable import unreadable

_PUT = """INSERT INTO tool_call $given
    ON DUPLICATE KEY UPDATE result = $input.result, data = $input.data RETURN NONE"""
_PUT_ARGUMENTS = "INSERT IGNORE INTO tool_argument $given RETURN NONE"
_SELECT = "SELECT * FROM $range"


class ToolCalls:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, calls: Iterable[ToolCall]) -> list[Statement]:
        made = list(calls)
        arguments = [{"id": _key(call), "text": text(call.arguments_json)} for call in made]
        return [*each(_PUT, map(_row, made)), *each(_PUT_ARGUMENTS, arguments)]

    async def of_run(self, run_id: RunId) -> list[ToolCall]:
        """In the order of rounds and positions. Raises StorageFailed `unreadable`."""
        key = text_key(run_id)
        rows: list[Row] = []
        arguments: dict[str, str] = {}
        try:
            async for page in in_range(self._connection, _SELECT, "tool_call", key):
                rows.extend(page)
            async for page in in_range(self._connection, _SELECT, "tool_argument", key):
                arguments.update((row["id"].id[1], text_of(row["text"])) for row in page)
            return sorted((_call(row, arguments) for row in rows), key=by_call)
        except BROKEN as error:
            raise unreadable(run_id, "tool calls") from error


def _key(call: ToolCall) -> list[str]:
    return [text_key(call.run_id), text_key(call.id)]


def _row(call: ToolCall) -> Row:
    return {
        "id": _key(call),
        "result": optional(text, call.result_json),
        "data": data(
            step=call.step,
            index=call.index,
            round=call.round,
            position=call.position,
            tool=call.tool,
            status=call.status,
            effect=call.effect,
            error=optional(error_fields, call.error),
            started_at=optional(microseconds, call.started_at),
            finished_at=optional(microseconds, call.finished_at),
            duration_ms=call.duration_ms,
            sameness=call.sameness,
        ),
    }


def _call(row: Row, arguments: dict[str, str]) -> ToolCall:
    found = data_of(row)
    run_id, call_id = row["id"].id
    return ToolCall(
        id=CallId(call_id),
        run_id=RunId(run_id),
        step=found["step"],
        index=found.get("index"),
        round=found["round"],
        position=found["position"],
        tool=found["tool"],
        status=CallStatus(found["status"]),
        arguments_json=arguments[call_id],
        effect=Effect(found["effect"]),
        result_json=optional(text_of, row.get("result")),
        error=optional(error_of, found.get("error")),
        started_at=optional(time_of, found.get("started_at")),
        finished_at=optional(time_of, found.get("finished_at")),
        duration_ms=found.get("duration_ms"),
        sameness=found.get("sameness"),
    )
