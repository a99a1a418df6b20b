"""What is known to be wrong with the engine: scenarios that fail, and will until it is mended.

Each has a file in `found`, which is expected to fail and complains when it no longer does. What random scenarios
say in the words of `IN_RANDOM` is not reported again.
"""

import re
from collections.abc import Sequence

FOUND: dict[str, str] = {
    "call_left_by_cancel": "§10: an agent cancelled as it takes up its turn after a crash leaves its calls running",
    "rerun_after_end": "§5: `onUnknown: rerun` runs a call again that was too slow when its run had ended",
}

IN_RANDOM: tuple[re.Pattern[str], ...] = (
    re.compile(r"has ended, and \[.*\] are running"),
    re.compile(r"is tried again after the end of its run"),
)


def news(blames: Sequence[str]) -> list[str]:
    """The blames, unless the first is known: others may follow from it."""
    return [] if blames and any(pattern.search(blames[0]) for pattern in IN_RANDOM) else list(blames)
