"""Calls that come to their end after their time limit (ENGINE §7)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.events import ToolEnded, ToolEndedLate
from core.domain.fold import replay
from core.domain.run import RunKind
from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.tools.registry import Tool
from tests.support.progress import stored_calls
from tests.support.world import World, a_step, a_world


class Deaf:
    """A tool that does not hear that it is to stop: it ends when it is let go, the first time it is called."""

    def __init__(self, error: Exception | None = None) -> None:
        self.may_end = asyncio.Event()
        self._made = 0
        self._error = error

    def tool(self, **traits: Any) -> Tool:
        info = ToolInfo("deaf", "deaf", "deaf", {"type": "object"})
        return Tool(
            info, server=self._call, timeout_s=0.1, summary=lambda arguments, value: f"it was {value}", **traits
        )

    async def _call(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self._made += 1
        while self._made == 1 and not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                continue
        if self._error is not None:
            raise self._error
        return "late" if self.may_end.is_set() else "in time"


def deaf_step(**config: Any) -> dict[str, Any]:
    return {"name": "d", "action": {"toolName": "deaf"}, "config": config}


def late_ends(world: World) -> list[tuple[str, str]]:
    return [(event.fact.call_id, event.fact.status) for event in world.events if isinstance(event.fact, ToolEndedLate)]


def without(told: Any, *names: str) -> Any:
    return {name: value for name, value in told.items() if name not in names}


@pytest.mark.parametrize(
    ("error", "status", "how"),
    [
        (None, "completed", {"summary": "it was late"}),
        (ToolFailed("not_found", "gone"), "error", {"code": "not_found", "message": "gone"}),
        (ValueError("secret"), "error", {"code": "failed"}),
    ],
    ids=["a value", "a failure", "a defect"],
)
async def test_a_late_end_is_published_with_its_call_and_changes_nothing(
    error: Exception | None, status: str, how: dict[str, Any]
) -> None:
    deaf = Deaf(error)
    async with a_world(more_tools=[deaf.tool(read_only=True)]) as world:
        told = await world.run(deaf_step(onError="continue"), a_step("z", "d"))
        assert (told["status"], told["tool_calls"][0]["status"]) == ("success", "error")
        deaf.may_end.set()
        await world.heard(ToolEndedLate)
        assert late_ends(world) == [("d", status)]
        again = await world.describe(told["run_id"])
        assert without(again, "tool_calls") == without(told, "tool_calls")
        (call,) = again["tool_calls"]
        late = call.pop("late")
        assert call == told["tool_calls"][0]
        assert late["status"] == status
        assert how.items() <= {**late, **late.get("error", {})}.items()
        assert late["duration_ms"] >= call["duration_ms"] >= 100
        assert "secret" not in str(late)
        stored = await world.storage.events.of_run(told["run_id"])
        assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
        assert replay(stored) == replay(event for event in world.events if event.run_id == told["run_id"])


async def test_a_late_end_of_an_attempt_does_not_touch_the_next_one() -> None:
    deaf = Deaf()
    async with a_world(more_tools=[deaf.tool(idempotent=True)]) as world:
        told = await world.run(deaf_step(maxAttempts=2, backoffMs=100))
        assert told["output"] == "in time"
        deaf.may_end.set()
        await world.heard(ToolEndedLate)
        again = await world.describe(told["run_id"])
        assert [(call["id"], call["status"], "late" in call) for call in again["tool_calls"]] == [
            ("d", "error", True),
            ("d attempt 2", "completed", False),
        ]
        assert again["output"] == "in time"


async def test_a_late_end_does_not_answer_for_the_user() -> None:
    deaf = Deaf()
    async with a_world(more_tools=[deaf.tool()]) as world:
        run = await world.start(deaf_step())
        assert (await world.settled(run.id))["status"] == "waiting"
        deaf.may_end.set()
        await world.heard(ToolEndedLate)
        told = await world.describe(run.id)
        assert (told["status"], told["tool_calls"][0]["status"]) == ("waiting", "unknown")
        assert told["tool_calls"][0]["late"]["status"] == "completed"
        assert (await world.answer(run, "submit", "by hand"))["output"] == "by hand"


async def test_an_end_within_the_grace_is_published_after_that_of_the_call() -> None:
    deaf = Deaf()
    async with a_world(more_tools=[deaf.tool(read_only=True)]) as world:
        asyncio.get_running_loop().call_later(0.2, deaf.may_end.set)
        await world.run(deaf_step(onError="continue"))
        await world.heard(ToolEndedLate)
        kinds = [type(event.fact) for event in world.events if isinstance(event.fact, ToolEnded | ToolEndedLate)]
        assert kinds == [ToolEnded, ToolEndedLate]


async def test_a_late_end_of_an_agents_call_is_published_and_its_answer_stays() -> None:
    deaf = Deaf()
    script = ({"call": "deaf", "arguments": {}}, {"say": "done"})
    agent = {"name": "reply", "action": {"agent": {"prompt": "go"}}}
    async with a_world(more_tools=[deaf.tool(read_only=True)]) as world:
        told = await world.run(agent, kind=RunKind.CHAT, prompt="go", script=script)
        assert told["status"] == "success"
        deaf.may_end.set()
        await world.heard(ToolEndedLate)
        (row,) = await stored_calls(world.storage, told["run_id"])
        assert (row.error and row.error.code, row.result_json) == ("timeout", None)
        assert (await world.describe(told["run_id"]))["tool_calls"][0]["late"]["status"] == "completed"


async def test_an_end_after_a_clean_close_is_not_published() -> None:
    deaf = Deaf()
    async with a_world(more_tools=[deaf.tool(read_only=True)]) as world:
        told = await world.run(deaf_step(onError="continue"))
    deaf.may_end.set()
    await asyncio.sleep(0.05)
    assert late_ends(world) == []  # no writer is left
    assert replay(await world.storage.events.of_run(told["run_id"])) == replay(world.events)
