"""The command that runs, with variables expanded and secrets kept out of messages; how often it is tried."""

import pytest

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer
from core.domain.settings import KeyLocation
from core.domain.text.masking import MASK
from core.errors import ToolFailed
from core.tools.mcp.health import Breaker, Latency
from core.tools.mcp.launch import SecretMask, resolve_launch

ENVIRONMENT = {"HOME": "/home/ada", "MY_TOKEN": "t0ken-of-mine", "EMPTY": ""}


def test_variables_are_replaced_and_those_with_secrets_are_masked() -> None:
    server = McpServer(
        id=ServerId("x"),
        name="x",
        command="${HOME}/bin/c",
        args=("${NONE:-else}", "$HOME", "${EMPTY}", "${env:HOME}", "a$HOME", "${EMPTY:-${HOME}}", "{env:HOME}/x"),
        env={"A": "Bearer ${env:MY_TOKEN}", "DB_PASSWORD": "kept-elsewhere"},
        secrets={"env/DB_PASSWORD": KeyLocation.FILE},
    )
    launch = resolve_launch(server, ENVIRONMENT)
    assert launch.command == "/home/ada/bin/c"
    assert launch.args == ("else", "/home/ada", "", "/home/ada", "a$HOME", "/home/ada", "/home/ada/x")
    assert launch.env["A"] == "Bearer t0ken-of-mine"
    assert launch.secrets == {"t0ken-of-mine", "kept-elsewhere"}
    assert not any(secret in repr(launch) for secret in launch.secrets)
    mask = SecretMask(launch.secrets)
    assert mask.hide_all("/home/ada has t0ken-of-mine") == f"/home/ada has {MASK}"
    assert mask.hide_in({"kept-elsewhere": ["a t0ken-of-mine", 1]}) == {MASK: [f"a {MASK}", 1]}
    with pytest.raises(ToolFailed, match="NOT_SET"):
        resolve_launch(McpServer(id=ServerId("x"), name="x", command="${env:NOT_SET}"), ENVIRONMENT)


def test_the_home_folder_is_meant_where_a_shell_would_read_it_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv("USERPROFILE", "/h")
    args = ("~/q/server.py", "--note=a~b", "~other/x", "~", "${userHome}/x", "${workspaceFolder}", "${PWD}:/x")
    server = McpServer(id=ServerId("x"), name="x", command="~/bin/c", args=args, cwd="~/q", env={"A": "~/a"})
    launch = resolve_launch(server, {"PWD": "/elsewhere"})
    assert (launch.command, launch.cwd, launch.env) == ("/h/bin/c", "/h/q", {"A": "/h/a"})
    assert launch.args == ("/h/q/server.py", "--note=a~b", "~other/x", "/h", "/h/x", "/h/q", "/h/q:/x")


def test_the_servers_own_variables_come_first_and_a_script_of_a_shell_is_left_to_it() -> None:
    env = {"TOKEN": "own", "PATH": "${PATH}:/more"}
    server = McpServer(id=ServerId("x"), name="x", command="sh", args=("-c", "echo $TOKEN ${X}", "${TOKEN}"), env=env)
    launch = resolve_launch(server, {"TOKEN": "other", "PATH": "/bin"})
    assert launch.args == ("-c", "echo $TOKEN ${X}", "own")
    assert launch.env["PATH"] == "/bin:/more"
    far = McpServer(id=ServerId("x"), name="x", url="${BASE}/mcp")
    assert resolve_launch(far, {"BASE": "https://x.example"}).url == "https://x.example/mcp"
    with pytest.raises(ToolFailed, match="begin with http"):
        resolve_launch(far, {"BASE": "file://"})


def test_a_program_that_may_fetch_the_server_first_gets_more_time() -> None:
    limits = {
        command: McpServer(id=ServerId("x"), name="x", command=command).start_limit_s
        for command in ("/usr/bin/npx", "uvx", "C:\\n\\npx.cmd", "node")
    }
    assert list(limits.values()) == [60, 60, 60, 10]


def test_the_breaker_opens_at_the_third_failure_and_tries_one_start_after_a_minute() -> None:
    breaker = Breaker()
    breaker.record_failure(100.0)
    assert (breaker.is_open(100.0), breaker.pause_s(100.0)) == (False, 0.5)
    breaker.record_failure(101.0)
    assert not breaker.is_open(101.0)
    assert breaker.pause_s(101.2) == pytest.approx(0.8)
    breaker.record_failure(102.0)
    assert breaker.is_open(161.9)
    assert not breaker.is_open(162.0)
    assert breaker.pause_s(162.0) == 0
    breaker.record_failure(162.0)
    assert breaker.is_open(163.0)
    breaker.record_success()
    assert not breaker.is_open(163.0)


def test_latency_is_that_of_the_last_calls() -> None:
    latency = Latency()
    assert latency.percentile(50) is None
    for ms in range(1, 301):
        latency.add(ms)
    assert (latency.calls, latency.percentile(50), latency.percentile(95)) == (300, 200, 290)
