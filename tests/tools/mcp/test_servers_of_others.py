"""Third-party servers, started offline: their tools, their questions, their sampling requests."""

import asyncio
import json
import socket
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import ToolProgressed, UsageReported
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.mcp_server import ServerState
from core.domain.template import ValidationMode
from core.ports import ModelDelta, ModelRequest, TextDelta, Usage
from core.threads.system_clock import SystemClock
from tests.support.mcp_rig import OTHERS, McpRig, mcp_rig, needs_others, node_server, programs, python_server

pytestmark = needs_others


@dataclass
class Person:
    """A user who answers questions by `answers`, in turn, and records them."""

    answers: list[Answer]
    asked: list[InterruptionRequest] = field(default_factory=list)

    async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        self.asked.append(ask)
        now = SystemClock().now()
        status, answer = InterruptionStatus.ANSWERED, self.answers.pop(0)
        return Interruption(InterruptionId("i"), RunId("r"), WorkflowId("w"), ask, status, 1, now, None, answer, now)


@dataclass
class Parrot:
    """A model that repeats the request."""

    asked: list[ModelRequest] = field(default_factory=list)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self.asked.append(request)
        yield TextDelta("parrot: ")
        yield TextDelta(request.messages[-1].text)
        yield Usage(5, 7)


@pytest.fixture
def parrot() -> Parrot:
    return Parrot()


@pytest.fixture
async def rig(parrot: Parrot) -> AsyncIterator[McpRig]:
    async with mcp_rig(parrot) as made:
        yield made
    assert programs(f"{OTHERS}/") == []


async def test_time_git_and_files_give_what_they_are_asked_for(rig: McpRig, tmp_path: Path) -> None:
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.txt").write_text("hello\n")
    await asyncio.gather(
        rig.connected("time", **python_server("mcp-server-time")),
        rig.connected("git", **python_server("mcp-server-git")),
        rig.connected("files", **node_server("mcp-server-filesystem", str(tmp_path))),
    )
    paris = await rig.value("mcp__time__get_current_time", {"timezone": "Europe/Paris"})
    paris = json.loads(paris) if isinstance(paris, str) else paris
    assert paris["timezone"] == "Europe/Paris"
    code, message = await rig.failure("mcp__time__get_current_time", {"timezone": "No/Where"})
    assert code == "failed"
    assert "No/Where" in message
    assert "a.txt" in json.dumps(await rig.value("mcp__git__git_status", {"repo_path": str(tmp_path)}))
    assert "hello" in json.dumps(await rig.value("mcp__files__read_text_file", {"path": str(tmp_path / "a.txt")}))
    code, message = await rig.failure("mcp__files__read_text_file", {"path": "/etc/passwd"})
    assert code == "failed"
    assert "Access denied" in message
    assert (await rig.failure("mcp__files__read_text_file", {}))[0] == "invalid_arguments"
    assert rig.hub.statuses[0].p50_ms is not None


async def test_everything_structure_images_links_and_progress(rig: McpRig) -> None:
    rig.secrets["e"] = {"env/T": "supersecretvalue"}
    await rig.connected("e", **node_server("mcp-server-everything"), env={"T": "supersecretvalue"})
    structured = await rig.value("mcp__e__get-structured-content", {"location": "New York"})
    assert isinstance(structured["temperature"], int)
    image = await rig.value("mcp__e__get-tiny-image")
    assert image["content"] == [{"type": "image", "mime": "image/png", "bytes": 4033}]
    links = await rig.value("mcp__e__get-resource-links", {"count": 2})
    assert [one["type"] for one in links["content"]] == ["resource_link"] * 2
    reference = await rig.value("mcp__e__get-resource-reference", {"resourceType": "Blob", "resourceId": 2})
    assert reference["content"][0]["bytes"] > 0
    assert set(reference["content"][0]) == {"type", "uri", "mime", "bytes"}
    assert "supersecretvalue" not in await rig.value("mcp__e__get-env")
    await rig.value("mcp__e__trigger-long-running-operation", {"duration": 1, "steps": 2})
    progress = [fact for fact in rig.facts if isinstance(fact, ToolProgressed)]
    assert progress[-1].progress == progress[-1].total == 2


async def test_a_question_of_a_server_is_a_question_to_the_user(rig: McpRig) -> None:
    await rig.connected("e", **node_server("mcp-server-everything"))
    chosen = {
        "name": {"text": "Ada"},
        "integer": {"text": "4"},
        "number": {"text": "1.5"},
    }

    class Filling(Person):
        async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
            word = next((one for one in chosen if one in (ask.prompt or "").lower().partition("\n")[2]), None)
            if word is not None and not ask.options:
                value: Any = chosen[word]
            elif ask.options:
                value = {"options": [ask.options[0]["id"]]}
            else:
                value = None
            self.answers.append(Answer(Action.SUBMIT, value) if value else Answer(Action.SKIP))
            return await super().__call__(ask, anew=anew)

    person = Filling([])
    result = await rig.value("mcp__e__trigger-elicitation-request", ask=person)
    text = result if isinstance(result, str) else result["text"]
    assert "Ada" in text
    assert len(person.asked) > 5
    assert {ask.kind for ask in person.asked} == {InterruptionKind.QUESTION}
    assert len({ask.call_id for ask in person.asked}) == len(person.asked)
    declined = Person([Answer(Action.SKIP)] * 30)
    result = await rig.value("mcp__e__trigger-elicitation-request", ask=declined)
    assert "declined" in json.dumps(result)


async def test_a_model_answers_a_server_once_the_user_agrees(rig: McpRig, parrot: Parrot) -> None:
    await rig.connected("e", **node_server("mcp-server-everything"))
    selective: dict[str, Any] = {"mode": ValidationMode.SELECTIVE}
    agrees = Person([Answer(Action.APPROVE, "run")])
    result = await rig.value("mcp__e__trigger-sampling-request", {"prompt": "say hi"}, ask=agrees, **selective)
    assert "parrot: " in json.dumps(result)
    assert agrees.asked[0].kind is InterruptionKind.TOOL_APPROVAL
    assert "say hi" in json.dumps(agrees.asked[0].arguments)
    assert [fact.output_tokens for fact in rig.facts if isinstance(fact, UsageReported)] == [7]
    nobody = Person([])  # the approval was for the run
    await rig.value("mcp__e__trigger-sampling-request", {"prompt": "again"}, ask=nobody, **selective)
    refuses = Person([Answer(Action.REJECT, reason="not now")])
    at_other_run = {**selective, "run_id": RunId("run_2")}
    code, message = await rig.failure("mcp__e__trigger-sampling-request", {"prompt": "x"}, ask=refuses, **at_other_run)
    assert (code, "not now" in message) == ("failed", True)
    assert len(parrot.asked) == 2


async def test_the_same_over_http_and_a_lost_server_is_reported_and_found_again(rig: McpRig) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(OTHERS / "node_modules" / ".bin" / "mcp-server-everything"), "streamableHttp"]

    async def served() -> asyncio.subprocess.Process:
        made = await asyncio.create_subprocess_exec(
            *command,
            env={"PORT": str(port), "PATH": "/usr/local/bin:/usr/bin:/bin"},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.1)
                else:
                    writer.close()
                    return made

    process = await served()
    try:
        status = await rig.connected("w", url=f"http://127.0.0.1:{port}/mcp", start_timeout_s=60)
        assert status.state is ServerState.RUNNING
        assert "3" in await rig.value("mcp__w__get-sum", {"a": 1, "b": 2})
        process.kill()
        await process.wait()
        code, message = await rig.failure("mcp__w__get-sum", {"a": 1, "b": 2})
        assert code == "failed"
        assert "server w" in message
        process = await served()
        assert "3" in await rig.value("mcp__w__get-sum", {"a": 1, "b": 2})
        process.kill()
        await process.wait()
        process = await served()  # one that knows nothing of the session
        assert "3" in await rig.value("mcp__w__get-sum", {"a": 1, "b": 2})
    finally:
        process.kill()
        await process.wait()
