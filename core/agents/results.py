"""Results of calls: as the ledger keeps them, and as a model reads them (AGENTS_AND_TOOLS §3)."""

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from core.agents.budget import within_budget
from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus, ToolCall
from core.ports.model import ChatMessage
from core.threads.long_json import readable_text, value_of

SETTLED = frozenset({CallStatus.COMPLETED, CallStatus.ERROR, CallStatus.SKIPPED})


async def result_of(row: ToolCall | None) -> CallResult:
    """The result that a row of the ledger stands for; without one, that the call was cut off."""
    if row is None or (row.result_json is None and row.error is None):
        cut_off = ErrorInfo("interrupted", "the run ended before this call had a result")
        return CallResult(CallStatus.CANCELLED, error=cut_off)
    value = await value_of(row.result_json) if row.result_json is not None else None
    return CallResult(row.status, value, row.error, row.duration_ms or 0)


async def as_messages(
    call_ids: Iterable[str], results: Iterable[CallResult], notes: Iterable[str | None] | None = None
) -> list[ChatMessage]:
    """The `tool` messages that answer the calls of a round, in order: each value, or `{error: {code, message}}`, as
    JSON, cut to what a model is given of a round; with a note for the model, `{result, note}` or `{error, note}`."""
    pairs = zip(results, notes, strict=True) if notes is not None else zip(results, repeat(None))
    told = [_noted(result, note) for result, note in pairs]
    texts = within_budget([await readable_text(one) for one in told])
    return [ChatMessage("tool", text, call_id=call_id) for call_id, text in zip(call_ids, texts, strict=True)]


def _noted(result: CallResult, note: str | None) -> Any:
    told = _told(result)
    if note is None:
        return told
    return {**told, "note": note} if result.error is not None else {"result": told, "note": note}


def _told(result: CallResult) -> Any:
    if result.error is None:
        return result.value
    return {"error": {"code": result.error.code, "message": result.error.message}}
