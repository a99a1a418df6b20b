"""Esc closes the innermost thing alone, in the order of UI §4; it stops, denies and discards nothing."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import ToastType
from desktop.sidebar.controls import SearchField
from desktop.sidebar.list_view import SidebarList
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import CONTROL_SHIFT, asking, card_of, waits

Until = Callable[..., Awaitable[None]]
Key = Qt.Key


def compose(app: App, text: str) -> None:
    QApplication.sendEvent(app.focused(), QInputMethodEvent(text, []))


def popup() -> QWidget | None:
    return QApplication.activePopupWidget()


def escape(app: App) -> None:
    target = popup() or app.focused()
    QTest.keyClick(target, Key.Key_Escape)


async def test_esc_closes_each_thing_by_itself_and_the_run_goes_on(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 4000 words 20")
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: len(app.turn_texts()) == 2 and app.turn_texts()[1])
        app.write("my draft")
        content, box = app.content, app.content.chat.composer.text_box

        def is_as_it_was() -> bool:
            execution = app.core.stores.background.get_execution(run.workflow_id)
            assert execution is not None
            assert (execution.status, popup(), app.viewed) == (RunStatus.RUNNING, None, run.workflow_id)
            return content.chat.composer.draft().text == "my draft"

        app.control(Key.Key_K)
        assert content.command_palette.isVisible()
        escape(app)
        assert not content.command_palette.isVisible()
        assert app.focused() is box
        app.key(Key.Key_M, CONTROL_SHIFT)
        assert content.picker.isVisible()
        escape(app)
        assert not content.picker.isVisible()
        for open_menu in (_mode_menu, _row_menu):
            open_menu(app)
            assert isinstance(popup(), QMenu)
            escape(app)
            assert is_as_it_was()
            app.window.activateWindow()  # without a screen nobody gives it back what the menu had
            await until(lambda: QApplication.activeWindow() is app.window)
        (listed,) = content.sidebar.findChildren(SidebarList)
        listed.setFocus()
        app.key(Key.Key_F2)
        assert app.focused() is not listed
        escape(app)
        assert app.focused() is listed
        escape(app)
        assert app.focused() is box
        (search,) = content.sidebar.findChildren(SearchField)
        content.sidebar._header.set_searching(True)
        assert app.focused() is search
        escape(app)
        assert not search.isVisible()
        app.core.stores.toasts.add(ToastType.WARNING, "mode_is_auto")
        await until(lambda: content.toasts.cards and content.toasts.cards[-1].isVisible())
        content.chat.focus_composer()
        content.toasts.take_focus()
        escape(app)
        await until(lambda: not content.toasts.cards)
        content.chat.focus_composer()
        box.selectAll()
        content.chat.transcript._selection.select_all()
        escape(app)
        assert not box.textCursor().hasSelection()
        assert content.chat.transcript._selection.ends is not None
        escape(app)
        assert content.chat.transcript._selection.ends is None
        for pane in (content.chat.transcript, content.header._answering, content.activity._button):
            pane.setFocus()
            escape(app)
            assert app.focused() is box
        escape(app)
        assert is_as_it_was()
        assert app.focused() is box
        await app.core.engine.cancel(run.id)


def _mode_menu(app: App) -> None:
    app.key(Key.Key_D, CONTROL_SHIFT)


def _row_menu(app: App) -> None:
    (listed,) = app.content.sidebar.findChildren(SidebarList)
    listed.setFocus()
    QTest.keyClick(listed, Key.Key_End)
    QTest.keyClick(listed, Key.Key_Menu)


async def test_esc_closes_what_else_opens_over_the_window_and_the_run_goes_on(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    """The rest of what can be opened: lists, bars, pages, a preview and a question of the window."""
    async with an_app(tmp_path, qapp, size=(1000, 700)) as app:
        run = await app.say("say 4000 words 21")
        app.content.opener.open(run.workflow_id)
        await until(lambda: app.core.stores.view.content)
        content, chat = app.content, app.content.chat
        finder, search, bar = content.command_palette, content.search, content.find_controller.bar

        def preview() -> None:
            QGuiApplication.clipboard().setText("z" * 20_001)
            app.control(Key.Key_V)
            app.key(Key.Key_Up)
            app.key(Key.Key_Return)

        def offer(sign: str) -> None:
            QTest.keyClicks(app.focused(), sign)

        def dialog() -> QWidget | None:
            shown = [each for each in app.window.findChildren(QDialog) if each.isVisible()]
            return shown[0] if shown else None

        opened: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "the keys": (lambda: app.key(Key.Key_F1), finder.isVisible),
            "the commands": (lambda: app.key(Key.Key_P, CONTROL_SHIFT), finder.isVisible),
            "the inbox": (lambda: app.key(Key.Key_J, CONTROL_SHIFT), finder.isVisible),
            "the templates": (lambda: app.key(Key.Key_N, CONTROL_SHIFT), finder.isVisible),
            "the search": (lambda: app.key(Key.Key_F, CONTROL_SHIFT), search.isVisible),
            "the find bar": (lambda: app.control(Key.Key_F), bar.isVisible),
            "names": (lambda: offer("/"), chat.completion.isVisible),
            "who is asked": (lambda: offer("@"), chat.mentions.isVisible),
            "the settings": (lambda: app.control(Key.Key_Comma), dialog),
            "a preview": (preview, dialog),
            "a question": (lambda: content.archive.delete(run.workflow_id), dialog),
        }
        for name, (open_it, is_open) in opened.items():
            app.window.activateWindow()
            await until(app.window.isActiveWindow)
            content.chat.focus_composer()
            app.control(Key.Key_A)
            app.key(Key.Key_Backspace)
            open_it()
            await until(is_open)
            shown = dialog()
            if shown is not None:
                await until(shown.isActiveWindow)
            escape(app)
            await until(lambda is_open=is_open: not is_open())
            execution = app.core.stores.background.get_execution(run.workflow_id)
            assert execution is not None
            assert (execution.status, app.viewed) == (RunStatus.RUNNING, run.workflow_id), name
        await app.core.engine.cancel(run.id)


async def test_the_input_method_comes_first_then_the_names_then_the_text(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.control(Key.Key_N)
        app.write("/")
        completion, box = app.content.chat.completion, app.content.chat.composer.text_box
        await until(completion.isVisible)
        escape(app)
        assert not completion.isVisible()
        assert box.text() == "/"
        compose(app, "に")
        escape(app)
        assert box.is_composing
        compose(app, "")
        assert box.text() == "/"


async def test_the_card_is_put_off_and_nothing_is_denied(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        app.content.workflow_actions.show(run.workflow_id)
        await app.drawn()
        app.key(Key.Key_A, CONTROL_SHIFT)
        for _ in range(3):
            escape(app)
        await until(lambda: not card_of(app).guard.is_on)
        escape(app)
        assert not card_of(app).has_focus
        assert app.core.stores.questions.count(WorkflowId(run.workflow_id)) == 1
