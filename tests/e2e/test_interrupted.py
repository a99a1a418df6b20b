"""`kill -9` at the worst moments of a tool loop, with a provider that refuses a conversation that is not valid."""

import subprocess
import time

from tests.support.command_line import CommandLine
from tests.support.provider import Provider, Reply, call_piece, calls, chunk, provider, says, sse
from tests.support.strict_provider import StrictInTurn
from tests.support.waiting import wait_until

IN_A_CALL = Reply(
    sse(chunk(content="so"), chunk(tool_calls=[call_piece(0, "a", "calculator", '{"expr')]), done=False), end="hangs"
)
SLOW_CALLS = calls(("a", "calculator", {"expression": "6 * 7"}), ("a", "wait", {"seconds": 1.5}), text="Let me see.")
SILENT = Reply(end="hangs")


def kill(process: "subprocess.Popen[str]", server: Provider, asked: int, told: str) -> None:
    """Kill it once the server has been asked so often, and such an event has been printed."""
    assert process.stdout is not None
    while told and told not in process.stdout.readline():
        pass
    wait_until(lambda: len(server.posts) >= asked)
    process.kill()
    process.communicate()


def test_a_chat_that_is_killed_again_and_again_ends_and_goes_on(metier: CommandLine) -> None:
    strict = StrictInTurn(IN_A_CALL, SLOW_CALLS, SILENT, says("Done."), says("More."))
    with provider(strict) as server:
        chat = metier.start("chat", "go", "--base-url", server.url, "--model", "m", "--events")
        kill(chat, server, 1, '"token"')
        resuming = metier.start("resume")
        wait_until(lambda: server.posts[1:])
        time.sleep(0.2)  # the calls have begun, or are about to
        kill(resuming, server, 2, "")
        kill(metier.start("resume"), server, 3, "")
        resumed = metier("resume")
        assert (resumed.code, resumed.last["output"]) == (0, "Done.")
        assert [call["status"] for call in resumed.last["tool_calls"]] == ["completed", "completed"]
        assert metier("chat", "more", "--workflow", resumed.last["workflow_id"]).out == "More.\n"
    assert strict.refused == []


def test_a_chat_that_is_killed_during_a_call_and_cancelled_goes_on(metier: CommandLine) -> None:
    strict = StrictInTurn(calls(("a", "wait", {"seconds": 9}), ("b", "calculator", {}), text="First."), says("More."))
    with provider(strict) as server:
        chat = metier.start("chat", "go", "--base-url", server.url, "--model", "m", "--events")
        kill(chat, server, 1, '"tool_start"')
        (run,) = metier("list").lines
        assert metier("cancel", run["run_id"]).last["status"] == "cancelled"
        assert metier("chat", "more", "--workflow", run["workflow_id"]).out == "More.\n"
    assert strict.refused == []
