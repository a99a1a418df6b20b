"""Calls through MCP: followed, given up, and let go (AGENTS_AND_TOOLS §7, ENGINE §12)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from core.cli.mcp_calls import CallHandler, UnknownTool
from core.domain.events import RunContinued, RunPaused, RunStarted, StepStarted
from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from tests.support.command_line import template
from tests.support.failing_storage import FailingMemory, Trouble
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until
from tests.support.world import World, a_step, a_world, tool_step

T = "COLLECTION_WORKFLOW_"
CREATE, RESUME = f"{T}EXECUTION_CREATE", f"{T}EXECUTION_RESUME"


async def silent(progress: float, total: float | None, text: str) -> None:
    """Ignore the progress."""


async def saved(calls: CallHandler, *steps: dict[str, Any], title: str = "T") -> str:
    reply = await calls.call(f"{T}CREATE", {"template": template(*steps, title=title)}, silent)
    return str(reply.value["id"])


async def given_up(world: World, task: "asyncio.Task[Any]") -> None:
    """Cancel the call once its run is at work."""
    await world.heard(StepStarted)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_progress_only_grows_and_names_what_happens() -> None:
    async with a_world() as world:
        calls = CallHandler(world.core)
        made = await saved(calls, tool_step("first", "hold"), tool_step("second", "hold", "first"))
        told: list[tuple[float, float | None, str]] = []
        heard = asyncio.Event()

        async def report(progress: float, total: float | None, text: str) -> None:
            told.append((progress, total, text))
            if "hold is called" in text:
                heard.set()

        task = asyncio.create_task(calls.call(CREATE, {"workflow_collection_id": made, "wait": True}, report))
        await heard.wait()
        world.tools.release.set()
        assert (await task).value["status"] == "success"
        assert [one[0] for one in told] == sorted({one[0] for one in told})
        assert {one[1] for one in told} == {2.0}


async def test_who_gives_up_a_call_ends_the_run_that_it_waits_for_from_its_very_first_moment() -> None:
    async with a_world() as world:
        calls = CallHandler(world.core)
        slow_to_check = {"name": "c", "action": {"code": "export default () => 1"}}
        made = await saved(calls, tool_step("h", "hold"), slow_to_check)
        start = {"workflow_collection_id": made, "wait": True}
        await given_up(world, asyncio.create_task(calls.call(CREATE, start, silent)))
        for turns in range(12):
            task = asyncio.create_task(calls.call(CREATE, start, silent))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
        while calls._tasks:
            await asyncio.wait(set(calls._tasks))
        runs = await world.storage.runs.page()
        assert runs
        assert {run.status for run in runs} == {RunStatus.CANCELLED}


async def test_a_run_that_is_not_waited_for_or_was_begun_by_another_call_goes_on() -> None:
    async with a_world() as world:
        calls = CallHandler(world.core)
        made = await saved(calls, tool_step("h", "hold"), {**a_step("z", "h"), "input": "done"})
        run_id = (await calls.call(CREATE, {"workflow_collection_id": made}, silent)).value["run_id"]
        await given_up(world, asyncio.create_task(calls.call(RESUME, {"run_id": run_id, "wait": True}, silent)))
        world.tools.release.set()
        reply = await calls.call(RESUME, {"run_id": run_id, "wait": True}, silent)
        assert (reply.value["status"], reply.value["output"]) == ("success", "done")
        await calls.close()


async def test_at_the_close_no_run_is_ended_and_the_next_process_goes_on() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        calls = CallHandler(world.core)
        made = await saved(calls, tool_step("h", "hold"))
        start = {"workflow_collection_id": made, "wait": True}
        task = asyncio.create_task(calls.call(CREATE, start, silent))
        await world.heard(RunStarted)
        calls.detach_runs()
        task.cancel()
        await asyncio.wait({task})
        await calls.close()
    async with a_world(storage) as world:
        world.tools.release.set()
        (run,) = await storage.runs.page()
        assert not run.status.is_final
        await world.core.runs.recover()
        assert (await world.settled(RunId(run.id)))["status"] == "success"


async def test_a_tool_that_is_not_offered_is_unknown_and_text_that_is_not_utf_8_is_replaced() -> None:
    async with a_world() as world:
        calls = CallHandler(world.core)
        assert len(calls.offered()) == 10
        for name in ("calculator", "", "COLLECTION_WORKFLOW_"):
            with pytest.raises(UnknownTool):
                await calls.call(name, {}, silent)
        run = await world.run({**a_step("a"), "input": "\ud83d \x00 \U0001f600"})
        reply = await calls.call(f"{T}EXECUTION_GET", {"run_id": run["run_id"]}, silent)
        assert reply.value["output"] == "\ufffd \x00 \U0001f600"
        reply.text.encode("utf-8")


NOTES = tool_step("n", "note")


async def started(world: World, calls: CallHandler, *, title: str, **fields: Any) -> dict[str, Any]:
    reply = await calls.call(f"{T}CREATE", {"template": template(NOTES, title=title, **fields)}, silent)
    value: dict[str, Any] = (
        await calls.call(CREATE, {"workflow_collection_id": reply.value["id"], "wait": True}, silent)
    ).value
    return value


async def test_runs_have_the_mode_of_the_settings_unless_another_is_given_and_no_template_makes_it_laxer() -> None:
    async with a_world() as world:
        await world.core.settings.change(validation_mode=ValidationMode.MANUAL)
        asked = await started(world, CallHandler(world.core), title="As set")
        assert (asked["status"], asked["interruptions"][0]["kind"]) == ("waiting", "tool-approval")
        asked = await started(world, CallHandler(world.core), title="Laxer", validationMode="auto", mode="auto")
        assert asked["status"] == "waiting"
        free = await started(world, CallHandler(world.core, mode=ValidationMode.AUTO), title="Given")
        assert free["status"] == "success"
        stricter = CallHandler(world.core, mode=ValidationMode.AUTO)
        asked = await started(world, stricter, title="Stricter", mode="manual")
        assert asked["status"] == "waiting"


async def test_a_client_consents_to_no_call_unless_it_may_but_rejects_it_and_answers_the_rest() -> None:
    gate = {**NOTES, "name": "gate", "interrupt": {"kind": "approval"}}
    async with a_world() as world:
        await world.core.settings.change(validation_mode=ValidationMode.MANUAL)
        calls = CallHandler(world.core)
        first = await started(world, calls, title="One")
        answer = {"run_id": first["run_id"], "wait": True}
        for action in (
            {"action": "approve"},
            {"action": "approve", "value": "always"},
            {"action": "submit", "value": {}},
        ):
            reply = await calls.call(RESUME, {**answer, **action}, silent)
            assert (reply.is_error, reply.value["error"]["code"]) == (True, "not_allowed"), action
        assert world.tools.notes == []
        reply = await calls.call(RESUME, {**answer, "action": "reject"}, silent)
        assert (reply.is_error, reply.value["error"]["status"]) == (True, "error")

        made = await saved(calls, gate, title="Gate")
        waiting = (await calls.call(CREATE, {"workflow_collection_id": made, "wait": True}, silent)).value
        answer = {"run_id": waiting["run_id"], "wait": True, "action": "approve"}
        assert (await calls.call(RESUME, answer, silent)).value["error"]["code"] == "not_allowed"
        may = CallHandler(world.core, may_approve=True)
        assert (await may.call(RESUME, answer, silent)).value["status"] == "success"
        plain = {**a_step("p"), "input": 1, "interrupt": {"kind": "approval"}}
        made = await saved(calls, plain, title="Plain")
        waiting = (await calls.call(CREATE, {"workflow_collection_id": made, "wait": True}, silent)).value
        reply = await calls.call(RESUME, {"run_id": waiting["run_id"], "wait": True, "action": "approve"}, silent)
        assert reply.value["status"] == "success"  # a gate that consents to no call


async def test_what_the_server_was_allowed_its_runs_and_recorded_calls_may_access(tmp_path: Path) -> None:
    async with a_world() as world:
        folder = str(tmp_path)
        calls = CallHandler(world.core, mode=ValidationMode.AUTO, allow=[folder])
        made = await saved(calls, tool_step("w", "write_file", path="a.txt", content="a"))
        reply = await calls.call(CREATE, {"workflow_collection_id": made, "wait": True}, silent)
        assert reply.value["status"] == "success"
        assert (tmp_path / "a.txt").read_text() == "a"
        chat = await world.core.chat.send("say 1 words")
        assert isinstance(chat, Ok)
        await world.core.engine.wait(chat.data.id)
        recording = await world.core.recording.start(chat.data.workflow_id)
        assert isinstance(recording, Ok)
        recorded = CallHandler(world.core, recording.data, ValidationMode.AUTO, allow=[folder])
        written = await recorded.call("write_file", {"path": "b.txt", "content": "b"}, silent)
        assert not written.is_error, written.text
        assert (tmp_path / "b.txt").read_text() == "b"


async def test_a_run_that_fails_is_told_in_the_same_form_by_each_call_that_waits_for_it() -> None:
    async with a_world() as world:
        calls = CallHandler(world.core)
        asks = {**a_step("gate"), "interrupt": {"kind": "approval"}}
        made = await saved(calls, asks, tool_step("f", "fail", "gate"))
        fails = await saved(calls, tool_step("f", "fail"), title="U")
        first = await calls.call(CREATE, {"workflow_collection_id": fails, "wait": True}, silent)
        asked = await calls.call(CREATE, {"workflow_collection_id": made, "wait": True}, silent)
        answer = {"run_id": asked.value["run_id"], "action": "approve", "wait": True}
        for reply in (first, await calls.call(RESUME, answer, silent)):
            assert reply.is_error
            error = reply.value["error"]
            assert (error["code"], error["status"], error["error"]["failed_step"]) == ("run_failed", "error", "f")


async def test_a_run_on_a_full_disk_is_paused_to_each_call_and_the_client_is_told() -> None:
    storage = FailingMemory()
    storage.trouble = Trouble(at=1, count=1_000)
    async with a_world(storage) as world:
        calls = CallHandler(world.core)
        told: list[str] = []

        async def on_pause(text: str) -> None:
            told.append(text)

        calls.on_pause = on_pause
        made = await saved(calls, tool_step("h", "hold"), tool_step("i", "fail", "h"))
        run_id = (await calls.call(CREATE, {"workflow_collection_id": made}, silent)).value["run_id"]
        await world.heard(StepStarted)
        storage.trouble.is_on = True
        world.tools.release.set()
        await world.heard(RunPaused)
        got = (await calls.call(f"{T}EXECUTION_GET", {"run_id": run_id}, silent)).value
        assert (got["status"], got["error"]["code"]) == ("paused", "storage_full")
        (item,) = (await calls.call(f"{T}EXECUTION_LIST", {}, silent)).value["items"]
        assert item["status"] == "paused"
        resumed = (await calls.call(RESUME, {"run_id": run_id}, silent)).value
        assert (resumed["status"], resumed["error"]["code"]) == ("paused", "storage_full")
        storage.trouble.is_on = False
        await world.heard(RunContinued)
        await until(lambda: len(told) == 2)
        assert "is paused (storage_full)" in told[0]
        assert told[1] == f"{run_id} continues"


async def test_lists_and_objects_that_came_as_text_are_what_they_hold_at_whatever_depth() -> None:
    text = json.dumps
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "of": {"type": "array"}}}
    step = {
        "name": "a",
        "action": text({"set": True}),
        "input": {"got": "@input"},
        "config": text({"maxAttempts": "2"}),
    }
    tells = {"name": "b", "action": text({"toolName": "calculator"}), "input": text({"expression": "1+1"})}
    whole = {"title": "T", "inputSchema": text(schema), "steps": text([text(step), text(tells)]), "maxParallel": "3"}
    async with a_world() as world:
        calls = CallHandler(world.core)
        made = (await calls.call(f"{T}CREATE", {"template": text(whole)}, silent)).value
        assert made["problems"] == []
        stored = (await calls.call(f"{T}GET", {"id": made["id"], "version": "1"}, silent)).value["template"]
        assert (stored["inputSchema"], stored["maxParallel"]) == (schema, 3)
        assert stored["steps"][0] == {**step, "action": {"set": True}, "config": {"maxAttempts": 2}}
        assert stored["steps"][1] == {**tells, "action": {"toolName": "calculator"}, "input": {"expression": "1+1"}}
        given = {"workflow_collection_id": made["id"], "input": text({"n": "7", "of": "[1]"}), "wait": "true"}
        run = (await calls.call(CREATE, given, silent)).value
        state = (await calls.call(f"{T}EXECUTION_GET", {"run_id": run["run_id"]}, silent)).value
        assert state["steps"]["a"]["output"] == {"got": {"n": 7, "of": [1]}}
        refused = await calls.call(f"{T}CREATE", {"template": {"title": "U", "steps": "[{"}}, silent)
        assert (refused.is_error, refused.value["error"]["code"]) == (True, "invalid_template")
