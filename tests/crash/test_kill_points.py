"""kill -9 at every write and around every effect: nothing is lost, nothing happens twice, no question is asked in vain.

Each point is a real process on a real store that kills itself there; another process goes on with what it left, and
answers what it is asked by looking at the effects. Points are counted in a life that is not killed; a recovery has
points of its own. `METIER_KILL_EVERY=1` takes every point, where a quarter is killed otherwise.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.crash_scenarios import SCENARIOS
from tests.support.killing import EVERY, RECOVERY_POINTS, Forks

POINTS = {
    "chain": 26,
    "transform": 20,
    "fan": 15,
    "join": 19,
    "forEach": 25,
    "approvals": 23,
    "agent": 31,
    "sub-agents": 27,
    "chat": 26,
    "consent": 30,
    "consent to each": 20,
    "recorded": 30,
}
"""The least that each run has: before and after its commits, three for each effect. Now and then two commits become
one, or one two."""


@pytest.mark.parametrize("name", POINTS)
def test_a_run_that_is_killed_anywhere_goes_on_as_if_it_had_not_been(
    name: str, forks: Forks, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = list(forks.kill_everywhere(SCENARIOS[name], tmp_path / "points"))
    tally = Counter(point.kind for point in points)
    kinds = Counter(point.name.split(" ")[0] for point in points if point.kind in ("run", "recovery"))
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: killed at {dict(tally)}; {dict(kinds)}\n")
    assert [point for point in points if point.problems] == []
    assert tally["run"] >= POINTS[name] // EVERY
    assert tally["recovery"] >= (0 if name in ("chat", "recorded") else 2 * (RECOVERY_POINTS // EVERY) - 2)
    assert tally["not reached"] <= 2
