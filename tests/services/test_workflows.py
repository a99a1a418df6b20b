"""Workflows: listed, opened, renamed, deleted."""

import asyncio
from pathlib import Path

from core.domain.messages import Role
from core.domain.run import RunStatus
from core.services.outcome import Failed, Ok
from tests.bench.conversations import put_conversation
from tests.support.clock import FakeClock
from tests.support.world import a_step, a_world, tool_step


async def test_the_list_has_the_status_of_the_newest_run() -> None:
    async with a_world() as world:
        good = await world.run(a_step("a"))
        bad = await world.run(tool_step("f", "fail"))
        listed = await world.core.workflows.all()
        assert isinstance(listed, Ok)
        assert [(row.workflow.id, row.status) for row in listed.data.workflows] == [
            (bad["workflow_id"], RunStatus.ERROR),
            (good["workflow_id"], RunStatus.SUCCESS),
        ]


async def test_the_list_brings_the_newest_runs_of_what_it_lists() -> None:
    async with a_world() as world:
        good = await world.run(a_step("a"))
        bad = await world.run(tool_step("f", "fail"))
        gone = await world.run(a_step("a"))
        assert isinstance(await world.core.trash.discard(gone["workflow_id"]), Ok)
        listed = await world.core.workflows.all()
        assert isinstance(listed, Ok)
        assert [run.id for run in listed.data.newest_runs] == [bad["run_id"], good["run_id"]]


async def test_messages_sent_after_the_clock_was_set_back_follow_earlier_messages() -> None:
    clock = FakeClock(loop=asyncio.get_running_loop())
    async with a_world(clock=clock) as world:
        first = await world.core.chat.send("say 1 words")
        assert isinstance(first, Ok)
        await world.core.engine.wait(first.data.id)
        clock.jump(-2 * 3600)
        workflow_id = first.data.workflow_id
        assert isinstance(await world.core.workflows.rename(workflow_id, "Renamed"), Ok)
        second = await world.core.chat.send("say 2000 words 50", workflow_id)
        assert isinstance(second, Ok)
        assert [one.text for one in await world.storage.messages.of_workflow(workflow_id) if one.role is Role.USER] == [
            "say 1 words",
            "say 2000 words 50",
        ]
        third = await world.core.chat.send("say 1 words", workflow_id)
        assert isinstance(third, Failed)
        assert third.code == "workflow_busy"
        await world.core.engine.cancel(second.data.id)


async def test_an_opened_workflow_has_its_messages_and_the_states_of_its_runs() -> None:
    async with a_world() as world:
        sent = await world.core.chat.send('/tool calculator {"expression": "2 * 3"}')
        assert isinstance(sent, Ok)
        await world.core.engine.wait(sent.data.id)
        opened = await world.core.workflows.open(sent.data.workflow_id)
        assert isinstance(opened, Ok)
        assert [message.role for message in opened.data.messages] == [Role.USER, Role.ASSISTANT]
        (run,) = opened.data.runs
        assert run.message_id == opened.data.messages[1].id
        assert [call.tool for call in run.calls.values()] == ["calculator"]


async def test_the_end_of_a_conversation_is_there_before_all_of_it() -> None:
    async with a_world() as world:
        workflow_id = await put_conversation(world.storage, "long", 100)
        newest = await world.core.workflows.newest(workflow_id, 10)
        whole = await world.core.workflows.open(workflow_id)
        assert isinstance(newest, Ok)
        assert isinstance(whole, Ok)
        assert (newest.data.is_whole, len(whole.data.messages)) == (False, 100)
        assert newest.data.messages == whole.data.messages[-10:]
        assert newest.data.runs == whole.data.runs[-5:]
        short = await world.core.workflows.newest(workflow_id, 200)
        assert isinstance(short, Ok)
        assert (short.data.is_whole, len(short.data.messages)) == (True, 100)
        overtaken = await world.core.workflows.open(workflow_id, lambda: False)
        assert isinstance(overtaken, Failed)
        assert overtaken.code == "overtaken"


async def test_a_workflow_is_renamed() -> None:
    async with a_world() as world:
        run = await world.run(a_step("a"))
        renamed = await world.core.workflows.rename(run["workflow_id"], "  A new \n name ")
        assert isinstance(renamed, Ok)
        assert renamed.data.title == "A new name"
        for title in ("", "  ", "x" * 257):
            answer = await world.core.workflows.rename(run["workflow_id"], title)
            assert isinstance(answer, Failed)
        assert [row.workflow.title for row in world.core.stores.workflows.rows] == ["A new name"]


async def test_a_running_workflow_is_cancelled_first_and_then_deleted() -> None:
    async with a_world() as world:
        run = await world.start(tool_step("h", "hang"))
        await asyncio.sleep(0.05)
        assert isinstance(await world.core.workflows.delete(run.workflow_id), Ok)
        assert await world.storage.runs.get(run.id) is None
        assert await world.storage.workflows.all() == []
        assert world.core.stores.workflows.rows == []
        assert world.core.stores.background.running_workflows == []
        again = await world.core.workflows.delete(run.workflow_id)
        assert isinstance(again, Failed)
        assert again.code == "not_found"


async def test_deleting_a_waiting_workflow_leaves_its_twin_and_its_fork_whole() -> None:
    """Each run has its own copy of the steps."""
    asks = {**a_step("asks", "first"), "interrupt": {"kind": "approval"}}
    async with a_world() as world:
        twin, original = [await world.start(a_step("first", input=n), asks) for n in (1, 2)]
        for run in (twin, original):
            await world.settled(run.id)
        fork = await world.core.engine.fork(original.id, "asks")
        await world.settled(fork.id)
        for deleted, left in ((original, [twin, fork]), (fork, [twin])):
            assert isinstance(await world.core.workflows.delete(deleted.workflow_id), Ok)
            assert await world.storage.runs.get(deleted.id) is None
            assert {run.id for run in await world.storage.runs.page()} == {run.id for run in left}
            for run in left:
                told = await world.describe(run.id)
                assert (told["status"], told["steps"]["first"]["status"]) == ("waiting", "completed")
                snapshot = await world.storage.snapshots.of_run(run.id)
                assert [step.name for step in snapshot.template.steps] == ["first", "asks"]
        assert (await world.answer(twin, "approve"))["status"] == "success"


async def test_a_message_sent_during_a_turn_is_refused() -> None:
    async with a_world() as world:
        sent = await world.core.chat.send("say 200 words")
        assert isinstance(sent, Ok)
        again = await world.core.chat.send("help", sent.data.workflow_id)
        assert isinstance(again, Failed)
        assert again.code == "workflow_busy"
        await world.core.engine.cancel(sent.data.id)


async def test_the_folders_of_a_workflow_are_kept_and_allowed_for_its_runs(tmp_path: Path) -> None:
    async with a_world() as world:
        core = world.core
        first = await core.chat.send("say 1 words")
        assert isinstance(first, Ok)
        await core.engine.wait(first.data.id)
        workflow_id = first.data.workflow_id
        file = tmp_path / "a.txt"
        file.write_text("a")
        for bad in ("notes", "ro:notes", str(tmp_path / "gone"), f"{tmp_path}\0"):
            refused = await core.workflows.set_folders(workflow_id, [bad])
            assert isinstance(refused, Failed)
            assert refused.details["folder"] == bad.removeprefix("ro:")
        assert await core.workflows.set_folders(workflow_id, [str(tmp_path), f"{tmp_path}/"]) == Ok((str(tmp_path),))
        given = [f"ro:{file}", str(tmp_path), f"ro:{tmp_path}"]
        assert await core.workflows.set_folders(workflow_id, given) == Ok((f"ro:{tmp_path}", f"ro:{file}"))
        await core.workflows.set_folders(workflow_id, [str(tmp_path)])
        second = await core.chat.send("say 1 words", workflow_id)
        assert isinstance(second, Ok)
        await core.engine.wait(second.data.id)
        assert (await core.storage.snapshots.of_run(second.data.id)).folders == (str(tmp_path),)
        kept = await core.storage.workflows.get(workflow_id)
        assert kept is not None
        assert kept.folders == (str(tmp_path),)


async def test_an_input_allows_a_place_only_where_the_user_gave_it(tmp_path: Path) -> None:
    async with a_world() as world:
        found = await world.core.templates.find("Folder report")
        assert isinstance(found, Ok)
        for is_users, allowed in ((False, ()), (True, (str(tmp_path),))):
            run = await world.core.runs.start(found.data, {"folder": str(tmp_path)}, allows_input=is_users)
            assert isinstance(run, Ok)
            await world.core.engine.wait(run.data.id)
            assert (await world.core.storage.snapshots.of_run(run.data.id)).folders == allowed


async def test_a_folder_that_is_taken_back_stays_closed_to_a_fork(tmp_path: Path) -> None:
    closed, stays = tmp_path / "closed", tmp_path / "stays"
    closed.mkdir()
    stays.mkdir()
    async with a_world() as world:
        core = world.core
        found = await core.templates.find("Folder report")
        assert isinstance(found, Ok)
        given = {"folder": str(stays)}
        run = await core.runs.start(found.data, given, gated=True, allows_input=True, folders=[str(closed)])
        assert isinstance(run, Ok)
        await core.engine.wait(run.data.id)
        allowed = (await core.storage.snapshots.of_run(run.data.id)).folders
        assert allowed == (str(closed), str(stays))
        taken = await core.folders.take_back(str(closed))
        assert isinstance(taken, Ok)
        fork = await core.runs.fork(run.data.id, "list")
        assert isinstance(fork, Ok)
        await core.engine.wait(fork.data.id)
        assert (await core.storage.snapshots.of_run(fork.data.id)).folders == (str(stays),)
        await core.folders.give_back(taken.data)
        again = await core.runs.fork(run.data.id, "list")
        assert isinstance(again, Ok)
        await core.engine.wait(again.data.id)
        assert (await core.storage.snapshots.of_run(again.data.id)).folders == allowed
        workflow = await core.storage.workflows.get(again.data.workflow_id)
        assert workflow is not None
        assert workflow.folders == (str(closed),)
