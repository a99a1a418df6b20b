"""MCP servers of the user: shown before they run, stored without secrets, with distinct failures."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.consent import Rule
from core.domain.ids import ServerId
from core.domain.interruption import Action, Answer, InterruptionKind
from core.domain.mcp_server import McpServer, ServerState, ServerStatus
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from core.domain.text.masking import MASK
from core.ports import Put
from core.services.mcp_drafts import Choice
from core.services.outcome import Failed, Ok
from core.tools.mcp import tool_list
from core.tools.own_places import OwnPlaces
from core.wiring import run_core
from tests.support.command_line import write_template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.mcp_rig import HOSTILE, START_S, hostile, programs

pytestmark = pytest.mark.usefixtures("bare")

SECRET = "sk-proj-0123456789abcdef0123"


@pytest.fixture
def storage() -> InMemoryStorage:
    return InMemoryStorage()


@pytest.fixture
async def core(storage: InMemoryStorage, tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        yield core
    if sys.platform == "linux":
        assert programs(tmp_path) == []


def ok(answer: Any) -> Any:
    assert isinstance(answer, Ok), answer
    return answer.data


def failed(answer: Any) -> Failed:
    assert isinstance(answer, Failed), answer
    return answer


async def added(core: Core, text: str, inputs: dict[str, str] | None = None, **more: Any) -> list[ServerStatus]:
    found: list[ServerStatus] = ok(await core.servers.add(ok(await core.servers.read(text)), inputs, **more))
    return found


async def server(core: Core, behaviour: str, file: Path, name: str = "x") -> ServerStatus:
    made = ok(await core.servers.save(name=name, confirmed=True, **hostile(behaviour, file)))
    status: ServerStatus = ok(await core.servers.test(made.server.id))
    return status


def pasted(*words: str, **more: Any) -> str:
    return json.dumps({"mcpServers": {"x": {"command": sys.executable, "args": [str(HOSTILE), *words], **more}}})


async def test_a_server_waits_for_confirmation_and_again_after_a_change(core: Core, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    (one,) = await added(core, pasted("good", str(trace), startup_timeout_sec=START_S))
    assert one.state is ServerState.UNCONFIRMED
    assert failed(await core.servers.test(one.server.id)).code == "not_allowed"
    assert not trace.exists()
    assert ok(await core.servers.confirm(one.server.id, one.server.fingerprint)).server.is_confirmed
    assert ok(await core.servers.test(one.server.id)).state is ServerState.RUNNING
    changed = ok(await core.servers.save(one.server.id, args=[str(HOSTILE), "good", str(trace), "more"]))
    assert changed.state is ServerState.UNCONFIRMED
    assert failed(await core.servers.test(one.server.id)).code == "not_allowed"
    assert failed(await core.servers.confirm(one.server.id, one.server.fingerprint)).code == "changed"
    assert [info.name for info in changed.tools][:1] == ["mcp__x__read"]  # they stay known


_WITH_SECRETS = """{
  // from another app
  "servers": {
    "p": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${input:t}"}},
    "q": {"command": "q", "args": ["--api-key", "SECRET"], "env": {"DB_PASSWORD": "pässword-of-mine", "LEVEL": "2"},},
  },
  "inputs": [{"type": "promptString", "id": "t", "description": "The token", "password": true}],
}"""


async def test_secrets_are_in_the_file_of_keys_alone_and_reach_the_server(
    core: Core, storage: InMemoryStorage, tmp_path: Path
) -> None:
    text = _WITH_SECRETS.replace("SECRET", SECRET)
    needed = failed(await core.servers.add(ok(await core.servers.read(text))))
    assert (needed.code, needed.details["inputs"][0]["id"]) == ("input_needed", "t")
    p, q = await added(core, text, {"t": "a-token-that-was-typed"})
    kept = json.loads((tmp_path / "keys.json").read_text())["keys"]
    values = {"Bearer a-token-that-was-typed", SECRET, "pässword-of-mine"}
    assert set(kept.values()) == {*values, "2"}
    stored = repr(await storage.servers.all())
    assert not any(value in stored or value in repr((p, q)) for value in (*values, "a-token-that-was-typed"))
    launch = await core.servers.launch_of(q.server)
    assert launch.args == ("--api-key", SECRET)
    assert launch.env == {"DB_PASSWORD": "pässword-of-mine", "LEVEL": "2"}
    same = ok(await core.servers.save(q.server.id, cwd=str(tmp_path)))  # values that are shown masked stay
    assert (await core.servers.launch_of(same.server)).env["DB_PASSWORD"] == "pässword-of-mine"
    other = ok(await core.servers.save(q.server.id, env={"DB_PASSWORD": "another-one"}, args=[]))
    assert (await core.servers.launch_of(other.server)).env == {"DB_PASSWORD": "another-one"}
    ok(await core.servers.remove(p.server.id))
    assert set(json.loads((tmp_path / "keys.json").read_text())["keys"].values()) == {"another-one"}


async def test_a_value_is_part_of_what_was_agreed_to_unless_it_is_a_secret(core: Core) -> None:
    """A rotated key asks for nothing; a changed path of libraries, or a folder, does."""
    env = {"API_KEY": "one-key", "PYTHONPATH": "/srv/a", "DATA_DIR": "/srv/data"}
    made = ok(await core.servers.save(name="x", confirmed=True, command="c", env=env))
    assert made.server.env == dict.fromkeys(env, MASK)
    same = ok(await core.servers.save(made.server.id, env={**made.server.env, "API_KEY": "another-key"}))
    assert same.server.is_confirmed
    for changed in ({"PYTHONPATH": "/srv/evil"}, {"DATA_DIR": "/"}, {"LD_PRELOAD": "/srv/x.so"}):
        again = ok(await core.servers.save(made.server.id, env={**made.server.env, **changed}))
        assert not again.server.is_confirmed, changed
        described = core.servers.describe(made.server.id)
        assert changed.items() <= described["values"].items()
        assert "another-key" not in repr(described)
        ok(await core.servers.confirm(made.server.id, again.server.fingerprint))
        made = ok(await core.servers.save(made.server.id, confirmed=True, env=env))


@pytest.mark.parametrize("is_confirmed", [True, False])
async def test_values_that_an_older_version_stored_in_clear_are_moved_at_the_start(
    storage: InMemoryStorage, tmp_path: Path, is_confirmed: bool
) -> None:
    env = {"ODD": "canary-in-clear", "PYTHONPATH": "/srv/lib", "REF": "${HOME}"}
    old = McpServer(id=ServerId("x"), name="x", command="c", env=env)
    far = McpServer(id=ServerId("y"), name="y", url="http://x.example/", headers={"X-A": "canary-header"})
    rows = [row.model_copy(update={"confirmed": row.fingerprint if is_confirmed else None}) for row in (old, far)]
    await storage.commit([Put(row) for row in rows])
    for _ in range(2):  # the second start has nothing left to do
        async with run_core(storage, key_file=tmp_path / "keys.json") as core:
            assert [one.server.is_confirmed for one in core.servers.states] == [is_confirmed] * 2
            assert "canary" not in repr(await storage.servers.all())
            server = core.servers.get(ServerId("x")).server
            assert (await core.servers.launch_of(server)).env["ODD"] == "canary-in-clear"
            assert (await core.servers.launch_of(server)).env["PYTHONPATH"] == "/srv/lib"
            assert server.env["REF"] == "${HOME}"


async def test_without_a_place_for_keys_an_older_server_goes_on_as_it_is(storage: InMemoryStorage) -> None:
    old = McpServer(id=ServerId("x"), name="x", command="c", env={"A": "b"})
    await storage.commit([Put(old)])
    async with run_core(storage) as core:
        assert (await core.servers.launch_of(core.servers.states[0].server)).env == {"A": "b"}


async def test_no_server_works_in_the_apps_own_folders(storage: InMemoryStorage, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    async with run_core(storage, key_file=tmp_path / "keys.json", own=OwnPlaces([tmp_path / "data"])) as core:
        for number, folder in enumerate(("data", "link", "data/../link")):
            server = {**hostile("good"), "cwd": str(tmp_path / folder)}
            made = ok(await core.servers.save(name=f"x{number}", confirmed=True, **server))
            assert "Metier itself" in failed(await core.servers.test(made.server.id)).message


async def test_a_server_whose_list_cannot_be_read_does_not_seem_to_run_without_tools(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(written: Any, schemas: Any) -> None:
        raise ImportError("cannot import name from partially initialized module")

    with monkeypatch.context() as patched:
        patched.setattr(tool_list, "_usable", broken)
        made = ok(await core.servers.save(name="x", confirmed=True, **hostile("good", tmp_path / "trace")))
        await core.servers.test(made.server.id)
    status = core.servers.get(made.server.id)
    assert status.state is ServerState.FAILED
    assert status.error is not None
    assert "cannot be read" in status.error.message
    assert len(ok(await core.servers.test(made.server.id)).tools) == 7


async def test_each_way_to_fail_has_its_own_words_and_harms_no_other_server(core: Core, tmp_path: Path) -> None:
    told = []
    changes: list[Sequence[ServerStatus]] = []
    core.servers.changed.connect(lambda: changes.append(core.servers.states))
    ways: dict[str, dict[str, Any]] = {
        "missing": {"command": "no-such-command"},
        "exits": hostile("exits", tmp_path / "a"),
        "silent": {**hostile("silent", tmp_path / "b"), "start_timeout_s": 2},
        "future": hostile("future", tmp_path / "c"),
    }
    made = [ok(await core.servers.save(name=name, confirmed=True, **way)) for name, way in ways.items()]
    results = await asyncio.gather(*(core.servers.test(one.server.id) for one in made))
    for result, name in zip(results, ways, strict=True):
        failure = failed(result)
        assert name in failure.message
        assert failure.details["runs"]["command"]
        told.append((failure.details["cause"], failure.message))
    assert [cause for cause, _ in told] == ["command_not_found", "exited", "silent", "protocol"]
    assert len({message for _, message in told}) == 4
    assert failed(results[0]).details["path"]
    assert failed(results[1]).details["exit_code"] == 1
    assert failed(results[1]).details["stderr"] == ["first line", "second line", "third line"]
    good = await server(core, "banner", tmp_path / "d", "banner")
    assert good.state is ServerState.RUNNING
    states = {one.server.name: one.state for one in core.servers.states}
    assert states == {**dict.fromkeys(ways, ServerState.FAILED), "banner": ServerState.RUNNING}
    assert {one.server.name: one.state for one in changes[-1]} == states
    assert "Welcome" in "".join(core.servers.log(good.server.id))


async def test_what_a_server_offered_is_known_before_it_runs_again(storage: InMemoryStorage, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        first = await server(core, "good", trace)
    started = trace.read_text().count("started")
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        (again,) = core.servers.states
        assert (again.state, again.tools) == (ServerState.STOPPED, first.tools)
        assert trace.read_text().count("started") == started
        file = write_template(tmp_path / "t.json", {"name": "a", "action": {"toolName": "mcp__x__odd_name_1"}})
        template = ok(await core.templates.find(file))
        off = ok(await core.servers.enable(again.server.id, enabled=False))
        assert (off.state, list(off.tools)) == (ServerState.DISABLED, [])
        run = ok(await core.runs.start(template, {}))
        await core.engine.wait(run.id)
        error = ok(await core.runs.describe(run.id))["error"]
        assert (error["code"], "switched off" in error["message"]) == ("not_registered", True)


async def test_a_call_in_a_run_asks_for_consent_and_a_servers_question_is_the_runs(core: Core, tmp_path: Path) -> None:
    await server(core, "ask", tmp_path / "trace")
    file = write_template(tmp_path / "t.json", {"name": "a", "action": {"toolName": "mcp__x__once"}})
    template = ok(await core.templates.find(file))
    run = ok(await core.runs.start(template, {}, mode=ValidationMode.SELECTIVE))
    answers = [
        (InterruptionKind.TOOL_APPROVAL, Answer(Action.APPROVE)),
        (InterruptionKind.ELICITATION, Answer(Action.SUBMIT, {"colour": "blue", "count": 3})),
    ]
    wrong = Answer(Action.SUBMIT, {"colour": "green", "count": 0})
    for kind, answer in answers:
        await core.engine.wait(run.id)
        line = ok(await core.runs.describe(run.id))
        assert line["status"] == RunStatus.WAITING, line
        assert line["interruptions"][0]["kind"] == kind
        if kind is InterruptionKind.ELICITATION:
            refused = failed(await core.runs.answer(run.id, wrong))
            assert {each["path"] for each in refused.details["violations"]} == {"/colour", "/count"}
        ok(await core.runs.answer(run.id, answer))
    await core.engine.wait(run.id)
    line = ok(await core.runs.describe(run.id))
    assert json.loads(line["output"]) == {"action": "accept", "content": {"colour": "blue", "count": 3}}


async def test_a_crash_in_a_run_fails_what_only_reads_and_asks_about_the_rest(core: Core, tmp_path: Path) -> None:
    await server(core, "crash", tmp_path / "trace")
    line: dict[str, Any] = {}
    for tool, status in (("read", RunStatus.ERROR), ("once", RunStatus.WAITING)):
        file = write_template(tmp_path / "t.json", {"name": "a", "action": {"toolName": f"mcp__x__{tool}"}})
        run = ok(await core.runs.start(ok(await core.templates.find(file)), {}, mode=ValidationMode.AUTO))
        await core.engine.wait(run.id)
        line = ok(await core.runs.describe(run.id))
        assert line["status"] == status
    assert line["interruptions"][0]["kind"] == InterruptionKind.OUTCOME
    (state,) = core.servers.states
    assert state.error is not None
    assert "exit code 3" in state.error.message


async def test_names_are_unique_and_invalid_servers_are_refused(core: Core) -> None:
    first = ok(await core.servers.save(name="My  Server!", command="x"))
    assert (first.server.name, first.server.id) == ("My Server!", "my_server")
    second = ok(await core.servers.save(name="my server?", command="x"))
    assert second.server.id == "my_server_2"
    assert failed(await core.servers.save(name="MY SERVER!", command="y")).code == "name_taken"
    for fields in (
        {"name": "", "command": "x"},
        {"name": "n"},
        {"name": "n", "command": "x", "url": "http://x"},
        {"name": "n", "url": "ftp://x"},
        {"name": "n", "command": "a\0b"},
        {"name": "n", "url": "http://x", "headers": {"A": "b\r\nC: d"}},
        {"name": "n", "command": "x", "env": {"A=B": "c"}},
    ):
        assert failed(await core.servers.save(**fields)).code == "bad_input", fields
    assert failed(await core.servers.test(ServerId("none"))).code == "not_found"
    assert len(core.servers.states) == 2


async def test_a_removed_server_takes_its_exceptions_along_and_can_be_put_back(core: Core, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"command": "x", "env": {"A": "a-value", "B_TOKEN": SECRET}}
    made = ok(await core.servers.save(name="one", more_secret=["env/A"], **fields))
    assert set(json.loads((tmp_path / "keys.json").read_text())["keys"].values()) == {"a-value", SECRET}
    for name in ("mcp__one", "mcp__one__read", "mcp__one_more__read", "wait"):
        ok(await core.consent.set_exception(name, Rule.ALLOW))
    ok(await core.servers.remove(made.server.id))
    assert set(core.consent.exceptions) == {"mcp__one_more__read", "wait"}
    assert json.loads((tmp_path / "keys.json").read_text())["keys"] == {}
    assert ok(await core.servers.restore(made.server.id)) == made
    assert (await core.servers.launch_of(made.server)).env == fields["env"]
    assert len(core.consent.exceptions) == 4
    assert failed(await core.servers.restore(made.server.id)).code == "not_found"


async def test_the_preview_shows_what_would_be_added_and_its_problems(core: Core) -> None:
    ok(await core.servers.save(name="Taken", command="x"))
    servers = {
        "taken": {"command": "x"},
        "bad": {"url": "ftp://x"},
        "good": {"command": "y", "args": ["--key", SECRET]},
    }
    looked = ok(await core.servers.preview(json.dumps({"mcpServers": servers})))
    assert [one.problem.code if one.problem else None for one in looked.servers] == ["name_taken", "bad_input", None]
    assert SECRET not in repr([one.runs for one in looked.servers])
    assert failed(await core.servers.add(looked.pasted)).details["problems"][0]["code"] == "name_taken"
    assert len(core.servers.states) == 1
    many = [{"id": str(at)} for at in range(201)]
    problems = failed(await core.servers.preview(json.dumps({"servers": {"a": {}}, "inputs": many}))).details[
        "problems"
    ]
    assert [(one["place"], one["code"]) for one in problems] == [
        ("inputs", "too_many_inputs"),
        ("servers/a", "neither"),
    ]


async def test_servers_whose_name_is_taken_are_replaced_renamed_or_skipped(core: Core) -> None:
    (one,) = await added(
        core, '{"mcpServers": {"one": {"command": "x", "env": {"A_KEY": "first-value"}}}}', confirmed=True
    )
    text = '{"mcpServers": {"One": {"command": "y", "env": {"B": "second-value"}}, "two": {"command": "z"}}}'
    looked = ok(await core.servers.preview(text))
    assert [each.is_name_taken for each in looked.servers] == [True, False]
    place = "mcpServers/One"
    (two,) = ok(await core.servers.add(looked.pasted, {}, {place: Choice.SKIP}))
    assert two.server.name == "two"
    ok(await core.servers.remove(two.server.id))
    renamed = ok(await core.servers.add(looked.pasted, {}, {place: Choice.RENAME}))
    assert [each.server.name for each in renamed] == ["One (2)", "two"]
    for each in renamed:
        ok(await core.servers.remove(each.server.id))
    replaced, _ = ok(await core.servers.add(looked.pasted, {}, {place: Choice.REPLACE}))
    assert (replaced.server.id, replaced.server.command, replaced.state) == (
        one.server.id,
        "y",
        ServerState.UNCONFIRMED,
    )
    assert (await core.servers.launch_of(replaced.server)).env == {"B": "second-value"}
    assert len(core.servers.states) == 2


async def test_what_is_not_set_is_named_before_anything_is_sent_and_can_be_filled_in(
    core: Core, tmp_path: Path
) -> None:
    text = json.loads(pasted("good", str(tmp_path / "trace"), startup_timeout_sec=START_S, env={"A": "x ${NOT_SET_4}"}))
    far = {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer ${NOT_SET_5}", "X": "$NOT_SET_6"}}
    text["mcpServers"]["far"] = far
    x, other = await added(core, json.dumps(text), confirmed=True)
    for status, names in ((x, ["NOT_SET_4"]), (other, ["NOT_SET_5", "NOT_SET_6"])):
        refused = failed(await core.servers.test(status.server.id))
        assert all(name in refused.message for name in names)
        error = core.servers.get(status.server.id).error
        assert error is not None
        assert (error.parameters["cause"], error.parameters["variables"]) == ("variables", names)
    assert not (tmp_path / "trace").exists()
    filled = ok(await core.servers.fill_in(x.server.id, {"NOT_SET_4": "typed-in"}))
    assert filled.server.is_confirmed
    assert ok(await core.servers.test(x.server.id)).state is ServerState.RUNNING
    assert (await core.servers.launch_of(filled.server)).env == {"A": "x typed-in"}
    assert "typed-in" not in repr(filled.server)


async def test_only_the_tools_that_the_configuration_lists_are_offered(core: Core, tmp_path: Path) -> None:
    entry = pasted(
        "good", str(tmp_path / "trace"), startup_timeout_sec=START_S, tools=["re*", "once"], disabledTools=["once"]
    )
    (x,) = await added(core, entry, confirmed=True)
    assert [info.name for info in ok(await core.servers.test(x.server.id)).tools] == ["mcp__x__read"]
