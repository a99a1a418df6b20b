"""Where a run waits for the user: what is asked, what may be answered, what an answer does (ENGINE §8)."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from core.domain.events import Event, InterruptionRaised, RunFinished
from core.domain.fold import replay
from core.domain.ids import TemplateId
from core.domain.interruption import Action, Answer
from core.domain.run import Run, RunStatus
from core.domain.text.json_text import encode
from core.domain.toast import ToastType
from core.errors import Refused
from core.ports import Put, StoredTemplate
from core.services.outcome import Failed, Ok
from core.threads.system_clock import SystemClock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_interruptions
from tests.support.waiting import until
from tests.support.world import World, a_step, a_world, tool_step


def asking(name: str, kind: str, *after: str, tool: str = "note", **fields: Any) -> dict[str, Any]:
    """A step that calls a tool once the user lets it; `fields` are those of its interrupt."""
    given = fields.pop("given", {"text": name})
    return {**tool_step(name, tool, *after, **given), "interrupt": {"kind": kind, **fields}}


async def waiting(world: World, *steps: dict[str, Any], **options: Any) -> tuple[Run, Any]:
    """A run of these steps that waits for the user, and how it is described."""
    run = await world.start(*steps, **options)
    told = await world.settled(run.id)
    assert told["status"] == "waiting", told["error"]
    return run, told


async def refused(world: World, run: Run, action: str, value: Any = None, **names: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        await world.core.engine.answer(run.id, Answer(Action(action), value), **names)
    return caught.value


async def test_an_approved_step_runs_with_its_input_and_not_before() -> None:
    async with a_world() as world:
        run, told = await waiting(world, asking("a", "approval", prompt="Write @input.what?"), given={"what": "it"})
        assert world.tools.notes == []
        (one,) = told["interruptions"]
        assert (one["kind"], one["status"], one["prompt"]) == ("approval", "awaiting-approval", "Write it?")
        assert (one["input"], one["tool"], one["step"]) == ({"text": "a"}, "note", "a")
        assert told["steps"]["a"]["status"] == "waiting"
        ended = await world.answer(run, "approve")
        assert (ended["status"], world.tools.notes) == ("success", ["a"])
        assert [each["status"] for each in ended["interruptions"]] == ["approved"]


async def test_independent_steps_go_on_and_then_the_run_waits() -> None:
    """An interruption pauses its own step only."""
    async with a_world() as world:
        run, told = await waiting(world, asking("a", "approval"), tool_step("b", "note", text="b"), a_step("c", "b"))
        assert world.tools.notes == ["b"]
        assert told["steps"]["c"]["status"] == "completed"
        await world.answer(run, "approve")
        assert world.tools.notes == ["b", "a"]


async def test_a_step_that_asks_takes_no_place_from_others() -> None:
    async with a_world() as world:
        await waiting(world, asking("a", "approval"), tool_step("b", "note", text="b"), maxParallel=1)
        assert world.tools.notes == ["b"]


async def test_several_are_open_at_once_and_answered_in_any_order() -> None:
    """Three questions of one moment are three (hitl-01, hitl-03, hitl-07)."""
    async with a_world() as world:
        steps = [asking(name, "approval", prompt=name) for name in "abc"]
        run, told = await waiting(world, *steps, a_step("z", "a", "b", "c"))
        assert len({each["id"] for each in told["interruptions"]}) == 3
        assert [each["prompt"] for each in told["interruptions"]] == ["a", "b", "c"]
        error = await refused(world, run, "approve")
        assert error.code == "which_interruption"
        assert [parameter["step"] for parameter in error.parameters["open"]] == ["a", "b", "c"]
        for name in "bca":
            told = await world.answer(run, "approve", step=name)
        assert told["status"] == "success"
        assert world.tools.notes == ["b", "c", "a"]
        raised = [event.fact for event in world.events if isinstance(event.fact, InterruptionRaised)]
        assert len(raised) == 3


async def test_an_answer_leaves_the_other_questions_exactly_as_they_were() -> None:
    """Nothing that led to them happens again."""
    async with a_world() as world:
        before = [tool_step(f"before_{name}", "note", text=f"before {name}") for name in "ab"]
        asked = [asking(name, "approval", f"before_{name}") for name in "ab"]
        run, told = await waiting(world, *before, *asked)
        assert world.tools.notes == ["before a", "before b"]
        other = told["interruptions"][1]
        told = await world.answer(run, "approve", step="a")
        assert (told["status"], told["interruptions"][0]) == ("waiting", other)
        assert world.tools.notes == ["before a", "before b", "a"]
        raised = [event.fact.step for event in world.events if isinstance(event.fact, InterruptionRaised)]
        assert raised == ["a", "b"]
        await world.core.engine.cancel(run.id)


async def test_the_first_answer_holds() -> None:
    async with a_world() as world:
        run, told = await waiting(world, asking("a", "approval"), tool_step("h", "hold", "a"))
        found = told["interruptions"][0]["id"]
        both = (
            world.core.engine.answer(run.id, Answer(action), step="a") for action in (Action.APPROVE, Action.REJECT)
        )
        first, second = await asyncio.gather(*both, return_exceptions=True)
        assert not isinstance(first, BaseException)
        assert isinstance(second, Refused)
        assert second.code == "already_answered"
        assert (await refused(world, run, "reject", interruption=found)).code == "already_answered"
        assert (await refused(world, run, "reject", step="a")).code == "already_answered"
        assert (await refused(world, run, "reject")).code == "nothing_open"
        world.tools.release.set()
        assert (await world.settled(run.id))["status"] == "success"


@pytest.mark.parametrize(
    ("kind", "action", "value"),
    [
        ("approval", "skip", None),
        ("approval", "submit", {}),
        ("approval", "approve", "for ever"),
        ("state-edit", "approve", None),
        ("state-edit", "submit", {"path": "/s/x"}),
        ("state-edit", "submit", [{"path": "/nowhere/x", "value": 1}]),
        ("state-edit", "submit", [{"path": "/s/x/y/z", "value": 1}]),
        ("state-edit", "submit", [{"path": "s", "value": 1}]),
        ("local-execution", "approve", None),
        ("input-review", "skip", None),
        ("input-review", "submit", float("nan")),
    ],
)
async def test_an_answer_that_the_kind_does_not_take_changes_nothing(kind: str, action: str, value: Any) -> None:
    async with a_world() as world:
        run, _ = await waiting(world, {**a_step("s"), "input": {"x": 1}}, asking("a", kind, "s"))
        assert (await refused(world, run, action, value)).code == "bad_answer"
        assert [each["status"][:8] for each in (await world.describe(run.id))["interruptions"]] == ["awaiting"]


async def test_a_rejection_ends_the_run_and_takes_back_what_else_is_open() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "approval"), asking("b", "approval"))
        told = await world.answer(run, "reject", step="a", reason="too early")
        assert (told["status"], told["error"]["code"], told["error"]["failed_step"]) == ("error", "rejected", "a")
        assert "too early" in told["error"]["message"]
        assert {each["step"]: each["status"] for each in told["interruptions"]} == {"a": "rejected", "b": "cancelled"}
        assert world.tools.notes == []


async def test_a_rejection_may_skip_the_step_alone() -> None:
    async with a_world() as world:
        after = {**a_step("z"), "input": {"got": "@a.text"}}
        run, _ = await waiting(world, asking("a", "approval", onReject="skip"), after)
        told = await world.answer(run, "reject")
        assert (told["status"], told["output"]) == ("success", {"got": None})
        assert told["steps"]["a"]["skipped"]


async def test_a_reviewed_input_is_run_as_it_was_submitted() -> None:
    async with a_world() as world:
        schema = {"type": "object", "required": ["text"]}
        run, told = await waiting(world, asking("a", "input-review", schema=schema))
        assert told["interruptions"][0]["input"] == {"text": "a"}
        error = await refused(world, run, "submit", {})
        assert (error.code, error.parameters["violations"][0]["path"]) == ("bad_answer", "")
        await world.answer(run, "submit", {"text": "better"})
        assert world.tools.notes == ["better"]


async def test_a_reviewed_input_may_stay_as_it_is() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "input-review"))
        await world.answer(run, "approve")
        assert world.tools.notes == ["a"]


async def test_missing_arguments_are_asked_for_and_merged() -> None:
    async with a_world() as world:
        step = asking("a", "tool-input", tool="calculator", given={})
        run, told = await waiting(world, step)
        assert told["interruptions"][0]["schema"]["required"] == ["expression"]
        assert (await refused(world, run, "submit", {"expression": 3})).code == "bad_answer"
        assert (await refused(world, run, "submit", "1+1")).code == "bad_answer"
        told = await world.answer(run, "submit", {"expression": "6*7"})
        assert told["status"] == "success", told["error"]
        assert told["tool_calls"][0]["args"] == {"expression": "6*7"}
        assert told["interruptions"][0]["status"] == "tool-input-received"


async def test_nothing_is_asked_where_no_argument_is_missing() -> None:
    async with a_world() as world:
        told = await world.run(asking("a", "tool-input", tool="calculator", given={"expression": "1+1"}))
        assert (told["status"], told["interruptions"]) == ("success", [])


async def test_the_user_does_the_step() -> None:
    async with a_world() as world:
        step = {**asking("a", "local-execution"), "outputSchema": {"type": "object", "required": ["done"]}}
        run, told = await waiting(world, step, {**a_step("z"), "input": "@a.done"})
        assert told["interruptions"][0]["schema"]["required"] == ["done"]
        assert (await refused(world, run, "submit", {})).code == "bad_answer"
        told = await world.answer(run, "submit", {"done": "by hand"})
        assert (told["status"], told["output"]) == ("success", "by hand")
        assert world.tools.notes == []
        assert told["interruptions"][0]["status"] == "resumed"


async def test_the_user_changes_what_the_step_is_about_to_read() -> None:
    async with a_world() as world:
        first = {**a_step("s"), "input": {"deep": [{"x": 1}], "y": 2}}
        edit = {**a_step("e", "s"), "input": "@s", "interrupt": {"kind": "state-edit"}}
        run, told = await waiting(world, first, edit)
        assert told["interruptions"][0]["outputs"] == {"s": {"deep": [{"x": 1}], "y": 2}}
        edits = [{"path": "/s/deep/0/x", "value": 5}, {"path": "/s/new", "value": None}]
        told = await world.answer(run, "submit", edits)
        assert told["output"] == {"deep": [{"x": 5}], "y": 2, "new": None}
        assert told["steps"]["s"]["output"] == told["output"]
        live = replay(await world.storage.events.of_run(run.id))
        assert live is not None
        assert [(each.path, each.old, each.new) for each in live.state_log] == [
            ("/s/deep/0/x", 1, 5),
            ("/s/new", None, None),
        ]


async def test_what_was_read_cannot_be_changed_any_more() -> None:
    async with a_world() as world:
        edit = {**a_step("e", "s"), "interrupt": {"kind": "state-edit"}}
        run, _ = await waiting(world, a_step("s"), edit, a_step("other", "s"))
        error = await refused(world, run, "submit", [{"path": "/s", "value": 1}])
        assert (error.code, error.parameters["consumers"]) == ("consumed", ["other"])
        told = await world.answer(run, "submit", [])
        assert told["status"] == "success"


async def test_a_list_is_approved_once_before_it() -> None:
    async with a_world() as world:
        step = {**asking("each", "approval", given={"text": "@item"}), "forEach": {"ref": "@input.items"}}
        run, told = await waiting(world, step, given={"items": [1, 2, 3]})
        assert len(told["interruptions"]) == 1
        await world.answer(run, "approve")
        assert world.tools.notes == [1, 2, 3]


async def test_a_skipped_step_asks_nothing() -> None:
    """hitl-06."""
    async with a_world() as world:
        gate = {**asking("gate", "approval"), "when": {"ref": "@input.needs_ok", "eq": True}}
        told = await world.run(gate, a_step("z", "gate"), given={"needs_ok": False})
        assert (told["status"], told["interruptions"]) == ("success", [])


async def test_a_return_takes_back_what_is_open() -> None:
    """The losing question does not keep the run (hitl-10)."""
    async with a_world() as world:
        slow = tool_step("slow", "hold")
        back = {"name": "back", "action": {"return": True}, "input": 1, "dependsOn": ["slow"]}
        run = await world.start(asking("q", "approval", timeoutMs=3_600_000), slow, back)
        await asyncio.sleep(0.05)
        world.tools.release.set()
        told = await world.settled(run.id)
        assert (told["status"], told["output"]) == ("success", 1)
        assert told["interruptions"][0]["status"] == "cancelled"
        assert (await refused(world, run, "approve")).code == "nothing_open"
        assert await world.storage.interruptions.open() == []


async def test_an_answer_from_within_the_telling_is_not_lost() -> None:
    """The row is on disk before anyone is told, so it can be answered at once (hitl-05)."""
    async with a_world() as world:
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def at_once(event: Event) -> None:
            if isinstance(event.fact, InterruptionRaised):
                task = asyncio.ensure_future(world.core.engine.answer(event.run_id, Answer(Action.APPROVE)))
                task.add_done_callback(lambda _: answered.set_result(None))

        world.core.bus.subscribe(Event, at_once)
        run = await world.start(asking("a", "approval"))
        await answered
        assert (await world.settled(run.id))["status"] == "success"


async def test_open_questions_survive_a_restart_as_they_were() -> None:
    async with a_world() as world:
        run, before = await waiting(
            world, asking("a", "approval"), asking("b", "input-review"), tool_step("n", "note", text="n")
        )
        await world.answer(run, "approve", step="a")
        storage = world.storage
    async with a_world(storage) as world:
        assert await world.core.engine.recover() == [run.id]
        told = await world.settled(run.id)
        assert told["status"] == "waiting"
        assert told["interruptions"][0]["id"] == before["interruptions"][1]["id"]
        assert [event.fact for event in world.events if isinstance(event.fact, InterruptionRaised)]
        told = await world.answer(run, "submit", {"text": "b!"})
        assert (told["status"], world.tools.notes) == ("success", ["b!"])


async def test_an_answer_that_was_given_before_a_crash_is_not_asked_for_again() -> None:
    """The answer is on disk with the claim of the step, whose effect may be repeated."""
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "input-review", tool="mark"))
        assert isinstance(world.storage, InMemoryStorage)
        copies = []
        commit = world.storage.commit

        async def spying(writes: Any) -> frozenset[int]:
            lost = await commit(writes)
            copies.append(world.storage.copy())  # type: ignore[attr-defined]
            return lost

        world.storage.commit = spying  # type: ignore[method-assign]
        await world.answer(run, "submit", {"text": "mine"})
    async with a_world(copies[0]) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", ["mine"])


async def test_an_expiry_applies_the_default_after_a_restart_too() -> None:
    async with a_world() as world:
        steps = [
            asking("no", "approval", timeoutMs=100, onReject="skip"),
            asking("yes", "approval", timeoutMs=100, defaultAction="approve"),
        ]
        run, _ = await waiting(world, *steps)
        assert isinstance(world.storage, InMemoryStorage)
        storage = world.storage.copy()
        await world.heard(RunFinished)
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", ["yes"])
        assert {each["status"] for each in told["interruptions"]} == {"expired"}
    async with a_world(storage) as world:
        await world.core.engine.recover()
        await world.heard(RunFinished)
        told = await world.settled(run.id)
        assert (told["status"], world.tools.notes) == ("success", ["yes"])


async def test_a_cancelled_run_asks_nothing_any_more() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "approval"))
        await world.core.engine.cancel(run.id)
        told = await world.describe(run.id)
        assert (told["status"], told["interruptions"][0]["status"]) == ("cancelled", "cancelled")
        assert await world.storage.interruptions.open() == []


async def test_a_deleted_workflow_asks_nothing_any_more() -> None:
    """hitl-09."""
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "approval"))
        assert [toast.type for toast in world.core.stores.toasts.visible] == [ToastType.USER_QUESTION]
        await world.core.workflows.delete(run.workflow_id)
        assert world.core.stores.toasts.visible == ()
        assert await world.storage.interruptions.open() == []
        assert (await refused(world, run, "approve")).code == "nothing_open"
        late = await world.core.runs.answer(run.id, Answer(Action.APPROVE))
        assert isinstance(late, Failed)
        assert late.code == "not_found"
        assert (await world.storage.runs.page(), await stored_interruptions(world.storage, run.id)) == ([], [])
        assert world.tools.notes == []


async def test_a_run_that_waits_holds_no_place_and_goes_on_over_the_limit() -> None:
    async with a_world() as world:
        await world.core.settings.change(max_running_runs=1)
        run, _ = await waiting(world, asking("a", "approval"))
        other = await world.start(tool_step("h", "hold"))
        await asyncio.sleep(0.05)
        assert (await world.describe(other.id))["status"] == "running"
        told = await world.answer(run, "approve")
        assert told["status"] == "success"
        world.tools.release.set()
        await world.settled(other.id)


async def test_waiting_uses_no_active_time() -> None:
    async with a_world() as world:
        run, _ = await waiting(world, asking("a", "approval"))
        await asyncio.sleep(0.3)
        told = await world.answer(run, "approve")
        assert told["metrics"]["active_ms"] < 250


async def test_a_run_is_found_as_waiting_while_something_else_of_it_runs() -> None:
    async with a_world() as world:
        run = await world.start(asking("a", "approval"), tool_step("h", "hold"))
        await until(lambda: world.tools.in_flight)
        await until(lambda: world.storage.runs.page(status=RunStatus.WAITING))
        assert (await world.describe(run.id))["status"] == "running"
        assert [each.id for each in await world.storage.runs.page(status=RunStatus.WAITING)] == [run.id]
        world.tools.release.set()
        await world.answer(run, "approve")


async def test_an_expiry_far_away_is_the_same_after_a_restart() -> None:
    async with a_world() as world:
        run, told = await waiting(world, asking("a", "approval", timeoutMs=3_600_000), tool_step("n", "note", "a"))
        expires = told["interruptions"][0]["expires_at"]
        assert expires > told["interruptions"][0]["created_at"]
        storage = world.storage
    async with a_world(storage) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert told["interruptions"][0]["expires_at"] == expires
        found = (await stored_interruptions(world.storage, run.id))[0]
        assert found.expires_at == found.created_at + timedelta(hours=1)
        await world.answer(run, "approve")
        assert world.tools.notes == ["a", None]


async def test_a_run_that_waits_keeps_its_steps_when_the_template_is_edited() -> None:
    """One step comes between, one has another name, and there are tags: the next run has it all, this one nothing."""
    async with a_world() as world:
        asks = {**a_step("asks", "first"), "interrupt": {"kind": "approval"}}
        await save(world, 1, a_step("first"), asks, a_step("last", "asks"))
        old = await start_saved(world)
        assert (await world.settled(old.id))["status"] == "waiting"
        between = a_step("between", "first")
        await save(world, 2, a_step("first"), between, asks, a_step("end", "asks", "between"), tags=["new"])
        told = await world.answer(old, "approve")
        assert (told["status"], list(told["steps"])) == ("success", ["first", "asks", "last"])
        new = await start_saved(world)
        await world.settled(new.id)
        told = await world.answer(new, "approve")
        assert (told["status"], list(told["steps"])) == ("success", ["first", "between", "asks", "end"])
        stored = [await world.storage.runs.get(run.id) for run in (old, new)]
        assert [run.template_version for run in stored if run is not None] == [1, 2]


async def save(world: World, version: int, *steps: dict[str, Any], **fields: Any) -> None:
    """Save that version of the template *Edited*."""
    text = encode(template(*steps, title="Edited", **fields))
    stored = StoredTemplate(TemplateId("tpl_edited"), version, "Edited", text, SystemClock().now())
    await world.storage.commit([Put(stored)])


async def start_saved(world: World) -> Run:
    found = await world.core.templates.find("Edited")
    assert isinstance(found, Ok)
    started = await world.core.runs.start(found.data, {})
    assert isinstance(started, Ok)
    return started.data
