"""Each call of the store fails in turn: before it wrote anything, or after it did; once, or for a while.

No effect happens twice, no result is lost, nothing is told that is not on disk, and every run comes to its end, be it
after a pause (ENGINE §1).
"""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.clock import FakeClock
from tests.support.crash_scenarios import APPROVALS, CHAIN, COMMAND_LINE, SCENARIOS, Scenario
from tests.support.failing_storage import FailingMemory, FailingSurreal, Trouble
from tests.support.in_memory.tables import Tables
from tests.support.lives import Place
from tests.support.troubled import Troubled
from tests.support.virtual_loop import Deadlock, VirtualLoop

ONCE, A_WHILE = 1, 4
CODES = ("storage_full", "storage_failed")
NAMES = [name for name, one in SCENARIOS.items() if one is not COMMAND_LINE]
Dead = tuple[Tables, Path]


def lead(troubled: Troubled) -> None:
    """Lead the life in virtual time."""
    loop = VirtualLoop()
    try:
        loop.run_until_complete(troubled.live(FakeClock(loop=loop)))
    except Deadlock as deadlock:
        troubled.problems.append(f"it hangs: {deadlock}")
    finally:
        loop.abandon()


def troubled_at_every_call(
    scenario: Scenario,
    folder: Path,
    times: int,
    *,
    is_applied: bool = False,
    reads: bool = False,
    dead: Dead | None = None,
) -> Iterator[Troubled]:
    """Lives whose first, second, … call fails, on a new store or on what a process left that is dead."""
    for number in count(1):
        storage = FailingMemory(dead[0].copy() if dead else None)
        storage.trouble = trouble = Trouble(number, times, is_applied, reads, code=CODES[number % 2])
        place = Place(folder / str(number))
        if dead:
            shutil.copytree(dead[1], place.folder)
        else:
            place.folder.mkdir(parents=True)
        troubled = Troubled(storage, scenario, place)
        lead(troubled)
        if not trouble.failed:
            return
        troubled.problems = [f"call {number}: {problem}" for problem in troubled.problems]
        yield troubled


def dead_in_the_middle(scenario: Scenario, folder: Path) -> Dead:
    """What a process leaves that dies in the middle of its second effect."""
    storage, place, left = FailingMemory(), Place(folder / "living"), list[Tables]()
    storage.trouble = Trouble(0)
    place.folder.mkdir()
    troubled = Troubled(storage, scenario, place)

    def keep() -> None:
        left.append(storage._tables.copy())
        shutil.copytree(place.folder, folder / f"dead{len(left)}")

    troubled.on_middle = keep
    lead(troubled)
    assert not troubled.problems
    return left[1], folder / "dead2"


def found(lives: list[Troubled]) -> str:
    return "\n".join(problem for life in lives for problem in life.problems)


@pytest.mark.parametrize("times", [ONCE, A_WHILE])
@pytest.mark.parametrize("is_applied", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", NAMES)
def test_whichever_write_fails_the_run_comes_to_its_end(
    name: str, is_applied: bool, times: int, tmp_path: Path
) -> None:
    lives = list(troubled_at_every_call(SCENARIOS[name], tmp_path, times, is_applied=is_applied))
    assert not found(lives), found(lives)
    assert len(lives) >= 4
    paused = [life for life in lives if life.pauses]
    # a start that fails pauses nothing, and what was written although it failed is found in the store
    assert len(paused) == 0 if times == ONCE else is_applied or len(paused) >= len(lives) - 1


@pytest.mark.parametrize("times", [ONCE, A_WHILE])
@pytest.mark.parametrize("name", NAMES)
def test_whichever_call_fails_the_run_comes_to_its_end(name: str, times: int, tmp_path: Path) -> None:
    lives = list(troubled_at_every_call(SCENARIOS[name], tmp_path, times, is_applied=True, reads=True))
    assert not found(lives), found(lives)
    assert len(lives) >= 6


@pytest.mark.parametrize("times", [ONCE, A_WHILE])
@pytest.mark.parametrize("is_applied", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", NAMES)
def test_whichever_call_of_a_recovery_fails_the_run_comes_to_its_end(
    name: str, is_applied: bool, times: int, tmp_path: Path
) -> None:
    dead = dead_in_the_middle(SCENARIOS[name], tmp_path)
    lives = list(troubled_at_every_call(SCENARIOS[name], tmp_path, times, is_applied=is_applied, reads=True, dead=dead))
    assert not found(lives), found(lives)
    assert len(lives) >= 10


@pytest.mark.async_timeout(60)
@pytest.mark.parametrize("times", [ONCE, A_WHILE])
@pytest.mark.parametrize("is_applied", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("scenario", [CHAIN, APPROVALS], ids=["chain", "approvals"])
async def test_whichever_write_of_the_real_store_fails_the_run_comes_to_its_end(
    scenario: Scenario, is_applied: bool, times: int, tmp_path: Path
) -> None:
    for number in count(1):
        place = Place(tmp_path / str(number))
        place.folder.mkdir()
        storage = await FailingSurreal.open(place.store)
        storage.trouble = trouble = Trouble(number, times, is_applied, code=CODES[number % 2])
        troubled = Troubled(storage, scenario, place)
        await troubled.live(limit_s=20)
        await storage.close()
        assert not troubled.problems, f"write {number}: {troubled.problems}"
        if not trouble.failed:
            break
        assert troubled.pauses == 0 if times == ONCE else troubled.pauses or is_applied or number == 1
    assert number > 7
