"""Memories, as the user looks them through."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.ids import MemoryId, WorkflowId
from core.domain.memory import CONTENT_CHARACTERS, CONTEXT_LIFETIME, Memory, MemoryType
from core.domain.template import Template
from core.ports import ResolvedTemplate
from core.services.memories import PAGE_SIZE
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json") as core:
        yield core


def ok(answer: Any) -> Any:
    assert isinstance(answer, Ok), answer
    return answer.data


async def add(core: Core, name: str, content: str = "text", made_s: float = 0, **fields: Any) -> Memory:
    at = core.clock.now() + timedelta(seconds=made_s - 1000)
    given = {"type": MemoryType.KNOWLEDGE, "workflow_id": None, **fields}
    return await core.storage.memories.add(
        Memory(MemoryId(name), content=content, length=len(content), created_at=at, **given)
    )


async def test_pages_of_every_workflow_come_newest_first_with_its_title(core: Core) -> None:
    run = ok(await core.chat.send("Plan the garden"))
    await core.engine.wait(run.id)
    for number in range(PAGE_SIZE + 2):
        of_it = {"workflow_id": run.workflow_id if number % 2 else WorkflowId("wf_gone")}
        await add(core, f"m{number}", made_s=number, **of_it)
    first = ok(await core.memories.page())
    assert (first.memories[0].id, len(first.memories), first.has_more) == (f"m{PAGE_SIZE + 1}", PAGE_SIZE, True)
    assert first.titles == {run.workflow_id: "Plan the garden"}
    rest = ok(await core.memories.page(before=first.memories[-1].id))
    assert ([one.id for one in rest.memories], rest.has_more) == (["m1", "m0"], False)
    assert ok(await core.memories.search("no such word")).memories == []
    assert ok(await core.memories.search("…")).memories == []


async def test_a_memory_is_changed_deleted_and_put_back_where_it_was(core: Core) -> None:
    changes: list[str] = []
    core.memories.changed.connect(lambda: changes.append("changed"))
    for number in range(3):
        await add(core, f"m{number}", f"old {number}", number)
    changed = ok(
        await core.memories.change(MemoryId("m1"), "the key is sk-proj-0123456789abcdef0123", MemoryType.CONTEXT)
    )
    assert "sk-proj-0123456789abcdef0123" not in changed.content
    assert abs(changed.expires_at - core.clock.now() - CONTEXT_LIFETIME) < timedelta(minutes=1)
    same = ok(await core.memories.change(MemoryId("m1"), "mine", MemoryType.CONTEXT))
    assert same.expires_at == changed.expires_at
    assert ok(await core.memories.change(MemoryId("m1"), "mine", MemoryType.DECISION)).expires_at is None
    removed = ok(await core.memories.remove(MemoryId("m1")))
    assert [one.id for one in ok(await core.memories.page()).memories] == ["m2", "m0"]
    assert ok(await core.memories.restore(removed)) == removed
    assert [one.id for one in ok(await core.memories.page()).memories] == ["m2", "m1", "m0"]
    assert len(changes) == 5


async def test_a_call_of_the_tool_changes_memories_and_a_call_of_another_tool_does_not(core: Core) -> None:
    changes: list[str] = []
    core.memories.changed.connect(lambda: changes.append("changed"))
    for tool, arguments in (
        ("calculator", {"expression": "1 + 1"}),
        ("memory", {"action": "add", "type": "knowledge", "content": "tea at five"}),
    ):
        step = {"name": "s", "action": {"toolName": tool}, "input": arguments}
        template = Template.model_validate({"title": "T", "steps": [step]})
        run = ok(await core.runs.start(ResolvedTemplate(template), {}))
        assert (await core.engine.wait(run.id)).status == "success"
        assert changes == (["changed"] if tool == "memory" else [])


@pytest.mark.parametrize("content", ["", " \n\t\u00a0", "x" * (CONTENT_CHARACTERS + 1)])
async def test_what_is_no_memory_is_refused_and_nothing_is_changed(core: Core, content: str) -> None:
    before = await add(core, "m0", "x" * CONTENT_CHARACTERS)
    answer = await core.memories.change(MemoryId("m0"), content, MemoryType.DECISION)
    assert isinstance(answer, Failed)
    assert (answer.code, answer.details["field"]) == ("bad_input", "content")
    assert ok(await core.memories.get(MemoryId("m0"))) == before
    assert ok(await core.memories.usage()).count == 1


async def test_what_is_not_there_is_not_found(core: Core) -> None:
    await add(core, "expired", expires_at=core.clock.now())
    for memory_id in (MemoryId("none"), MemoryId("expired"), MemoryId("\ud800")):
        for answer in (
            await core.memories.get(memory_id),
            await core.memories.change(memory_id, "x", MemoryType.CONTEXT),
            await core.memories.remove(memory_id),
        ):
            assert isinstance(answer, Failed)
            assert answer.code == "not_found"
