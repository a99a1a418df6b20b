"""What is known to be wrong with the engine: scenarios that fail, and will until it is mended.

Each has a file in `found`, which is expected to fail and complains when it no longer does. What random scenarios
say in the words of `IN_RANDOM` is not reported again.
"""

import re
from collections.abc import Sequence

FOUND: dict[str, str] = {
    "fork_too_early": "§8: a fork at the end of a run misses results that are told and not written yet",
    "fork_takes_rejection": "§8: a fork takes over a rejection of a step with `onError: continue`, and ends with it",
    "fork_iterations": "§13: iterations that a fork takes over are not counted by who watches",
}

IN_RANDOM: tuple[re.Pattern[str], ...] = (
    re.compile(r"(runs again in|is not taken over by) a fork"),
    re.compile(r"\d iterations of \w+ are counted"),
    re.compile(r"a fork takes over the failure"),
)


def news(blames: Sequence[str]) -> list[str]:
    """The blames, unless the first is known: others may follow from it."""
    return [] if blames and any(pattern.search(blames[0]) for pattern in IN_RANDOM) else list(blames)
