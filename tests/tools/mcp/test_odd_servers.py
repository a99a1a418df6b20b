"""Servers that mean well: odd schemas, answers and lists are read for what they mean, and cost nobody else a tool."""

import asyncio
import gzip
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.domain.tool_search import FIND_TOOLS
from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from core.tools.mcp.schema_repair import mend_schema
from tests.support.http_server import a_server, response
from tests.support.mcp_rig import McpRig, hostile, mcp_rig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="as the other servers that misbehave")

SCHEMAS = JsonSchemas(WorkerPool(size=1))
Q = {"q": {"type": "string"}}
DEEP: Any = {"type": "string"}
for _ in range(30):
    DEEP = {"type": "object", "properties": {"a": DEEP}, "required": ["a"]}


@pytest.fixture
async def rig() -> AsyncIterator[McpRig]:
    async with mcp_rig() as made:
        yield made


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        (None, {"type": "object"}),
        ([], {"type": "object"}),
        ({"type": "object", "properties": [], "required": []}, {"type": "object", "properties": {}, "required": []}),
        ({"type": None, "properties": Q, "required": None}, of(**Q)),
        ({"type": ["object", "null"], "properties": None, "additionalProperties": None}, {"type": "object"}),
        ('{"type": "object", "properties": {"q": {"type": "string"}}}', of(**Q)),
        (of(q={"type": "string", "enum": None, "default": None}), of(q={"type": "string", "default": None})),
        (
            of(q={"type": "string", "enum": [], "minLength": None, "maxLength": "5"}),
            of(q={"type": "string", "maxLength": 5}),
        ),
        (of(q=None, r=[], s="int", t={"type": "STRING"}), of(q={}, r={}, s={"type": "integer"}, t={"type": "string"})),
        (of(q={"type": "any", "required": False}), of(q={})),
        (of(q={"type": "string", "required": True}), {**of(**Q), "required": ["q"]}),
        ({**of(**Q), "required": ["q", "q", 3]}, {**of(**Q), "required": ["q"]}),
        (of(q={"type": "string", "nullable": True}), of(q={"type": ["string", "null"]})),
        (
            of(q={"type": "number", "minimum": 0, "exclusiveMinimum": True}),
            of(q={"type": "number", "exclusiveMinimum": 0}),
        ),
        (of(q={"type": "array", "items": []}), of(q={"type": "array", "items": {}})),
        (
            of(q={"type": "array", "items": [{"type": "null"}]}),
            of(q={"type": "array", "prefixItems": [{"type": "null"}]}),
        ),
        ({"type": "object", "properties": [{"name": "q", "type": "string"}]}, of(**Q)),
        ({"$schema": "https://schemas.example/own", **of(**Q)}, of(**Q)),
        (
            {**of(q={"$ref": "#/$defs/n"}), "definitions": {"n": {}}},
            {**of(q={"$ref": "#/definitions/n"}), "definitions": {"n": {}}},
        ),
        (of(q={"$ref": "https://elsewhere.example/x", "title": "Q"}), of(q={"title": "Q"})),
        (of(q={"type": "string", "pattern": "("}), of(q={"type": "string"})),
        (of(q={"type": "strng", "title": "Q"}), of(q={"title": "Q"})),
    ],
)
def test_a_schema_is_mended_where_its_meaning_is_plain(written: Any, mended: Any) -> None:
    assert mend_schema(written, SCHEMAS)[0] == mended
    assert SCHEMAS.problem(mended) is None


def test_a_schema_that_needs_nothing_is_the_same_and_all_of_one_that_does_is_usable() -> None:
    nothing = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {
            "required": {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            "type": {"enum": [None, 1]},
        },
        "definitions": {"tree": {"properties": {"next": {"$ref": "#/definitions/tree"}}}},
        "x-own": None,
    }
    assert mend_schema(nothing, SCHEMAS) == (nothing, [])
    schema, unchecked = mend_schema(of(q={"$ref": "other.json"}, deep=DEEP, p={"pattern": "[z-a]"}), SCHEMAS)
    assert SCHEMAS.problem(schema) is None
    assert [line.partition(" ")[0] for line in unchecked] == [
        "/properties/deep/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a"
        "/properties/a/properties/a",
        "/properties/p/pattern",
        "/properties/q",
    ]


DIALECTS = [
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
    "http://json-schema.org/schema#",
    "http://json-schema.org/draft/2020-12/schema",
    "https://schemas.example/own",
]


async def test_tools_with_odd_schemas_are_offered_and_checked(rig: McpRig, tmp_path: Path) -> None:
    letters = {"type": "string", "pattern": "^[\\p{L}\\p{N}_ .()-]+$"}
    tools = [
        {"name": "letters", "inputSchema": {**of(name=letters), "required": ["name"]}},
        {"name": "group", "inputSchema": of(day={"type": "string", "pattern": "^(?<year>\\d{4})-(?<rest>.+)$"})},
        {"name": "https", "inputSchema": of(at={"type": "string", "pattern": "^https\\:\\/\\/"})},
        *({"name": f"d{at}", "inputSchema": {"$schema": each, **of(**Q)}} for at, each in enumerate(DIALECTS)),
        {"name": 5, "inputSchema": {}},
        {"name": "listed", "inputSchema": {"type": "array"}},
        "no tool",
    ]
    (tmp_path / "x.tools").write_text(json.dumps(tools))
    status = await rig.connected("x", **hostile("defined", tmp_path / "x"))
    assert [line.partition(":")[0] for line in status.left_out] == ["(tool 9)", "listed", "(tool 11)"]
    assert len(status.tools) == 8
    for name, fits, does_not in [
        ("letters", {"name": "Žlutý (2)"}, {"name": "a/b"}),
        ("group", {"day": "2031-x"}, {"day": "x"}),
        ("https", {"at": "https://x"}, {"at": "ftp://x"}),
        *((f"d{at}", {"q": "a"}, {"q": 1.5}) for at in range(len(DIALECTS))),
    ]:
        assert await rig.value(f"mcp__x__{name}", fits) == f"{name} done"
        assert (await rig.failure(f"mcp__x__{name}", does_not))[0] == "invalid_arguments"


TEXT = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"%s"}]}}'
DEEPLY = "[" * 5000 + "]" * 5000
ANSWERS: dict[str, tuple[str, Any]] = {
    "half": (TEXT % "caption \\ud83d", "caption \ufffd"),
    "half_of_a_key": (
        TEXT.replace('"content"', '"structuredContent":{"\\udc00":"x"},"content"') % "x",
        {"\ufffd": "x"},
    ),
    "latin": (TEXT % "caf\xe9", "caf\ufffd"),
    "nul": (TEXT % "a\x00b", "a\x00b"),
    "batch": (f"[{TEXT % 'one'}]", "one"),
    "no_version": (TEXT.replace('"jsonrpc":"2.0",', "") % "plain", "plain"),
    "float_id": (TEXT.replace("ID", "ID.0") % "same", "same"),
    "text_content": ('{"jsonrpc":"2.0","id":ID,"result":{"content":"a text"}}', "a text"),
    "null_content": ('{"jsonrpc":"2.0","id":ID,"result":{"content":null}}', ""),
    "unknown_block": (TEXT.replace('"text"', '"sound"', 1) % "s", "s"),
    "own_shape": ('{"jsonrpc":"2.0","id":ID,"result":{"answer":42}}', '{"answer": 42}'),
    "null_error": (TEXT.replace('"result"', '"error":null,"result"') % "well", "well"),
    "deep": ('{"jsonrpc":"2.0","id":ID,"result":{"content":' + DEEPLY + "}}", "nested too deeply"),
    "cut": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[', "cannot be read"),
    "no_object": ('{"jsonrpc":"2.0","id":ID,"result":"done"}', 'no object but "done"'),
    "other_id": (TEXT.replace("ID", "7001") % "whose", "which was not asked"),
    "null_id": ('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}', "what?"),
    "text_error": ('{"jsonrpc":"2.0","id":ID,"error":"broken"}', "broken"),
    "too_long": (TEXT % ("x" * 17_000_000), "16 MB"),
}


async def test_an_answer_is_read_or_fails_its_call_at_once(rig: McpRig, tmp_path: Path) -> None:
    (tmp_path / "x.tools").write_text(json.dumps([{"name": name, "inputSchema": {}} for name in ANSWERS]))
    answers = {name: raw for name, (raw, _) in ANSWERS.items()}
    (tmp_path / "x.answers").write_bytes(json.dumps(answers, ensure_ascii=False).encode("latin-1"))
    await rig.connected("x", **hostile("scripted", tmp_path / "x"))
    for name, (_, expected) in ANSWERS.items():
        result = await rig.call(f"mcp__x__{name}", timeout_s=10)
        if result.error is None:
            assert result.value == expected, name
        else:
            assert expected in result.error.message, name
            assert result.error.code == "failed", name
    assert (tmp_path / "x").read_text().count("started") == 1


async def test_halves_of_characters_do_not_reach_a_server(rig: McpRig, tmp_path: Path) -> None:
    await rig.connected("x", **hostile("echo", tmp_path / "x"))
    assert json.loads(await rig.value("mcp__x__once", {"\ud83d": ["a\udc00", "\ud83d\ude00"]})) == {
        "\ufffd": ["a\ufffd", "😀"]
    }


async def test_a_list_without_an_end_is_over_when_it_repeats_itself(rig: McpRig, tmp_path: Path) -> None:
    status = await rig.connected("x", **hostile("endless_list", tmp_path / "x"))
    assert len(status.tools) == 7
    assert status.left_out == ()
    assert (tmp_path / "x").read_text().count("listed") <= 3
    assert any("the list of tools repeats itself; the 7 that came" in line for line in rig.hub.log(status.server.id))


async def test_a_result_that_is_not_the_promised_one_is_given_on_with_a_warning(rig: McpRig, tmp_path: Path) -> None:
    schema = {**of(n={"type": "integer"}), "required": ["n"]}
    structured = TEXT.replace('"content"', '"structuredContent":{"n":"x"},"content"') % "x"
    failed = TEXT.replace('"content"', '"isError":true,"structuredContent":{"why":1},"content"') % "no such number"
    answers = {"text": TEXT % "seven", "other": structured, "error": failed}
    tools = [{"name": name, "inputSchema": {}, "outputSchema": schema} for name in answers]
    (tmp_path / "x.tools").write_text(json.dumps(tools))
    (tmp_path / "x.answers").write_text(json.dumps(answers))
    await rig.connected("x", **hostile("scripted", tmp_path / "x"))
    text, other = await rig.call("mcp__x__text"), await rig.call("mcp__x__other")
    assert (text.value, other.value) == ("seven", {"n": "x"})
    assert text.summary == 'not the result that it has a schema for: the result: expected an object, got "seven"'
    assert other.summary is not None
    assert await rig.failure("mcp__x__error") == ("failed", "no such number")


@pytest.mark.parametrize("is_stream", [False, True])
async def test_answers_over_http_are_mended_too(rig: McpRig, is_stream: bool) -> None:
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "h", "version": "1"},
    }
    results = {
        "initialize": json.dumps(about),
        "tools/list": '{"tools":[{"name":"preview","inputSchema":{"properties":[]}}]}',
    }
    results["tools/call"] = '{"content":[{"type":"text","text":"caf\xe9 \\ud83d"}]}'

    def answer(writer: asyncio.StreamWriter) -> None:
        asked = json.loads(server.asked[-1].body or b"{}")
        if "id" not in asked:
            writer.write(response(b"", 405 if server.asked[-1].method == "GET" else 202))
            return
        body = f'{{"jsonrpc":"2.0","id":{asked["id"]},"result":{results[asked["method"]]}}}'
        if is_stream:
            writer.write(response(f"event: message\ndata: {body}\n\n".encode("latin-1"), kind="text/event-stream"))
        else:
            packed = gzip.compress(body.encode("latin-1"))
            writer.write(response(packed, 200, "content-encoding: gzip", kind="application/json"))

    async with a_server() as server:
        server.answers["/mcp"] = answer
        await rig.connected("x", url=f"{server.origin}/mcp")
        assert await rig.value("mcp__x__preview") == "caf\ufffd \ufffd"


async def test_progress_of_a_server_extends_the_limit_of_its_call(rig: McpRig, tmp_path: Path) -> None:
    await rig.connected("x", **hostile("loud", tmp_path / "x"), timeout_s=1)
    assert await rig.value("mcp__x__once", timeout_s=None) == "built"


async def test_the_many_tools_of_a_server_can_be_searched(rig: McpRig, tmp_path: Path) -> None:
    things = ("ship", "letter", "harbour", "invoice")
    tools = [
        {"name": f"move_{things[at % 4]}_{at:04}", "description": "Moves a thing. " * 5, "inputSchema": of(**Q)}
        for at in range(500)
    ]
    (tmp_path / "x.tools").write_text(json.dumps(tools))
    assert rig.invoker.info(FIND_TOOLS) is None
    status = await rig.connected("x", **hostile("defined", tmp_path / "x"))
    assert len(status.tools) == 500
    found = await rig.value(FIND_TOOLS, {"query": "move harbours"})
    assert [tool["name"] for tool in found["tools"]][:2] == ["mcp__x__move_harbour_0002", "mcp__x__move_harbour_0006"]
    assert len(found["tools"]) == 20
    await rig.hub.remove(status.server.id)
    assert rig.invoker.info(FIND_TOOLS) is None
