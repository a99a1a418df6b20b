"""The planner: order, lists and ends, without I/O, clock or tasks."""

from typing import Any

import pytest

from core.domain.run import ErrorInfo
from core.domain.template import Step
from core.engine.plan.planner import (
    Cancelled,
    Failed,
    FinishForEach,
    ForEachStarted,
    IterationDone,
    Plan,
    StartIteration,
    StartStep,
    StepDone,
    StepFailedRun,
    Succeeded,
)

ERROR = ErrorInfo("failed", "no")


def step(name: str, *waits_for: str, **fields: Any) -> Step:
    return Step.model_validate({"name": name, "action": {"set": True}, "dependsOn": list(waits_for), **fields})


def started(plan: Plan) -> list[str]:
    return [action.step.name for action in plan.plan() if isinstance(action, StartStep)]


def test_a_step_starts_the_moment_its_own_dependencies_are_done() -> None:
    plan = Plan([step("a"), step("slow"), step("b", "a"), step("c", "b")])
    assert started(plan) == ["a", "slow"]
    plan.advance(StepDone("a", 1))
    assert started(plan) == ["b"]
    plan.advance(StepDone("b", 1))
    assert started(plan) == ["c"]


def test_ready_steps_start_in_template_order_and_no_more_than_may_run_side_by_side() -> None:
    plan = Plan([step(name) for name in "abcd"], max_parallel=2)
    assert started(plan) == ["a", "b"]
    assert started(plan) == []
    plan.advance(StepDone("b", 1))
    assert started(plan) == ["c"]


def test_the_only_terminal_step_is_the_output_and_several_are_named() -> None:
    one = Plan([step("a"), step("b", "a")])
    two = Plan([step("a"), step("b")])
    for plan in (one, two):
        plan.plan()
        plan.advance(StepDone("a", 1))
        plan.plan()
        plan.advance(StepDone("b", 2))
        plan.plan()
    assert one.outcome == Succeeded(["b"])
    assert two.outcome == Succeeded(["a", "b"])


def test_a_return_ends_the_run_and_nothing_else_starts() -> None:
    plan = Plan([step("early", action={"return": True}), step("other"), step("later", "other")])
    plan.plan()
    plan.advance(StepDone("early", {"x": 1}))
    assert plan.outcome == Succeeded(["early"])
    plan.advance(StepDone("other", 1))
    assert plan.plan() == []


def test_a_skipped_return_ends_nothing() -> None:
    plan = Plan([step("early", action={"return": True}), step("b", "early")])
    plan.plan()
    plan.advance(StepDone("early", None, skipped=True))
    assert plan.outcome is None
    assert started(plan) == ["b"]


def test_a_broken_step_ends_the_run_and_the_first_end_holds() -> None:
    plan = Plan([step("a"), step("b")])
    plan.plan()
    plan.advance(StepFailedRun("a", ERROR))
    plan.end(Cancelled())
    assert plan.outcome == Failed(ERROR)
    assert plan.plan() == []


def test_what_is_known_already_changes_nothing() -> None:
    plan = Plan([step("a"), step("b", "a")])
    plan.plan()
    plan.advance(StepDone("a", 1))
    plan.advance(StepDone("a", 2))
    plan.advance(StepFailedRun("a", ERROR))
    assert plan.outputs == {"a": 1}
    assert started(plan) == ["b"]
    assert plan.outcome is None


def test_a_list_keeps_its_order_and_its_concurrency() -> None:
    plan = Plan([step("each", forEach={"ref": "@input.items", "concurrency": 2})])
    assert started(plan) == ["each"]
    plan.advance(ForEachStarted("each", ["x", "y", "z"]))
    assert [(each.index, each.item) for each in plan.plan() if isinstance(each, StartIteration)] == [(0, "x"), (1, "y")]
    plan.advance(IterationDone("each", 1, "Y"))
    assert [each.index for each in plan.plan() if isinstance(each, StartIteration)] == [2]
    plan.advance(IterationDone("each", 2, error=ERROR))
    plan.advance(IterationDone("each", 0, "X"))
    (close,) = plan.plan()
    assert isinstance(close, FinishForEach)
    assert close.outputs == ["X", "Y", None]
    assert close.errors == [(2, ERROR)]
    assert not close.is_failed


def test_holes_of_an_earlier_life_are_filled_from_the_first() -> None:
    plan = Plan([step("each", forEach={"ref": "@input.items"})])
    plan.plan()
    plan.advance(ForEachStarted("each", list("abcde"), [IterationDone("each", at, at) for at in (0, 3, 4)]))
    order = []
    while isinstance(actions := plan.plan(), list) and isinstance(actions[0], StartIteration):
        order.append(actions[0].index)
        plan.advance(IterationDone("each", actions[0].index, "new"))
    assert order == [1, 2]
    assert isinstance(actions[0], FinishForEach)
    assert actions[0].outputs == [0, "new", "new", 3, 4]


def test_an_empty_list_closes_at_once() -> None:
    plan = Plan([step("each", forEach={"ref": "@input.items"})])
    plan.plan()
    plan.advance(ForEachStarted("each", []))
    (close,) = plan.plan()
    assert isinstance(close, FinishForEach)
    assert close.outputs == []


def test_a_failure_that_counts_stops_the_list_and_waits_for_what_is_in_flight() -> None:
    plan = Plan([step("each", forEach={"ref": "@input.items", "concurrency": 2}, config={"onError": "fail"})])
    plan.plan()
    plan.advance(ForEachStarted("each", list("abcd")))
    plan.plan()
    plan.advance(IterationDone("each", 0, error=ERROR))
    assert plan.plan() == []
    plan.advance(IterationDone("each", 1, "b"))
    (close,) = plan.plan()
    assert isinstance(close, FinishForEach)
    assert close.is_failed


def test_a_run_that_cannot_go_on_says_which_steps_miss_what() -> None:
    plan = Plan([step("a", "b"), step("b", "a")])
    assert plan.plan() == []
    assert isinstance(plan.outcome, Failed)
    assert plan.outcome.error.code == "stalled"
    assert "a misses b" in plan.outcome.error.message


def test_results_of_an_earlier_life_are_not_started_again() -> None:
    plan = Plan([step("a"), step("b", "a"), step("c", "b")])
    plan.advance(StepDone("a", 1))
    plan.advance(StepDone("b", 2))
    assert started(plan) == ["c"]


@pytest.mark.parametrize("width", [3])
def test_every_step_of_nested_fans_starts_once(width: int) -> None:
    steps, layer = [step("root")], ["root"]
    for level in range(3):
        leaves = [f"l{level}_{parent}_{n}" for parent in range(len(layer)) for n in range(width)]
        steps += [step(leaf, layer[at // width]) for at, leaf in enumerate(leaves)]
        steps.append(step(f"join{level}", *leaves))
        layer = [f"join{level}"]
    plan, starts = Plan(steps), []
    while plan.outcome is None:
        for action in plan.plan():
            assert isinstance(action, StartStep)
            starts.append(action.step.name)
            plan.advance(StepDone(action.step.name, None))
    assert sorted(starts) == sorted(each.name for each in steps)


def test_ten_thousand_items_cost_the_same_each() -> None:
    plan, count = Plan([step("each", forEach={"ref": "@input.items", "concurrency": 100})]), 0
    plan.plan()
    plan.advance(ForEachStarted("each", range(10_000)))
    actions = plan.plan()
    while isinstance(actions[0], StartIteration):
        count += len(actions)
        for action in actions:
            assert isinstance(action, StartIteration)
            plan.advance(IterationDone("each", action.index, action.item))
        actions = plan.plan()
    assert count == 10_000
    assert isinstance(actions[0], FinishForEach)
    assert actions[0].outputs == list(range(10_000))
