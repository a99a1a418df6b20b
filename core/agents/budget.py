"""How much of its results a model is given (AGENTS_AND_TOOLS §3): what the ledger keeps and people see stays whole."""

from collections.abc import Sequence

ROUND_BYTES = 50_000
"""What the results of one round may have together."""

_MARK = "\n[cut here: {:,} bytes in all]"
_MARK_BYTES = 48


def within_budget(texts: Sequence[str], limit: int = ROUND_BYTES) -> list[str]:
    """The results of a round, cut to `limit` bytes of UTF-8 together: the largest first, all of them to one size."""
    sizes = [_bytes(text) for text in texts]
    if sum(sizes) <= limit:
        return list(texts)
    share = _share(sizes, limit)
    return [text if size <= share else _cut(text, size, share) for text, size in zip(texts, sizes, strict=True)]


def _share(sizes: Sequence[int], limit: int) -> int:
    """The size that the largest are cut to, so that what is smaller stays whole."""
    left = limit
    for position, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - position)
        if size > share:
            return share
        left -= size
    return left


def _cut(text: str, size: int, share: int) -> str:
    kept = text.encode("utf-8", "surrogatepass")[: max(0, share - _MARK_BYTES)]
    return kept.decode("utf-8", "ignore") + _MARK.format(size)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
