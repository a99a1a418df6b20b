"""`python -m core mcp` as programs use it: a process, used by the official client and by hostile clients."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, cast

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from core.cli.mcp import LineTransport
from core.cli.standard_streams import StandardStreams
from core.domain.run import RunStatus
from core.persistence.surreal import SurrealStorage
from tests.support.command_line import CommandLine, template

T = "COLLECTION_WORKFLOW_"
R = "COLLECTION_WORKFLOW_EXECUTION_"
ASKS = {"name": "gate", "action": {"set": True}, "input": "through", "interrupt": {"kind": "approval"}}
SLOW = {"name": "slow", "action": {"toolName": "wait"}, "input": {"seconds": 60}}


class Served:
    """A client of a server that runs as a process of its own."""

    def __init__(self, client: Client, pid_file: Path) -> None:
        self.client = client
        self._pid_file = pid_file

    @property
    def pid(self) -> int:
        return int(self._pid_file.read_text())

    async def __call__(self, name: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(T + name, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def error(self, name: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(T + name, arguments)
        assert result.is_error
        assert result.structured_content is None
        return json.loads(getattr(result.content[0], "text"))["error"]  # noqa: B009  # of a union

    async def saved(self, title: str, *steps: dict[str, Any], **fields: Any) -> str:
        told = await self("CREATE", template={**template(*steps, **fields), "title": title})
        return str(told["id"])


@asynccontextmanager
async def a_client(metier: CommandLine, mode: str = "auto", *arguments: str) -> AsyncIterator[Served]:
    pid_file = metier.data.parent / "pid"
    command = " ".join(metier.command("mcp", *arguments))
    server = StdioServerParameters(
        command="sh", args=["-c", f"echo $$ > {pid_file}; exec {command}"], env=metier.environment()
    )
    async with Client(server, mode=mode) as client:
        yield Served(client, pid_file)


class Process:
    """A server that is spoken to in lines, each a message or a text. A context manager."""

    def __init__(self, metier: CommandLine, *arguments: str) -> None:
        self._process = subprocess.Popen(
            metier.command("mcp", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=metier.environment(),
            cwd=metier.data.parent,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        with self._process:
            self._process.kill()

    def say(self, *lines: Any, end: str = "\n") -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + end)
        stdin.flush()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def end(self, number: signal.Signals | None = None) -> tuple[int, list[Any], list[str]]:
        """Send the signal, or the end of stdin. Gives the exit code, the messages that were left, and stderr."""
        if number is not None:
            self._process.send_signal(number)
            self._process.wait(60)
        out, err = self._process.communicate(timeout=60)
        code = self._process.wait()
        return code, [json.loads(line) for line in out.splitlines()], err.splitlines()


def request(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": T + name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.async_timeout(120)
async def test_clients_start_follow_answer_and_cancel_runs_in_turn(metier: CommandLine) -> None:
    """The first server is killed in the middle of a run; the second goes on with it."""
    code = "export default (input) => input.n + 1"
    steps: list[dict[str, Any]] = [
        {"name": "first", "action": {"code": code}, "input": {"n": 1}},
        {"name": "slow", "action": {"toolName": "wait"}, "input": {"seconds": 1}, "dependsOn": ["first"]},
        {"name": "last", "action": {"set": True}, "input": "@first", "dependsOn": ["slow"]},
    ]
    async with a_client(metier, "auto", "--mode", "auto") as served:
        await look_at_the_tools(served)
        await be_hostile(served)
        asks = await served.saved("Asks", ASKS, {**ASKS, "name": "second", "dependsOn": ["gate"]})
        told: list[float] = []

        async def watch(progress: float, total: float | None, message: str | None) -> None:
            told.append(progress)

        start = {"workflow_collection_id": asks, "wait": True}
        result = await served.client.call_tool(R + "CREATE", start, progress_callback=watch)
        waiting = result.structured_content
        (asked,) = waiting["interruptions"]
        assert (waiting["status"], asked["step"], asked["kind"]) == ("waiting", "gate", "approval")
        assert told
        assert told == sorted(set(told))
        waiting_id = waiting["run_id"]
        assert (await served("EXECUTION_LIST", status="waiting"))["items"][0]["run_id"] == waiting_id
        again = await served("EXECUTION_RESUME", run_id=waiting_id, step="gate", action="approve", wait=True)
        assert [one["step"] for one in again["interruptions"]] == ["second"]
        await cancel(served)
        made = await served.saved("Killed", *steps)
        killed_id = (await served("EXECUTION_CREATE", workflow_collection_id=made))["run_id"]
        while (await served("EXECUTION_GET", run_id=killed_id))["active"] != ["slow"]:
            pass
        os.kill(served.pid, signal.SIGKILL)
        with pytest.raises(MCPError):
            await served("LIST")

    async with a_client(metier, "legacy") as served:
        done = await served("EXECUTION_RESUME", run_id=killed_id, wait=True)
        assert (done["status"], done["output"]) == ("success", 2)
        told_steps = (await served("EXECUTION_GET", run_id=killed_id))["steps"]
        assert {name: step["attempts"] for name, step in told_steps.items()} == {"first": 1, "slow": 1, "last": 1}
        assert (await served("GET", id=asks))["version"] == 1
        done = await served("EXECUTION_RESUME", run_id=waiting_id, action="approve", wait=True)
        assert (done["status"], done["output"]) == ("success", "through")
        assert (await served("DELETE", id=asks))["active_runs"] == []
        assert (await served("EXECUTION_GET", run_id=waiting_id))["template_version"] == 1


@pytest.mark.async_timeout(120)
async def test_what_a_client_calls_is_recorded_and_becomes_a_template_that_runs(metier: CommandLine) -> None:
    said = metier("chat", "hi", "--record", "--mode", "selective", "--input", '{"times": 7}')
    begun = json.loads(said.err.splitlines()[-1])
    async with a_client(metier, "auto", "--record", begun["workflow_id"]) as served:
        listed = {tool.name: tool.annotations for tool in (await served.client.list_tools()).tools}
        assert {"calculator", "http_fetch", R + "CREATE"} <= set(listed)
        assert not {"ask_user", "pick_file", "spawn_agent", R + "RECORD", R + "SAVE_AS_TEMPLATE"} & set(listed)
        reading = {name for name, one in listed.items() if one is not None and one.read_only_hint}
        assert ("calculator" in reading, "http_fetch" in reading) == (True, False)
        assert "@list_files_1.files[0].path" in (served.client.instructions or "")

        first = await served.client.call_tool("calculator", {"expression": "6 * @input.times"})
        assert first.structured_content == {"result": 42}
        second = await served.client.call_tool("calculator", {"expression": "@calculator_1.result + 1"})
        assert second.structured_content == {"result": 43}
        wrong = await served.client.call_tool("calculator", {"expression": "@calculator_9.result"})
        refused = await served.client.call_tool("write_file", {"path": "a.txt", "content": "x"})
        codes = [json.loads(getattr(one.content[0], "text"))["error"]["code"] for one in (wrong, refused)]  # noqa: B009
        assert (codes, wrong.is_error, refused.is_error) == (["invalid_arguments", "rejected"], True, True)
        with pytest.raises(MCPError):
            await served.client.call_tool("wait", {"seconds": 60}, read_timeout_seconds=0.5)
        saved = await served.saved("Once", {"name": "a", "action": {"set": True}, "input": "@@input.n"})
        run = await served(
            "EXECUTION_CREATE", workflow_collection_id=saved, input={"n": "@calculator_2.result"}, wait=True
        )
        assert (run["status"], run["output"]) == ("success", 43)
        steps = (await served("EXECUTION_GET", run_id=begun["recording_id"]))["steps"]
        assert {name: step["status"] for name, step in steps.items()} == {
            "calculator_1": "completed",
            "calculator_2": "completed",
            "calculator_3": "error",
            "write_file_1": "error",
            "wait_1": "cancelled",
            "collection_workflow_create_1": "completed",
            "collection_workflow_execution_create_1": "completed",
            "collection_workflow_execution_get_1": "running",
        }
    names = ("create", "execution_create", "execution_get")
    left_out = [word for name in names for word in ("--exclude", f"collection_workflow_{name}_1")]
    sealed = metier("record", begun["recording_id"], "--accept", "all", "-o", "made.json", *left_out)
    assert sealed.code == 0, sealed
    ran = metier("run", "made.json", "--input", '{"times": 8}')
    assert (ran.code, ran.last["output"]) == (0, {"result": 49}), ran
    with Process(metier, "--record", begun["workflow_id"] + "x") as process:
        process.say(INITIALIZE)
        code, (refusal,), err = process.end()
    assert (code, refusal["id"], refusal["error"]["data"]["code"]) == (2, 0, "not_found")
    assert json.loads(err[-1])["error"]["code"] == "not_found"


async def look_at_the_tools(served: Served) -> None:
    listed = {tool.name.removeprefix(T): tool for tool in (await served.client.list_tools()).tools}
    runs = {f"EXECUTION_{name}" for name in ("LIST", "GET", "CREATE", "CANCEL", "RESUME")}
    assert set(listed) == {"LIST", "GET", "CREATE", "UPDATE", "DELETE"} | runs
    hints = {name: tool.annotations for name, tool in listed.items()}
    reading = {name for name, one in hints.items() if one is not None and one.read_only_hint}
    assert reading == {"LIST", "GET", "EXECUTION_LIST", "EXECUTION_GET"}
    assert [name for name, one in hints.items() if one is not None and one.destructive_hint] == ["DELETE"]
    assert all(tool.output_schema for tool in listed.values())


async def be_hostile(served: Served) -> None:
    """Each answer of a tool is checked against its schema by the client."""
    broken = await served.error("CREATE", template={"title": "B", "steps": [{"name": "a", "action": {}}]})
    assert (broken["code"], broken["problems"][0]["code"]) == ("invalid_template", "unknown_action")
    with pytest.raises(MCPError, match="no tool 'calculator'"):
        await served.client.call_tool("calculator", {"expression": "1"})
    at_once = await asyncio.gather(
        served.error("LIST", limit="many"),
        served.error("GET", id=["x"]),
        served.error("EXECUTION_CREATE"),
        served.error("EXECUTION_CREATE", workflow_collection_id="x", input=[], wait=1),
        served.error("EXECUTION_RESUME", run_id="x", action="explode"),
        *(served("EXECUTION_LIST") for _ in range(5)),
    )
    assert {one["code"] for one in at_once[:5]} == {"invalid_arguments"}
    half = {"name": "half", "action": {"code": "export default () => '\\u0000😀'.slice(0, 2)"}}
    strange = await served.saved("Strange", half)
    done = await served("EXECUTION_CREATE", workflow_collection_id=strange, wait=True)
    assert done["output"] == "\x00\ufffd"
    itself = await served.saved("Itself", ASKS)
    again = {"name": "again", "action": {"toolName": R + "CREATE"}}
    again["input"] = {"workflow_collection_id": itself, "wait": True}
    await served("UPDATE", id=itself, template=template(again, title="Itself"))
    error = await served.error("EXECUTION_CREATE", workflow_collection_id=itself, wait=True)
    depth = 0
    while "error" in error:
        depth, error = depth + 1, error["error"]
    assert (error["code"], depth) == ("too_deep", 101)  # the error of each of so many runs


async def cancel(served: Served) -> None:
    """A client that gives up a call ends the run that it waited for, and no other."""
    slow = await served.saved("Slow", SLOW)
    detached = (await served("EXECUTION_CREATE", workflow_collection_id=slow))["run_id"]
    start = {"workflow_collection_id": slow, "wait": True}
    with pytest.raises(MCPError):
        await served.client.call_tool(R + "CREATE", start, read_timeout_seconds=0.5)
    newest = detached
    for _ in range(200):  # it may still be on its way to the disk
        newest = (await served("EXECUTION_LIST", limit=1))["items"][0]["run_id"]
        if newest != detached:
            break
    assert newest != detached
    cancelled = await served.error("EXECUTION_RESUME", run_id=newest, wait=True)
    assert (cancelled["code"], cancelled["status"]) == ("run_failed", "cancelled")
    assert (await served("EXECUTION_GET", run_id=detached))["status"] == "running"
    assert (await served("EXECUTION_CANCEL", run_id=detached))["status"] == "cancelled"


@pytest.mark.async_timeout(120)
async def test_whatever_comes_in_only_protocol_goes_out_and_an_end_leaves_the_runs(metier: CommandLine) -> None:
    with Process(metier) as first:
        first.say(INITIALIZE)
        assert first.hear()["result"]["serverInfo"]["name"] == "metier"
        with Process(metier) as second:
            second.say(INITIALIZE)
            code, (refusal,), err = second.end()
        assert (code, refusal["id"], refusal["error"]["data"]["code"]) == (4, 0, "in_use")
        assert json.loads(err[-1])["error"]["code"] == "in_use"

        first.say("no json", "[" * 100_000, "[1, 2]", '{"jsonrpc": "2.0", "id": "bad"}', "", INITIALIZED)
        assert [first.hear()["error"]["code"] for _ in range(4)] == [-32700, -32700, -32600, -32600]
        first.say({"jsonrpc": "2.0", "id": 1, "method": "no/such/method"})
        assert first.hear()["error"]["code"] == -32601
        first.say(request(2, "CREATE", template=template({**ASKS, "input": "x" * 5_100_000})))
        assert '"too_large"' in first.hear()["result"]["content"][0]["text"]
        first.say(request(3, "CREATE", template=template(SLOW)))
        slow = first.hear()["result"]["structuredContent"]["id"]
        first.say(request(4, "EXECUTION_CREATE", workflow_collection_id=slow, wait=True))
        first.say(request(5, "EXECUTION_CREATE", workflow_collection_id=slow))
        run_id = first.hear()["result"]["structuredContent"]["run_id"]
        first.say('{"jsonrpc": "2.0", "id": 6, "meth', end="")
        code, left, err = first.end(signal.SIGTERM)
        assert json.loads(err[0]) == {"mode": "selective", "clients_may_approve": False}
        assert (code, [one.get("id") for one in left if "result" in one]) == (0, [])
        assert not any("Traceback" in line for line in err)
    storage = await SurrealStorage.open(metier.data / "store")
    try:
        found = {run.id: run.status for run in await storage.runs.page()}
    finally:
        await storage.close()
    assert run_id in found
    assert list(found.values()) == [RunStatus.ENQUEUED] * 2  # the next process goes on with them


class Lines:
    """Standard streams with these lines on stdin."""

    is_broken = False

    def __init__(self, *coming: str) -> None:
        self._coming = coming
        self.written: list[str] = []

    async def lines(self) -> AsyncIterator[str]:
        for line in self._coming:
            yield line

    async def write(self, text: str) -> None:
        self.written.append(text)


async def test_the_end_of_stdin_waits_for_the_answers_that_are_due() -> None:
    ends: list[str] = []
    lines = Lines(json.dumps(request(7, "LIST")), json.dumps(INITIALIZED))
    wire = LineTransport(cast("StandardStreams", lines), lambda: ends.append("end"))

    async def read() -> list[str]:
        return [line async for line in wire]

    reading = asyncio.create_task(read())
    for _ in range(10):
        await asyncio.sleep(0)
    assert (reading.done(), ends) == (False, [])
    await wire.write('{"jsonrpc":"2.0","id":7,"result":{}}\n')
    assert (len(await reading), ends) == (2, ["end"])


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sh, SIGKILL")
