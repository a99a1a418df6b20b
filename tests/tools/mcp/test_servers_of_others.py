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
from core.domain.ids import InterruptionId, RunId, ServerId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.mcp_offers import resource_address
from core.domain.mcp_server import ServerState
from core.domain.template import ValidationMode
from core.ports import ModelDelta, ModelRequest, TextDelta, Usage
from core.services.mcp_offers import OfferService
from core.services.outcome import unwrap
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


async def test_each_gives_what_it_is_asked_for_and_says_what_is_wrong(rig: McpRig, tmp_path: Path) -> None:
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.txt").write_text("hello\n")
    graph = {"MEMORY_FILE_PATH": str(tmp_path / "graph.jsonl")}
    browser = ("--headless", "--isolated", "--executable-path", str(tmp_path / "no browser"))
    await asyncio.gather(
        rig.connected("time", **python_server("mcp-server-time")),
        rig.connected("git", **python_server("mcp-server-git")),
        rig.connected("files", **node_server("mcp-server-filesystem", str(tmp_path))),
        rig.connected("memory", **node_server("mcp-server-memory"), env=graph),
        rig.connected("thinking", **node_server("mcp-server-sequential-thinking")),
        rig.connected("web", **node_server("playwright-mcp", *browser)),
    )
    paris = await rig.value("mcp__time__get_current_time", {"timezone": "Europe/Paris"})
    paris = json.loads(paris) if isinstance(paris, str) else paris
    assert paris["timezone"] == "Europe/Paris"
    assert "a.txt" in json.dumps(await rig.value("mcp__git__git_status", {"repo_path": str(tmp_path)}))
    assert "hello" in json.dumps(await rig.value("mcp__files__read_text_file", {"path": str(tmp_path / "a.txt")}))
    ada = {"name": "Ada", "entityType": "person", "observations": ["wrote a program"]}
    await rig.value("mcp__memory__create_entities", {"entities": [ada]})
    assert (await rig.value("mcp__memory__search_nodes", {"query": "program"}))["entities"] == [ada]
    thought = {"thought": "First of all", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
    assert (await rig.value("mcp__thinking__sequentialthinking", thought))["thoughtHistoryLength"] == 1
    wrong = [
        ("time__get_current_time", {"timezone": "No/Where"}, "failed", "No/Where"),
        ("git__git_status", {"repo_path": str(tmp_path / "none")}, "failed", "none"),
        ("files__read_text_file", {"path": "/etc/passwd"}, "failed", "Access denied"),
        ("files__read_text_file", {}, "invalid_arguments", "path"),
        ("memory__add_observations", {"observations": [{"entityName": "Bob", "contents": []}]}, "failed", "Bob"),
        ("thinking__sequentialthinking", {"thought": "?"}, "invalid_arguments", "thoughtNumber"),
        ("web__browser_navigate", {"url": "http://127.0.0.1:9/"}, "failed", "no browser"),
    ]
    for tool, arguments, code, words in wrong:
        failed, message = await rig.failure(f"mcp__{tool}", arguments)
        assert (tool, failed) == (tool, code)
        assert words in message
    assert rig.hub.statuses[0].p50_ms is not None


async def test_the_folders_of_a_call_are_the_roots_of_its_server(rig: McpRig, tmp_path: Path) -> None:
    first, second = tmp_path / "a folder", tmp_path / "dossier é"
    for folder in (first, second):
        folder.mkdir()
        (folder / "inside.txt").touch()
    await rig.connected("files", **node_server("mcp-server-filesystem", str(tmp_path / "a folder")))
    for folder in (first, second, first):  # it may look where this call may, though another call came before
        listed = await rig.value("mcp__files__list_directory", {"path": str(folder)}, allow=(str(folder),))
        assert "inside.txt" in json.dumps(listed)
    _, message = await rig.failure("mcp__files__list_directory", {"path": str(second)}, allow=(str(first),))
    assert "Access denied" in message
    await rig.hub.stop(ServerId("files"))
    listed = await rig.value("mcp__files__list_directory", {"path": str(second)}, allow=(str(second),))
    assert "inside.txt" in json.dumps(listed)  # the call that starts it has its folders too


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


FORM = {
    "name": "Ada",
    "check": True,
    "email": "ada@example.org",
    "birthdate": "1815-12-10",
    "integer": 4,
    "number": 1.5,
    "titledSingleSelectEnum": "hero-2",
    "titledMultipleSelectEnum": ["fish-1", "fish-3"],
    "legacyTitledEnum": "pet-2",
}


async def test_what_a_server_requests_reaches_the_user_and_the_model(
    rig: McpRig, parrot: Parrot, tmp_path: Path
) -> None:
    await rig.connected("e", **node_server("mcp-server-everything"))
    await _fills_in_forms(rig)
    await _asks_a_model(rig, parrot)
    await _offers_resources_and_prompts(OfferService(rig.hub))
    folder = tmp_path / "dossier é"
    folder.mkdir()
    (folder / "a.txt").touch()
    listed = (str(folder), str(folder / "a.txt"), str(tmp_path / "gone"))
    shown = await rig.value("mcp__e__get-roots-list", allow=listed)
    assert f"1. dossier é\n   URI: {folder.as_uri()}" in shown
    assert "2." not in shown


async def _offers_resources_and_prompts(service: OfferService) -> None:
    (document,) = unwrap(await service.resources("architecture", 9))
    name, content = await service.read(resource_address(document.server, document.key)) or ("", b"")
    assert (name, content.startswith(b"# ")) == ("architecture.md", True)
    template = next(offer for offer in unwrap(await service.resources("dynamic text", 9)))
    address = unwrap(await service.expand(template.id, {"resourceId": "3"}))
    assert b"Resource 3" in (await service.read(address) or ("", b""))[1]
    prompts = {offer.key: offer for offer in await service.prompts()}
    inputs, schema = unwrap(await service.input_of(prompts["resource-prompt"].id))
    assert schema["properties"]["resourceType"]["examples"] == ["Text", "Blob"]
    filled = unwrap(
        await service.prompt_text(prompts["resource-prompt"].id, inputs, {"resourceType": "Text", "resourceId": "2"})
    )
    assert [name for name, _ in filled.files] == ["2.txt"]
    inputs, _ = unwrap(await service.input_of(prompts["args-prompt"].id, "Paris"))
    assert unwrap(await service.prompt_text(prompts["args-prompt"].id, inputs, {})).text == "What's weather in Paris?"


async def _fills_in_forms(rig: McpRig) -> None:
    answers = [Answer(Action.SUBMIT, FORM), Answer(Action.REJECT), Answer(Action.SKIP)]
    person = Person([*answers, Answer(Action.SUBMIT), Answer(Action.REJECT)])
    results = [await rig.value("mcp__e__trigger-elicitation-request", ask=person) for _ in answers]
    actions = [json.loads(str(result).partition("Raw result: ")[2]) for result in results]
    assert actions == [{"action": "accept", "content": FORM}, {"action": "decline"}, {"action": "cancel"}]
    (kind,) = {ask.kind for ask in person.asked}
    assert kind is InterruptionKind.ELICITATION
    fields = person.asked[0].schema["properties"]
    assert person.asked[0].schema["required"] == ["name"]
    assert fields["legacyTitledEnum"]["oneOf"][1] == {"const": "pet-2", "title": "Dogs"}
    assert fields["titledMultipleSelectEnum"]["items"]["oneOf"][2] == {"const": "fish-3", "title": "Trout"}
    assert (fields["birthdate"]["format"], fields["integer"]["default"]) == ("date", 42)
    address = {"url": "https://bücher.example/sign-in?for=1"}
    accepted = await rig.value("mcp__e__trigger-url-elicitation", address, ask=person)
    assert "accept" in str(accepted).lower()
    assert person.asked[-1].options == {**address, "host": "xn--bcher-kva.example"}
    assert "decline" in str(await rig.value("mcp__e__trigger-url-elicitation", address, ask=person)).lower()
    alone = await rig.value("mcp__e__trigger-elicitation-request", ask=None)
    assert '"cancel"' in str(alone)


async def _asks_a_model(rig: McpRig, parrot: Parrot) -> None:
    """What the user agrees to is the very request, for the run."""
    selective: dict[str, Any] = {"mode": ValidationMode.SELECTIVE}
    hi, again = {"prompt": "say hi"}, {"prompt": "say hi again"}
    agrees = Person([Answer(Action.APPROVE, "run"), Answer(Action.REJECT, reason="not now")])
    result = await rig.value("mcp__e__trigger-sampling-request", hi, ask=agrees, **selective)
    assert "parrot: " in json.dumps(result)
    assert agrees.asked[0].kind is InterruptionKind.TOOL_APPROVAL
    assert "say hi" in json.dumps(agrees.asked[0].arguments)
    assert [fact.output_tokens for fact in rig.facts if isinstance(fact, UsageReported)] == [7]
    await rig.value("mcp__e__trigger-sampling-request", hi, ask=Person([]), **selective)  # agreed to for the run
    code, message = await rig.failure("mcp__e__trigger-sampling-request", again, ask=agrees, **selective)
    assert (code, "not now" in message) == ("failed", True)
    assert len({ask.call_id for ask in agrees.asked}) == 2
    await rig.failure(
        "mcp__e__trigger-sampling-request",
        hi,
        ask=Person([Answer(Action.REJECT)]),
        run_id=RunId("run_2"),
        **selective,
    )
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
