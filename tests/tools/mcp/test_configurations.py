"""Configurations as apps and documentation write them, as files of any encoding, and what they refer to."""

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from core.errors import Refused
from core.tools.mcp.installed_apps import find_files, project_of
from core.tools.mcp.pasted_config import PastedConfig, read_pasted

BEE = {"mcpServers": {"bee": {"command": "bee-mcp", "args": ["--hive"]}}}
AS_TEXT = json.dumps(BEE)
ENCODED = base64.b64encode(json.dumps(BEE["mcpServers"]["bee"]).encode()).decode()
QUOTED = quote(json.dumps({"name": "bee", **BEE["mcpServers"]["bee"]}))


def fields_of(config: PastedConfig) -> list[dict[str, Any]]:
    """The fields of the servers, without those that are empty."""
    return [{name: value for name, value in each.fields.items() if value or value is False} for each in config.servers]


def notes_of(config: PastedConfig) -> list[str]:
    return [note.code for each in config.servers for note in each.notes]


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{AS_TEXT}\n```",
        f"Put this into its settings:\n\n> ```jsonc\n> {AS_TEXT}\n> ```\n\nand start it again.",
        f"~~~\n{AS_TEXT}",
        f"json\nCopy\n{AS_TEXT}\n",
        f"`{AS_TEXT}`",
        f"Add this to the file:\n{AS_TEXT}\nThen restart.",
        f"# App one\n```json\n{AS_TEXT}\n```\n# App two\n```json\n{AS_TEXT.replace('mcpServers', 'servers')}\n```\n",
        AS_TEXT.replace('"', "“"),
        AS_TEXT.replace('["--hive"]', "[„--hive“]"),
        AS_TEXT.replace(" ", "\u00a0"),
        AS_TEXT.replace("{", "{\u200b\u2003"),
        AS_TEXT.replace(":", "\uff1a").replace(",", "\uff0c"),
        AS_TEXT.replace('"', "'"),
        "{mcpServers: {bee: {command: 'bee-mcp', args: ['--hive'], /* more */ }, }, } // end",
        AS_TEXT.replace('"', "&quot;"),
        AS_TEXT.replace('"mcpServers"', "«mcpServers»").replace('"bee"', "\u2018bee\u2019"),
        repr({**BEE, "other": [None, True, False]}),
        json.dumps(AS_TEXT),
        AS_TEXT.replace('"mcpServers"', '\n  ...\n  "mcpServers"').replace("]}}}", "]}, … }}"),
        "1 {\n2 " + AS_TEXT[1:-1] + "\n3 }",
        "> " + AS_TEXT.replace(": {", ": {\n> "),
        AS_TEXT[:-2],
        AS_TEXT[1:-1],
        AS_TEXT[1:] + "}",
        '"bee": {"command": "bee-mcp", "args": ["--hive"]},',
        '{"bee": {"command": ["bee-mcp", "--hive"]}}',
        '{"mcpServers": {"bee": {"command": "bee-mcp", "args": ["\u2014hive"]}}}',
        "mcpServers:\n\tbee:\n\t\tcommand:\u00a0bee-mcp\n\t\targs: [--hive]\n",
        '[mcpServers.bee]\ncommand = “bee-mcp”\nargs = ["--hive"]\n',
        "$ claude mcp add --scope user bee -- bee-mcp --hive",
        "codex mcp add bee \\\n  -- bee-mcp \\\n  --hive",
        "gemini mcp add bee bee-mcp --hive",
        "q mcp add --name bee --command bee-mcp --args=--hive",
        f"code --add-mcp '{json.dumps({'name': 'bee', **BEE['mcpServers']['bee']})}'",
        f"claude mcp add-json bee '{json.dumps(BEE['mcpServers']['bee'])}'",
        f"cursor://anysphere.cursor-deeplink/mcp/install?name=bee&config={quote(ENCODED)}",
        f"[![Install](https://x.example/b.svg)](https://cursor.com/install-mcp?name=bee&config={ENCODED})",
        f"lmstudio://add_mcp?name=bee&config={ENCODED}",
        f"vscode:mcp/install?{QUOTED}",
        f"https://vscode.dev/redirect?url={quote('vscode:mcp/install?' + QUOTED, safe='')}",
        f"https://insiders.vscode.dev/redirect/mcp/install?name=bee&config={quote(json.dumps(BEE['mcpServers']['bee']))}",
        "goose://extension?cmd=bee-mcp&arg=--hive&name=bee",
    ],
)
def test_one_server_is_read_however_it_was_copied(text: str) -> None:
    assert fields_of(read_pasted(text)) == [{"name": "bee", "command": "bee-mcp", "args": ["--hive"]}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_is_read_in_the_encodings_of_editors(encoding: str) -> None:
    assert len(read_pasted(AS_TEXT.encode(encoding)).servers) == 1
    with pytest.raises(Refused, match="save it as UTF-8"):
        read_pasted('{"a": "é"}'.encode("latin-1"))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("npx -y @scope/some-mcp@1.2 --flag", {"command": "npx", "args": ["-y", "@scope/some-mcp@1.2", "--flag"]}),
        ("KEY='a b' uvx some-mcp", {"command": "uvx", "args": ["some-mcp"], "env": {"KEY": "a b"}}),
        ('export KEY="a"\npip install some-mcp\nsome-mcp', {"command": "some-mcp", "env": {"KEY": "a"}}),
        (r"C:\> C:\tools\some-mcp.exe --a", {"command": r"C:\tools\some-mcp.exe", "args": ["--a"]}),
        ("https://x.example/mcp?config=e30", {"url": "https://x.example/mcp?config=e30"}),
        (
            'claude mcp add --transport http x https://x.example/mcp --header "A: b"',
            {"url": "https://x.example/mcp", "headers": {"A": "b"}},
        ),
        (
            "codex mcp add x --url https://x.example/mcp --bearer-token-env-var NOT_SET_1",
            {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${NOT_SET_1}"}},
        ),
        (r'{"x": {"command": "C:\Users\new\x.exe"}}', {"command": r"C:\Users\new\x.exe"}),
        ('{"command": "npx -y some-mcp"}', {"command": "npx", "args": ["-y", "some-mcp"]}),
        ('{"command": "npx", "args": "-y \'some mcp\'"}', {"command": "npx", "args": ["-y", "some mcp"]}),
        ('{"command": "x", "env": ["A=b=c", "NO_A"]}', {"command": "x", "env": {"A": "b=c", "NO_A": "${NO_A:-}"}}),
        ('{"command": "x", "env": [{"name": "A", "value": 1}]}', {"command": "x", "env": {"A": "1"}}),
        ('{"url": "https://x.example", "command": "", "type": "Streamable-HTTP"}', {"url": "https://x.example"}),
        (
            '{"command": "docker", "args": ["run", "-e", "A_TOKEN", "-e", "B", "x"]}',
            {
                "command": "docker",
                "args": ["run", "-e", "A_TOKEN", "-e", "B", "x"],
                "env": {"A_TOKEN": "${A_TOKEN}", "B": "${B:-}"},
            },
        ),
        ("export KEY=a && npx -y @some/it", {"command": "npx", "args": ["-y", "@some/it"], "env": {"KEY": "a"}}),
        ('{"type": "mcp", "server_label": "x", "server_url": "https://x.example"}', {"url": "https://x.example"}),
        ('{"command": "x", "args": ["--port", 80, true]}', {"command": "x", "args": ["--port", "80", "true"]}),
        ('{"command": "x", "timeout": 90}', {"command": "x", "timeout_s": 90}),
        ('{"command": "x", "timeout": "9s", "active": 0}', {"command": "x", "timeout_s": 9}),
        ('{"command": "x", "enabled": "false"}', {"command": "x", "is_enabled": False}),
        ('{"mcp": {"x": {"command": ["x"], "timeout": 5000}}}', {"command": "x", "start_timeout_s": 5}),
    ],
)  # fmt: skip
def test_spellings_are_read_as_what_they_mean(text: str, fields: dict[str, Any]) -> None:
    (read,) = fields_of(read_pasted(text))
    del read["name"]
    assert read == fields


def test_what_cannot_be_used_is_left_out_with_its_reason_and_the_rest_is_offered() -> None:
    entries = {
        "part": {"source": "extension", "enabled": True, "settings": {"token": "t-1234567890abcdef"}},
        "good": {"source": "custom", "command": "npx", "args": None, "env": []},
        "old": {"url": "https://x.example/sse", "type": "sse"},
        "odd": {"command": {"exec": "x"}},
        "none": None,
        "far": {"url": "https://x.example/mcp", "headers": {}},
    }
    config = read_pasted(json.dumps({"context_servers": entries}))
    assert [each.fields["name"] for each in config.servers] == ["good", "far"]
    assert [(each.place.partition("/")[2], each.code) for each in config.left_out] == [
        ("part", "app_part"),
        ("old/type", "sse"),
        ("odd/command", "no_text"),
        ("none", "no_server"),
    ]
    assert "t-1234567890abcdef" not in repr(config)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[mcp_servers.x]\ncommand = npx", "line 2, column 11", "TOML"),
        ('{"x": {"command" "npx"}}', "line 1, column 18", "JSON"),
        ("{“x”: {“command”: npx}}", "line 1, column 19", "JSON"),
        ("mcpServers:\n  a: [", "line 2, column 7", "YAML"),
        ("npx 'some-mcp", "line 1, column 1", "command line"),
        ("npx -y @smithery/cli install x --client y", "line 1, column 1", "into another app"),
        ('{"command": {"exec": "x"}}', "server/command", "this is an object"),
        ("Hello there", "the whole", "no object|not an object"),
    ],
)
def test_what_cannot_be_read_is_named_for_what_it_looks_like(text: str, place: str, words: str) -> None:
    with pytest.raises(Refused, match=words) as refused:
        read_pasted(text)
    assert refused.value.parameters["problems"][0]["place"] == place


def test_what_changes_what_is_allowed_is_taken_over_or_noted() -> None:
    entry = {
        "command": "x",
        "tools": ["a", "b*"],
        "disabledTools": ["bad"],
        "alwaysAllow": ["a"],
        "oddKey": {"k": "s3cret"},
    }
    config = read_pasted(json.dumps({"mcpServers": {"x": entry, "all": {"command": "y", "tools": ["*"]}}}))
    x, everything = fields_of(config)
    assert (x["only_tools"], x["without_tools"]) == (["a", "b*"], ["bad"])
    assert "only_tools" not in everything
    assert notes_of(config) == ["only_tools", "without_tools", "approvals", "ignored"]
    assert not any("s3cret" in note.message for each in config.servers for note in each.notes)


def test_a_file_of_variables_is_read_and_a_missing_one_is_noted(tmp_path: Path) -> None:
    (tmp_path / "server.env").write_text('# a comment\nPROBE="demo value"\nexport OTHER=2\nPLAIN=0\n')
    entry = {"command": "x", "envFile": "${workspaceFolder}/server.env", "env": {"PLAIN": "1"}}
    config = read_pasted(json.dumps({"servers": {"x": entry}}), tmp_path)
    assert config.servers[0].fields["env"] == {"PROBE": "demo value", "OTHER": "2", "PLAIN": "1"}
    assert notes_of(config) == ["env_file"]
    for folder in (tmp_path / "other", None):
        config = read_pasted(json.dumps({"servers": {"x": entry}}), folder)
        assert config.servers[0].fields["env"] == {"PLAIN": "1"}
        assert notes_of(config) == ["env_file_missing"]


def test_relative_things_begin_in_the_folder_of_the_text() -> None:
    entry = {"command": "./bin/x", "args": [".", "--root=${workspaceFolder}"]}
    config = read_pasted(json.dumps({"servers": {"x": entry}}), Path("/p"))
    assert fields_of(config) == [{"name": "x", "command": "/p/bin/x", "args": [".", "--root=/p"], "cwd": "/p"}]
    assert notes_of(config) == ["relative"]
    config = read_pasted(json.dumps({"servers": {"x": {**entry, "cwd": "sub"}}}), Path("/p"))
    assert (config.servers[0].fields["command"], config.servers[0].fields["cwd"]) == ("/p/sub/bin/x", "/p/sub")
    config = read_pasted(json.dumps({"servers": {"x": entry}}))
    assert notes_of(config) == ["relative_nowhere"]
    assert [each.id for each in config.inputs] == ["workspaceFolder"]


def test_what_nothing_here_knows_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_HERE", "yes")
    env = {"OWN": "1", "A": "${NOT_SET_1}", "B": "${SET_HERE}", "C": "${NOT_SET_2:-x}", "D": "{env:NOT_SET_3}"}
    args = ["${OWN}", "$NOT_SET_4", "%NOT_SET_5%", "${command:pick}", "${input:id}", "<your-key>", "a$b", "100%"]
    config = read_pasted(json.dumps({"x": {"command": "x", "args": args, "env": env}}))
    asked = {each.id: each.is_optional for each in config.inputs}
    assert asked == {
        **dict.fromkeys(("NOT_SET_1", "NOT_SET_3", "NOT_SET_4", "NOT_SET_5", "<your-key>"), True),
        **dict.fromkeys(("command:pick", "id"), False),
    }
    with pytest.raises(Refused, match="command:pick, id"):
        config.filled({})
    filled, _ = config.filled({"command:pick": "p", "id": "i", "NOT_SET_4": "four", "<your-key>": "k"})
    assert filled.servers[0].fields["args"] == ["${OWN}", "four", "%NOT_SET_5%", "p", "i", "k", "a$b", "100%"]
    script = {"command": "sh", "args": ["-c", "exec ${NOT_SET_6} $X"]}
    assert read_pasted(json.dumps({"x": script})).inputs == ()


def test_files_of_installed_apps_and_of_projects_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    for file in (home / ".codex/config.toml", home / ".claude.json", project / ".vscode/mcp.json", project / "x.json"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    found = {(each.app, each.path.relative_to(tmp_path).as_posix(), each.project) for each in find_files([project])}
    assert found == {
        ("Codex", "home/.codex/config.toml", None),
        ("Claude Code", "home/.claude.json", None),
        ("VS Code", "project/.vscode/mcp.json", project),
    }
    assert project_of(project / ".vscode/mcp.json") == project
    assert project_of(home / ".codex/config.toml") is None
    assert project_of(project / "x.json") is None
