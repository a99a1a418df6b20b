"""Files of the activity, and whole results of calls."""

import asyncio
import json
import re
import stat
from pathlib import Path

import pytest

from core.domain.ids import CallId, TemplateId, WorkflowId
from core.domain.run import RunStatus
from core.ports import Put, StoredTemplate
from core.services.activity import Entry, ExportFormat
from core.services.outcome import Failed, Ok
from core.stores.activity import Activity
from core.stores.activity_items import ActivityKind, ActivityState
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import World, a_step, a_world, tool_step

SECRET = "sk-proj-0123456789abcdefghij"


def read(path: Path) -> str:
    return path.read_text()


def write(path: Path, text: str) -> None:
    path.write_text(text)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def nothing(_done: int) -> None:
    """Do nothing."""


async def viewed(world: World, workflow_id: WorkflowId) -> list[Entry]:
    """What the panel would export, the oldest first."""
    world.core.stores.background.set_viewed(workflow_id)
    opened = await world.core.workflows.open(workflow_id)
    assert isinstance(opened, Ok)
    view = world.core.stores.view
    view.show(workflow_id, opened.data.messages, opened.data.runs, opened.data.below)
    activity = Activity(view)
    entries = list(activity.details(reversed(activity.items)))
    activity.close()
    return entries


async def chat(world: World) -> list[Entry]:
    """A turn in which an agent reads something that holds a secret."""
    arguments = {"text": f"key {SECRET} `````", "password": "hunter2"}
    sent = await world.core.chat.send(f"/tool echo {json.dumps(arguments)}")
    assert isinstance(sent, Ok)
    await world.core.engine.wait(sent.data.id)
    return await viewed(world, sent.data.workflow_id)


async def test_a_file_of_json_has_all_of_every_item_and_no_secret(tmp_path: Path) -> None:
    async with a_world() as world:
        entries = await chat(world)
        path = tmp_path / "activity.json"
        told: list[int] = []
        done = await world.core.activity.export(path, "A title", entries, ExportFormat.JSON, told.append)
        assert isinstance(done, Ok)
        written = json.loads(read(path))
        assert (written["workflow"], written["count"], told) == ("A title", 2, [1, 2])
        agent, call = written["items"]
        assert (agent["kind"], agent["state"]) == ("agent", "done")
        assert (call["kind"], call["name"], call["state"]) == ("tool", "echo", "done")
        assert call["arguments"]["password"] == "[secret-not-kept]"
        assert call["result"] == call["arguments"]  # the whole, which is more than the line tells
        assert SECRET not in read(path)
        assert "hunter2" not in read(path)
        assert mode(path) == 0o600
        assert files(tmp_path) == [path]


async def test_a_file_of_markdown_has_values_in_fences_that_nothing_in_them_ends(tmp_path: Path) -> None:
    async with a_world() as world:
        entries = await chat(world)
        path = tmp_path / "activity.md"
        done = await world.core.activity.export(path, "A *title*\n# x", entries, ExportFormat.MARKDOWN, nothing)
        assert isinstance(done, Ok)
        text = read(path)
        assert text.startswith("# A \\*title\\* \\# x\n")
        assert "## tool echo" in text
        assert SECRET not in text
        assert re.search(r"\nResult:\n\n`{6}json\n", text)


async def test_a_failed_export_is_reported_and_the_earlier_file_stays(tmp_path: Path) -> None:
    async with a_world() as world:
        entries = await chat(world)
        for path in (tmp_path / "no folder" / "a.json", tmp_path):
            done = await world.core.activity.export(path, "", entries, ExportFormat.JSON, nothing)
            assert isinstance(done, Failed)
            assert done.code == "export_failed"
        assert files(tmp_path) == []


async def test_a_cancelled_export_leaves_nothing_behind_and_the_former_file_alone(tmp_path: Path) -> None:
    async with a_world() as world:
        entries = await chat(world) * 3000
        path = tmp_path / "activity.json"
        write(path, "former")
        begun = asyncio.Event()
        exporting = asyncio.ensure_future(
            world.core.activity.export(path, "", entries, ExportFormat.JSON, lambda _done: begun.set())
        )
        await begun.wait()
        exporting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exporting
        assert read(path) == "former"
        assert files(tmp_path) == [path]


async def test_the_whole_result_of_a_call_can_be_read() -> None:
    async with a_world() as world:
        entries = await chat(world)
        (item, detail) = next(entry for entry in entries if entry[0].kind is ActivityKind.TOOL)
        assert detail.is_summary
        found = await world.core.activity.result(item.run_id, CallId(item.id))
        assert isinstance(found, Ok)
        assert json.loads(found.data)["password"] == "[secret-not-kept]"
        assert isinstance(await world.core.activity.result(item.run_id, CallId("none")), Failed)


async def test_child_runs_are_listed_viewed_or_not_and_after_a_restart() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        text = json.dumps(template(tool_step("say", "echo", text="hello"), title="Part"))
        stored = StoredTemplate(TemplateId("tpl_part"), 1, "Part", text, world.core.clock.now())
        await storage.commit([Put(stored)])
        part = {"name": "part", "action": {"workflow": {"title": "Part"}}, "dependsOn": ["first"], "input": {}}
        run = await world.run(a_step("first"), part)
        world.core.stores.background.set_viewed(run["workflow_id"])  # nobody has looked before
        activity = Activity(world.core.stores.view)
        seen = {(item.name, item.below, item.state) for item in activity.items}
        activity.close()
    done = ActivityState.DONE
    assert seen == {("first", None, done), ("part", None, done), ("say", "Part", done), ("echo", "Part", done)}
    async with a_world(storage) as world:
        entries = await viewed(world, run["workflow_id"])
        assert {(item.name, item.below, item.state) for item, _ in entries} == seen
        (call,) = [detail for item, detail in entries if item.name == "echo"]
        assert (call.arguments, call.result) == ({"text": "hello"}, {"text": "hello"})


async def test_a_run_below_is_followed_while_it_works() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        text = json.dumps(template(tool_step("say", "hold"), title="Part"))
        stored = StoredTemplate(TemplateId("tpl_part"), 1, "Part", text, world.core.clock.now())
        await storage.commit([Put(stored)])
        run = await world.start({"name": "part", "action": {"workflow": {"title": "Part"}}, "input": {}})
        world.core.stores.background.set_viewed(run.workflow_id)
        activity = Activity(world.core.stores.view)
        changed = asyncio.Event()
        activity.changed.connect(changed.set)

        async def told(state: ActivityState) -> None:
            async with asyncio.timeout(10):
                while not any(item.name == "hold" and item.state is state for item in activity.items):
                    changed.clear()
                    await changed.wait()

        await told(ActivityState.RUNNING)
        world.tools.release.set()
        await told(ActivityState.DONE)
        await world.settled(run.id)
        assert world.core.stores.view.below[0].status is RunStatus.SUCCESS
        activity.close()
