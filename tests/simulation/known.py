"""What is known to be wrong with the engine: scenarios that fail, and will until it is mended.

Each has a file in `found`, which is expected to fail and complains when it no longer does. What random scenarios
say in the words of `IN_RANDOM` is not reported again.
"""

import re
from collections.abc import Sequence

FOUND = {
    "start_after_end": "§5: nothing else starts after a return; a task made in the same turn does",
    "cancelled_unstarted": "§7: a run whose agent was cancelled before its first step never drains",
    "run_claimed_twice": "§10: a repeated claim of the run is taken for lost, and nobody drives it",
    "start_in_doubt": "§9: a start that failed, though it was written, leaves an enqueued run that nobody drives",
}

IN_RANDOM = (
    re.compile(r"starts after the end of its run \(ENGINE §5\)"),
    re.compile(r"Deadlock: .* > Driver\._drain > "),
)


def news(blames: Sequence[str]) -> list[str]:
    """The blames that are not known."""
    return [blame for blame in blames if not any(pattern.search(blame) for pattern in IN_RANDOM)]
