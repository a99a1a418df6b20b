"""Configurations of other apps, names that models accept, and which values are secrets."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.mcp_server import find_secrets, masked_config
from core.domain.text.masking import MASK
from core.errors import Refused
from core.tools.mcp.pasted_config import PastedConfig, read_pasted
from core.tools.mcp.tool_list import make_server_id, tool_names

GOOSE = """
extensions:
  developer: {type: builtin, enabled: true}
  gh:
    type: stdio
    cmd: npx
    args: [-y, server-github]
    env_keys: [GITHUB_TOKEN]
    enabled: false
  web:
    type: streamable_http
    uri: https://x.example/mcp
"""


def one(text: str) -> dict[str, object]:
    (server,) = read_pasted(text).servers
    return dict(server.fields)


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as refused:
        read_pasted(text)
    assert refused.value.code == "bad_config"
    return [(problem["place"], problem["message"]) for problem in refused.value.parameters["problems"]]


def test_comments_and_trailing_commas_are_forgiven_and_texts_keep_what_looks_like_them() -> None:
    text = (
        '\ufeff/* a */ {"mcpServers": { // b\n "x": {"command": "c", "args": ["http://a//b", "/* no */", ",]",],},},}'
    )
    assert one(text) == {"name": "x", "command": "c", "args": ["http://a//b", "/* no */", ",]"], "env": {}}


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {"x": {"type": "stdio", "command": "c"}}}',
        '{"mcp": {"servers": {"x": {"command": "c"}}}}',
        '{"context_servers": {"x": {"command": {"path": "c", "args": []}}}}',
        '{"x": {"command": "c"}}',
        '"x": {"command": "c"}',
        '{"name": "x", "command": "c"}',
        "mcpServers:\n  x:\n    command: c\n",
    ],
)
def test_every_usual_form_is_read(text: str) -> None:
    assert one(text) == {"name": "x", "command": "c", "args": [], "env": {}}


def test_goose_has_parts_of_its_own_and_variables_that_are_asked_for() -> None:
    found = read_pasted(GOOSE)
    assert [server.fields["name"] for server in found.servers] == ["gh", "web"]
    assert [variable.id for variable in found.inputs] == ["GITHUB_TOKEN"]
    assert [(each.place, each.code) for each in found.left_out] == [("extensions/developer", "app_part")]
    filled, secret = found.filled({"GITHUB_TOKEN": "t"})
    assert filled.servers[0].fields["env"] == {"GITHUB_TOKEN": "t"}
    assert filled.servers[0].fields["is_enabled"] is False
    assert secret["gh"] == {"env/GITHUB_TOKEN"}


def test_every_problem_is_reported_with_its_place() -> None:
    entries = '{"a": {"command": {"exec": "x"}, "args": [null, 1]}, "b": {}, "c": 1, "d": {"url": "x", "type": "sse"}}'
    text = f'{{"mcpServers": {entries}}}'
    places = [place for place, _ in problems(text)]
    assert places == [f"mcpServers/{name}" for name in ("a/command", "a/args/0", "b", "c", "d/type")]
    assert problems('{"a":\n  [}')[0][0] == "line 2, column 4"
    assert "twice" in problems('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}')[0][1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"mcpServers": []}',
        '{"mcpServers": {}}',
        "a: &a [1]\nb: *a",
        "{" * 5000,
        "\x00",
        "a: b: c",
    ],
)
def test_what_holds_no_servers_is_refused(text: str) -> None:
    assert problems(text)


@settings(max_examples=40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(
                st.sampled_from(["mcpServers", "servers", "inputs", "id", "command", "args", "env", "url", "x"]), x
            )
        ),
    )
)
def test_any_value_is_read_or_refused(value: object) -> None:
    with suppress(Refused):
        assert isinstance(read_pasted(json.dumps(value)), PastedConfig)


@settings(max_examples=40)
@given(st.lists(st.text(max_size=90), max_size=20))
def test_names_of_tools_are_legal_unique_and_the_same_in_any_order(names: list[str]) -> None:
    found = tool_names("server_of_24_characters_", names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    for name in found.values():
        assert len(name) <= 64
        assert all(sign.isascii() and (sign.isalnum() or sign in "_-") for sign in name)
    assert tool_names("server_of_24_characters_", names[::-1]) == found


@settings(max_examples=40)
@given(st.lists(st.text(max_size=40), max_size=30))
def test_ids_of_servers_are_legal_unique_and_end_where_the_tool_begins(names: list[str]) -> None:
    taken: set[str] = set()
    for name in names:
        found = make_server_id(name, taken)
        assert found not in taken
        assert 1 <= len(found) <= 24
        assert "__" not in found
        assert found == found.strip("_")
        taken.add(found)


def test_values_that_look_like_secrets_are_found_wherever_they_stand() -> None:
    server = {
        "command": "c",
        "args": ["--port", "80", "--token", "abc", "--api-key=xyz", "ghp_0123456789012345678901"],
        "env": {
            "API_KEY": "k",
            "HOME": "/x",
            "GH": "ghp_0123456789012345678901",
            "T_TOKEN": "${input:t}",
            "E_SECRET": "",
        },
        "headers": {"Authorization": "Bearer x", "Accept": "y"},
        "url": "https://x.example/?api_key=s3cret99",
    }
    places = find_secrets(server)
    named = {"env/API_KEY", "env/GH", "env/HOME", "headers/Accept", "headers/Authorization"}
    assert set(places) == {"args/3", "args/4", "args/5", "url", *named}
    shown = masked_config(server, places)
    assert shown["args"] == ["--port", "80", "--token", MASK, f"--api-key={MASK}", MASK]
    assert shown["env"]["HOME"] == MASK
    assert "s3cret99" not in shown["url"]
