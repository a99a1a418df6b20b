"""Queued messages for the end of a turn, on a whole core."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest

from core.app import Core
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import Role, attached_text
from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Failed, Ok, Outcome
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until

T = TypeVar("T")
LONG = "say 100000 words"


def data(answer: Outcome[T]) -> T:
    assert isinstance(answer, Ok), answer
    return answer.data


@pytest.fixture
def storage() -> InMemoryStorage:
    return InMemoryStorage()


@asynccontextmanager
async def attended(storage: InMemoryStorage) -> AsyncIterator[Core]:
    async with run_core(storage) as core:
        data(await core.runs.recover())
        data(await core.queue.start())
        yield core


@pytest.fixture
async def core(storage: InMemoryStorage) -> AsyncIterator[Core]:
    async with attended(storage) as core:
        yield core


async def begun(core: Core, text: str = LONG) -> Run:
    return data(await core.chat.send(text, mode=ValidationMode.AUTO, gated=True))


async def said(core: Core, workflow_id: WorkflowId) -> list[str]:
    return [one.text for one in await core.storage.messages.of_workflow(workflow_id) if one.role is Role.USER]


async def queue(core: Core, run: Run, *texts: str) -> list[MessageId]:
    return [data(await core.queue.add(run.workflow_id, text)).id for text in texts]


def waiting(core: Core, run: Run) -> list[str]:
    return [one.text for one in core.stores.queues.get(run.workflow_id).messages]


def held(core: Core, run: Run) -> str | None:
    found = core.stores.queues.get(run.workflow_id).held
    return found.code if found is not None else None


async def test_messages_are_sent_in_turn_when_a_turn_succeeds(core: Core) -> None:
    run = await begun(core, "say 5 words")
    ids = await queue(core, run, "say 2 words", "say 3 words")
    assert waiting(core, run) == ["say 2 words", "say 3 words"]
    await until(lambda: not waiting(core, run))
    newest = await core.engine.newest(run.workflow_id)
    assert newest is not None
    assert (await core.engine.wait(newest.id)).status is RunStatus.SUCCESS
    assert await said(core, run.workflow_id) == ["say 5 words", "say 2 words", "say 3 words"]
    assert set(ids) <= {one.id for one in await core.storage.messages.of_workflow(run.workflow_id)}
    assert await core.storage.queued_messages.all() == []


async def test_they_stay_and_say_so_where_a_turn_is_stopped_and_go_on_after_the_next_success(core: Core) -> None:
    run = await begun(core)
    await queue(core, run, "say 2 words")
    assert held(core, run) is None
    await core.runs.cancel(run.id)
    await until(lambda: held(core, run) == "turn_stopped")
    assert waiting(core, run) == ["say 2 words"]
    await core.chat.send("say 1 words", run.workflow_id, gated=True)
    await until(lambda: not waiting(core, run))
    assert (await said(core, run.workflow_id))[1:] == ["say 1 words", "say 2 words"]


async def test_send_now_stops_the_turn_and_goes_before_the_others(core: Core) -> None:
    run = await begun(core)
    first, last = await queue(core, run, "say 1 words", LONG)
    data(await core.queue.send_now(run.workflow_id, last))
    assert (await core.engine.wait(run.id)).status is RunStatus.CANCELLED
    assert waiting(core, run) == ["say 1 words"]
    assert held(core, run) is None
    data(await core.queue.interject(run.workflow_id, "say 4 words"))
    await until(lambda: not waiting(core, run))
    assert await said(core, run.workflow_id) == [LONG, LONG, "say 4 words", "say 1 words"]
    data(await core.queue.send_now(run.workflow_id, first))  # it was said: nothing happens


async def test_they_can_be_moved_and_taken_back_with_what_they_have_attached(core: Core) -> None:
    run = await begun(core)
    one, two, three = await queue(core, run, "1", "2", "3")
    data(await core.queue.move(run.workflow_id, three, 0))
    data(await core.queue.move(run.workflow_id, one, 99))
    assert waiting(core, run) == ["3", "2", "1"]
    file = attached_text("a.md", "# A")
    four = data(await core.queue.add(run.workflow_id, "", [file]))
    assert data(await core.queue.withdraw(run.workflow_id, four.id)) == [file]
    assert isinstance(await core.queue.withdraw(run.workflow_id, four.id), Failed)
    data(await core.queue.withdraw(run.workflow_id, two))
    assert [message.text for message in await core.storage.queued_messages.all()] == ["3", "1"]


async def test_messages_survive_a_crash_and_none_is_sent_twice(storage: InMemoryStorage) -> None:
    async with run_core(storage) as core:  # as a command line would: it says none of them
        run = await begun(core, "say 1 words")
        await queue(core, run, "say 2 words", "say 3 words")
        await core.engine.wait(run.id)
        await asyncio.sleep(0.05)
        assert waiting(core, run) == ["say 2 words", "say 3 words"]
    crashed = storage.copy()
    for copy in (crashed, crashed.copy()):
        async with attended(copy) as core:
            await until(lambda core=core: not waiting(core, run))  # type: ignore[misc]
            newest = await core.engine.newest(run.workflow_id)
            assert newest is not None
            await core.engine.wait(newest.id)
            assert (await said(core, run.workflow_id))[1:] == ["say 2 words", "say 3 words"]


async def test_a_crash_at_any_commit_loses_no_message_and_sends_none_twice(storage: InMemoryStorage) -> None:
    copies: list[InMemoryStorage] = []

    class Copying(InMemoryStorage):
        async def commit(self, writes):  # type: ignore[no-untyped-def]
            lost = await super().commit(writes)
            copies.append(InMemoryStorage(self._tables.copy()))
            return lost

    async with attended(Copying()) as core:
        run = await begun(core, "say 1 words")
        await queue(core, run, "say 2 words", "say 3 words")
        await until(lambda: not waiting(core, run))
    queued = [one for one in copies if one._tables.queued]
    assert len(queued) > 5
    for copy in queued[::3]:
        async with attended(copy) as core:
            await until(lambda core=core: not waiting(core, run))  # type: ignore[misc]
            texts = await said(core, run.workflow_id)
            assert texts in (["say 1 words", "say 2 words", "say 3 words"], ["say 1 words", "say 2 words"])


async def test_the_limit_on_workflows_holds_and_a_refusal_holds_them(core: Core) -> None:
    run = await begun(core, "say 3 words")
    data(await core.queue.add(run.workflow_id, LONG))
    data(await core.settings.change(validation_mode=ValidationMode.MANUAL))
    other = await begun_beside(core)
    await until(lambda: not waiting(core, run))
    newest = await core.engine.newest(run.workflow_id)
    assert newest is not None
    assert newest.status is RunStatus.ENQUEUED  # one at a time in this mode
    await core.runs.cancel(other.id)
    await until(lambda: core.stores.background.running_count == 1)


async def begun_beside(core: Core) -> Run:
    return data(await core.chat.send(LONG, mode=ValidationMode.AUTO, gated=True))


async def test_what_cannot_be_a_message_does_not_wait_and_too_many_do_not(core: Core) -> None:
    run = await begun(core)
    for refused in (core.queue.add(run.workflow_id, " \n"), core.queue.add(WorkflowId("none"), "a")):
        assert isinstance(await refused, Failed)
    assert isinstance(await core.queue.add(run.workflow_id, "a" * 1_000_001), Failed)
    await queue(core, run, *map(str, range(50)))
    full = await core.queue.add(run.workflow_id, "51")
    assert isinstance(full, Failed)
    assert full.code == "queue_full"
    data(await core.workflows.delete(run.workflow_id))
    assert waiting(core, run) == []
    assert await core.storage.queued_messages.all() == []
