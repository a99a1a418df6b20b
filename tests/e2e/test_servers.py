"""MCP servers from the command line: added once what runs was agreed to, called by templates and agents, killed."""

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.domain.text.masking import MASK
from tests.support.command_line import CommandLine, write_template
from tests.support.mcp_rig import HOSTILE, START_S, needs_others, node_server, programs, python_server
from tests.support.oauth_server import oauth_server
from tests.support.waiting import wait_until

STEPS: list[dict[str, Any]] = [
    {"name": "now", "action": {"toolName": "mcp__time__get_current_time"}, "input": {"timezone": "Asia/Tokyo"}},
    {"name": "sum", "action": {"toolName": "mcp__everything__get-sum"}, "input": {"a": 20, "b": 22}},
    {
        "name": "both",
        "action": {"code": "export default ({now, sum}) => ({zone: now.timezone, has: sum.includes('42')})"},
        "input": {"now": "@now", "sum": "@sum"},
    },
    {"name": "end", "action": {"return": True}, "input": "@both"},
]
SECRET = "sk-proj-0123456789abcdef0123"


@pytest.fixture
def line(tmp_path: Path) -> Iterator[CommandLine]:
    yield CommandLine(tmp_path / "data")
    if sys.platform == "linux":
        assert programs(tmp_path) == []


def config(path: Path, **servers: dict[str, Any]) -> str:
    ours = {"start_timeout_s": "startup_timeout_sec"}
    named = {name: {ours.get(key, key): value for key, value in one.items()} for name, one in servers.items()}
    path.write_text(json.dumps({"mcpServers": named}))
    return str(path)


def hostile(behaviour: str, *args: Path, **more: Any) -> dict[str, Any]:
    words = [str(HOSTILE), behaviour, *map(str, args)]
    return {"command": sys.executable, "args": words, "startup_timeout_sec": START_S, **more}


def test_nothing_is_added_before_what_runs_was_agreed_to(line: CommandLine, tmp_path: Path) -> None:
    file = config(tmp_path / "c.json", x=hostile("good", env={"API_KEY": SECRET, "LEVEL": "1"}))
    refused = line("servers", "add", file)
    assert refused.code == 2
    assert refused.last["error"]["code"] == "not_confirmed"
    (runs,) = refused.last["error"]["servers"]
    assert (runs["command"], runs["env"]) == (sys.executable, ["API_KEY", "LEVEL"])
    added = line("servers", "add", file, "--yes")
    assert added.code == 0
    assert added.last["state"] == "running"
    assert "mcp__x__once" in added.last["tools"]
    holders = [path for path in line.data.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert [path.name for path in holders] == ["keys.json"]
    assert SECRET not in added.out + refused.out + added.err
    assert line("servers", "remove", "x").last == {"removed": "x"}
    assert SECRET not in (line.data / "keys.json").read_text()


NAMES = (
    *("DB_PASS", "PGPASSWORD", "SMTP_PASS", "GITHUB_PAT", "OPENAI_KEY", "ANTHROPIC_KEY", "MASTER_KEY", "STORAGE_KEY"),
    *("SENTRY_DSN", "CONNECTION_STRING", "PLAIN_NAME", "X"),
)
CANARIES = {name: f"cnry{number}-qzx" for number, name in enumerate(NAMES)}
ARGUMENTS = {
    "host=db.example user=app password=Gr4nite&7 dbname=shop": "Gr4nite&7",
    "X-Api-Key: k9f8e7d6c5b4a3": "k9f8e7d6c5b4a3",
    "mysql --password Gr4phite8": "Gr4phite8",
    "--dsn=postgresql://app:S1lver-x@db/x": "S1lver-x",
    "Server=db;Password=C0pper9;Encrypt=true": "C0pper9",
}


def test_no_value_of_a_variable_or_a_header_and_no_secret_of_an_argument_is_stored_or_printed(
    line: CommandLine, tmp_path: Path
) -> None:
    """The server repeats them in its tools, its errors, its progress and its stderr."""
    canaries = [*CANARIES.values(), *ARGUMENTS.values(), "header-canary-77"]
    program = hostile("repeats", tmp_path / "trace", env={**CANARIES, "TELLS": ",".join(NAMES), "LOG_LEVEL": "debug"})
    program["args"] += [*ARGUMENTS, "--header", "--token"]
    far = {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Odd": "header-canary-77"}, "startup_timeout_sec": 2}
    file = config(tmp_path / "c.json", x=program, far=far)
    refused = line("servers", "add", file)
    shown = {runs["name"]: runs for runs in refused.last["error"]["servers"]}
    assert "host=db.example user=app password=" in "".join(shown["x"]["args"])
    assert shown["x"]["values"] == {"LOG_LEVEL": "debug"}
    said = [refused, line("servers", "add", file, "--yes"), line("servers", "list"), line("servers", "test", "x")]
    said.append(line("chat", "/tool mcp__x__tell {}", "--mode", "auto", "--events"))
    (made,) = said[-1].last["tool_calls"]
    assert "FATAL" in made["error"]["message"]
    said += [line("show", said[-1].last["run_id"]), line("events", said[-1].last["run_id"])]
    for each in said:
        assert [canary for canary in canaries if canary in each.out + each.err] == []
    assert [one["tools"] for one in line("servers", "list").lines] == [[], ["mcp__x__tell"]]
    for path in line.data.rglob("*"):
        if path.is_file() and path.name != "keys.json":
            data = path.read_bytes()
            assert [canary for canary in canaries if canary.encode() in data] == [], path
    stored = json.loads((line.data / "keys.json").read_text())["keys"].values()
    assert set(CANARIES.values()) <= set(stored)


def test_variables_that_make_other_code_run_are_shown_with_a_warning(line: CommandLine, tmp_path: Path) -> None:
    changing = {"PYTHONPATH": "/srv/evil", "LD_PRELOAD": "/srv/evil/x.so", "NODE_OPTIONS": "--require /srv/evil/x.js"}
    proxy = {"HTTPS_PROXY": "http://ann:pa55word@proxy:1"}
    file = config(tmp_path / "c.json", x=hostile("good", env={**changing, **proxy, "OTHER": "hidden-one"}))
    error = line("servers", "add", file).last["error"]
    (runs,) = error["servers"]
    assert runs["values"] == {**changing, "HTTPS_PROXY": f"http://ann:{MASK}@proxy:1"}
    assert runs["changes_code"] == sorted({*changing, *proxy})
    assert "LD_PRELOAD" in error["message"]
    assert "Warning" in error["message"]


def test_a_file_of_an_editor_is_added_in_its_folder_and_a_known_name_refuses_no_other(
    line: CommandLine, tmp_path: Path
) -> None:
    """Saved as UTF-16 with its mark, by an app that starts its servers in the project."""
    one = {"command": sys.executable, "args": [str(HOSTILE), "good", "."], "disabled": True}
    (tmp_path / ".vscode").mkdir()
    file = tmp_path / ".vscode" / "mcp.json"
    file.write_bytes(json.dumps({"servers": {"one": one, "odd": {"command": []}}}).encode("utf-16"))
    shown = line("servers", "add", str(file)).last["error"]
    assert shown["servers"][0]["cwd"] == str(tmp_path)
    assert "relative to" in shown["servers"][0]["notes"][0]
    added = line("servers", "add", str(file), "--yes")
    assert (added.code, added.lines[0]["state"], added.last["left_out"][0]["place"]) == (1, "disabled", "servers/odd")
    file.write_text(json.dumps({"servers": {"one": {**one, "args": ["-V"]}, "two": one}}), "utf-8-sig")
    again = line("servers", "add", str(file), "--yes", "--replace")
    assert (again.code, [each["args"][-1] for each in again.lines]) == (0, ["-V", "."])


@needs_others
def test_a_template_with_two_servers_side_by_side_runs(line: CommandLine, tmp_path: Path) -> None:
    servers = {
        "time": python_server("mcp-server-time"),
        "everything": node_server("mcp-server-everything"),
    }
    assert line("servers", "add", config(tmp_path / "c.json", **servers), "--yes").code == 0
    file = write_template(
        tmp_path / "t.json",
        *STEPS,
    )
    wrong = write_template(tmp_path / "w.json", *STEPS, {"name": "a", "action": {"toolName": "mcp__time__no_such"}})
    (problem,) = line("validate", wrong).last["problems"]
    assert (problem["code"], problem["step"], problem["severity"]) == ("unknown_tool", "a", "warning")
    ran = line("run", file, "--events")
    assert ran.code == 0, ran.last
    assert ran.last["output"] == {"zone": "Asia/Tokyo", "has": True}
    order = [event["type"] for event in ran.lines if event["type"] in ("tool_start", "tool_end")]
    assert order == ["tool_start", "tool_start", "tool_end", "tool_end"]
    call = '/tool mcp__everything__echo {"message": "hi there"}'
    assert "hi there" in line("chat", call).out


def test_after_a_kill_calls_go_on_as_their_annotations_say(line: CommandLine, tmp_path: Path) -> None:
    trace, copy = tmp_path / "trace", tmp_path / "copy"
    assert line("servers", "add", config(tmp_path / "c.json", x=hostile("hold", trace)), "--yes").code == 0
    file = write_template(
        tmp_path / "t.json",
        *({"name": name, "action": {"toolName": f"mcp__x__{name}"}} for name in ("read", "once")),
    )
    process = line.start("run", file)
    wait_until(lambda: trace.exists() and trace.read_text().count("call") == 1)  # the server takes one call at a time
    wait_until(lambda: len(programs(trace)) == 1)
    time.sleep(0.5)  # the other call is on its way too
    process.send_signal(signal.SIGKILL)
    process.communicate()
    Path(f"{trace}.release").touch()
    wait_until(lambda: programs(trace) == [])  # it sees that its stdin was closed
    trace.rename(copy)
    resumed = line("resume")
    assert resumed.code == 3, resumed.last
    last = resumed.last
    assert last["steps"]["read"]["status"] == "completed"
    assert last["steps"]["read"]["output"] == "held"
    (asked,) = [one for one in last["interruptions"] if one["status"].startswith("awaiting")]
    assert (asked["kind"], asked["step"]) == ("outcome", "once")
    assert "call once" not in trace.read_text()  # what may have had its effect waits for a person
    answered = line("answer", last["run_id"], json.dumps({"action": "approve"}))
    assert answered.code == 0
    assert answered.last["output"] == {"read": "held", "once": "held"}
    assert trace.read_text().count("call once") == 1


def test_a_server_that_cannot_start_is_told_until_it_can_and_can_be_changed(line: CommandLine, tmp_path: Path) -> None:
    added = line("servers", "add", config(tmp_path / "c.json", dead={"command": "no-such-program-x"}), "--yes")
    assert (added.code, added.last["state"]) == (1, "failed")
    listed = line("servers", "list").last
    assert (listed["state"], listed["error"]["cause"]) == ("failed", "command_not_found")
    assert listed["error"]["at"]
    assert line("servers", "edit", "dead").last["error"]["code"] == "bad_input"
    words = [f"--arg={word}" for word in (str(HOSTILE), "echo", str(tmp_path / "calls"))]
    edited = line(
        "servers", "edit", "dead", "--name", "alive", "--command", sys.executable, *words, "--env", f"KEY={SECRET}"
    )
    assert edited.last["state"] == "unconfirmed"
    again = line(
        "servers", "edit", "alive", "--timeout", "7", "--unset-env", "KEY", "--env", "LEVEL=2", "--tools", "e*", "--yes"
    )
    assert (again.code, again.last["state"], again.last["env"]) == (0, "running", ["LEVEL"])
    shown = line("servers", "show", "alive").last
    assert (shown["error"], shown["timeout_s"], shown["state"]) == (None, 7, "stopped")
    assert (shown["only_tools"], shown["without_tools"]) == (["e*"], [])
    assert SECRET not in (line.data / "keys.json").read_text()
    assert line("servers", "disable", "alive").last["state"] == "disabled"
    assert line("servers", "list").last["state"] == "disabled"
    assert line("servers", "enable", "alive").last["state"] in ("stopped", "starting", "running")


def test_a_server_that_asks_for_a_sign_in_is_signed_in_to_and_out_of(line: CommandLine) -> None:
    browser = f"{sys.executable} -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1]).close()' %s"
    with oauth_server() as server:
        config = json.dumps({"mcpServers": {"guarded": {"url": f"{server.origin}/mcp"}}})
        added = line("servers", "add", "-", "--yes", stdin=config)
        assert (added.code, added.last["state"]) == (1, "signed_out")
        signed = line("servers", "sign-in", "guarded", BROWSER=browser)
        assert (signed.code, signed.last["state"], signed.last["tools"]) == (0, "running", ["mcp__guarded__look"])
        assert f"{server.origin}/authorization?" in json.loads(signed.err.splitlines()[0])["sign_in"]
        assert line("servers", "test", "guarded").code == 0
        assert line("servers", "sign-out", "guarded").code == 0
        again = line("servers", "test", "guarded")
        assert (again.code, again.last["error"]["cause"]) == (1, "sign_in")
