"""The engine in random scenarios: whatever is drawn, the rules of ENGINE hold.

`METIER_SEEDS=100000 python -m pytest tests/simulation` plays more seeds than usual. A failure names its seed and is
made smaller; `python -m tests.simulation SEED` does the same, `python -m tests.simulation FILE` plays what is printed.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.simulation.play import play, play_world
from tests.simulation.scenario import make_scenario
from tests.simulation.shrink import report
from tests.simulation.world import World
from tests.support.project import ROOT

SEEDS = int(os.environ.get("METIER_SEEDS", "2000"))
COUNTED = 600
"""The first seeds, where what happens is counted too."""
BATCH = 350

FOLDER = Path(__file__).parent / "found"


@pytest.mark.parametrize("first", range(COUNTED, SEEDS, BATCH))
def test_the_rules_hold_in_whatever_is_drawn(first: int) -> None:
    for seed in range(first, min(first + BATCH, SEEDS)):
        blames = play(make_scenario(seed))
        if blames:
            pytest.fail(report(make_scenario(seed), blames[0]), pytrace=False)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_found_once_does_not_come_back(path: Path) -> None:
    assert play(json.loads(path.read_text("utf-8"))) == []


def test_the_rules_hold_and_random_scenarios_meet_all_that_can_happen() -> None:
    tally: Counter[str] = Counter()
    for seed in range(COUNTED):
        world = play_world(make_scenario(seed))
        if world.blames:
            pytest.fail(report(make_scenario(seed), world.blames[0]), pytrace=False)
        tally += world.tally
    rare = {
        "crash": 50,
        "run_paused": 5,
        "run_waiting": 50,
        "step_skipped": 100,
        "step_retry": 20,
        "tool_late": 1,
        "root_changed": 5,
        "cancel: cancelled": 10,
        "run: success": 100,
        "run: failed": 5,
        "run: code_error": 3,
        "run: model_failed": 1,
        "run: child_failed": 3,
        "run: timeout": 1,
        "run: deadline_exceeded": 3,
        "run: no_progress": 1,
        "run: unresolved_ref": 5,
        "run: not_a_list": 3,
        "run: rejected": 3,
        "run: outcome_unknown": 1,
        "approval: approve": 10,
        "input-review: submit": 3,
        "tool-input: submit": 3,
        "state-edit: submit": 5,
        "local-execution: submit": 5,
        "outcome: approve": 2,
        "outcome: submit": 1,
        "outcome: reject": 2,
    }
    assert {name: tally[name] for name in rare if tally[name] < rare[name]} == {}


def test_a_seed_is_played_the_same_each_time() -> None:
    def told(world: World) -> object:
        visits = [(str(visit.place), visit.life, visit.number, visit.had_effect, visit.ended) for visit in world.visits]
        return world.turns, visits, world.blames, world.tally

    for seed in range(40):
        assert told(play_world(make_scenario(seed))) == told(play_world(make_scenario(seed)))


def test_a_seed_is_played_the_same_in_every_process() -> None:
    """Whatever order the interpreter gives to sets of texts."""
    command = [sys.executable, "-P", "-m", "tests.simulation", "digest", "60"]
    told = [
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == 60
