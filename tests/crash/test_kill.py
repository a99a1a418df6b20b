"""kill -9 of the command line at every write and around every effect: `run`, `resume` and `answer`.

Each point is a command in a process of its own, a fork of one that had loaded the product, and kills itself there. What
it left goes on in another process, as in test_kill_points.
"""

import json
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, Said, write_template
from tests.support.crash_scenarios import COMMAND_LINE
from tests.support.killing import Forks
from tests.support.lives import KEY, RUN, Place
from tests.support.mortal import ANYWHERE, MIDDLE
from tests.support.warm_process import WarmProcess

APPROVE = json.dumps({"action": "approve"})
POINTS = 20
WAITING = 3


class Mortal:
    """The command line in a folder, where every command may be killed.

    A run remembers the folder where it began; so all that is kept of it comes back to the same place.
    """

    def __init__(self, root: Path, process: WarmProcess) -> None:
        self._root = root
        self._process = process
        self._file = write_template(root / "template.json", *COMMAND_LINE.steps)
        self.place = Place(root / "place")
        self.place.folder.mkdir()

    def run(self, at: int = ANYWHERE) -> Said:
        return self._say(at, "run", self._file, "--key", KEY, "--allow", ".")

    def resume(self, at: int = ANYWHERE) -> Said:
        return self._say(at, "resume")

    def answer(self, at: int = ANYWHERE) -> Said:
        return self._say(at, "answer", RUN, APPROVE)

    def keep(self, name: str) -> Path:
        """What is in the place now, for later."""
        return Path(shutil.copytree(self.place.folder, self._root / name))

    def bring_back(self, kept: Path) -> None:
        shutil.rmtree(self.place.folder)
        shutil.copytree(kept, self.place.folder)

    @property
    def points(self) -> list[str]:
        """What the last command passed."""
        return self.place.trace.read_text().splitlines()

    def _say(self, at: int, *arguments: str) -> Said:
        self.place.trace.unlink(missing_ok=True)
        fuse = json.dumps({"trace": str(self.place.trace), "at": at})
        return CommandLine(self.place.folder / "data", self._process)(*arguments, METIER_FUSE=fuse)


def dead_at_every_point(mortal: Mortal, begin: Path, command: Callable[[int], Said], code: int) -> Iterator[str]:
    """Kill the command at each of its points, once it has shown how many there are; gives where it died.

    Now and then two commits become one, or one two; then a command may end before its last point.
    """
    mortal.bring_back(begin)
    assert command(ANYWHERE).code == code
    for number in range(1, len(mortal.points) + 1):
        mortal.bring_back(begin)
        ended = command(number).code
        assert ended in (-signal.SIGKILL, code)
        if ended == -signal.SIGKILL:
            yield mortal.points[-1]


@pytest.fixture
def mortal_process() -> Iterator[WarmProcess]:
    process = WarmProcess("tests.support.mortal")
    yield process
    process.close()


@pytest.mark.async_timeout(300)
def test_a_command_that_is_killed_anywhere_is_gone_on_with(
    forks: Forks, mortal_process: WarmProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mortal, tally = Mortal(tmp_path, mortal_process), Counter[str]()
    blank = mortal.keep("blank")
    assert mortal.run().code == WAITING
    waiting = mortal.keep("waiting")
    at = next(number for number, name in enumerate(mortal.points, 1) if name.startswith(MIDDLE))
    mortal.bring_back(blank)
    while mortal.run(at).code != -signal.SIGKILL:  # a run whose writes went together has fewer points
        mortal.bring_back(blank)
        at -= 1
        assert at > 0
    cut_off = mortal.keep("cut off")
    begun = {
        "run": (blank, mortal.run, WAITING),
        "resume": (cut_off, mortal.resume, WAITING),
        "answer": (waiting, mortal.answer, 0),
    }
    found = []
    for name, (begin, command, code) in begun.items():
        for point in dead_at_every_point(mortal, begin, command, code):
            tally[name] += 1
            problems = forks.look(COMMAND_LINE, mortal.place.folder)
            found += [f"{name}, {point}: {problem}" for problem in problems]
    with capsys.disabled():
        sys.stdout.write(f"\ncommand line: killed at {dict(tally)}\n")
    assert not found, "\n".join(found)
    assert tally.total() >= POINTS
