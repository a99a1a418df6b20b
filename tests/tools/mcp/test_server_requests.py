"""What a server requests in the middle of a call: what is asked, and what cannot be."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import CallId
from core.domain.interruption import Interruption, InterruptionRequest
from core.tools.mcp.elicitation import MAX_FIELDS, ServerCall, Unanswerable, form_schema
from core.tools.mcp.launch import NO_SECRETS, SecretMask
from tests.support.mcp_rig import hostile, mcp_rig
from tests.tools.rig import context


def schema_of(field: dict[str, Any], **more: Any) -> dict[str, Any]:
    form = form_schema({"type": "object", "properties": {"f": field}, **more}, NO_SECRETS)
    schema: dict[str, Any] = form["properties"]["f"]
    return schema


def choice(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"type": "string", "oneOf": [{"const": value, "title": title} for value, title in pairs]}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}, choice(("a", "A"), ("b", "B"))),
        ({"enum": ["a"], "enumNames": ["too", "many"]}, choice(("a", "a"))),
        ({"type": "string", "anyOf": [{"const": "a", "title": "A"}, {"const": 1}]}, choice(("a", "A"))),
        ({"type": "string", "minLength": -1, "maxLength": "x", "pattern": "(", "default": 3}, {"type": "string"}),
        (
            {"type": "integer", "minimum": 1, "exclusiveMaximum": True, "default": True},
            {"type": "integer", "minimum": 1},
        ),
        ({"type": "boolean", "default": False, "$ref": "https://a.example"}, {"type": "boolean", "default": False}),
        (
            {"type": "array", "items": {"enum": ["a"]}, "maxItems": 1},
            {"type": "array", "items": choice(("a", "a")), "uniqueItems": True, "maxItems": 1},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}, "uniqueItems": False}),
    ],
)
def test_a_form_keeps_of_a_schema_what_it_can_show(field: dict[str, Any], expected: dict[str, Any]) -> None:
    assert schema_of(field) == expected


def test_a_form_has_neither_secrets_of_its_server_nor_required_fields_that_it_lacks() -> None:
    field = {"type": "string", "title": "for tok-en-of-mine-123", "description": 7}
    mask = SecretMask(frozenset({"tok-en-of-mine-123"}))
    form = form_schema({"properties": {"f": field}, "required": ["f", "g", 3]}, mask)
    assert "tok-en" not in json.dumps(form)
    assert (form["required"], form["additionalProperties"]) == (["f"], False)
    assert form_schema(None, NO_SECRETS)["properties"] == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {str(number): {"type": "string"} for number in range(MAX_FIELDS + 1)}},
        {"properties": {"f": {"type": "object", "properties": {}}}},
        {"properties": {"f": {"enum": [str(number) for number in range(5_000)]}}},
    ],
    ids=["fields", "nested", "options"],
)
def test_a_form_that_cannot_be_shown_is_refused_with_its_reason(schema: dict[str, Any]) -> None:
    with pytest.raises(Unanswerable):
        form_schema(schema, NO_SECRETS)


def test_the_id_of_a_request_is_that_of_its_content() -> None:
    def ids(*contents: str) -> list[CallId]:
        call = ServerCall(context(), "x", "mcp__x__t")
        return [call.next_id("asks", content) for content in contents]

    assert ids("a", "b") == ids("b", "a")[::-1]  # after a crash, the answer to one is not that to another
    assert len(set(ids("a", "a", "b"))) == 3
    assert all(each.startswith(f"{context().call_id} ") for each in ids("a"))


async def test_a_question_that_is_open_at_the_end_of_its_call_is_cancelled_at_the_server(tmp_path: Path) -> None:
    asked: asyncio.Future[InterruptionRequest] = asyncio.get_running_loop().create_future()

    async def never_answers(ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        asked.set_result(ask)
        return await asyncio.Future[Interruption]()

    trace = tmp_path / "trace"
    async with mcp_rig() as rig:
        await rig.connected("x", **hostile("ask", trace))
        task = asyncio.create_task(rig.call("mcp__x__once", ask=never_answers))
        assert (await asked).prompt == "Which one?"
        task.cancel()
        await asyncio.wait({task})
        async with asyncio.timeout(10):
            while "answer" not in trace.read_text():
                await asyncio.sleep(0.01)
        assert 'answer {"action": "cancel"}' in trace.read_text()
        assert "cancelled: the call ended before its answer" in rig.hub.log(rig.hub.statuses[0].server.id)[-1]


async def test_requests_outside_of_calls_and_unfit_ones_are_refused_in_words(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    async with mcp_rig() as rig:
        await rig.connected("x", **hostile("requests", trace))
        async with asyncio.timeout(10):
            while trace.read_text().count("got") < 2:
                await asyncio.sleep(0.01)
        early = trace.read_text()
        assert '"action": "cancel"' in early
        assert "no call is in flight" in early

        async def never(ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
            raise AssertionError(ask)

        await rig.value("mcp__x__once", ask=never)
        refused = trace.read_text().removeprefix(early)
    for words in ("https:// or http://", "no spaces", "tools in a sampling request", "is no text, number"):
        assert words in refused
