"""What a model reads of earlier turns."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.agents.context import build_system_prompt
from core.domain.ids import MessageId
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunKind
from core.domain.tool import CallStatus, Effect
from core.errors import StorageFailed
from core.ports import NO_RECORDER, FolderGuide, NoRecorder, PutMessage, TextDelta
from tests.agents.cast import Rehearsed, give
from tests.agents.disk import START
from tests.agents.world import WORKFLOW, World


async def for_ever(_: Mapping[str, Any]) -> Any:
    await asyncio.get_running_loop().create_future()


@pytest.fixture
def world() -> World:
    world = World()
    world.tools.add("add", lambda _: give(7))
    return world


async def test_a_turn_reads_the_history_and_then_its_prompt_once(world: World) -> None:
    await world.run(world.turn("say 1 word"))
    await world.run(world.turn("say 2 words", number=2))
    assert world.asked() == [("user", "say 1 word"), ("assistant", "a"), ("user", "say 2 words")]


async def test_earlier_calls_come_back_with_their_results(world: World) -> None:
    await world.run(world.turn("say 1 word\n/tool add\n/tool nothing"))
    await world.run(world.turn("help", number=2))
    asked, answer, first, second, told, _ = world.model.requests[-1].messages
    assert (asked.text, answer.text, [call.tool for call in answer.calls]) == (
        "say 1 word\n/tool add\n/tool nothing",
        "a",
        ["add", "nothing"],
    )
    assert first.text == "7"
    assert '"code":"not_registered"' in second.text
    assert told.text.startswith("- `add` → `7`")


async def test_calls_without_a_result_get_an_error(world: World) -> None:
    world.tools.add("hold", for_ever, Effect.ONCE)
    turn = world.turn("/tool hold\n/tool hold")
    task = await world.begin(turn, lambda: bool(world.tools.made))
    world.log.kill()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [row.status for row in await world.ledger(turn)] == [CallStatus.RUNNING]
    await world.run(world.turn("help", number=2))
    results = [message.text for message in world.model.requests[-1].messages if message.role == "tool"]
    assert len(results) == 2
    assert all('"code":"interrupted"' in text for text in results)


async def test_calls_of_a_round_over_the_limits_have_results_too(world: World) -> None:
    await world.failing(world.turn("\n".join(["/tool add"] * 21)))
    await world.run(world.turn("help", number=2))
    assert [role for role, _ in world.asked()] == ["user", "assistant", *["tool"] * 21, "user"]


async def test_the_text_of_a_failed_turn_is_part_of_the_conversation(world: World) -> None:
    await world.failing(world.turn("go", {"say": "so far"}, {"fail": "no"}))
    await world.run(world.turn("help", number=2))
    assert world.asked() == [("user", "go"), ("assistant", "so far"), ("user", "help")]


async def test_a_script_plays_on_in_the_next_turn_after_a_failure(world: World) -> None:
    script = ({"say": "one"}, {"fail": "no"}, {"fail": "no again"}, {"call": "add"}, {"say": "two"})
    await world.failing(world.turn("go", *script))
    assert (await world.failing(world.turn("go", *script, number=2))).message == "no again"
    assert await world.run(world.turn("go", *script, number=3)) == "two"
    assert await world.run(world.turn("say 1 word", *script, number=4)) == "a"


async def test_text_that_a_crash_cut_off_is_not_sent(world: World) -> None:
    turn = world.turn("say 1 word")
    await world.run(turn)
    left = Message(MessageId("left"), WORKFLOW, Role.ASSISTANT, "a wo", START, MessageState.INTERRUPTED, turn.run.id)
    await world.disk.commit([PutMessage(left)])
    await world.run(world.turn("help", number=2))
    assert world.asked() == [("user", "say 1 word"), ("assistant", "a"), ("user", "help")]


async def test_the_output_of_a_template_is_one_message(world: World) -> None:
    turn = world.turn("/count 3", kind=RunKind.WORKFLOW)
    await world.run(turn)
    answer = Message(turn.run.message_id, WORKFLOW, Role.ASSISTANT, "six", world.clock.now(), run_id=turn.run.id)
    await world.disk.commit([PutMessage(answer)])
    await world.run(world.turn("help", number=2))
    assert world.asked() == [("user", "/count 3"), ("assistant", "six"), ("user", "help")]


async def test_a_templates_agent_step_reads_its_prompt_alone(world: World) -> None:
    await world.run(world.turn("say 1 word"))
    await world.run(world.turn("say 2 words", kind=RunKind.WORKFLOW, number=2))
    assert world.asked() == [("user", "say 2 words")]


async def test_an_unreadable_turn_is_represented_by_its_text(world: World) -> None:
    turn = world.turn("/tool add")
    await world.run(turn)
    world.disk.spoil("events", turn.run.id)
    await world.run(world.turn("help", number=2))
    assert world.asked() == [("user", "/tool add"), ("assistant", "- `add` → `7`"), ("user", "help")]


async def test_a_store_that_cannot_be_read_at_all_is_an_error(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_: object) -> None:
        raise StorageFailed("storage_failed", "the disk is gone")

    await world.run(world.turn("/tool add"))
    monkeypatch.setattr(world.disk.events, "of_run", broken)
    with pytest.raises(StorageFailed, match="the disk is gone"):
        await world.run(world.turn("help", number=2, is_fresh=True))


async def test_notices_to_the_user_are_not_sent(world: World) -> None:
    notice = Message(MessageId("notice"), WORKFLOW, Role.SYSTEM, "The model was changed.", START)
    await world.disk.commit([PutMessage(notice)])
    await world.run(world.turn("help"))
    assert world.asked() == [("user", "help")]


async def test_the_history_is_valid_wherever_the_turn_before_was_cancelled() -> None:
    script = ({"say": "b c"}, {"call": "add"}, {"call": "add"}, {"call": "pay"}, {"say": "d"})
    for steps in range(1000):
        world = World()
        world.tools.add("add", lambda _: give(7))
        world.tools.add("pay", lambda _: give(1), Effect.ONCE)
        task = asyncio.create_task(world.run(world.turn("go", *script)))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.done():
            assert task.result() == "d"
            assert steps > 15
            break
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        after = world.next_life(Rehearsed([TextDelta("well")]))  # what it is asked is checked on its way
        assert await after.run(after.turn("next", number=2)) == "well"


async def test_a_long_conversation_is_read_page_by_page(world: World) -> None:
    await world.run(world.turn("/tool add"))
    for number in range(2, 403):
        world.turn(f"hello {number}", number=number)
    await world.run(world.turn("help", number=500))
    assert [role for role, _ in world.asked()][:4] == ["user", "assistant", "tool", "assistant"]
    assert len(world.asked()) == 4 + 401 + 1


def test_a_model_gets_instructions_on_arguments_while_a_recording_is_open() -> None:
    class Recording(NoRecorder):
        guide = "Write @echo_1.id."

    world = World()
    turn = world.turn("go", recorder=Recording())
    assert "Write @echo_1.id." in build_system_prompt(turn, START)
    assert "Write" not in build_system_prompt(replace(turn, recorder=NO_RECORDER), START)


def test_what_a_folder_says_to_agents_stands_before_their_own_instructions() -> None:
    turn = World().turn("go")
    guides = [FolderGuide("/home/me/shop", "Use tabs."), FolderGuide("/home/me/site", "Be brief.", is_cut=True)]
    prompt = build_system_prompt(turn, START, guides)
    assert prompt.index("/home/me/shop") < prompt.index("Use tabs.") < prompt.index("Be brief.")
    assert prompt.count("<agents_md>") == prompt.count("</agents_md>") == 2
    assert prompt.count("read the file for the rest") == 1
