"""What is known to be wrong with the engine: scenarios that fail, and will until it is mended.

Each has a file in `found`, which is expected to fail and complains when it no longer does. What random scenarios
say in the words of `IN_RANDOM` is not reported again.
"""

import re
from collections.abc import Sequence

FOUND: dict[str, str] = {}

IN_RANDOM: tuple[re.Pattern[str], ...] = ()


def news(blames: Sequence[str]) -> list[str]:
    """The blames, unless the first is known: others may follow from it."""
    return [] if blames and any(pattern.search(blames[0]) for pattern in IN_RANDOM) else list(blames)
