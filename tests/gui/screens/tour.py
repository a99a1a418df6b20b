"""Every screen of the window, one after the other, for tests that look at each of them."""

import asyncio
from collections.abc import AsyncIterator, Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from core.domain.template import ValidationMode
from core.domain.toast import ToastType
from core.errors import StorageFailed
from core.services.outcome import Failed, Ok
from desktop.palette.entries import Kind
from desktop.settings.page import PageId
from desktop.window.failure_page import FailurePage
from tests.gui.window.rig import App
from tests.support.world import a_step, tool_step

LONG = "Rework the invoices of the spring quarter, then write to everybody who has not answered yet"
ASKING = {
    "approval": {"kind": "approval", "prompt": f"{LONG}?"},
    "input-review": {"kind": "input-review", "prompt": "Are these right?"},
    "state-edit": {"kind": "state-edit", "prompt": "Change what is not right."},
    "tool-input": {"kind": "tool-input", "prompt": "What is to be calculated?"},
    "local-execution": {"kind": "local-execution", "prompt": "Do it yourself, then say what came of it."},
}

RECORDED = ({"call": "calculator", "arguments": {"expression": "6*7"}}, {"say": "done"})


async def _holds(what: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not what():  # noqa: ASYNC110  # what it looks at has no event to wait for
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.06)


async def _settled(root: QWidget) -> None:
    """A page that has just been filled is laid out more than once."""
    before: list[object] = []
    for _ in range(40):
        await asyncio.sleep(0.05)
        now: list[object] = [one.geometry().getRect() for one in root.findChildren(QWidget)]
        if now == before:
            return
        before = now


async def screens(app: App) -> AsyncIterator[tuple[str, QWidget]]:
    """The name of each screen, and the window that it is in: shown, drawn, with the focus where the app puts it."""
    window, content, core = app.window, app.content, app.core
    await _holds(content.start.isVisible)
    yield "start", window
    said = await app.say(LONG, script=({"say": "# A title\n\nText with `code`.\n\n```python\nprint(1)\n```\n"},))
    await core.engine.wait(said.id)
    ran = await app.start("A template", a_step("one"), tool_step("two", "calculator", "one", expression="6*7"))
    await core.engine.wait(ran.id)
    failed = await app.say("go", script=({"say": "half"}, {"fail": "connection reset"}))
    await core.engine.wait(failed.id)
    going = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
    for name, run in (("chat", said), ("template", ran), ("failed", failed), ("running", going)):
        content._open(run.workflow_id)
        await _holds(lambda: core.stores.view.is_loaded)
        yield name, window
    core.stores.toasts.clear()
    content.deeds._refuse(Failed("limit_reached", "", details={"mode": "auto", "limit": 3}), _nothing)
    core.stores.toasts.add_workflow_complete(said.workflow_id, LONG, said.status)
    core.stores.toasts.add(ToastType.ERROR, "unexpected", title=LONG, message=LONG * 4, workflow_id=said.workflow_id)
    core.stores.toasts.add_user_question(ran.workflow_id, LONG, f"{LONG}?")
    await _holds(lambda: content.toasts.cards)
    await _settled(content.toasts)
    yield "toasts", window
    core.stores.toasts.clear()
    for kind in Kind:
        content._finding.find(kind)
        await _holds(content.finder.isVisible)
        yield f"palette {kind.name.lower()}", window
        content.finder.close_up()
    content._pick()
    await _holds(content.picker.isVisible)
    yield "picker", window
    content.picker.hide()
    await core.workflows.archive(failed.workflow_id)
    content._carry_out("view.archive")
    await asyncio.sleep(0.06)
    yield "archive", window
    content.sidebar.show_archive(False)
    content.sidebar.fold_sections(("workflows", "recent"))
    content.peeking.peek(ran.workflow_id)
    await asyncio.sleep(0.06)
    yield "peek", window
    content.peeking.leave()
    content.sidebar.fold_sections(())
    content._fold_sidebar(True)
    content._fold_activity(True)
    await asyncio.sleep(0.06)
    yield "folded", window
    content._is_activity_folded = False
    content._fold_sidebar(False)
    content._fold()
    content._fold_sidebar(False)
    content.sidebar._head.set_searching(True)
    content.sidebar._search.setText("no such workflow")
    await asyncio.sleep(0.06)
    yield "nothing found", window
    content.sidebar._head.set_searching(False)
    content._fold()
    for name, interrupt in ASKING.items():
        given = {} if name == "tool-input" else {"expression": "6*7"}
        step = {**tool_step("send", "calculator", **given), "interrupt": interrupt}
        asking = await app.start(f"{name} of letters", step)
        await _holds(lambda run=asking: core.stores.questions.count(run.workflow_id))
        content._open(asking.workflow_id)
        content.chat.focus_card()
        await _holds(content.chat.card.isVisible)
        yield f"card {name}", window
        await core.runs.cancel(asking.id)
    for name, text in (
        ("tool-approval", '/tool calculator {"expression": "6*7"}'),
        ("question", "ask Which of these? [the first, the second, none of them]"),
    ):
        sent = await core.chat.send(text, mode=ValidationMode.MANUAL)
        assert isinstance(sent, Ok)
        run = sent.data
        await _holds(lambda run=run: core.stores.questions.count(run.workflow_id))
        content._open(run.workflow_id)
        content.chat.focus_card()
        await _holds(content.chat.card.isVisible)
        yield f"card {name}", window
        await core.runs.cancel(run.id)
    content._open(going.workflow_id)
    for name, open_ in (
        ("delete question", lambda: content.keeping.delete(going.workflow_id)),
        ("archive question", lambda: content.keeping.archive(going.workflow_id)),
        ("close question", content.leaving.ask),
    ):
        open_()
        box = next(one for one in window.findChildren(QMessageBox) if one.isVisible())
        await asyncio.sleep(0.06)
        yield name, box
        box.reject()
        await asyncio.sleep(0.02)
    sent = await core.chat.send("go", mode=ValidationMode.AUTO, script=RECORDED, record=True)
    assert isinstance(sent, Ok)
    await core.engine.wait(sent.data.id)
    content._open(sent.data.workflow_id)
    await _holds(content.recording.banner.isVisible)
    content.recording.review()
    await _holds(lambda: content.recording.dialog)
    review = content.recording.dialog
    assert review is not None
    yield "review", review
    review.close()
    for page in PageId:
        content.preferences.open_at(page)
        dialog = content.preferences._dialog
        assert dialog is not None
        await _settled(dialog)
        yield f"settings {page}", dialog
    dialog.hide()
    page = FailurePage(app.session.theme, Failed.of(StorageFailed("store_doubtful", "the store is damaged")))
    page.resize(window.size())
    page.show()
    await asyncio.sleep(0.03)
    yield "failure", page
    page.deleteLater()
    window.activateWindow()


async def _nothing() -> None:
    """What a toast offers."""


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
    names = []
    at: QWidget | None = widget
    while at is not None and len(names) < 4:
        names.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join(names)
