"""The demo: three workflows on a small folder of its own, in both languages."""

import asyncio
import sys
from pathlib import Path

import pytest

from core.domain.ids import WorkflowId
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.messages import Role
from core.domain.run import RunKind, RunStatus
from core.errors import StorageFailed
from core.services.demo import DemoService
from core.services.outcome import Failed, Ok
from tests.support.world import World, a_world

LANGUAGES = ("en", "fr")


def demo_in(world: World, folder: Path) -> DemoService:
    core = world.core
    return DemoService(core.chat, core.runs, core.templates, core.workflows, core.storage, folder)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_agent_reads_and_changes_real_files_with_approval_and_reports(tmp_path: Path, language: str) -> None:
    async with a_world() as world:
        demo = demo_in(world, tmp_path / "demo")
        begun = await demo.start(language)
        runs = [answer.data for answer in begun if isinstance(answer, Ok)]
        assert [run.kind for run in runs] == [RunKind.CHAT, RunKind.WORKFLOW, RunKind.CHAT]
        titles = [workflow.title for workflow in await world.storage.workflows.all()]
        assert len({title[0] for title in titles}) == 3  # all that a narrow list shows
        agent, template, question = runs
        program = next((tmp_path / "demo" / "1").rglob("*.py"))
        before = program.read_text(encoding="utf-8")

        ended = None
        while ended is None or ended.status is RunStatus.WAITING:
            ended = await world.core.engine.wait(agent.id)
            for asked in await world.storage.interruptions.open():
                if asked.run_id == agent.id:
                    await world.core.runs.answer(agent.id, Answer(Action.APPROVE), interruption=asked.id)
        assert ended.status is RunStatus.SUCCESS
        assert program.read_text(encoding="utf-8") == before.replace("[1:]", "")
        process = await asyncio.create_subprocess_exec(sys.executable, program, stdout=asyncio.subprocess.PIPE)
        output = (await process.communicate())[0].decode()
        assert "122.40" in output
        said = [message.text for message in await world.storage.messages.of_workflow(agent.workflow_id)]
        assert "122.40" in said[-1].replace(",", ".")

        await world.core.engine.wait(template.id)
        described = await world.describe(template.id)
        assert described["status"] == "success"
        assert sum(step["skipped"] for step in described["steps"].values()) == 1
        totals = [list(row.values())[2].replace(",", ".") for row in described["output"]]
        assert totals == ["122.40", "59.40", "155.88"]

        (asked,) = await world.storage.interruptions.open()
        assert (asked.run_id, asked.ask.kind) == (question.id, InterruptionKind.QUESTION)
        assert isinstance(await demo.remove(), Ok)
        assert await world.storage.workflows.all() == []
        assert not (tmp_path / "demo").exists()


async def test_a_refused_change_is_not_reported_as_made(tmp_path: Path) -> None:
    async with a_world() as world:
        agent, *_ = await demo_in(world, tmp_path / "demo").start("en")
        assert isinstance(agent, Ok)
        ended = None
        while ended is None or ended.status is RunStatus.WAITING:
            ended = await world.core.engine.wait(agent.data.id)
            for asked in await world.storage.interruptions.open():
                if asked.run_id == agent.data.id:
                    action = Action.REJECT if asked.ask.tool == "edit_file" else Action.APPROVE
                    await world.core.runs.answer(agent.data.id, Answer(action), interruption=asked.id)
        messages = await world.storage.messages.of_workflow(agent.data.workflow_id)
        last = [message.text for message in messages if message.role is Role.ASSISTANT][-1]
        assert "nothing was written" in last
        assert "mended" not in last
        next_turn = await world.core.chat.send("say 3 words", agent.data.workflow_id)
        assert isinstance(next_turn, Ok)
        await world.core.engine.wait(next_turn.data.id)
        messages = await world.storage.messages.of_workflow(agent.data.workflow_id)
        assert messages[-1].text == "a workflow is"  # its script has ended


async def test_what_could_not_be_removed_is_still_of_the_demo(tmp_path: Path) -> None:
    async with a_world() as world:
        demo = demo_in(world, tmp_path / "demo")
        await demo.start()
        delete, left = world.storage.delete_workflow, 2

        async def until_the_disk_fails(workflow_id: WorkflowId) -> None:
            nonlocal left
            if not left:
                raise StorageFailed("storage_full", "the disk is full")
            left -= 1
            await delete(workflow_id)

        world.storage.delete_workflow = until_the_disk_fails  # type: ignore[method-assign]
        refused = await demo.remove()
        assert isinstance(refused, Failed)
        assert refused.code == "storage_full"
        assert len(await demo.workflows()) == 1
        left = 1
        assert isinstance(await demo.remove(), Ok)
        assert await world.storage.workflows.all() == []


async def test_without_room_for_its_files_nothing_begins(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with a_world() as world:
        (refused,) = await demo_in(world, tmp_path / "file").start()
        assert isinstance(refused, Failed)
        assert refused.code == "storage_failed"
        assert await world.storage.workflows.all() == []
