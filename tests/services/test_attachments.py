"""Attached texts: read from files, stored, and sent to the model."""

import os
from pathlib import Path

import pytest

from core.agents.context import load_history
from core.domain.events import Event, ModelAsked
from core.domain.messages import attached_text, with_attachments, without_attachments
from core.domain.template import Template, ValidationMode
from core.ports import ResolvedTemplate
from core.services.attachments import AttachmentService
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_results

SERVICE = AttachmentService(InMemoryStorage())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("é🙂\r\n\t\x1b[1m".encode(), "é🙂\r\n\t\x1b[1m"),
        (b"\xef\xbb\xbfa", "a"),
        ("é".encode("utf-16"), "é"),
        ("Prix : 3 €".encode("cp1252"), "Prix : 3 €"),
    ],
)
async def test_a_text_is_read_whatever_its_encoding(tmp_path: Path, data: bytes, text: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    answer = await SERVICE.read(str(tmp_path / "a.txt"))
    assert isinstance(answer, Ok), answer
    assert (answer.data.text, answer.data.about.size) == (text, len(data))


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", "file_is_picture"),
        ("a.bin", b"\x7fELF\0", "file_is_not_text"),
        ("a.txt", b"\x81\x8d\x8f", "file_is_not_text"),
        ("a.txt", b"a" * 1_000_001, "file_too_large"),
    ],
)
async def test_what_no_model_reads_is_refused_in_words(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    (tmp_path / name).write_bytes(data)
    answer = await SERVICE.read(str(tmp_path / name))
    assert isinstance(answer, Failed)
    assert (answer.code, answer.details["name"]) == (code, name)


async def test_what_is_gone_or_no_file_is_refused_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    codes = {}
    for name in ("none", "pipe", "endless", "", "a\0b", "x" * 300, "loop"):
        answer = await SERVICE.read(f"{tmp_path}/{name}")
        assert isinstance(answer, Failed)
        codes[name[:5]] = answer.code
    assert codes == {
        "none": "file_gone",
        "pipe": "not_a_file",
        "endle": "not_a_file",
        "": "not_a_file",
        "a\0b": "file_gone",
        "xxxxx": "file_gone",
        "loop": "file_unreadable",
    }


async def test_a_path_goes_on_as_what_is_in_its_folder(tmp_path: Path) -> None:
    for name in ("Notes.md", ".hidden", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "nothing").mkdir()
    found = await SERVICE.complete_path(f"{tmp_path}/NO")
    assert [(one.name, one.is_folder) for one in found] == [
        ("nothing", True),
        ("Notes.md", False),
        ("notes.txt", False),
    ]
    assert [one.name for one in await SERVICE.complete_path(f"{tmp_path}/.h")] == [".hidden"]
    assert await SERVICE.complete_path(f"{tmp_path}/none/") == await SERVICE.complete_path("~nobody-here/") == []


def test_a_fence_holds_whatever_stands_in_it() -> None:
    text = "a\n````\nb\n  ```\n"
    told = with_attachments("Read this", [attached_text("a\nb`.md", text)])
    name = "a\N{REPLACEMENT CHARACTER}b`.md"
    assert told == f"Read this\n\nAttached file: {name} (text/markdown, 15 bytes)\n`````md\n{text}`````"
    assert without_attachments(told) == "Read this"


async def test_the_model_receives_them_in_this_turn_and_in_later_turns() -> None:
    file = attached_text("a.md", "secret word\n" * 1000)
    async with run_core(InMemoryStorage()) as core:
        events: list[Event] = []
        core.bus.subscribe(Event, events.append)
        first = await core.chat.send("say 1 words", mode=ValidationMode.AUTO, attached=[file])
        assert isinstance(first, Ok), first
        await core.engine.wait(first.data.id)
        again = await core.chat.send("say 2 words", first.data.workflow_id)
        assert isinstance(again, Ok), again
        await core.engine.wait(again.data.id)
        messages = await core.storage.messages.of_workflow(first.data.workflow_id)
        assert messages[0].attachments == (file.about,)
        texts = await core.attachments.texts(first.data.workflow_id, messages[0].id)
        assert texts == Ok([file.text])
        assert messages[1].text == "a"  # the offline agent reads the person's own words
        _, history = await load_history(core.storage, first.data.workflow_id)
    assert history[0].message.text == with_attachments("say 1 words", [file])
    assert history[2].message.text == "say 2 words"
    asked = [one.fact for one in events if isinstance(one.fact, ModelAsked)]
    taken = [(one.tokens or 0) - (one.fixed_tokens or 0) for one in asked]
    assert 4000 < taken[0] < taken[1] < 4500  # the estimate counts them


async def test_a_message_may_have_files_alone_but_not_too_many() -> None:
    file = attached_text("Rapport.md", "x")
    async with run_core(InMemoryStorage()) as core:
        alone = await core.chat.send("", attached=[file])
        assert isinstance(alone, Ok), alone
        stored = await core.storage.workflows.get(alone.data.workflow_id)
        assert stored is not None
        assert stored.title == "Rapport.md"
        many = await core.chat.send("a", attached=[file] * 21)
        large = await core.chat.send("a", attached=[attached_text("a", "x" * 1_000_000)] * 5)
        assert isinstance(many, Failed)
        assert isinstance(large, Failed)
        assert (many.code, large.code) == ("too_many_files", "files_too_large")


async def test_a_template_finds_them_in_its_input() -> None:
    file = attached_text("a.md", "x")
    step = {"name": "a", "action": {"set": True}, "input": "@input.attachments[0].text"}
    found = ResolvedTemplate(Template.model_validate({"title": "T", "steps": [step]}))
    async with run_core(InMemoryStorage()) as core:
        started = await core.runs.start(found, {}, prompt="/T", attached=[file])
        assert isinstance(started, Ok), started
        await core.engine.wait(started.data.id)
        (result,) = await stored_results(core.storage, started.data.id)
        assert result.output_json == '"x"'
        assert (await core.storage.messages.of_workflow(started.data.workflow_id))[0].attachments == (file.about,)
