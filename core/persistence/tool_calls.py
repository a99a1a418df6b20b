"""Rows of the ledger. The row of a call is rewritten when the call ends, so its arguments have a row of their own."""

from collections.abc import Iterable

from core.domain.ids import CallId, RunId
from core.domain.tool import CallStatus, Effect, ToolCall
from core.persistence import codec
from core.persistence.keys import by_call, text_key
from core.persistence.repository import Repository
from core.persistence.statements import Row, Statement, batched_statements

_PUT = """INSERT INTO tool_call $argument
    ON DUPLICATE KEY UPDATE result = $input.result, data = $input.data RETURN NONE"""
_PUT_ARGUMENTS = "INSERT IGNORE INTO tool_argument $argument RETURN NONE"


class ToolCallRepository(Repository):
    """The ledger of tool calls."""

    def put(self, calls: Iterable[ToolCall]) -> list[Statement]:
        rows = list(calls)
        arguments = [{"id": _call_key(call), "text": codec.encode_text(call.arguments_json)} for call in rows]
        return [*batched_statements(_PUT, map(_encode_call, rows)), *batched_statements(_PUT_ARGUMENTS, arguments)]

    async def of_run(self, run_id: RunId) -> list[ToolCall]:
        """Return the calls by round and position. Raises StorageFailed `unreadable`."""
        key = text_key(run_id)
        rows: list[Row] = []
        arguments: dict[str, str] = {}
        async for page in self._pages_in_range("tool_call", key):
            rows.extend(page)
        with codec.raising_unreadable(run_id, "tool calls"):
            async for page in self._pages_in_range("tool_argument", key):
                arguments.update((row["id"].id[1], codec.decode_text(row["text"])) for row in page)
            return sorted((_decode_call(row, arguments) for row in rows), key=by_call)


def _call_key(call: ToolCall) -> list[str]:
    return [text_key(call.run_id), text_key(call.id)]


def _encode_call(call: ToolCall) -> Row:
    return {
        "id": _call_key(call),
        "result": codec.optional(codec.encode_text, call.result_json),
        "data": codec.encode_fields(
            step=call.step,
            index=call.index,
            round=call.round,
            position=call.position,
            tool=call.tool,
            status=call.status,
            effect=call.effect,
            error=codec.optional(codec.encode_error, call.error),
            started_at=codec.optional(codec.to_microseconds, call.started_at),
            finished_at=codec.optional(codec.to_microseconds, call.finished_at),
            duration_ms=call.duration_ms,
            sameness=call.sameness,
        ),
    }


def _decode_call(row: Row, arguments: dict[str, str]) -> ToolCall:
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
