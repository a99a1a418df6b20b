"""What is known to be wrong with the engine: scenarios that fail, and will until it is mended.

Each has a file in `found`, which is expected to fail and complains when it no longer does. What random scenarios
say in the words of `IN_RANDOM` is not reported again.
"""

import re
from collections.abc import Sequence

FOUND = {
    "child_in_the_making": "§12: the child of a run that ends while it is written down stays enqueued for ever",
    "retry_after_end": "§5: a step in flight at the end of its run, that fails then, is tried again",
}

IN_RANDOM = (
    re.compile(r"c\d is enqueued, and no"),
    re.compile(r"is tried again after the end of its run"),
)


def news(blames: Sequence[str]) -> list[str]:
    """The blames, unless the first is known: others may follow from it."""
    return [] if blames and any(pattern.search(blames[0]) for pattern in IN_RANDOM) else list(blames)
