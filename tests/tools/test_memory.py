"""`memory`: how long memories are stored, and who finds them."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.domain.ids import WorkflowId
from core.domain.risk import Risk
from core.domain.tool import Effect
from core.errors import StorageFailed
from core.ports import MemoryQuery
from core.services.memories import MemoryExpiry
from tests.support.clock import FakeClock, loop_clock
from tests.support.in_memory.memories import InMemoryMemories
from tests.support.in_memory.tables import Tables
from tests.tools.rig import Builtins, error_of


async def added(tools: Builtins, content: str, kind: str = "knowledge", **more: Any) -> str:
    value = await tools.value("memory", action="add", type=kind, content=content, **more)
    return str(value["memory"]["id"])


def elsewhere(tools: Builtins) -> None:
    tools.context = replace(tools.context, workflow_id=WorkflowId("wf_2"))


async def contents(tools: Builtins, query: str | None = None, **more: Any) -> list[str]:
    how = {"action": "list"} if query is None else {"action": "search", "query": query}
    return [one["content"] for one in (await tools.value("memory", **how, **more))["memories"]]


async def test_a_memory_comes_back_as_it_was_added() -> None:
    tools = Builtins(clock=FakeClock(is_sleep_real=True))
    long = "é" * 50_000
    memory_id = await added(tools, long, "decision")
    got = (await tools.value("memory", action="get", id=memory_id))["memory"]
    assert got == {
        "id": memory_id,
        "type": "decision",
        "scope": "workflow",
        "content": long,
        "created_at": "2026-01-01T00:00:00.000Z",
        "expires_at": None,
    }
    (listed,) = (await tools.value("memory", action="list"))["memories"]
    assert listed == {**got, "content": "é" * 1000, "truncated": True}
    assert await tools.value("memory", action="delete", id=memory_id) == {"deleted": True, "id": memory_id}
    assert (await tools.failure("memory", action="get", id=memory_id))[0] == "not_found"
    assert await tools.value("memory", action="delete", id=memory_id) == {"deleted": False, "id": memory_id}


async def test_what_is_general_is_found_everywhere_and_the_rest_in_its_workflow() -> None:
    tools = Builtins()
    ids = [await added(tools, kind, kind) for kind in ("user_pref", "context", "knowledge", "decision")]
    ids.append(await added(tools, "open decision", "decision", scope="general"))
    ids.append(await added(tools, "own knowledge", "knowledge", scope="workflow"))
    assert len(await contents(tools)) == 6
    assert await contents(tools, scope="workflow") == ["own knowledge", "decision", "context"]
    elsewhere(tools)
    assert await contents(tools) == ["open decision", "knowledge", "user_pref"]
    assert await contents(tools, scope="workflow") == []
    assert await contents(tools, "decision") == ["open decision"]
    assert await contents(tools, type="user_pref") == ["user_pref"]
    assert (await tools.failure("memory", action="get", id=ids[3]))[0] == "not_found"
    deleted = [(await tools.value("memory", action="delete", id=one))["deleted"] for one in (ids[3], ids[0])]
    assert deleted == [False, True]


async def test_lists_go_on_where_the_last_one_ended() -> None:
    tools = Builtins()
    for number in range(5):
        await added(tools, f"apple {number}")
    first = await tools.value("memory", action="list", limit=3)
    assert first["more"] is True
    rest = await tools.value("memory", action="list", limit=3, before=first["memories"][-1]["id"])
    assert rest["more"] is False
    assert [one["content"] for one in (*first["memories"], *rest["memories"])] == [
        f"apple {n}" for n in (4, 3, 2, 1, 0)
    ]
    assert (await tools.value("memory", action="search", query="APPL", limit=5))["more"] is False
    assert (await tools.value("memory", action="search", query="APPL", limit=4))["more"] is True


async def test_a_context_is_found_for_seven_days_and_then_deleted() -> None:
    clock = FakeClock(is_sleep_real=True)
    tools = Builtins(clock=clock)
    memory_id = await added(tools, "a passing thing", "context")
    await added(tools, "a lasting thing")
    clock.advance(timedelta(days=7, microseconds=-1).total_seconds())
    assert len(await contents(tools, "thing")) == 2
    clock.advance(0.000001)
    assert await contents(tools, "thing") == ["a lasting thing"]
    assert (await tools.failure("memory", action="get", id=memory_id))[0] == "not_found"
    long_ago = MemoryQuery([tools.context.workflow_id, None], datetime(2026, 1, 2, tzinfo=UTC))
    assert len(await tools.storage.memories.page(long_ago)) == 2
    sweeper = MemoryExpiry(tools.storage.memories, clock)
    assert (await sweeper.sweep(), await sweeper.sweep()) == (1, 0)
    assert len(await tools.storage.memories.page(long_ago)) == 1


async def test_it_is_swept_at_the_start_and_each_hour() -> None:
    class Counting(InMemoryMemories):
        swept = 0

        async def purge(self, now: datetime) -> int:
            self.swept += 1
            if self.swept == 2:
                raise StorageFailed("storage_full", "the disk is full")
            return 0

    clock, memories = loop_clock(), Counting(Tables)
    async with MemoryExpiry(memories, clock):
        await asyncio.sleep(3 * 3600 + 1)
    assert (memories.swept, clock.slept) == (4, [3600.0] * 4)


async def test_the_same_call_made_again_keeps_one_memory() -> None:
    tools = Builtins()
    given = {"action": "add", "type": "knowledge", "content": "once"}
    first, again = [await tools.again("agent.1.1", "memory", **given) for _ in range(2)]
    assert first.value == again.value
    assert await contents(tools) == ["once"]


async def test_a_secret_is_not_kept() -> None:
    tools = Builtins()
    await added(tools, 'the key is sk-abcdefghijklmnop1234, {"password": "hunter2"}')
    assert "sk-abc" not in str(await contents(tools))
    assert "hunter2" not in str(await contents(tools))
    assert await contents(tools, "abcdefghijklmnop1234") == []


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "action"),
    ({"action": "update"}, "update"),
    ({"action": 1}, "1"),
    ({"action": "add"}, "add needs type; add needs content"),
    ({"action": "add", "type": "fact", "content": "x"}, "fact"),
    ({"action": "add", "type": "context", "content": ""}, "content"),
    ({"action": "add", "type": "context", "content": " \n"}, "content is blank"),
    ({"action": "add", "type": "context", "content": ["x"]}, "content"),
    ({"action": "add", "type": "context", "content": "x" * 50_001}, "content"),
    ({"action": "add", "type": "context", "content": "x", "scope": "all"}, "all"),
    (
        {"action": "add", "type": "context", "content": "x", "id": "y"},
        "add does not take id; it takes type, content, scope",
    ),
    ({"action": "get"}, "get needs id"),
    ({"action": "get", "id": "x" * 101}, "id"),
    ({"action": "search"}, "search needs query"),
    ({"action": "search", "query": ""}, "query"),
    ({"action": "search", "query": "?!"}, "query has no words"),
    ({"action": "search", "query": "x" * 1001}, "query"),
    ({"action": "search", "query": {"a": 1}}, "query"),
    ({"action": "search", "query": "x", "limit": 0}, "limit"),
    ({"action": "list", "limit": 101}, "limit"),
    ({"action": "list", "limit": "five"}, "limit"),
    ({"action": "list", "query": "x"}, "list does not take query"),
    ({"action": "delete", "id": None}, "id"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[str(number) for number in range(len(WRONG))])
async def test_invalid_arguments_are_reported_and_change_nothing(arguments: Any, reason: str) -> None:
    tools = Builtins()
    code, message = error_of(await tools.runner.call("memory", arguments, tools.context, default_timeout_s=10))
    assert code == "invalid_arguments"
    assert reason in message
    assert await contents(tools) == []


async def test_hostile_queries_find_nothing_and_break_nothing() -> None:
    tools = Builtins()
    await added(tools, "an apple")
    for query in (
        "'; DELETE memory; --",
        "$query",
        "apple\0",
        "a" * 1000,
        "x " * 400,
        "apple*",
        "🙂 q",
    ):
        assert await contents(tools, query) in ([], ["an apple"])
    assert await contents(tools, "apple") == ["an apple"]


def test_reading_leaves_nothing_and_deleting_is_dangerous() -> None:
    tool = Builtins().tools["memory"]
    assert {tool.effect({"action": one}) for one in ("get", "list", "search")} == {Effect.NONE}
    assert {tool.effect({"action": one}) for one in ("add", "delete", ["x"], None)} == {Effect.IDEMPOTENT}
    assert [tool.risk({"action": one}) for one in ("search", "add", "delete")] == [Risk.LOW, Risk.MEDIUM, Risk.HIGH]
