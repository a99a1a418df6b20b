"""Lives in processes of their own, each a fork of this one: imported once, killed at every point in turn.

A program, `python -m tests.support.killing`, since only a process that never opened a store may fork: the driver of the
database has threads. Orders come as JSON, one a line: {"scenario", "folder"} for a campaign, with "look" for one life
in that folder. Each answer is a line too, [kind, point, problems], and null is the last of an order.
"""

import asyncio
import gc
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from core.persistence import store_check
from core.persistence.surreal import SurrealStorage
from tests.support.aftermath import problems
from tests.support.crash_scenarios import CHAT, RECORDED, SCENARIOS, Scenario
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.lives import Place, lead
from tests.support.mortal import ANYWHERE, MIDDLE, Fuse, MortalStorage
from tests.support.project import ROOT

HUNG_S, MOST_HUNG = 15, 3
HUNG = "it hung"
RECOVERY_POINTS = 10
"""So many points of a recovery: from its first write to the end of what had been cut off."""
EVERY = int(os.environ.get("METIER_KILL_EVERY", "4"))
"""One point of so many: an odd number takes those before and after a commit in turn; 1 takes all."""


class Point(NamedTuple):
    """Where a process was killed, and what was wrong after that. `kind`: run, recovery; or "not killed"."""

    kind: str
    name: str
    problems: list[str]


class Forks:
    """The process that forks, from outside. A context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.support.killing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        return self

    def __exit__(self, *exception: object) -> None:
        with self._process:
            self._process.kill()

    def kill_everywhere(self, scenario: Scenario, folder: Path) -> Iterator[Point]:
        """Kill the run at each of its points, and its recovery; look at what comes of it."""
        yield from self._order(scenario=scenario.name, folder=str(folder))

    def look(self, scenario: Scenario, folder: Path) -> list[str]:
        """What is wrong with what a dead process left in the folder, and with what another life makes of it."""
        (point,) = self._order(scenario=scenario.name, folder=str(folder), look=True)
        return point.problems

    def _order(self, **order: Any) -> Iterator[Point]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if (answer := json.loads(line)) is None:
                return
            yield Point(*answer)
        raise AssertionError("the process that forks has ended")


def fork(life: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """Lead the life in another process. Its exit code; -SIGALRM if it hung."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(HUNG_S)
            asyncio.run(life())
            code = 0
        except BaseException:  # noqa: BLE001  # this process ends here, whatever it was
            traceback.print_exc()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Campaign:
    """All the points of one scenario."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._scenario = scenario
        self._folder = folder
        self._numbers = itertools.count(1)

    def points(self) -> Iterator[Point]:
        blank = Place(self._folder / "blank")
        blank.folder.mkdir(parents=True)

        async def make() -> None:
            await (await SurrealStorage.open(blank.store)).close()

        assert fork(make) == 0
        first = yield from self._counted(blank)
        yield from (self._killed(blank, number, "run") for number in range(1, len(first) + 1, EVERY))
        for number in self._bases(first):
            place = self._copy(blank)
            assert self._lead(place, number) == -signal.SIGKILL
            recovery = yield from self._counted(place)
            last = min(len(recovery), RECOVERY_POINTS)
            yield from (self._killed(place, again, "recovery") for again in range(1, last + 1, EVERY))

    def look(self, place: Place) -> Point:
        """One life in that place."""
        code = self._lead(place)
        return Point("not killed", "", self._report(place, code))

    def _bases(self, first: list[str]) -> list[int]:
        """Where the run is killed before its recovery is: in the middle of one effect, and right after another."""
        if self._scenario in (CHAT, RECORDED):  # an agent's recovery is looked at in a template already
            return []
        middles = [number for number, name in enumerate(first, 1) if name.startswith(MIDDLE)]
        return [middles[0], middles[len(middles) // 2] + 1]

    def _counted(self, begin: Place) -> Generator[Point, None, list[str]]:
        """A life that begins so and is not killed; gives the points that it passed."""
        place = self._copy(begin)
        yield self.look(place)
        return self._trace(place)

    def _killed(self, begin: Place, at: int, kind: str) -> Point:
        """Kill a life that begins so, at a point, and look at what another makes of it."""
        place = self._copy(begin)
        code = self._lead(place, at)
        name = self._trace(place)[-1]
        if code != -signal.SIGKILL:
            return Point("not reached", name, self._report(place, code))
        code = self._lead(place)
        told = Point(kind, name, self._report(place, code))
        shutil.rmtree(place.folder)
        return told

    def _lead(self, place: Place, at: int = ANYWHERE) -> int:
        place.trace.unlink(missing_ok=True)
        place.report.unlink(missing_ok=True)

        async def life() -> None:
            fuse = Fuse(place.trace, at)
            storage = await MortalStorage.open(place.store)
            storage.fuse = fuse
            led = await lead(storage, place, self._scenario, fuse)
            place.report.write_text(json.dumps(problems(self._scenario, led)))

        return fork(life)

    def _report(self, place: Place, code: int) -> list[str]:
        if code == -signal.SIGALRM:
            return [HUNG]
        if code != 0:
            return [f"it ended with {code}"]
        report: list[str] = json.loads(place.report.read_text())
        return report

    def _trace(self, place: Place) -> list[str]:
        return place.trace.read_text().splitlines()

    def _copy(self, place: Place) -> Place:
        folder = self._folder / str(next(self._numbers))
        shutil.copytree(place.folder, folder)
        return Place(folder)


async def rehearse() -> None:
    """Lead lives on stores in memory, so that all that is loaded and compiled late is there before the forks."""
    for name in ("chain", "agent"):
        with TemporaryDirectory() as folder:
            place = Place(Path(folder))
            await lead(InMemoryStorage(), place, SCENARIOS[name], Fuse(place.trace))


async def skip_check(store: Path, seen: object, picture: object) -> None:
    """Open the store itself at once. Opening a copy of it in a process of its own first takes longer than a life."""


def main() -> None:
    store_check._check_copy = skip_check
    asyncio.run(rehearse())
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        folder = Path(order["folder"])
        campaign = Campaign(SCENARIOS[order["scenario"]], folder)
        hung = 0
        for point in [campaign.look(Place(folder))] if "look" in order else campaign.points():
            sys.stdout.write(json.dumps(point) + "\n")
            hung += HUNG in point.problems
            if hung == MOST_HUNG:  # enough to tell
                break
        sys.stdout.write("null\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
