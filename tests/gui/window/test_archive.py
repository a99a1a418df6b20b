"""Workflows put away, deleted, brought back and peeked at in the real window, by key."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from desktop.palette.entries import Kind, Query
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.model import SidebarModel
from desktop.window.conversation.header import ViewState
from tests.gui.window.rig import App, an_app
from tests.support import waiting
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
Key = Qt.Key
SLOW = ({"say": "a b c", "delay_ms": 60_000},)


async def ended(app: App, *texts: str) -> list[WorkflowId]:
    """Return finished workflows with these titles, the last on top of the list."""
    made = []
    for text in texts:
        run = await app.say(f"say 1 words {text}")
        await app.core.engine.wait(run.id)
        await app.core.workflows.rename(run.workflow_id, text)
        made.append(run.workflow_id)
    return made


async def in_list(app: App, workflow_id: WorkflowId) -> SidebarList:
    """The list, with the focus and the cursor on that row."""
    (view,) = app.content.sidebar.findChildren(SidebarList)

    def has_focus() -> bool:  # a window that a dialog has closed over takes a while
        app.window.activateWindow()
        app.content.sidebar.take_focus()
        return QApplication.focusWidget() is view

    await waiting.until(has_focus)
    model = view.model()
    assert isinstance(model, SidebarModel)
    view.setCurrentIndex(model.index_of(workflow_id))
    return view


def question(app: App, name: str) -> QMessageBox:
    (box,) = [box for box in app.window.findChildren(QMessageBox, name) if box.isVisible()]
    return box


async def test_delete_archives_control_z_restores_and_the_archive_keeps_it(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one, two = await ended(app, "One", "Two")
        stores = app.core.stores
        app.content.opener.open(one)
        view = await in_list(app, one)
        app.key(Key.Key_Delete)
        await until(lambda: app.row(one) is None)
        assert app.viewed is None
        assert view.hasFocus()
        assert view.cursor_row is not None
        assert view.cursor_row.id == two
        told = [(toast.code, toast.title) for toast in stores.toasts.visible]
        assert told == [("workflow_success", "say 1 words Two"), ("workflow_archived", "One")]
        app.control(Key.Key_Z)
        await until(lambda: app.row(one))
        assert [toast.code for toast in stores.toasts.visible] == ["workflow_success"]
        await in_list(app, one)
        app.key(Key.Key_Delete)
        await until(lambda: app.row(one) is None)
        found = app.content.command_palette._search(Query(Kind.WORKFLOW, "One"))
        assert ("One", "archived") in [(each.title, getattr(each, "note", "")) for each in found]
        assert "One" not in [each.title for each in app.content.command_palette._search(Query(Kind.WORKFLOW, ""))]
        app.content.menus.trigger("view.archive")
        await in_list(app, one)
        app.key(Key.Key_Return)
        await until(lambda: app.content.banner.state is ViewState.ARCHIVED)
        button = app.content.banner.findChildren(QPushButton)[0]
        assert button.text() == "Restore"
        button.click()
        await until(lambda: not stores.workflows.archived)
        await until(app.content.banner.isHidden)


async def test_what_runs_is_asked_about_and_stopped(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("go", script=SLOW)
        await app.core.workflows.rename(run.workflow_id, "W" * 256)
        await until(lambda: app.row(run.workflow_id))
        await in_list(app, run.workflow_id)
        app.key(Key.Key_Delete)
        question(app, "archive_question").reject()
        assert app.core.stores.background.running_count == 1
        await in_list(app, run.workflow_id)
        app.key(Key.Key_Delete)
        box = question(app, "archive_question")
        assert box.sizeHint().width() < 600
        assert sorted(button.text() for button in box.buttons()) == ["Cancel", "Stop and archive"]
        box.findChildren(QPushButton, "archive")[0].click()
        await until(lambda: app.core.stores.workflows.archived)
        assert app.core.stores.workflows.archived[0].status is RunStatus.CANCELLED


async def test_a_deletion_is_undone_by_its_toast_and_done_when_that_is_gone(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        one, two = await ended(app, "Twin", "Twin")
        stores = app.core.stores
        for workflow_id in (one, two):
            await in_list(app, workflow_id)
            app.key(Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
            question(app, "delete_question").findChildren(QPushButton, "delete")[0].click()
            await until(lambda which=workflow_id: app.row(which) is None)
        assert set(await storage.workflows.discarded()) == {one, two}
        first, second = (toast for toast in stores.toasts.visible if toast.code == "workflow_deleted")
        await until(lambda: len(app.content.toasts.cards) == 2)
        app.content.toasts._act("undo", first.id)
        await until(lambda: app.row(one))
        stores.toasts.dismiss(second.id)

        async def is_gone() -> bool:
            return not await storage.workflows.discarded()

        await until(is_gone)
        assert {run.workflow_id for run in await storage.runs.page()} == {one}
        app.content.archive.undo()
        await asyncio.sleep(0.05)
        assert app.row(two) is None


async def test_a_peek_shows_a_workflow_and_goes_back_without_a_trace(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        one, two, three = await ended(app, "One", "Two", "Three")
        app.content.opener.open(one)
        view = await in_list(app, two)
        app.key(Key.Key_Space)
        assert app.viewed == two
        assert view.hasFocus()
        assert app.content.banner.state is ViewState.PREVIEWED
        assert app.content.preview.opened_workflow == one
        await in_list(app, three)
        app.key(Key.Key_Space)
        assert app.viewed == three
        app.key(Key.Key_Escape)
        assert app.viewed == one
        assert app.content.switcher.viewed_before == [one]
        app.key(Key.Key_Space)
        app.key(Key.Key_Return)
        assert (app.viewed, app.content.preview.opened_workflow) == (three, three)
        assert app.content.banner.isHidden()
        assert app.content.switcher.viewed_before == [one, three]
        await in_list(app, two)
        app.key(Key.Key_Space)
        app.content.chat.focus_composer()
        assert app.content.switcher.viewed_before == [three, one, two]


async def test_a_workflow_with_a_request_can_be_previewed_and_archived(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        asks = {**tool_step("a", "uuid_generate"), "interrupt": {"kind": "approval"}}
        run = await app.start("Asks", asks)
        await until(lambda: app.core.stores.questions.workflows)
        await until(lambda: app.row(run.workflow_id))
        await in_list(app, run.workflow_id)
        app.key(Key.Key_Space)
        assert app.viewed == run.workflow_id
        app.key(Key.Key_Delete)
        question(app, "archive_question").findChildren(QPushButton, "archive")[0].click()
        await until(lambda: app.core.stores.workflows.archived)
        assert app.core.stores.questions.workflows == []
        assert app.viewed is None
        assert not app.content.preview.is_on


async def test_what_is_archived_or_deleted_and_brought_back_has_its_draft_and_what_waited(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        (other,) = await ended(app, "Other")
        run = await app.say("go", script=SLOW)
        one = run.workflow_id
        app.content.opener.open(one)
        app.write("wait for it")
        app.key(Key.Key_Return)
        queues = app.core.stores.queues
        await until(lambda: queues.get(one).messages)
        app.write("half a thought")
        app.content.opener.open(other)
        for bring_back in (app.core.workflows.restore, app.core.trash.restore):
            put_away = (
                app.core.workflows.archive if bring_back == app.core.workflows.restore else app.core.trash.discard
            )
            await put_away(one)
            await until(lambda: one not in {row.workflow.id for row in app.core.stores.workflows.rows})
            await asyncio.sleep(0.1)
            await bring_back(one)
            await until(lambda: app.row(one))
            app.content.opener.open(one)
            assert app.content.chat.composer.draft().text == "half a thought"
            assert [message.text for message in queues.get(one).messages] == ["wait for it"]
            app.content.opener.open(other)
