"""Playing a scenario, from the first process to the last."""

import logging
import random
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from tests.simulation.checks import check_end, check_life
from tests.simulation.disk import FaultyDisk
from tests.simulation.outcomes import stale_effects
from tests.simulation.process import Process
from tests.simulation.scenario import templates_of
from tests.simulation.world import World
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.in_memory.tables import Tables
from tests.support.virtual_loop import Abandoned, VirtualLoop

Json = dict[str, Any]

MONOTONIC_S = 1000.0


def play(scenario: Json) -> list[str]:
    """What went wrong, each in a sentence; nothing, if all is well."""
    return play_world(scenario).blames


def play_world(scenario: Json) -> World:
    """The world after all processes, or after the first in which something went wrong."""
    world = World(scenario["world"], templates_of(scenario))
    random.seed(scenario["seed"])  # what the engine draws
    rng = random.Random(scenario["seed"])
    tables, commits = Tables(), 0
    for fate in [*scenario["lives"], None]:
        if not world.blames:
            tables, commits = _live(scenario, world, fate, rng, tables, commits)
    return world


def _live(
    scenario: Json, world: World, fate: Json | None, rng: random.Random, tables: Tables, commits: int
) -> tuple[Tables, int]:
    """One process, and what it leaves: the disk, and how many commits have been made so far."""
    loop = VirtualLoop(
        rng, mixes=scenario["shuffle"], busy_s=scenario["busyMs"] / 1000, start_s=MONOTONIC_S * rng.random()
    )
    disk = FaultyDisk(tables, rng, scenario["disk"], commits)
    world.new_life(tables)
    disk.on_crash = world.on_blame = loop.abandon_soon
    process = Process(scenario, world, disk, loop, fate)
    loop.on_idle = process.ask_why_idle
    with _log_of_core(_Blaming(world)):
        _run(loop, process, world)
    process.watcher.close()
    disk.die()
    left = InMemoryStorage(tables.copy())
    with _log_of_core(logging.NullHandler()):
        loop.abandon()
    world.turns += loop.turns
    if not world.blames:
        _at_once(check_life(world, process.watcher, left))
    if fate is None and not world.blames:
        _at_once(check_end(scenario, world, process, left, rng))
    world.unknown |= stale_effects(left, world)
    world.ended |= {run.id for _, run in tables.runs.values() if run.status.is_final}
    return left._tables, disk.commits


def _run(loop: VirtualLoop, process: Process, world: World) -> None:
    try:
        loop.run_until_complete(process.live())
        world.blames += [f"left pending: {task!r}" for task in loop.pending()]
        world.blames += [f"nobody asked for the result of {task!r}" for task in loop.unasked()]
    except Abandoned:
        world.tally["crash"] += 1
    except Exception as error:  # noqa: BLE001  # the engine broke: this is what is looked for
        world.blames += [f"{type(leave).__name__}: {leave}" for leave in _leaves(error)]
    world.blames += [f"{context['message']}: {context.get('exception')!r}" for context in loop.errors]


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for exception in error.exceptions for leaf in _leaves(exception)]
    return [error]


class _Blaming(logging.Handler):
    """What the core logs as an error is one."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        self._world.blame(f"logged: {record.getMessage()}: {record.exc_info and record.exc_info[1]!r}")


@contextmanager
def _log_of_core(handler: logging.Handler) -> Iterator[None]:
    """What the core logs goes to the handler alone."""
    logger = logging.getLogger("core")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


def _at_once(check: Coroutine[Any, Any, None]) -> None:
    """Carry out a check. A store in memory answers at once, so there is nothing to wait for."""
    try:
        check.send(None)
    except StopIteration:
        return
    raise AssertionError("a check waits")
