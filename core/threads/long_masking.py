"""Long values without their secrets, made in a thread: `core.domain.masking` takes 0.1 s a megabyte."""

from typing import Any

from core.domain.masking import (
    hidden,
    hidden_names,
    is_secret_pair,
    masked,
    masked_text,
    same_or,
    without_private_keys,
)
from core.threads.long_json import is_long
from core.threads.pieces import ONE_AT_A_TIME, Pieces, in_thread

PIECE_CHARACTERS = 32 * 1024


async def masked_value(value: Any) -> Any:
    """`core.domain.masking.masked`, which long values get in a thread."""
    return await in_thread(_masked(value), ONE_AT_A_TIME) if is_long(value) else masked(value)


def _masked(value: Any) -> Pieces[Any]:
    if isinstance(value, str):
        return (yield from _masked_text(value))
    if not is_long(value):
        yield
        return masked(value)
    if isinstance(value, dict):
        hides, found = hidden_names(value), {}
        for key, part in value.items():
            found[key] = hidden(part) if hides(key) else (yield from _masked(part))
        return same_or(value, found)
    if is_secret_pair(value):
        return same_or(value, [value[0], hidden(value[1])])
    parts = []
    for part in value:
        parts.append((yield from _masked(part)))  # noqa: PERF401  # a comprehension cannot yield
    return same_or(value, parts)


def _masked_text(text: str) -> Pieces[str]:
    """Cut where a line or at least a word ends: what goes over a cut is not found."""
    whole = without_private_keys(text) if "PRIVATE KEY-----" in text else text
    pieces: list[str] = []
    start = 0
    while start < len(whole):
        end = min(start + PIECE_CHARACTERS, len(whole))
        if end < len(whole):
            middle = start + PIECE_CHARACTERS // 2
            end = max(whole.rfind("\n", middle, end), whole.rfind(" ", middle, end)) + 1 or end
        pieces.append(masked_text(whole[start:end]))
        start = end
        yield
    found = "".join(pieces)
    return text if found == text else found
