"""Writing in the real window: what waits, what goes along, and what a switch or a crash leaves."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QPushButton

from core.domain.messages import Role
from core.domain.run import Run, RunStatus
from core.services.outcome import Ok
from desktop.chat.composer.attachments import AttachmentPreview
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage

Until = Callable[..., Awaitable[None]]
Key, Mod = Qt.Key, Qt.KeyboardModifier
CONTROL, SHIFT = Mod.ControlModifier, Mod.ShiftModifier
LONG = "say 3000 words"


def written(app: App) -> str:
    return app.content.chat.composer.draft().text


def chips(app: App) -> list[str]:
    return [file.name for file in app.content.chat.composer.files]


def waiting(app: App) -> list[str]:
    return [message.text for message in app.content.chat.queue.messages]


def complaint(app: App) -> str:
    return app.content.chat.composer._error


def said(app: App) -> list[str]:
    return [message.text for message in app.core.stores.view.messages if message.role is Role.USER]


async def at_work(app: App, until: Until, text: str = LONG) -> Run:
    """A workflow with a turn at work, viewed."""
    run = await app.say(text)
    app.content.workflow_actions.show(run.workflow_id)
    await until(lambda: app.viewed == run.workflow_id and app.core.stores.view.is_loaded)
    app.content.chat.focus_composer()
    return run


async def queue(app: App, until: Until, *texts: str) -> None:
    for text in texts:
        app.write(text)
        app.key(Key.Key_Return)
        await until(lambda text=text: text in waiting(app) and not written(app))


async def back(app: App, until: Until) -> None:
    """A dialog was closed, and the window is active again, as a window manager makes it."""
    app.window.activateWindow()
    await until(app.content.chat.composer.text_box.hasFocus)


def paste(text: str = "", **more: object) -> None:
    data = QMimeData()
    if text:
        data.setText(text)
    if "urls" in more:
        data.setUrls([QUrl.fromLocalFile(str(each)) for each in more["urls"]])  # type: ignore[attr-defined]
    if "image" in more:
        data.setImageData(more["image"])
    QGuiApplication.clipboard().setMimeData(data)


async def test_while_a_turn_is_at_work_enter_queues_and_the_queue_is_handled_by_key(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        run = await at_work(app, until)
        await queue(app, until, "one", "two", "three")
        strip = app.content.chat.queue
        assert strip.isVisible()
        assert strip.title == "3 messages wait for the end of this turn"
        app.key(Key.Key_Tab, SHIFT)  # from the text to the last button of the last row
        strip.take_focus()
        app.key(Key.Key_Up, CONTROL)
        await until(lambda: waiting(app) == ["one", "three", "two"])
        app.key(Key.Key_Up, CONTROL)  # the focus went along with it
        await until(lambda: waiting(app) == ["three", "one", "two"])
        app.key(Key.Key_Down)
        app.key(Key.Key_Delete)
        await until(lambda: waiting(app) == ["three", "two"])
        app.key(Key.Key_Return)  # it is at the place of the one that is gone
        await until(lambda: written(app) == "two" and waiting(app) == ["three"])
        app.control(Key.Key_A)
        app.key(Key.Key_Backspace)
        app.key(Key.Key_Up)
        await until(lambda: written(app) == "three" and not waiting(app))
        assert not strip.isVisible()
        app.key(Key.Key_Return)
        await until(lambda: waiting(app) == ["three"])
        strip.take_focus()
        app.key(Key.Key_Escape)
        assert app.content.chat.composer.text_box.hasFocus()
        assert (await app.core.engine.newest(run.workflow_id)).status is RunStatus.RUNNING  # type: ignore[union-attr]


async def test_a_message_that_waits_is_drawn_to_another_place(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        await at_work(app, until)
        await queue(app, until, "one", "two", "three")
        first = app.content.chat.queue._rows[0]
        QTest.mousePress(first, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
        QTest.mouseMove(first, QPoint(20, 2 * first.height() + 10))
        QTest.mouseRelease(first, Qt.MouseButton.LeftButton, pos=QPoint(20, 2 * first.height() + 10))
        await until(lambda: waiting(app) == ["two", "three", "one"])


async def test_send_now_stops_the_turn_and_after_a_stop_they_stay_and_say_so(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await at_work(app, until)
        await queue(app, until, "say 1 words")
        app.write(LONG)
        app.key(Key.Key_Return, CONTROL | SHIFT)
        await until(lambda: said(app) == [LONG, LONG])
        assert (await app.core.engine.wait(run.id)).status is RunStatus.CANCELLED
        await until(lambda: (written(app), waiting(app)) == ("", ["say 1 words"]))
        app.key(Key.Key_F5, SHIFT)
        await until(lambda: app.content.chat.queue.title.startswith("The turn was stopped"))
        other = await app.say("say 1 words")
        app.content.workflow_actions.show(other.workflow_id)
        assert not app.content.chat.queue.isVisible()
        app.content.workflow_actions.show(run.workflow_id)
        assert waiting(app) == ["say 1 words"]
        app.content.chat.queue.take_focus()
        app.control(Key.Key_Return)
        await until(lambda: not waiting(app) and said(app)[-1] == "say 1 words")


async def test_what_is_sent_right_after_a_stop_is_the_next_turn_and_what_waited_stays(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        for turns in (0, 1, 2, 4, 30):
            run = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
            app.content.opener.open(run.workflow_id)
            await until(lambda: app.core.stores.view.is_loaded)
            app.write("before")
            app.key(Qt.Key.Key_Return)
            await until(lambda: [message.text for message in app.content.chat.queue.messages] == ["before"])
            app.write("say 2 words")
            app.content.header.stop_requested.emit()
            for _ in range(turns):
                await asyncio.sleep(0)
            app.key(Qt.Key.Key_Return)
            await until(lambda: "before" in app.turn_texts())  # once the turn before it has succeeded
            assert (await app.core.engine.wait(run.id)).status is RunStatus.CANCELLED
            said = [text for text in app.turn_texts() if text in ("say 2 words", "before")]
            assert said == ["say 2 words", "before"]
            await until(lambda: not app.content.chat.queue.messages)
            assert not app.content.chat.composer.draft().text
            # else the answers of three workflows reach the limit, and the next message is refused
            await until(lambda: app.core.stores.background.running_count == 0)


async def test_what_waits_is_there_in_the_next_life_of_the_window_and_goes_on(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        run = await at_work(app, until, "say 400 words")
        await queue(app, until, "say 2 words", "say 3 words")
        crashed = storage.copy()
    async with an_app(tmp_path, qapp, crashed) as app:
        app.content.workflow_actions.show(run.workflow_id)
        assert waiting(app) == ["say 2 words", "say 3 words"]
        app.content.chat.queue.take_focus()
        app.key(Key.Key_Up)
        app.control(Key.Key_Return)
        await until(lambda: not waiting(app) and len(said(app)) == 3)
        assert said(app)[1:] == ["say 2 words", "say 3 words"]


async def test_a_file_goes_along_as_a_chip_and_stands_in_the_transcript(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    file = tmp_path / "Notes été.md"
    file.write_text("# Notes\n```\ncode\n```\n" * 30)
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        app.control(Key.Key_O)
        dialog = app.window.findChild(QFileDialog, "attach_files")
        assert dialog is not None
        dialog.filesSelected.emit([str(file)])
        dialog.reject()
        await until(lambda: chips(app) == [file.name])
        await back(app, until)
        app.key(Key.Key_Up)  # to the chip
        app.key(Key.Key_Return)
        await until(lambda: app.window.findChild(QDialog, "preview"))
        preview = app.window.findChild(AttachmentPreview, "preview")
        assert preview is not None
        assert preview.text == file.read_text()
        QTest.keyClick(preview, Key.Key_Escape)
        await back(app, until)
        app.write("say 2 words")
        app.key(Key.Key_Return)
        await until(lambda: app.core.stores.view.messages and not chips(app))
        message = app.core.stores.view.messages[0]
        assert [attachment.name for attachment in message.attachments] == [file.name]
        texts = await app.core.attachments.texts(message.workflow_id, message.id)
        assert texts == Ok([file.read_text()])
        transcript = app.content.chat.transcript
        column = transcript._column
        assert [block.key for block in column.laid_out(0).blocks] == ["0", "file1"]
        column.set_fold(0, "file1", is_unfolded=True)
        transcript.attachment_requested.emit(message.id)
        await until(lambda: len(column.laid_out(0).blocks) > 3)
        app.content.chat.focus_composer()
        app.key(Key.Key_Up)  # to be written anew, with what went along
        await until(lambda: chips(app) == [file.name])
        assert written(app) == "say 2 words"


async def test_files_are_pasted_and_dropped_and_what_cannot_be_attached_is_reported(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    good, binary, picture = tmp_path / "a.txt", tmp_path / "b.bin", tmp_path / "c.png"
    good.write_text("a")
    binary.write_bytes(b"\0\1")
    picture.write_bytes(b"\x89PNG\0")
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        paste(urls=[good, binary])
        app.control(Key.Key_V)
        await until(lambda: chips(app) == ["a.txt", "b.bin"])
        note = app.content.chat.composer.file_note
        assert note.text == "Of “b.bin”, the model gets only the name."
        app.content.chat.composer._files.focus_last()
        app.key(Key.Key_Delete)
        assert (chips(app), note.text) == (["a.txt"], "")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(each)) for each in (picture, tmp_path, good)])
        chat = app.content.chat
        chat.dropEvent(
            QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Mod.NoModifier)
        )
        await until(lambda: "picture" in complaint(app))
        assert chips(app) == ["a.txt"]
        good.write_text("b")
        app.write("say 1 words")
        app.key(Key.Key_Return)
        await until(lambda: "has changed" in complaint(app))
        good.unlink()
        app.key(Key.Key_Return)
        await until(lambda: "no longer exists" in complaint(app))
        assert (written(app), chips(app)) == ("say 1 words", ["a.txt"])
        chat.composer._files.focus_last()
        app.key(Key.Key_Delete)
        app.write("")
        app.key(Key.Key_Return)
        await until(lambda: said(app) == ["say 1 words"])


async def test_a_long_paste_is_a_chip_and_undo_brings_its_text(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    text = "é" * 10_001
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        app.write("see ")
        paste(text)
        app.control(Key.Key_V)
        assert (written(app), chips(app)) == ("see ", ["Pasted text.txt"])
        app.control(Key.Key_Z)
        assert (written(app), chips(app)) == ("see " + text, [])
        app.control(Key.Key_Z)
        assert written(app) == "see "
        app.key(Key.Key_V, CONTROL | SHIFT)
        assert (written(app), chips(app)) == ("see " + text, [])
        app.control(Key.Key_Z)
        paste("y" * 1_000_000)
        app.control(Key.Key_V)
        app.control(Key.Key_V)
        assert chips(app) == ["Pasted text.txt"]  # the same once


async def test_what_was_begun_stays_with_its_workflow_through_a_switch_and_a_crash(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        runs = [await app.say("say 1 words") for _ in range(2)]
        for run, text in zip(runs, ("draft A", "draft B"), strict=True):
            app.content.workflow_actions.show(run.workflow_id)
            app.write(text)
            app.key(Key.Key_Left)
        paste("z" * 20_001)
        app.control(Key.Key_V)
        app.content.workflow_actions.show(runs[0].workflow_id)
        assert written(app) == "draft A"
        app.control(Key.Key_Z)
        assert written(app) == ""  # what was written here, and never what was in the other
        app.control(Key.Key_Z)
        app.key(Key.Key_Z, CONTROL | SHIFT)
        assert written(app) == "draft A"
        app.content.workflow_actions.show(None)
        app.write("new one")
        await app.content.chat.drafts.flush()
        app.content.chat.drafts._is_closed = True  # killed here: nothing more is written
        app.content.chat.drafts._folder = tmp_path / "elsewhere"
    monkeypatch.setattr("desktop.bind.FRAME_S", 3600.0)  # one is deleted before any frame after the start
    async with an_app(tmp_path, qapp, storage.copy()) as app:
        app.content.opener.open_new()
        assert written(app) == "new one"
        app.content.workflow_actions.show(runs[1].workflow_id)
        draft = app.content.chat.composer.draft()
        texts = [file.content.text for file in draft.files if file.content is not None]
        assert (draft.text, draft.cursor, texts) == ("draft B", 6, ["z" * 20_001])
        gone = await app.core.workflows.delete(runs[0].workflow_id)
        assert isinstance(gone, Ok)
        app._frames.draw()
        assert not app.content.chat.drafts.get(runs[0].workflow_id).text
        await app.content.chat.drafts.flush()
        kept = {each.name for each in (tmp_path / "drafts").iterdir()}
        assert kept == {"new", f"of-{runs[1].workflow_id}"}


async def test_a_draft_that_cannot_be_read_stops_nothing(tmp_path: Path, qapp: QApplication) -> None:
    for name, text in {"new": "{", "of-wf_1": '{"text": 1}', "of-wf_2": "[]"}.items():
        (tmp_path / "drafts" / name).mkdir(parents=True)
        (tmp_path / "drafts" / name / "draft.json").write_text(text)
    (tmp_path / "drafts" / "stray").write_text("x")
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        assert written(app) == ""


async def test_a_draft_is_kept_without_what_went_along_and_is_gone(tmp_path: Path, qapp: QApplication) -> None:
    gone = {"name": "a.txt", "size": 1, "hash": "0" * 64, "path": None}
    fields = {"text": "what I wrote", "cursor": 4, "anchor": 4, "scroll": 0, "files": [gone, {"name": 1}]}
    (tmp_path / "drafts" / "new").mkdir(parents=True)
    (tmp_path / "drafts" / "new" / "draft.json").write_text(json.dumps(fields))
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        assert (written(app), app.content.chat.composer.files) == ("what I wrote", ())


async def test_a_message_that_waits_belongs_to_its_workflow_alone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        other = await app.say("say 1 words")
        run = await at_work(app, until, "say 20 words")
        await queue(app, until, "say 2 words")
        app.content.workflow_actions.show(other.workflow_id)
        await until(lambda: not app.core.stores.queues.get(run.workflow_id).messages)
        await until(lambda: app.core.stores.view.is_loaded)
        assert said(app) == ["say 1 words"]
        messages = await app.core.storage.messages.of_workflow(run.workflow_id)
        assert [message.text for message in messages if message.role is Role.USER] == ["say 20 words", "say 2 words"]


def typed(text: str) -> QInputMethodEvent:
    """What an input method commits."""
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    return event


def named(app: App) -> list[str]:
    return [each.title for each in app.content.chat.mentions.shown()]


async def test_an_at_sign_names_agents_and_files_by_their_paths(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    (tmp_path / "two words").mkdir()
    (tmp_path / "two words" / "notes.md").write_text("n")
    async with an_app(tmp_path, qapp) as app:
        saved = await app.core.agents.save(name="Reviewer")
        assert isinstance(saved, Ok), saved
        app.control(Key.Key_N)
        app.write("ask @rev")
        assert named(app) == ["Reviewer"]
        app.key(Key.Key_Return)  # chooses, and sends nothing
        await until(lambda: any(text.startswith("Reviewer") for text in app.header_texts()))
        assert app.content.chat.composer.text_box.hasFocus()
        assert (written(app), app.viewed) == ("ask ", None)
        app.write(f"@{tmp_path}/two")
        await until(lambda: named(app) == ["two words"])
        app.key(Key.Key_Tab)
        await until(lambda: named(app) == ["notes.md"])
        app.write("no")
        await until(lambda: named(app) == ["notes.md"])
        app.key(Key.Key_Tab)
        await until(lambda: chips(app) == ["notes.md"])
        assert written(app) == "ask "
        QApplication.sendEvent(app.focused(), typed("🙂🙂 "))
        app.write("@")
        assert named(app)[-1] == "Attach files…"
        app.key(Key.Key_Escape)
        app.write("re")
        assert named(app) == []  # closed for this sign
        assert app.content.chat.composer.text_box.hasFocus()
        app.write(" me@rev")
        assert named(app) == []  # the middle of a word
        app.write(" @")
        assert named(app)
        app.key(Key.Key_Left)
        assert named(app) == []


async def test_while_an_input_method_composes_nothing_is_completed_and_nothing_sent(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        app.write("@")
        assert named(app)
        box = app.content.chat.composer.text_box
        QApplication.sendEvent(box, QInputMethodEvent("にほん", []))
        assert named(app) == []
        for key in (Key.Key_Return, Key.Key_Tab, Key.Key_Down):
            app.key(key)
        app.key(Key.Key_Return, CONTROL | SHIFT)
        assert box.hasFocus()
        assert box.textCursor().block().layout().preeditAreaText() == "にほん"
        QApplication.sendEvent(box, typed("日本"))
        assert written(app) == "@日本"
        assert not app.core.stores.background.running_workflows
        app.key(Key.Key_Return)
        await until(lambda: said(app) == ["@日本"])


@pytest.mark.parametrize("way", ["click", "call", "switch"])
@pytest.mark.parametrize("is_late", [False, True])
async def test_what_an_input_method_still_composes_goes_along(
    tmp_path: Path, qapp: QApplication, until: Until, way: str, is_late: bool
) -> None:
    """It is part of what is sent or kept; a method that commits it a moment later adds nothing."""
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        composer = app.content.chat.composer
        box = composer.text_box
        for event in (typed("안녕하세"), QInputMethodEvent("요", [])):
            QApplication.sendEvent(box, event)
        match way:
            case "click":
                (button,) = [button for button in composer.findChildren(QPushButton) if button.text() == "Send"]
                QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            case "call":
                composer.submit()
            case _:
                composer.commit_preedit()
        if is_late:
            QApplication.sendEvent(box, typed("요"))
        if way == "switch":
            assert written(app) == "안녕하세요"
            return
        await until(lambda: said(app) == ["안녕하세요"])
        assert (written(app), box.textCursor().block().layout().preeditAreaText()) == ("", "")


async def test_a_syllable_that_is_composed_again_is_not_taken_for_the_one_before(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        box = app.content.chat.composer.text_box
        QApplication.sendEvent(box, QInputMethodEvent("요", []))
        box.commit_preedit()
        for event in (QInputMethodEvent("ㅇ", []), QInputMethodEvent("요", []), typed("요")):
            QApplication.sendEvent(box, event)
        assert written(app) == "요요"


@pytest.mark.parametrize("keypad", [False, True])
async def test_the_enter_of_the_number_pad_sends_now_like_return(
    tmp_path: Path, qapp: QApplication, until: Until, keypad: bool
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words 5")
        app.content.workflow_actions.show(run.workflow_id)
        app.write("at once")
        key, pad = (Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier) if keypad else (Key.Key_Return, None)
        app.key(key, CONTROL | SHIFT | pad if pad is not None else CONTROL | SHIFT)
        await until(lambda: "at once" in said(app))
        assert written(app) == ""


def slow(app: App, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Messages are taken once the event is set."""
    goes_on, send = asyncio.Event(), app.core.chat.send

    async def late(*given: Any, **named: Any) -> Any:
        await goes_on.wait()
        return await send(*given, **named)

    monkeypatch.setattr(app.core.chat, "send", late)
    return goes_on


async def test_what_is_written_while_a_message_is_taken_stays_without_that_message(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        goes_on = slow(app, monkeypatch)
        app.control(Key.Key_N)
        app.write("first")
        app.key(Key.Key_Return)
        app.write(" second")
        goes_on.set()
        await until(lambda: app.viewed and written(app) == " second")
        assert app.focused() is app.content.chat.composer.text_box
        app.write("!")
        assert written(app) == " second!"
        app.content.workflow_actions.show(None)
        await until(lambda: written(app) == "")


async def test_a_message_that_is_being_taken_cannot_be_sent_again_after_a_look_elsewhere(
    tmp_path: Path, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say("say 1 words") for _ in range(2)]
        for run in runs:
            await app.core.engine.wait(run.id)
        goes_on = slow(app, monkeypatch)
        app.content.workflow_actions.show(runs[0].workflow_id)
        app.write("once")
        app.key(Key.Key_Return)
        for run in (runs[1], runs[0]):
            app.content.workflow_actions.show(run.workflow_id)
            await until(lambda: app.core.stores.view.is_loaded)
        assert written(app) == "once"
        app.write(" more")
        app.key(Key.Key_Return)
        goes_on.set()
        await until(lambda: said(app) == ["say 1 words", "once"])
        await until(lambda: written(app) == " more")
        await asyncio.sleep(0.05)
        assert said(app) == ["say 1 words", "once"]


async def test_of_several_dropped_files_each_refusal_has_its_reason(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    pipe, odd, picture = tmp_path / "pipe", os.fsencode(tmp_path) + b"/caf\xe9.txt", tmp_path / "a.png"
    os.mkfifo(pipe)
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("coffee")
    picture.write_bytes(b"\x89PNG\0")
    (tmp_path / "ok.txt").write_text("fine")
    async with an_app(tmp_path / "data", qapp) as app:
        app.control(Key.Key_N)
        data = QMimeData()
        named = [quote_from_bytes(os.fsencode(path)) for path in (pipe, odd, picture, tmp_path / "ok.txt")]
        data.setUrls([QUrl.fromEncoded(f"file://{path}".encode()) for path in named])
        app.content.chat.composer.text_box.insertFromMimeData(data)
        await until(lambda: len(app.content.chat.composer.files) == 2)
        names = [file.name for file in app.content.chat.composer.files]
        assert names == ["caf\N{REPLACEMENT CHARACTER}.txt", "ok.txt"]
        told = app.core.stores.toasts.visible[-1].message
        assert "“pipe” is not a file" in told
        assert "“a.png” is not a picture that can be read" in told
        app.write("say 1 words")
        app.key(Key.Key_Return)
        await until(lambda: app.viewed is not None)
        await until(lambda: any(message.attachments for message in app.core.stores.view.messages))
