"""Every screen of the window, one after the other, for tests that look at each of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget

from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.domain.toast import ToastType
from core.errors import StorageFailed
from core.services.outcome import Failed, Ok
from desktop.chat.composer.attachments import AttachmentPreview
from desktop.chat.composer.draft import Draft
from desktop.palette.entries import Kind
from desktop.settings.parts.page import PageId
from desktop.window.base.options import Option
from desktop.window.frame.doubt_page import DoubtPage
from desktop.window.frame.failure_page import FailurePage
from tests.gui.window.rig import App
from tests.support.waiting import until
from tests.support.world import a_step, tool_step

LONG = "Rework the invoices of the spring quarter, then write to everybody who has not answered yet"
ASKING = {
    "approval": {"kind": "approval", "prompt": f"{LONG}?"},
    "input-review": {"kind": "input-review", "prompt": "Are these right?"},
    "state-edit": {"kind": "state-edit", "prompt": "Change what is not right."},
    "tool-input": {"kind": "tool-input", "prompt": "What is to be calculated?"},
    "local-execution": {"kind": "local-execution", "prompt": "Do it yourself, then say what came of it."},
}

CHATS_THAT_ASK = {
    "tool-approval": '/tool calculator {"expression": "6*7"}',
    "question": "ask Which of these? [the first, the second, none of them]",
}
SCHEMA = {
    "type": "object",
    "properties": {"whom": {"type": "string", "description": LONG}, "count": {"type": "integer"}},
    "required": ["whom", "count"],
}
FORMS = {PageId.AGENTS: ("_new",), PageId.SERVERS: ("_new", "_paste_open"), PageId.PROMPTS: ("_new",)}
Screen = tuple[str, QWidget]
"""Its name, and the window that it is in."""

RECORDED = ({"call": "calculator", "arguments": {"expression": "6*7"}}, {"say": "done"})


async def holds(what: Callable[[], object]) -> None:
    """Waits for it, and for the next frame."""
    await until(what)
    await drawn()


def _is_inside(widget: QWidget, window: QWidget) -> bool:
    """Whether it has come to where it is wholly seen."""
    return window.rect().contains(QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()))


async def settled(root: QWidget) -> None:
    """A page that has just been filled is laid out more than once."""
    before: list[object] = []
    for _ in range(40):
        await asyncio.sleep(0.05)
        now: list[object] = [one.geometry().getRect() for one in root.findChildren(QWidget)]
        if now == before:
            return
        before = now


async def screens(app: App) -> AsyncIterator[Screen]:
    """Each of the window itself, shown and drawn, with the focus where the app puts it."""
    await holds(app.content.start.isVisible)
    yield "start", app.window
    for part in (_conversations, _writing, _places, _lookups, _cards, _questions):
        async for screen in part(app):
            yield screen


async def dialogs(app: App) -> AsyncIterator[Screen]:
    """Each page of the settings, what opens in one, and the other windows."""
    for part in (_pages, _forms):
        async for screen in part(app):
            yield screen


async def _give_folders(app: App, missing: Run, single: Run, several: Run) -> None:
    """Give the workflows folders, with a long name, of which that of the first is missing."""
    folder = app.session.folders.store.parent / LONG
    for path in (folder, folder / "gone"):
        path.mkdir(parents=True)
    set_folders = app.core.workflows.set_folders
    await set_folders(missing.workflow_id, [str(folder / "gone")])
    (folder / "gone").rmdir()
    await set_folders(single.workflow_id, [f"ro:{folder}"])
    await set_folders(several.workflow_id, [str(folder), f"ro:{folder.parent}"])


async def _conversations(app: App) -> AsyncIterator[Screen]:
    window, content, core = app.window, app.content, app.core
    said = await app.say(LONG, script=({"say": "# A title\n\nText with `code`.\n\n```python\nprint(1)\n```\n"},))
    ran = await app.start("A template", a_step("one"), tool_step("two", "calculator", "one", expression="6*7"))
    failed = await app.say("go", script=({"say": "half"}, {"fail": "connection reset"}))
    for run in (said, ran, failed):
        await core.engine.wait(run.id)
    going = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
    await _give_folders(app, said, ran, going)
    for name, run in (("chat", said), ("template", ran), ("failed", failed), ("running", going)):
        content.opener.open(run.workflow_id)
        await holds(lambda: core.stores.view.is_loaded)
        yield name, window
    toasts = core.stores.toasts
    toasts.clear()
    toasts.pause("tour")
    toasts.add(ToastType.WARNING, "nothing_to_record")
    toasts.add_workflow_complete(said.workflow_id, LONG, RunStatus.SUCCESS)
    toasts.add(ToastType.ERROR, "unexpected", title=LONG, message=LONG * 4, workflow_id=said.workflow_id)
    toasts.add_user_question(ran.workflow_id, LONG, f"{LONG}?")
    await holds(lambda: content.toasts.cards and all(_is_inside(one, window) for one in content.toasts.cards))
    await settled(content.toasts)
    yield "toasts", window
    toasts.resume("tour")
    toasts.clear()


async def _writing(app: App) -> AsyncIterator[Screen]:
    """What stands over the composer, around it and in its place."""
    window, content, chat = app.window, app.content, app.content.chat
    going = app.core.stores.background.running_workflows[0].workflow_id
    content.opener.open(going)
    added = await app.core.queue.add(going, LONG)
    assert isinstance(added, Ok)
    chat.composer.text_box.insertPlainText("see ")
    QGuiApplication.clipboard().setText("z" * 20_001)
    chat.composer.text_box.paste()
    await holds(lambda: chat.queue.isVisible() and chat.composer.files)
    yield "queue and files", window
    chat.composer._files.focus_last()
    QTest.keyClick(app.focused(), Qt.Key.Key_Return)
    await holds(lambda: window.findChild(AttachmentPreview))
    preview = window.findChild(AttachmentPreview)
    assert preview is not None
    yield "preview", preview
    preview.close()
    window.activateWindow()
    await holds(window.isActiveWindow)
    content.opener.open_new()
    for name, sign, offered in (("named", "/", chat.completion), ("asked", "@", chat.mentions)):
        chat.composer.set_draft(Draft())
        chat.focus_composer()
        QTest.keyClicks(app.focused(), sign)
        await holds(offered.isVisible)
        yield name, window
        QTest.keyClick(app.focused(), Qt.Key.Key_Escape)
    chat.composer.set_draft(Draft())
    chat.footer.ask_input(LONG, SCHEMA, runs=True)
    await settled(chat)
    yield "inputs", window
    chat.footer.end_input()
    await app.core.settings.change(validation_mode="selective")
    app.write(LONG)
    chat.composer.submit()
    await holds(chat.footer.limit.isVisible)
    yield "limit", window
    chat.footer.limit.auto.click()
    await settled(chat)
    yield "limit warning", window
    chat.footer.limit.confirmation.cancel_button.click()
    await app.core.settings.change(validation_mode="auto")
    chat.composer.set_draft(Draft())


async def _lookups(app: App) -> AsyncIterator[Screen]:
    window, content = app.window, app.content
    content.opener.open(app.core.stores.workflows.rows[-1].workflow.id)
    content.find_controller.open()
    QTest.keyClicks(app.focused(), "e")
    await drawn()
    yield "find bar", window
    content.find_controller.close_bar()
    content.search_controller.open()
    await drawn()
    yield "search", window
    QTest.keyClicks(app.focused(), "spring")
    await holds(lambda: content.search._rows.rows)
    yield "search results", window
    content.search.close_up()
    content.switcher.recent_list.show_soon([Option(LONG, "", None), Option("Another", "", None)])
    content.switcher.recent_list.appear_now()
    await drawn()
    yield "viewed last", window
    content.switcher.recent_list.dismiss()


async def _places(app: App) -> AsyncIterator[Screen]:
    window, content = app.window, app.content
    for kind in Kind:
        content.palette_controller.open(kind)
        await holds(content.command_palette.isVisible)
        yield f"palette {kind.name.lower()}", window
        content.command_palette.close_up()
    content.answering.open()
    await holds(content.picker.isVisible)
    yield "picker", window
    content.picker.hide()
    *_, last = app.core.stores.workflows.rows
    await app.core.workflows.archive(last.workflow.id)
    content.menus.trigger("view.archive")
    await drawn()
    yield "archive", window
    content.sidebar.show_archive(False)
    content.sidebar.fold_sections(("workflows", "recent"))
    content.preview.toggle(app.core.stores.workflows.rows[-1].workflow.id)
    await drawn()
    yield "peek", window
    content.preview.end()
    content.sidebar.fold_sections(())
    folding = content.panels
    folding.fold_sidebar(True)
    folding.fold_activity(True)
    await drawn()
    yield "folded", window
    folding.fold_activity(False)
    folding.fold_sidebar(False)
    folding.fit(content.width())
    folding.fold_sidebar(False)
    content.sidebar._header.set_searching(True)
    content.sidebar._search.setText("no such workflow")
    await drawn()
    yield "nothing found", window
    content.sidebar._header.set_searching(False)
    folding.fit(content.width())


async def _cards(app: App) -> AsyncIterator[Screen]:
    for name, interrupt in ASKING.items():
        given = {} if name == "tool-input" else {"expression": "6*7"}
        step = {**tool_step("send", "calculator", **given), "interrupt": interrupt}
        run = await app.start(f"{name} of letters", step)
        yield await _card(app, name, run)
        await app.core.runs.cancel(run.id)
    for name, text in CHATS_THAT_ASK.items():
        sent = await app.core.chat.send(text, mode=ValidationMode.MANUAL)
        assert isinstance(sent, Ok)
        yield await _card(app, name, sent.data)
        await app.core.runs.cancel(sent.data.id)


async def _card(app: App, name: str, run: Run) -> Screen:
    content = app.content
    await holds(lambda: app.core.stores.questions.count(run.workflow_id))
    content.opener.open(run.workflow_id)
    app.core.stores.toasts.clear()
    await settled(content.toasts)
    content.chat.focus_card()
    await holds(content.chat.card.isVisible)
    return f"card {name}", app.window


async def _questions(app: App) -> AsyncIterator[Screen]:
    content = app.content
    going = app.core.stores.background.running_workflows[0].workflow_id
    content.opener.open(going)
    asking: dict[str, Callable[[], None]] = {
        "delete question": partial(content.archive.delete, going),
        "archive question": partial(content.archive.archive, going),
        "close question": content.quit_guard.ask,
    }
    for name, ask in asking.items():
        ask()
        box = next(one for one in app.window.findChildren(QMessageBox) if one.isVisible())
        await drawn()
        yield name, box
        box.reject()
        await drawn()


async def _pages(app: App) -> AsyncIterator[Screen]:
    content = app.content
    sent = await app.core.chat.send("go", mode=ValidationMode.AUTO, script=RECORDED, record=True)
    assert isinstance(sent, Ok)
    await app.core.engine.wait(sent.data.id)
    content.opener.open(sent.data.workflow_id)
    await holds(content.recording.banner.isVisible)
    content.recording.review()
    await holds(lambda: content.recording.dialog)
    review = content.recording.dialog
    assert review is not None
    yield "review", review
    review.close()
    dialog = None
    for page in PageId:
        content.preferences.open_at(page)
        dialog = content.preferences._dialog
        assert dialog is not None
        await settled(dialog)
        yield f"settings {page}", dialog
    if dialog is not None:
        dialog.hide()
    app.window.activateWindow()
    async for screen in failure_screen(app, "failure", StorageFailed("store_doubtful", "the store is damaged")):
        yield screen


async def failure_screen(app: App, name: str, error: StorageFailed) -> AsyncIterator[Screen]:
    """What stands in the window where its data cannot be opened."""
    theme, failed = app.session.theme, Failed.of(error)
    page = (
        DoubtPage(theme, failed)
        if "choices" in failed.details
        else FailurePage(theme, failed, app.session.folders.store)
    )
    page.resize(app.window.size())
    page.show()
    await drawn()
    yield name, page
    page.deleteLater()
    app.window.activateWindow()


async def _forms(app: App) -> AsyncIterator[Screen]:
    """Those that open in a page of the settings."""
    preferences = app.content.preferences
    for page, buttons in FORMS.items():
        for name in buttons:
            preferences.open_at(page)
            dialog = preferences._dialog
            assert dialog is not None
            await settled(dialog)
            getattr(dialog._pages.page(page), name).click()
            await settled(dialog)
            yield f"form {page} {name}", dialog
    app.window.activateWindow()


async def drawn() -> None:
    """The next frame is there."""
    await asyncio.sleep(0.06)


def shown(root: QWidget) -> list[QWidget]:
    """What of it can be seen, itself among it."""
    found = [one for one in root.findChildren(QWidget) if one.isVisible() and one.window() is root.window()]
    return [one for one in (root, *found) if not one.visibleRegion().isEmpty()]


def takes_focus(widget: QWidget) -> bool:
    """By Tab, and for itself."""
    is_wanted = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    return bool(is_wanted and widget.isEnabled() and widget.focusProxy() is None)


def path_of(widget: QWidget) -> str:
    """Where it stands, for whoever reads of a failure."""
    names: list[str] = []
    at: QWidget | None = widget
    while at is not None and len(names) < 4:
        names.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(names)
