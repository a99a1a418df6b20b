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
from core.services.pdf_text import text_of_pages
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import PDF_TEXT, pdf, picture
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
        ("cut.png", b"\x89PNG\r\n\x1a\n\0\0", "picture_broken"),
        ("lies.jpg", b"\x7fELF\0", "picture_broken"),
        ("scan.bmp", b"BM\0\0\0\0", "picture_broken"),
        ("a.txt", b"a" * 1_000_001, "file_too_large"),
        ("a.bin", b"\0" * 10_000_001, "file_too_large"),
        ("vast.png", picture(20_000, 20_000), "picture_too_large"),
    ],
)
async def test_what_no_model_reads_is_refused_in_words(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    (tmp_path / name).write_bytes(data)
    answer = await SERVICE.read(str(tmp_path / name))
    assert isinstance(answer, Failed)
    assert (answer.code, answer.details["name"]) == (code, name)


@pytest.mark.parametrize(
    ("name", "data", "kind", "mime"),
    [
        ("a.png", picture(3, 2), "picture", "image/png"),
        ("lies.png", b"GIF89a\3\0\2\0\0\0\0;", "picture", "image/gif"),
        ("a.webp", b"RIFF\x16\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\2\0\0\1\0\0", "picture", "image/webp"),
        ("BMW.txt", b"BMW is no bitmap", "text", "text/plain"),
        ("drawn.svg", b"<svg/>", "text", "image/svg+xml"),
        ("a.docx", b"PK\3\4\0", "other", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.txt", b"\x81\x8d\x8f", "other", "application/octet-stream"),
    ],
)
async def test_a_file_is_what_its_content_says(tmp_path: Path, name: str, data: bytes, kind: str, mime: str) -> None:
    (tmp_path / name).write_bytes(data)
    answer = await SERVICE.read(str(tmp_path / name))
    assert isinstance(answer, Ok), answer
    about = answer.data.about
    assert (about.kind, about.mime, about.size) == (kind, mime, len(data))
    assert (about.width, about.height) == ((3, 2) if kind == "picture" else (None, None))


async def test_a_pdf_comes_with_its_text() -> None:
    answer = await SERVICE.take("a.pdf", pdf())
    assert isinstance(answer, Ok), answer
    assert (answer.data.data, answer.data.text, answer.data.about.note) == (pdf(), PDF_TEXT, None)


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (pdf(text=""), "", "no_text"),
        (pdf(password="x"), "", "encrypted"),
        (pdf()[:200], "", "unreadable"),
        (pdf(pages=3), f"{PDF_TEXT}\n\n{PDF_TEXT}", "first_pages"),
    ],
)
def test_what_a_pdf_hides_is_told(data: bytes, text: str, note: str) -> None:
    assert text_of_pages(data, max_pages=2) == {"text": text, "note": note}


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
