"""Results of calls, as the ledger stores them and as a model reads them (AGENTS_AND_TOOLS §3)."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

from core.domain.run import ErrorInfo
from core.domain.tool import CallResult, CallStatus, ToolCall
from core.ports import ChatMessage
from core.threads.long_values import decode_async, readable_async

SETTLED = frozenset({CallStatus.COMPLETED, CallStatus.ERROR, CallStatus.SKIPPED})


async def stored_result(row: ToolCall | None) -> CallResult:
    """Decode the result of a ledger row. Without a row or a result, the call counts as interrupted."""
    if row is None or (row.result_json is None and row.error is None):
        error = ErrorInfo("interrupted", "the run ended before this call had a result")
        return CallResult(CallStatus.CANCELLED, error=error)
    value = await decode_async(row.result_json) if row.result_json is not None else None
    return CallResult(row.status, value, row.error, row.duration_ms or 0)


async def tool_messages(
    call_ids: Iterable[str], results: Iterable[CallResult], notes: Iterable[str | None] | None = None
) -> list[ChatMessage]:
    """Build the `tool` messages for the calls of a round, in order.

    Each contains the value, or `{error: {code, message}}`, as JSON, cut to the budget of a round. With a note for the
    model, it contains `{result, note}` or `{error, note}`.
    """
    pairs = zip(results, notes, strict=True) if notes is not None else zip(results, repeat(None))
    contents = [_with_note(result, note) for result, note in pairs]
    texts = cut_to_budget([await readable_async(content) for content in contents])
    return [ChatMessage("tool", text, call_id=call_id) for call_id, text in zip(call_ids, texts, strict=True)]


def _with_note(result: CallResult, note: str | None) -> Any:
    content = _content(result)
    if note is None:
        return content
    return {**content, "note": note} if result.error is not None else {"result": content, "note": note}


def _content(result: CallResult) -> Any:
    if result.error is None:
        return result.value
    return {"error": {"code": result.error.code, "message": result.error.message}}


# For all results of a round together.
ROUND_BYTES = 50_000

_MARK = "\n[cut here: {:,} bytes in all]"
_MARK_BYTES = 48


def cut_to_budget(texts: Sequence[str], limit: int = ROUND_BYTES) -> list[str]:
    """Cut results to `limit` bytes of UTF-8 together: the largest first, all to the same size."""
    sizes = [_bytes(text) for text in texts]
    if sum(sizes) <= limit:
        return list(texts)
    share = _share(sizes, limit)
    # Cutting the largest first keeps short results whole: they are often the errors that the model has to react to.
    return [text if size <= share else _cut(text, size, share) for text, size in zip(texts, sizes, strict=True)]


def _share(sizes: Sequence[int], limit: int) -> int:
    """Compute the size to which the largest are cut, such that smaller results stay whole."""
    remaining = limit
    for position, size in enumerate(sorted(sizes)):
        share = remaining // (len(sizes) - position)
        if size > share:
            return share
        remaining -= size
    return remaining


def _cut(text: str, size: int, share: int) -> str:
    head = text.encode("utf-8", "surrogatepass")[: max(0, share - _MARK_BYTES)]
    return head.decode("utf-8", "ignore") + _MARK.format(size)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
