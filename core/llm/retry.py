"""When a request that failed is made again (AGENTS_AND_TOOLS §2)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

RETRIES = 3
FIRST_DELAY_S = 1.0
MOST_DELAY_S = 30.0
MOST_OBEYED_S = 600.0
"""A provider that wants more patience than that has refused."""

_JITTER = 0.25
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def is_passing(status: int) -> bool:
    """Whether such an answer may be another one a little later."""
    return status in (408, 429) or 500 <= status <= 599


def delay_s(retry: int, asked_s: float | None, random: Callable[[], float]) -> float:
    """How long to wait before the `retry`th repetition, from 1: what the provider asked for, else 1 s, doubling to
    30 s. `random` gives 0 to 1; up to a quarter is added, so that many do not come back together."""
    if asked_s is not None and asked_s > 0:
        return asked_s
    return min(FIRST_DELAY_S * 2.0 ** (retry - 1), MOST_DELAY_S) * (1 + _JITTER * random())


def asked_s(retry_after: str | None, now: datetime) -> float | None:
    """The seconds that a `Retry-After` asks for, as a number or a date (RFC 9110 §10.2.3); None where it says nothing
    that can be read. A date in the past is 0."""
    text = (retry_after or "").strip()
    if not text:
        return None
    if _SECONDS.fullmatch(text):
        return float(text)
    from email.utils import parsedate_to_datetime  # late: few need it, and it brings much along

    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    try:
        return max(0.0, (at - now).total_seconds())
    except OverflowError:
        return None
