"""An engine that is broken in one way is found out within a few seeds: the simulation can fail."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from core.engine.log.run_journal import RunJournal
from core.engine.plan.planner import Plan
from core.engine.runs.attempts import Attempts
from core.engine.runs.checkpoints import Checkpoints
from core.engine.runs.run_registry import RunRegistry
from tests.simulation.play import play
from tests.simulation.scenario import make_scenario

Patch = pytest.MonkeyPatch

SEEDS = 120


def no_claim(patch: Patch) -> None:
    """Steps begin without a claim on disk."""

    def claim(self: Checkpoints, key: Any) -> "asyncio.Future[frozenset[int]]":
        return self._log.commit()

    patch.setattr(Checkpoints, "claim", claim)


def lost_answer(patch: Patch) -> None:
    """An answer is published but not written."""
    commit = RunJournal.commit

    def forgetful(self: RunJournal, *facts: Any, writes: Any = ()) -> "asyncio.Future[frozenset[int]]":
        without = [fact.model_copy(update={"answer": None}) if hasattr(fact, "answer") else fact for fact in facts]
        return commit(self, *without, writes=writes)

    patch.setattr(RunJournal, "commit", forgetful)


def one_too_many(patch: Patch) -> None:
    """More than `maxParallel` steps are in flight."""
    begin = Plan.__init__

    def greedy(self: Plan, steps: Any, max_parallel: int = 16) -> None:
        begin(self, steps, max_parallel + 1)

    patch.setattr(Plan, "__init__", greedy)


def published_too_early(patch: Patch) -> None:
    """What has to be on disk first is published at once."""
    commit = RunJournal.commit

    def hasty(self: RunJournal, *facts: Any, writes: Any = ()) -> "asyncio.Future[frozenset[int]]":
        done = commit(self, *facts, writes=writes)
        self._journal.publish(self._waiting.pop().events)
        return done

    patch.setattr(RunJournal, "commit", hasty)


def done_again(patch: Patch) -> None:
    """An interrupted call is made again, whatever effect it had."""
    run = Attempts.run

    async def careless(self: Attempts, claim: "asyncio.Future[frozenset[int]] | None") -> Any:
        if self.prior is not None:
            self.prior = type(self.prior)(self.prior.attempt, self.prior.errors, False)
        return await run(self, claim)

    patch.setattr(Attempts, "run", careless)


def never_alone(patch: Patch) -> None:
    """A child run that is not awaited stays below its parent after the end of the parent."""
    patch.setattr(RunRegistry, "detached_children", lambda self, run_id: [])


@pytest.mark.parametrize(
    ("break_it", "blamed"),
    [
        (no_claim, "its claim is not on disk"),
        (lost_answer, "and the disk has"),
        (one_too_many, "at once"),
        (published_too_early, "on disk"),
        (done_again, "nobody asked for it"),
        (never_alone, "is no root"),
    ],
    ids=lambda given: given.__name__ if callable(given) else "",
)
def test_a_broken_engine_is_found_out(break_it: Callable[[Patch], None], blamed: str, monkeypatch: Patch) -> None:
    break_it(monkeypatch)
    found = [blame for seed in range(SEEDS) for blame in play(make_scenario(seed))[:1]]
    assert any(blamed in blame for blame in found), found[:5]
