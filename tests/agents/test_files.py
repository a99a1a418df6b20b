"""Pictures and documents in what a model gets: through the store, to a provider on loopback."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.domain.fold import replay
from core.domain.messages import AttachedFile, AttachmentKind, attached_data
from core.domain.model import ModelChoice, WireFormatName
from core.domain.template import Template
from core.domain.tool import ToolInfo
from core.llm.presets import files_taken
from core.ports import CallContext, ResolvedTemplate
from core.services.outcome import Ok
from core.tools.registry import Tool
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import PDF_TEXT, pdf, picture
from tests.support.provider import Asked, calls, fails, provider, says

RED, BLUE = picture(colour=(255, 0, 0)), picture(colour=(0, 0, 255))


def a_picture(name: str, data: bytes) -> AttachedFile:
    return attached_data(name, data, AttachmentKind.PICTURE, "image/png", width=3, height=2)


PDF = attached_data("bill.pdf", pdf(), AttachmentKind.PDF, "application/pdf", text=PDF_TEXT)
ZIP = attached_data("all.zip", b"PK\3\4", AttachmentKind.OTHER, "application/zip")


def uris(asked: Asked) -> list[bytes]:
    """The pictures of a request, in order."""
    parts = [part for message in asked.messages if isinstance(message["content"], list) for part in message["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls]


def words(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


async def test_a_model_with_pictures_gets_them_in_every_turn_and_another_one_their_names() -> None:
    with provider(lambda _: says("Seen.")) as server:
        async with run_core(InMemoryStorage()) as core:
            seeing = ModelChoice(base_url=server.url, model="m", takes_pictures=True)
            blind = ModelChoice(base_url=server.url, model="n", takes_pictures=False)
            files = [a_picture("red.png", RED), PDF, ZIP]
            workflow = None
            for text, model, attached in (
                ("What is it?", seeing, files),
                ("And this?", seeing, [a_picture("blue.png", BLUE)]),
                ("Again", blind, []),
            ):
                sent = await core.chat.send(text, workflow, model=model, attached=attached)
                assert isinstance(sent, Ok), sent
                workflow = sent.data.workflow_id
                await core.engine.wait(sent.data.id)
        first, second, third = server.posts
    assert uris(first) == [RED]
    told = words(first.messages[-1])
    assert told.startswith("What is it?\n\nAttached file: red.png (image/png, ")
    assert "which goes along with this message\n\nAttached file: bill.pdf (application/pdf, " in told
    assert PDF_TEXT in told
    assert told.endswith("all.zip (application/zip, 4 bytes), of which you have only the name: it cannot be sent")
    assert uris(second) == [RED, BLUE]
    assert uris(third) == []
    assert "of which you have only the name: you cannot see pictures" in words(third.messages[1])


async def test_agent_steps_get_the_pictures_of_the_message_and_the_template_their_metadata() -> None:
    steps: list[dict[str, Any]] = [
        {"name": "a", "action": {"set": True}, "input": "@input.attachments[0].mime"},
        {"name": "b", "action": {"agent": {"prompt": "Look: @a"}}, "dependsOn": ["a"]},
    ]
    template = ResolvedTemplate(Template.model_validate({"title": "T", "steps": steps}))
    with provider(lambda _: says("Seen.")) as server:
        async with run_core(InMemoryStorage()) as core:
            model = ModelChoice(base_url=server.url, model="gpt-4o")
            assert isinstance(await core.providers.add_model(model), Ok)
            started = await core.runs.start(template, {}, prompt="/T", attached=[a_picture("red.png", RED)])
            assert isinstance(started, Ok), started
            await core.engine.wait(started.data.id)
            forked = await core.runs.fork(started.data.id, "b")
            assert isinstance(forked, Ok), forked
            await core.storage.delete_workflow(started.data.workflow_id)
            await core.engine.wait(forked.data.id)
    post, again = server.posts
    assert uris(post) == uris(again) == [RED]
    assert words(post.messages[-1]).startswith("Look: image/png\n\nAttached file: red.png")


@pytest.mark.parametrize(
    ("fields", "pictures", "documents"),
    [
        ({"model": "gpt-4o-mini"}, True, False),
        ({"model": "qwen2.5-vl:7b"}, True, False),
        ({"model": "deepseek-chat"}, False, False),
        ({"model": "mystery"}, None, False),
        ({"model": "gpt-4o", "takes_pictures": False}, False, False),
        ({"model": "claude-sonnet-4-5", "wire_format": WireFormatName.ANTHROPIC_MESSAGES}, True, True),
        ({"model": "x", "wire_format": WireFormatName.GEMINI, "takes_pictures": False}, False, False),
    ],
)
def test_what_a_model_takes_is_known_from_the_user_its_server_or_its_name(
    fields: dict[str, Any], pictures: bool | None, documents: bool
) -> None:
    taken = files_taken(ModelChoice.model_validate({"base_url": "http://127.0.0.1:1/v1", **fields}))
    assert (taken.pictures, taken.documents) == (pictures, documents)


async def test_old_pictures_are_left_out_where_they_become_too_many() -> None:
    with provider(lambda _: says("Seen.")) as server:
        async with run_core(InMemoryStorage()) as core:
            seeing = ModelChoice(base_url=server.url, model="m", takes_pictures=True, context_tokens=200_000)
            workflow = None
            for turn in range(3):
                attached = [a_picture(f"{turn}-{n}.png", picture(colour=(turn, n, 0))) for n in range(9)]
                sent = await core.chat.send("Look", workflow, model=seeing, attached=attached)
                assert isinstance(sent, Ok), sent
                workflow = sent.data.workflow_id
                await core.engine.wait(sent.data.id)
    last = server.posts[-1]
    assert len(uris(last)) == 20
    assert "(Not sent any more, because there are too many files: 0-0.png, 0-1.png" in words(last.messages[1])


async def test_pictures_in_results_of_tools_are_kept_shown_and_sent(tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(RED)
    (tmp_path / "notes.png").write_text("GIF89a is a format")

    async def draw(arguments: Mapping[str, Any], context: CallContext) -> Any:
        return {"text": "drawn", "content": [await context.keep_picture(BLUE), await context.keep_picture(b"none")]}

    info = ToolInfo(name="draw", title="Draw", description="", input_schema={"type": "object"})
    rounds = [
        calls(("1", "draw", {}), ("2", "read_file", {"path": "red.png"}), ("3", "read_file", {"path": "notes.png"})),
        says("Seen."),
        says("Again."),
    ]
    with provider(*rounds) as server:
        async with run_core(InMemoryStorage(), more_tools=[Tool(info, server=draw)]) as core:
            seeing = ModelChoice(base_url=server.url, model="m", takes_pictures=True, context_tokens=200_000)
            sent = await core.chat.send("Draw", model=seeing, allow=[str(tmp_path)])
            assert isinstance(sent, Ok), sent
            await core.engine.wait(sent.data.id)
            run = replay(await core.storage.events.of_run(sent.data.id))
            assert run is not None
            shown = [[about.name for about in call.pictures] for call in run.calls.values()]
            again = await core.chat.send("Again", sent.data.workflow_id, model=seeing)
            assert isinstance(again, Ok), again
            await core.engine.wait(again.data.id)
            kept = await core.storage.files.of_workflow(sent.data.workflow_id)
            data = [await core.storage.files.get(digest) for _, digest in kept]
    assert shown == [["picture 1.png"], ["red.png"], []]
    assert sorted(filter(None, data)) == sorted([RED, BLUE])
    assert uris(server.posts[1]) == uris(server.posts[2]) == [BLUE, RED]
    assert "GIF89a is a format" in words(server.posts[1].messages[5])


@pytest.mark.parametrize(
    "refusal",
    [
        "This model does not support image input",
        "messages.0.content: Input should be a valid string",
        "unknown variant `image_url`, expected `text`",
    ],
)
async def test_a_model_that_refuses_pictures_is_asked_without_them_and_the_answer_says_so(refusal: str) -> None:
    with provider(fails(400, refusal), says("Not seen."), says("Still not.")) as server:
        async with run_core(InMemoryStorage()) as core:
            unknown, workflow = ModelChoice(base_url=server.url, model="mystery"), None
            for text, attached in (("Look", [a_picture("red.png", RED)]), ("And now?", [])):
                sent = await core.chat.send(text, workflow, model=unknown, attached=attached)
                assert isinstance(sent, Ok), sent
                workflow = sent.data.workflow_id
                await core.engine.wait(sent.data.id)
                run = replay(await core.storage.events.of_run(sent.data.id))
                assert run is not None
                codes = [warning["code"] for warning in run.warnings]
                assert codes == (["without_part"] if text == "Look" else [])
    assert [uris(post) for post in server.posts] == [[RED], [], []]
    assert words(server.posts[1].messages[-1]).endswith("(Not shown to this model, which takes no files: red.png)")
