"""What a server requests in the middle of a call: what is asked, and what cannot be."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_types
import pytest

from core.domain.ids import CallId, InterruptionId, RunId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode
from core.ports import ModelDelta, ModelRequest, TextDelta
from core.services.outcome import unwrap
from core.threads.system_clock import SystemClock
from core.tools.mcp.elicitation import MAX_FIELDS, ServerCall, Unanswerable, form_schema
from core.tools.mcp.health import ServerLog
from core.tools.mcp.launch import NO_SECRETS, SecretMask
from core.tools.mcp.sampling import MAX_REQUESTS, Sampling
from core.tools.registry import InMemoryConsentBook
from core.wiring import run_core
from tests.support.command_line import write_template
from tests.support.in_memory.storage import InMemoryStorage
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


async def test_a_question_that_the_app_did_not_outlive_is_cancelled_and_what_came_of_the_call_is_asked(
    tmp_path: Path,
) -> None:
    storage, trace = InMemoryStorage(), tmp_path / "trace"
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        made = unwrap(await core.servers.save(name="x", confirmed=True, **hostile("ask", trace)))
        unwrap(await core.servers.test(made.server.id))
        file = write_template(tmp_path / "t.json", {"name": "a", "action": {"toolName": "mcp__x__once"}})
        run = unwrap(await core.runs.start(unwrap(await core.templates.find(file)), {}, mode=ValidationMode.AUTO))
        await core.engine.wait(run.id)
    assert 'got {"action": "cancel"}' in trace.read_text()
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        await core.engine.recover()
        await core.engine.wait(run.id)
        asked = unwrap(await core.runs.describe(run.id))["interruptions"]
        assert {each["kind"]: each["status"] for each in asked} == {
            InterruptionKind.ELICITATION: InterruptionStatus.CANCELLED,
            InterruptionKind.OUTCOME: InterruptionStatus.AWAITING_OUTCOME,
        }


def test_the_log_of_a_server_has_no_codes_for_terminals_and_no_secret_behind_them() -> None:
    log = ServerLog()
    mask = SecretMask(frozenset({"tok-en-of-mine-123"}))
    log.note("\x1b[31mred\x1b[0m tok\x1b[1m-en-of-mine-123 \x1b]8;;https://a.example\x07link\x1b[2J", mask)
    log.note("10%\r50%\r100%", mask)
    assert log.lines == ["red [secret-not-kept] link", "100%"]


PICTURE = base64.b64encode(b"\x89PNG of a cat").decode()


def sampled(*content: mcp_types.SamplingMessageContentBlock, **fields: Any) -> mcp_types.CreateMessageRequestParams:
    messages = [mcp_types.SamplingMessage(role="user", content=list(content))]
    return mcp_types.CreateMessageRequestParams(messages=messages, max_tokens=50, **fields)


async def test_a_request_to_a_model_has_its_pictures_the_hinted_model_and_an_end_where_it_is_to_stop() -> None:
    requests: list[ModelRequest] = []

    class Model:
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
            requests.append(request)
            yield TextDelta("A cat. END of it")

    asked: list[InterruptionRequest] = []

    async def edits(ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        asked.append(ask)
        answer = Answer(Action.SUBMIT, {**ask.arguments, "model": "small-2"} if len(asked) > 1 else ask.arguments)
        now = SystemClock().now()
        status = InterruptionStatus.APPROVED
        return Interruption(InterruptionId("i"), RunId("r"), WorkflowId("w"), ask, status, 1, now, None, answer, now)

    models = [ModelChoice(base_url="http://localhost:1", model=name) for name in ("large-1", "small-2")]
    sampling = Sampling(Model(), InMemoryConsentBook(), lambda: models)
    call = ServerCall(replace(context(), ask=edits, mode=ValidationMode.SELECTIVE, model=models[1]), "x", "mcp__x__t")
    text = mcp_types.TextContent(type="text", text="What is it?")
    picture = mcp_types.ImageContent(type="image", data=PICTURE, mime_type="image/png")
    hints = mcp_types.ModelPreferences(hints=[mcp_types.ModelHint(name="none"), mcp_types.ModelHint(name="Large")])
    wanted = {"model_preferences": hints, "stop_sequences": ["END"]}
    result = await sampling.answer(sampled(text, picture, **wanted), call)
    assert isinstance(result, mcp_types.CreateMessageResult)
    assert (result.content, result.model, result.stop_reason) == (
        mcp_types.TextContent(type="text", text="A cat. "),
        "large-1",
        "stopSequence",
    )
    (shown,) = asked[0].arguments["messages"]
    assert (shown["text"], asked[0].arguments["model"]) == ("What is it?", "large-1")
    assert "image/png, 13 bytes, SHA-256 " in shown["pictures"][0]
    assert [file.data for file in requests[0].messages[0].files] == [b"\x89PNG of a cat"]
    result = await sampling.answer(sampled(text, picture, **wanted), call)
    assert isinstance(result, mcp_types.CreateMessageResult)
    assert result.model == "small-2"  # as the user changed it
    assert asked[0].call_id != asked[1].call_id
    sound = mcp_types.AudioContent(type="audio", data="AAAA", mime_type="audio/wav")
    for wrong in (sound, mcp_types.TextContent(type="text", text="x" * 200_001)):
        assert isinstance(await sampling.answer(sampled(wrong), call), mcp_types.ErrorData)
    call.samples = MAX_REQUESTS
    refused = await sampling.answer(sampled(text), call)
    assert isinstance(refused, mcp_types.ErrorData)
    assert f"{MAX_REQUESTS} times" in refused.message
    assert len(requests) == 2
