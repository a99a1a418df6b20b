"""The settings page of prompts in the real window, driven by keyboard."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPlainTextEdit

from core.domain.prompt import CONTENT_CHARACTERS
from core.services.outcome import Ok
from desktop.settings.dialog import SettingsDialog
from desktop.settings.parts.page import PageId
from desktop.settings.parts.undo_bar import UndoBar
from desktop.settings.prompts.prompt_form import PromptForm
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
TEXT_IS_WRONG = "A prompt has a text, of at most 50,000 characters and 100 names to fill in."


async def opened(app: App, until: Until) -> SettingsDialog:
    app.content.preferences.open_at(PageId.PROMPTS)
    found = app.content.preferences._dialog
    assert found is not None
    await until(lambda: QApplication.activeWindow() is found)
    return found


def button(dialog: SettingsDialog, name: str) -> QAbstractButton:
    buttons = dialog.findChildren(QAbstractButton)
    return next(each for each in buttons if each.accessibleName() == name and each.isVisible())


def form(dialog: SettingsDialog) -> PromptForm:
    found = dialog.findChild(PromptForm)
    assert isinstance(found, PromptForm)
    return found


def notice(dialog: SettingsDialog) -> UndoBar:
    found = dialog.findChild(UndoBar)
    assert isinstance(found, UndoBar)
    return found


def names(app: App) -> list[str]:
    return [prompt.name for prompt in app.core.prompts.current]


async def test_a_prompt_is_made_changed_and_removed_and_the_removal_is_undone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        dialog = await opened(app, until)
        button(dialog, "New prompt").click()
        assert isinstance(app.focused(), QLineEdit)
        QTest.keyClicks(app.focused(), "Sum up")
        app.key(Key.Key_Tab)
        QTest.keyClicks(app.focused(), "Work")
        app.key(Key.Key_Tab)
        app.key(Key.Key_Tab)
        box = app.focused()
        assert isinstance(box, QPlainTextEdit)
        QTest.keyClicks(box, "Sum up {{text}} for {{who}}")
        assert form(dialog)._variables.text() == "Asks for: text, who"
        button(dialog, "Save prompt").click()
        await until(lambda: names(app) == ["Sum up"])
        assert not form(dialog).isVisible()
        (made,) = app.core.prompts.current
        assert (made.category, made.content) == ("Work", "Sum up {{text}} for {{who}}")
        button(dialog, "Edit Sum up").click()
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), "Shorten")
        button(dialog, "Save prompt").click()
        await until(lambda: names(app) == ["Shorten"])
        assert app.core.prompts.current[0].id == made.id
        button(dialog, "Remove Shorten").click()
        await until(lambda: names(app) == [])
        assert notice(dialog).text == "Shorten is removed."
        button(dialog, "Undo").click()
        await until(lambda: names(app) == ["Shorten"])
        assert app.core.prompts.current[0].content == made.content
        dialog.close()


async def test_what_is_refused_is_shown_and_nothing_that_was_written_is_lost(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600)) as app:
        hostile = "<b>{{</b> {{}} {{{{a}}}} مرحبا 🙂\u00a0é\n\t"
        answer = await app.core.prompts.save(name="Sum", content=hostile)
        assert isinstance(answer, Ok)
        dialog = await opened(app, until)
        button(dialog, "New prompt").click()
        sheet = form(dialog)
        for name, content, words in (
            ("", "x", "A name has 1 to 64 characters, all of which can be shown."),
            ("SUM", "x", "Another prompt has this name."),
            ("a", " ", TEXT_IS_WRONG),
            ("a", "x" * (CONTENT_CHARACTERS + 1), TEXT_IS_WRONG),
        ):
            sheet._name.setText(name)
            sheet._content.setPlainText(content)
            button(dialog, "Save prompt").click()
            await until(lambda words=words: sheet._message.text() == words)
            assert (sheet._name.text(), sheet._content.toPlainText()) == (name, content)
            sheet._show_message("")
        button(dialog, "Cancel").click()
        button(dialog, "Edit Sum").click()
        assert sheet._variables.text() == "Asks for: a"
        button(dialog, "Save prompt").click()
        await until(lambda: not sheet.isVisible())
        assert app.core.prompts.current[0].content == hostile  # no-break spaces and tabs too
        dialog.close()
