"""Reading while an answer comes in, in the real window: what is read stays in sight, what is selected selected."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider

from core.domain.ids import WorkflowId
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.chat.transcript.transcript import Transcript
from tests.gui.chat.sight import code, first_line, prose, turn_wheel
from tests.gui.chat.test_transcript_selection import drag, place
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_find import a_store

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NOTCH = QPoint(0, 120)


async def answering(app: App, until: Until, text: str, *, delay_ms: int = 25) -> Run:
    """An answer that comes in, a word each time, in the workflow that there is; the conversation at its end."""
    app.content.opener.open("wf_1")
    await until(lambda: app.core.stores.view.is_loaded)
    sent = await app.core.chat.send(
        "go", workflow_id=WorkflowId("wf_1"), mode=ValidationMode.AUTO, script=({"say": text, "delay_ms": delay_ms},)
    )
    assert isinstance(sent, Ok), sent
    await until(lambda: len(app.core.stores.view.content.split()) > 10)
    return sent.data


def drag_the_bar(transcript: Transcript, by: int) -> None:
    bar = transcript.verticalScrollBar()
    option = QStyleOptionSlider()
    bar.initStyleOption(option)
    handle = bar.style().subControlRect(
        QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, bar
    )
    at = handle.center()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(bar, at + QPoint(0, by))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=at + QPoint(0, by))


async def test_after_any_move_up_the_first_line_stays_until_one_is_back_at_the_end(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    said = [f"Line {number}. " + "Some words that are read. " * 12 for number in range(60)]
    async with an_app(tmp_path, qapp, a_store(*said), size=(900, 600)) as app:
        run = await answering(app, until, "word " * 2000)
        transcript = app.content.chat.transcript
        assert transcript.verticalScrollBar().maximum() > 10 * transcript.viewport().height()

        async def stays() -> None:
            before = first_line(transcript)
            count = len(app.core.stores.view.content)
            await until(lambda: len(app.core.stores.view.content) > count + 60)
            await app.drawn()
            line, top = first_line(transcript)
            assert line == before[0]
            assert abs(top - before[1]) <= 1
            assert transcript._latest.isVisible()

        for _ in range(3):
            turn_wheel(transcript, NOTCH)
        await stays()
        app.content.chat.focus_composer()
        transcript.setFocus()
        app.key(Key.Key_PageUp)
        await stays()
        drag_the_bar(transcript, -20)
        await stays()
        view = prose(transcript)
        view.setFocus()
        for _ in range(3):
            QTest.keyClick(view, Key.Key_Left, SHIFT)
        QTest.keyClick(view, Key.Key_Up, SHIFT)
        await stays()
        transcript.setFocus()
        app.key(Key.Key_End, Qt.KeyboardModifier.AltModifier)  # jump to the latest
        assert transcript.view_state().is_following
        count = len(app.core.stores.view.content)
        await until(lambda: len(app.core.stores.view.content) > count + 40)
        await app.drawn()
        assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()
        assert not transcript._latest.isVisible()
        await app.core.engine.cancel(run.id)


@pytest.mark.parametrize("fence", ["", "```python\n"], ids=["prose", "a code block that is not closed"])
async def test_what_is_selected_in_an_answer_that_comes_in_is_copied(
    tmp_path: Path, qapp: QApplication, until: Until, fence: str
) -> None:
    words = [f"w{number}" for number in range(400)]
    async with an_app(tmp_path, qapp, a_store("Before", "This.")) as app:
        run = await answering(app, until, fence + " ".join(words))
        transcript = app.content.chat.transcript
        await until(lambda: "w9 " in (code(transcript) if fence else prose(transcript)).toPlainText())
        view = code(transcript) if fence else prose(transcript)
        at, to = view.toPlainText().index("w2"), view.toPlainText().index("w8") - 1

        async def is_copied(text: str) -> None:
            count = len(app.core.stores.view.content.split())
            await until(lambda: len(app.core.stores.view.content.split()) > count + 20)
            QGuiApplication.clipboard().setText("nothing")
            QTest.keyClick(QApplication.focusWidget() or transcript, Key.Key_C, CONTROL)
            assert QGuiApplication.clipboard().text() == text

        drag(view, at, view, to)
        await is_copied("w2 w3 w4 w5 w6 w7")
        view = code(transcript) if fence else prose(transcript)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place(view, at))
        for _ in range(5):
            QTest.keyClick(view, Key.Key_Right, SHIFT)
        await is_copied("w2 w3")
        await app.core.engine.cancel(run.id)
