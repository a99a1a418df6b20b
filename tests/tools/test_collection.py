"""`COLLECTION_WORKFLOW_…`: templates and runs as agents and steps reach them (AGENTS_AND_TOOLS §5)."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core.domain.events import InterruptionRaised, ToolStarted
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, CallStatus
from core.ports import CallContext, Storage
from core.services.outcome import Ok
from tests.support.command_line import template
from tests.support.progress import stored_calls, stored_interruptions
from tests.support.world import World, a_step, a_world, tool_step

TEMPLATES = "COLLECTION_WORKFLOW_"
RUNS = "COLLECTION_WORKFLOW_EXECUTION_"
ASKS = {"name": "gate", "action": {"set": True}, "input": "through", "interrupt": {"kind": "approval"}}
AUTO, MANUAL, SELECTIVE = ValidationMode.AUTO, ValidationMode.MANUAL, ValidationMode.SELECTIVE


class Caller:
    """Calls the tools from outside, as MCP does."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.count = 0

    async def result(self, name: str, **arguments: Any) -> CallResult:
        self.count += 1
        context = CallContext.outside(CallId(f"call_{self.count}"), ValidationMode.AUTO)
        return await self.world.core.tools.call(
            f"COLLECTION_WORKFLOW_{name}", arguments, context, default_timeout_s=30, is_permitted=True
        )

    async def __call__(self, name: str, **arguments: Any) -> Any:
        result = await self.result(name, **arguments)
        assert result.status is CallStatus.COMPLETED, result.error
        return result.value

    async def error(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = await self.result(name, **arguments)
        assert result.error is not None
        return result.error.as_dict()

    async def saved(self, *steps: dict[str, Any], **fields: Any) -> str:
        state = await self("CREATE", template=template(*steps, **fields))
        return str(state["id"])


@asynccontextmanager
async def a_caller(storage: Storage | None = None) -> AsyncIterator[Caller]:
    async with a_world(storage) as world:
        yield Caller(world)


# Templates


async def test_a_template_is_saved_read_changed_and_deleted() -> None:
    async with a_caller() as call:
        made = await call("CREATE", template={"title": "Mine", "steps": [a_step("a")], "colour": "red"})
        assert (made["version"], [one["code"] for one in made["problems"]]) == (1, ["unknown_field"])
        read = await call("GET", id=made["id"])
        assert (read["template"]["colour"], read["template"]["format"]) == ("red", "metier.template/1")
        changed = await call("UPDATE", id=made["id"], version=1, template={"title": "Ours", "steps": [a_step("b")]})
        assert (changed["version"], changed["title"], changed["problems"]) == (2, "Ours", [])
        assert (await call("GET", id=made["id"], version=1))["title"] == "Mine"
        assert "Ours" in [one["title"] for one in (await call("LIST"))["items"]]
        assert await call("DELETE", id=made["id"]) == {"id": made["id"], "title": "Ours", "active_runs": []}
        for name in ("GET", "DELETE"):
            assert (await call.error(name, id=made["id"]))["code"] == "not_found"
        again = await call("CREATE", template={"title": "ours", "steps": [a_step("a")]})
        assert again["version"] == 1


async def test_an_invalid_template_is_refused_with_all_its_problems_or_kept_as_a_draft() -> None:
    async with a_caller() as call:
        broken = {"title": "Broken", "steps": [{**a_step("a"), "input": "@nobody"}, {"name": "b", "action": {}}]}
        refused = await call.error("CREATE", template=broken)
        assert refused["code"] == "invalid_template"
        assert {(one["code"], one["path"]) for one in refused["problems"]} >= {("unknown_ref", "/steps/0/input")}
        assert len(refused["problems"]) > 1
        draft = await call("CREATE", template=broken, draft=True)
        assert draft["problems"] == refused["problems"]
        start = await call.error("EXECUTION_CREATE", workflow_collection_id=draft["id"])
        assert (start["code"], start["problems"]) == ("invalid_template", refused["problems"])
        assert (await call.error("CREATE", template={"steps": []}, draft=True))["code"] == "invalid_template"
        assert (await call.error("CREATE", template={}, draft=True))["problems"][0]["code"] == "not_a_template"
        assert (await call.error("CREATE", template=7))["code"] == "invalid_arguments"
        assert (await call.error("CREATE", template=broken, more=1))["code"] == "invalid_arguments"
        assert (await call.error("GET", id="\ud800"))["code"] == "not_found"


async def test_a_huge_template_is_a_problem_of_its_own() -> None:
    async with a_caller() as call:
        huge = template({**a_step("a"), "input": "x" * 5_100_000})
        for draft in (False, True):
            assert [one["code"] for one in (await call.error("CREATE", template=huge, draft=draft))["problems"]] == [
                "too_large"
            ]


async def test_titles_are_unique_without_case_those_of_the_app_included() -> None:
    async with a_caller() as call:
        first = await call.saved(a_step("a"), title="Straße")
        taken = await call.error("CREATE", template=template(a_step("a"), title="STRASSE"))
        assert (taken["code"], taken["id"]) == ("title_taken", first)
        other = await call.saved(a_step("a"), title="Other")
        renamed = template(a_step("a"), title="straße")
        assert (await call.error("UPDATE", id=other, template=renamed))["code"] == "title_taken"
        assert (await call("UPDATE", id=first, template=renamed))["version"] == 2
        assert (await call.error("CREATE", template=template(a_step("a"), title="ask around")))["code"] == "title_taken"


async def test_two_changes_of_one_version_cannot_both_win() -> None:
    async with a_caller() as call:
        made = await call.saved(a_step("a"))
        await call("UPDATE", id=made, version=1, template=template(a_step("b")))
        late = await call.error("UPDATE", id=made, version=1, template=template(a_step("c")))
        assert (late["code"], late["version"]) == ("conflict", 2)
        assert (await call("GET", id=made))["template"]["steps"][0]["name"] == "b"


async def test_those_of_the_app_can_be_run_and_stay_as_they_are() -> None:
    async with a_caller() as call:
        listed = await call("LIST", query="ASK A")
        assert [(one["id"], one["version"]) for one in listed["items"]] == [("shipped:ask-around", None)]
        assert (await call("GET", id="shipped:ask-around"))["problems"] == []
        for name, more in (("UPDATE", {"template": template(a_step("a"))}), ("DELETE", {})):
            assert (await call.error(name, id="shipped:ask-around", **more))["code"] == "not_allowed"
        state = await call(
            "EXECUTION_CREATE",
            workflow_collection_id="shipped:ask-around",
            input={"question": "say 2 words"},
            wait=True,
        )
        assert state["status"] == "success"
        missed = await call.error("EXECUTION_CREATE", workflow_collection_id="shipped:ask-around")
        assert (missed["code"], bool(missed["problems"])) == ("bad_input", True)
        gone = await call.error("EXECUTION_CREATE", workflow_collection_id="shipped:gone")
        assert gone["code"] == "not_found"


async def test_listings_come_in_pages() -> None:
    async with a_caller() as call:
        for number in range(5):
            await call.saved(a_step("a"), title=f"T {number}")
        found = list[str]()
        more: dict[str, Any] | None = {}
        while more is not None:
            page = await call("LIST", query="t ", limit=2, **more)
            found += [one["title"] for one in page["items"]]
            more = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        assert [one for one in found if one.startswith("T ")] == [f"T {number}" for number in range(5)]
        assert (await call.error("LIST", cursor="nobody"))["code"] == "not_found"
        runs = [(await call.world.start(a_step("a"))).id for _ in range(5)]
        page = await call("EXECUTION_LIST", limit=3)
        assert [one["run_id"] for one in page["items"]] == runs[:1:-1]
        page = await call("EXECUTION_LIST", limit=3, cursor=page["next_cursor"])
        assert ([one["run_id"] for one in page["items"]], page["next_cursor"]) == (runs[1::-1], None)
        assert (await call.error("EXECUTION_LIST", cursor="nobody"))["code"] == "not_found"


async def test_runs_below_a_run_come_in_pages_too() -> None:
    async with a_caller() as call:
        child = await call.saved(a_step("a"))
        starts = [tool_step(f"s{number}", f"{RUNS}CREATE", workflow_collection_id=child) for number in range(3)]
        run = await call.world.run(*starts)
        ids = [run["output"][f"s{number}"]["run_id"] for number in range(3)]
        page = await call("EXECUTION_LIST", parent_run_id=run["run_id"], limit=2)
        rest = await call("EXECUTION_LIST", parent_run_id=run["run_id"], limit=2, cursor=page["next_cursor"])
        assert [one["run_id"] for one in page["items"] + rest["items"]] == ids
        assert rest["next_cursor"] is None
        wrong = await call.error("EXECUTION_LIST", parent_run_id=run["run_id"], cursor=run["run_id"])
        assert wrong["code"] == "not_found"


# Runs from outside


async def test_a_waiting_run_shows_its_question_and_resumes_with_the_answer() -> None:
    async with a_caller() as call:
        made = await call.saved(ASKS, a_step("after", "gate"))
        state = await call("EXECUTION_CREATE", workflow_collection_id=made, wait=True)
        (asked,) = state["interruptions"]
        assert (state["status"], asked["kind"], asked["step"]) == ("waiting", "approval", "gate")
        run_id = state["run_id"]
        wrong = await call.error("EXECUTION_RESUME", run_id=run_id, action="submit", value=1)
        assert wrong["code"] == "bad_answer"
        assert (await call.error("EXECUTION_RESUME", run_id=run_id, value=1))["code"] == "bad_answer"
        assert (await call("EXECUTION_RESUME", run_id=run_id))["status"] == "waiting"
        done = await call("EXECUTION_RESUME", run_id=run_id, id=asked["id"], action="approve", wait=True)
        assert (done["status"], done["error"]) == ("success", None)
        late = await call.error("EXECUTION_RESUME", run_id=run_id, step="gate", action="approve")
        assert late["code"] in ("already_answered", "nothing_open")
        assert (await call("EXECUTION_RESUME", run_id=run_id))["status"] == "success"


async def test_a_failed_run_shows_its_error_and_a_cancelled_run_stays_cancelled() -> None:
    async with a_caller() as call:
        fails = await call.saved(tool_step("f", "fail"), title="Fails")
        state = await call.error("EXECUTION_CREATE", workflow_collection_id=fails, wait=True)
        assert (state["code"], state["error"]["code"], state["error"]["failed_step"]) == ("run_failed", "failed", "f")
        hangs = await call.saved(tool_step("h", "hang"), title="Hangs")
        run_id = (await call("EXECUTION_CREATE", workflow_collection_id=hangs))["run_id"]
        for _ in range(2):
            assert (await call("EXECUTION_CANCEL", run_id=run_id))["status"] == "cancelled"
        assert (await call.error("EXECUTION_CANCEL", run_id="nobody"))["code"] == "not_found"
        assert [one["run_id"] for one in (await call("EXECUTION_LIST", status="cancelled"))["items"]] == [run_id]
        slow = await call.error("EXECUTION_CREATE", workflow_collection_id=hangs, wait=True, timeoutMs=50)
        assert slow["error"]["code"] == "deadline_exceeded"


async def test_a_waiting_run_keeps_its_version_and_survives_the_end_of_its_template() -> None:
    """version-01, store-07."""
    async with a_caller() as call:
        made = await call.saved(ASKS, a_step("old", "gate"))
        first = await call("EXECUTION_CREATE", workflow_collection_id=made, wait=True)
        await call("UPDATE", id=made, template=template(ASKS, a_step("new", "gate")))
        second = await call("EXECUTION_CREATE", workflow_collection_id=made, wait=True)
        clone = await call.saved(a_step("a"), title="Clone")
        gone = await call("DELETE", id=made)
        assert set(gone["active_runs"]) == {first["run_id"], second["run_id"]}
        assert (await call("DELETE", id=clone))["active_runs"] == []
        for run, step, version in ((first, "old", 1), (second, "new", 2)):
            await call("EXECUTION_RESUME", run_id=run["run_id"], action="approve", wait=True)
            state = await call("EXECUTION_GET", run_id=run["run_id"])
            assert (state["status"], list(state["steps"]), state["template_version"]) == (
                "success",
                ["gate", step],
                version,
            )
        assert (await call.error("EXECUTION_CREATE", workflow_collection_id=made))["code"] == "not_found"


async def test_answers_come_in_any_order_and_only_once() -> None:
    """hitl-01, hitl-03."""
    async with a_caller() as call:
        gates = [{**ASKS, "name": name, "input": name} for name in "abc"]
        made = await call.saved(*gates)
        state = await call("EXECUTION_CREATE", workflow_collection_id=made, wait=True)
        run_id = state["run_id"]
        assert [one["step"] for one in state["interruptions"]] == ["a", "b", "c"]
        which = await call.error("EXECUTION_RESUME", run_id=run_id, action="approve")
        assert (which["code"], len(which["open"])) == ("which_interruption", 3)
        left, first = state, state["interruptions"][1]
        for name in ("c", "a"):
            left = await call("EXECUTION_RESUME", run_id=run_id, step=name, action="approve")
            again = await call.error("EXECUTION_RESUME", run_id=run_id, step=name, action="approve")
            assert again["code"] == "already_answered"
        assert left["interruptions"] == [first]
        done = await call("EXECUTION_RESUME", run_id=run_id, action="approve", wait=True)
        assert done["output"] == {"a": "a", "b": "b", "c": "c"}


async def test_what_is_deleted_cannot_be_answered() -> None:
    """hitl-09."""
    async with a_caller() as call:
        made = await call.saved(ASKS)
        state = await call("EXECUTION_CREATE", workflow_collection_id=made, wait=True)
        run = await call.world.storage.runs.get(state["run_id"])
        assert run is not None
        await call.world.core.workflows.delete(run.workflow_id)
        late = {"run_id": run.id, "id": state["interruptions"][0]["id"], "action": "approve"}
        assert (await call.error("EXECUTION_RESUME", **late))["code"] == "not_found"
        assert (await call("EXECUTION_LIST"))["items"] == []


async def test_cancelling_a_run_ends_all_below_it() -> None:
    """cancel-03: runs that started each other through the tool, three deep."""
    async with a_caller() as call:
        made = await call.saved(tool_step("h", "hang", text="bottom"), title="0")
        for depth in (1, 2, 3):
            start = tool_step("c", f"{RUNS}CREATE", workflow_collection_id=made, wait=True)
            made = await call.saved(start, tool_step("late", "note", "c", text="never"), title=str(depth))
        run_id = (await call("EXECUTION_CREATE", workflow_collection_id=made))["run_id"]
        while "bottom" not in call.world.tools.notes:
            await call.world.heard(ToolStarted)
            await asyncio.sleep(0)
        assert (await call("EXECUTION_CANCEL", run_id=run_id))["status"] == "cancelled"
        below, found = run_id, []
        for _ in range(3):
            (one,) = (await call("EXECUTION_LIST", parent_run_id=below))["items"]
            found.append(one["status"])
            below = one["run_id"]
        assert (found, call.world.tools.notes) == (["cancelled"] * 3, ["bottom"])


async def test_one_call_begins_one_run_however_often_it_is_made() -> None:
    """start-01."""
    async with a_caller() as call:
        made = await call.saved(ASKS)
        context = CallContext.outside(CallId("same"), ValidationMode.AUTO)
        given = {"workflow_collection_id": made}
        calls = [
            call.world.core.tools.call(f"{RUNS}CREATE", given, context, default_timeout_s=30, is_permitted=True)
            for _ in range(3)
        ]
        assert len({one.value["run_id"] for one in await asyncio.gather(*calls)}) == 1
        assert len(await call.world.storage.runs.page()) == 1


async def test_starts_from_outside_are_bound_by_capacity_alone() -> None:
    """ENGINE §9."""
    async with a_caller() as call:
        await call.world.core.settings.change(max_running_runs=4)
        made = await call.saved(tool_step("h", "hold"))
        for _ in range(6):
            await call("EXECUTION_CREATE", workflow_collection_id=made)
        enqueued = await call("EXECUTION_LIST", status="enqueued")
        assert len(enqueued["items"]) == 2
        call.world.tools.release.set()


async def test_long_outputs_are_left_out_of_a_run_and_given_with_their_step() -> None:
    async with a_caller() as call:
        text = "x" * 100_000
        run = await call.world.start({**a_step("long"), "input": text}, {**a_step("short", "long"), "input": "s"})
        await call.world.settled(run.id)
        steps = (await call("EXECUTION_GET", run_id=run.id))["steps"]
        assert (steps["long"]["output"], steps["long"]["is_output_left_out"]) == (None, True)
        assert steps["short"]["output"] == "s"
        assert (await call("EXECUTION_GET", run_id=run.id, step="long"))["steps"]["long"]["output"] == text
        assert (await call.error("EXECUTION_GET", run_id=run.id, step="nobody"))["code"] == "not_found"


async def test_each_result_fits_its_output_schema() -> None:
    async with a_caller() as call:
        schemas = call.world.core.engine._steps.schemas
        made = await call("CREATE", template=template(ASKS))
        run = await call("EXECUTION_CREATE", workflow_collection_id=made["id"], wait=True)
        results = {
            "LIST": await call("LIST"),
            "GET": await call("GET", id=made["id"]),
            "CREATE": made,
            "UPDATE": await call("UPDATE", id=made["id"], template=template(ASKS)),
            "EXECUTION_CREATE": run,
            "EXECUTION_LIST": await call("EXECUTION_LIST"),
            "EXECUTION_GET": await call("EXECUTION_GET", run_id=run["run_id"]),
            "EXECUTION_RESUME": await call("EXECUTION_RESUME", run_id=run["run_id"]),
            "EXECUTION_CANCEL": await call("EXECUTION_CANCEL", run_id=run["run_id"]),
            "DELETE": await call("DELETE", id=made["id"]),
        }
        for name, value in results.items():
            info = call.world.core.tools.info(f"COLLECTION_WORKFLOW_{name}")
            assert info is not None
            assert await schemas.violations(info.output_schema, json.loads(json.dumps(value))) == []


# From within a run


async def say(world: World, *calls: tuple[str, dict[str, Any]], mode: ValidationMode, **more: Any) -> Run:
    """Run a turn of the offline agent that makes these calls, a call per round."""
    text = "\n\n".join(f"/tool {name} {json.dumps(arguments)}" for name, arguments in calls)
    sent = await world.core.chat.send(text, mode=mode, **more)
    assert isinstance(sent, Ok), sent
    return sent.data


async def results(world: World, run: Run) -> list[Any]:
    """Return the results of its calls: the value, or the code of the error."""
    rows = await stored_calls(world.storage, run.id)
    return [json.loads(row.result_json) if row.result_json else row.error and row.error.code for row in rows]


async def asked_about(world: World, run: Run) -> list[str]:
    """Return the tools that the user was asked about."""
    asked = await stored_interruptions(world.storage, run.id)
    return [one.ask.tool or "" for one in asked if one.ask.kind is InterruptionKind.TOOL_APPROVAL]


async def approve_all(world: World, run: Run) -> Any:
    state = await world.settled(run.id)
    while state["status"] == "waiting":
        state = await world.answer(run, "approve")
    return state


@pytest.mark.parametrize("mode", [AUTO, MANUAL, SELECTIVE])
async def test_its_own_runs_are_reached_as_their_category_allows_and_others_by_consent(mode: ValidationMode) -> None:
    async with a_world() as world:
        await world.core.settings.change(ask_for_database=False, low_risk_free_in_manual=True)
        other = await world.start(tool_step("h", "hang"))
        first = await say(world, ("calculator", {"expression": "1"}), mode=mode)
        await approve_all(world, first)
        own: list[tuple[str, dict[str, Any]]] = [(f"{RUNS}LIST", {}), (f"{RUNS}GET", {"run_id": first.id})]
        run = await say(world, *own, mode=mode, workflow_id=first.workflow_id)
        assert (await world.settled(run.id))["status"] == "success"
        assert await asked_about(world, run) == []
        listed, got = await results(world, run)
        assert [one["run_id"] for one in listed["items"]] == [run.id, first.id]
        assert got["run_id"] == first.id
        outside: list[tuple[str, dict[str, Any]]] = [
            (f"{RUNS}LIST", {"workflow_id": other.workflow_id}),
            (f"{RUNS}LIST", {"workflow_id": "*"}),
            (f"{RUNS}LIST", {"parent_run_id": other.id}),
            (f"{RUNS}GET", {"run_id": other.id}),
            (f"{RUNS}CANCEL", {"run_id": other.id}),
        ]
        run = await say(world, *outside, mode=mode)
        assert (await approve_all(world, run))["status"] == "success"
        assert await asked_about(world, run) == ([] if mode is AUTO else [name for name, _ in outside])
        found = await results(world, run)
        assert [one["run_id"] for one in found[0]["items"]] == [other.id]
        assert found[4] == {"run_id": other.id, "status": "cancelled"}


async def test_a_refused_access_to_another_workflow_is_respected() -> None:
    async with a_world() as world:
        await world.core.settings.change(ask_for_database=False)
        other = await world.start(tool_step("h", "hang"))
        run = await say(world, (f"{RUNS}CANCEL", {"run_id": other.id}), mode=SELECTIVE)
        await world.settled(run.id)
        await world.answer(run, "reject", reason="leave it")
        assert await results(world, run) == ["rejected"]
        assert (await world.describe(other.id))["status"] == "running"


async def test_where_no_user_can_be_asked_what_reaches_out_is_rejected() -> None:
    async with a_world() as world:
        await world.core.settings.change(ask_for_database=False)
        other = await world.start(tool_step("h", "hang"))
        for mode, code in ((SELECTIVE, "rejected"), (MANUAL, "rejected"), (AUTO, None)):
            context = CallContext(RunId("run_x"), WorkflowId("wf_x"), CallId("c"), mode)
            result = await world.core.tools.call(f"{RUNS}GET", {"run_id": other.id}, context, default_timeout_s=30)
            assert (result.error.code if result.error else None) == code


async def test_a_step_asks_as_an_agent_does() -> None:
    async with a_world() as world:
        await world.core.settings.change(ask_for_database=False)
        other = await world.start(a_step("a"))
        run = await world.start(tool_step("g", f"{RUNS}GET", run_id=other.id), mode=SELECTIVE)
        state = await world.settled(run.id)
        assert (state["status"], state["interruptions"][0]["tool"]) == ("waiting", f"{RUNS}GET")
        state = await world.answer(run, "approve")
        assert state["output"]["run_id"] == other.id
        own = {"name": "g", "action": {"toolName": f"{RUNS}GET"}, "input": {"run_id": "@ctx.run_id"}}
        assert (await world.run(own, mode=SELECTIVE))["status"] == "success"


@pytest.mark.parametrize("mode", [AUTO, MANUAL, SELECTIVE])
async def test_no_run_answers_what_it_asks_itself(mode: ValidationMode) -> None:
    async with a_world() as world:
        own = {"name": "r", "action": {"toolName": f"{RUNS}RESUME"}}
        own |= {
            "input": {"run_id": "@ctx.run_id", "step": "gate", "action": "approve"},
            "config": {"onError": "continue"},
        }
        run = await world.start(ASKS, own, mode=mode)
        state = await world.settled(run.id)
        if mode is not AUTO:
            state = await world.answer(run, "approve", step="r")
        assert state["steps"]["r"]["error"]["code"] == "not_allowed"
        assert (state["status"], state["steps"]["gate"]["status"]) == ("waiting", "waiting")


def agent_step(name: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a step whose agent makes these calls, a call per round."""
    prompt = "\n\n".join(f"/tool {tool} {json.dumps(arguments)}" for tool, arguments in calls)
    return {"name": name, "action": {"agent": {"prompt": prompt}}}


async def consent_to_all(world: World, run: Run, until: Callable[[], Awaitable[bool]]) -> None:
    """Approve every tool call, and answer nothing else."""
    answered = set[str]()
    while not await until():
        for one in await stored_interruptions(world.storage, run.id):
            if one.is_open and one.ask.kind is InterruptionKind.TOOL_APPROVAL and one.id not in answered:
                answered.add(one.id)
                await world.core.engine.answer(run.id, Answer(Action.APPROVE), interruption=one.id)
        await asyncio.sleep(0)


@pytest.mark.parametrize("mode", [AUTO, MANUAL, SELECTIVE])
async def test_an_agent_answers_its_child_and_never_itself(mode: ValidationMode) -> None:
    async with a_world() as world:
        inner = {**ASKS, "name": "inner"}
        child = await Caller(world).saved(inner, title="Child")
        resume = {"run_id": "@ctx.run_id", "action": "approve"}
        agent = agent_step(
            "agent",
            (f"{RUNS}CREATE", {"workflow_collection_id": child}),
            ("hold", {}),
            (f"{RUNS}RESUME", {**resume, "step": "gate"}),
            (f"{RUNS}RESUME", {**resume, "step": "inner"}),
        )
        run = await world.start(ASKS, agent, mode=mode)

        async def child_asks() -> bool:
            return any(one.ask.step == "inner" for one in await world.storage.interruptions.open())

        async def agent_is_done() -> bool:
            return bool((await world.describe(run.id))["steps"]["agent"]["status"] == "completed")

        await consent_to_all(world, run, child_asks)
        world.tools.release.set()
        await consent_to_all(world, run, agent_is_done)
        begun, _, own, childs = await results(world, run)
        assert own == "not_allowed"
        assert childs["status"] in ("running", "waiting", "success")
        assert (await world.settled(begun["run_id"]))["output"] == "through"
        state = await world.settled(run.id)
        assert (state["status"], state["steps"]["gate"]["status"]) == ("waiting", "waiting")


async def test_no_run_answers_what_a_run_above_it_asks_and_none_consents() -> None:
    async with a_world() as world:
        call = Caller(world)
        answers = {"name": "r", "action": {"toolName": f"{RUNS}RESUME"}}
        answers |= {"input": {"run_id": "@input.run", "step": "@input.step", "action": "approve"}}
        child = await call.saved(answers, title="Child")
        start = {"name": "c", "action": {"workflow": {"templateId": child}}, "config": {"onError": "continue"}}
        start |= {"input": {"run": "@ctx.run_id", "step": "gate"}}
        state = await world.settled((await world.start(ASKS, start)).id)
        assert state["steps"]["c"]["error"]["error"]["code"] == "not_allowed"
        assert state["steps"]["gate"]["status"] == "waiting"
        asking = await world.start(tool_step("w", "note", text="no"), mode=MANUAL)
        await world.settled(asking.id)
        context = CallContext(RunId(state["run_id"]), asking.workflow_id, CallId("c"))
        consent = {"run_id": asking.id, "action": "approve"}
        result = await world.core.tools.call(f"{RUNS}RESUME", consent, context, default_timeout_s=30)
        assert result.error is not None
        assert (result.error.code, world.tools.notes) == ("not_allowed", [])


async def test_a_run_answers_its_child_and_waits_for_it() -> None:
    async with a_world() as world:
        call = Caller(world)
        child = await call.saved(ASKS, title="Asks")
        run = await world.start(
            tool_step("start", f"{RUNS}CREATE", workflow_collection_id=child),
            {"name": "hold", "action": {"toolName": "hold"}, "dependsOn": ["start"]},
            {
                "name": "answer",
                "action": {"toolName": f"{RUNS}RESUME"},
                "input": {"run_id": "@start.run_id", "action": "approve", "wait": True},
                "dependsOn": ["hold"],
            },
        )
        await world.heard(InterruptionRaised)
        world.tools.release.set()
        state = await world.settled(run.id)
        assert (state["status"], state["output"]["status"], state["output"]["output"]) == (
            "success",
            "success",
            "through",
        )
        stranger = CallContext(RunId("run_x"), run.workflow_id, CallId("c"))
        waits = {"run_id": run.id, "wait": True}
        result = await world.core.tools.call(f"{RUNS}RESUME", waits, stranger, default_timeout_s=30)
        assert result.error is not None
        assert result.error.code == "not_allowed"


async def test_an_agent_that_cancels_its_own_run_ends() -> None:
    async with a_world() as world:
        own = {"name": "c", "action": {"toolName": f"{RUNS}CANCEL"}, "input": {"run_id": "@ctx.run_id"}}
        assert (await world.run(own, a_step("z", "c")))["status"] == "cancelled"


async def test_a_template_that_starts_itself_ends_at_the_limit() -> None:
    """agent-04."""
    async with a_world() as world:
        await world.core.settings.change(max_depth=4)
        call = Caller(world)
        made = await call.saved(a_step("a"))
        again = tool_step("again", f"{RUNS}CREATE", workflow_collection_id=made, wait=True)
        await call("UPDATE", id=made, template=template(again))
        error = (await call.error("EXECUTION_CREATE", workflow_collection_id=made, wait=True))["error"]
        depth = 0
        while "error" in error:
            depth, error = depth + 1, error["error"]
        assert (error["code"], depth) == ("too_deep", 4)


async def test_deleting_a_template_is_of_high_risk_and_reading_of_none() -> None:
    async with a_world() as world:
        await world.core.settings.change(confirm_high_risk=True)
        made = await Caller(world).saved(a_step("a"))
        calls = [(f"{TEMPLATES}GET", {"id": made}), (f"{TEMPLATES}DELETE", {"id": made})]
        run = await say(world, *calls, mode=AUTO)
        await approve_all(world, run)
        assert await asked_about(world, run) == [f"{TEMPLATES}DELETE"]
        run = await say(world, (f"{TEMPLATES}LIST", {}), mode=SELECTIVE)
        assert ((await world.settled(run.id))["status"], await asked_about(world, run)) == ("success", [])
