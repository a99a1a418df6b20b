"""Results of calls: as the ledger keeps them, and as a model reads them (AGENTS_AND_TOOLS §3)."""

from typing import Any

from core.domain.json_text import decode, readable
from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus, ToolCall
from core.ports.model import ChatMessage

SETTLED = frozenset({CallStatus.COMPLETED, CallStatus.ERROR, CallStatus.SKIPPED})


def result_of(row: ToolCall | None) -> CallResult:
    """The result that a row of the ledger stands for; without one, that the call was cut off."""
    if row is None or (row.result_json is None and row.error is None):
        cut_off = ErrorInfo("interrupted", "the run ended before this call had a result")
        return CallResult(CallStatus.CANCELLED, error=cut_off)
    value = decode(row.result_json) if row.result_json is not None else None
    return CallResult(row.status, value, row.error, row.duration_ms or 0)


def as_message(call_id: str, result: CallResult, note: str | None = None) -> ChatMessage:
    """The `tool` message that answers a call: its value, or `{error: {code, message}}`, as JSON; with a `note` for the
    model, `{result, note}` or `{error, note}`."""
    told = _told(result)
    if note is not None:
        told = {**told, "note": note} if result.error is not None else {"result": told, "note": note}
    return ChatMessage("tool", readable(told), call_id=call_id)


def _told(result: CallResult) -> Any:
    if result.error is None:
        return result.value
    return {"error": {"code": result.error.code, "message": result.error.message}}
