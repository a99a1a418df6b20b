"""The activity in the real window: exported to a file, whole results on opening, complete after a restart."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPlainTextEdit

from core.stores.activity_items import ActivityKind
from desktop.activity.activity_list import ActivityList
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage

Until = Callable[..., Awaitable[None]]
SCRIPT: tuple[dict[str, object], ...] = (
    {"call": "calculator", "arguments": {"expression": "6 * 7"}},
    {"say": "It is 42."},
)


def dialogs(app: App) -> list[QFileDialog]:
    return [widget for widget in app.window.findChildren(QFileDialog) if widget.isVisible()]


def items(app: App) -> ActivityList:
    found = app.content.activity.findChild(ActivityList)
    assert isinstance(found, ActivityList)
    return found


def kinds(app: App) -> list[ActivityKind]:
    return [item.kind for item, _ in app.content.activity.filtered_items()]


def texts(app: App) -> dict[str, str]:
    """What is open, by its title."""
    found = app.content.activity.findChildren(QPlainTextEdit)
    return {each.accessibleName(): each.toPlainText() for each in found if each.isVisible()}


def written(path: Path) -> str:
    return path.read_text()


def is_there(path: Path) -> bool:
    return path.exists()


def is_written(app: App) -> bool:
    task = app.content.activity_binder._export
    return task is not None and task.done()


async def test_what_was_never_viewed_is_listed_opened_whole_and_exported_after_a_restart(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        run = await app.say("How much?", script=SCRIPT)
        await app.core.engine.wait(run.id)
    async with an_app(tmp_path, qapp, storage) as app:
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: kinds(app) == [ActivityKind.AGENT, ActivityKind.TOOL])
        await until(lambda: items(app).items.rowCount() == 2)
        items(app).setFocus()
        items(app).select(
            next(item.id for item, _ in app.content.activity.filtered_items() if item.kind is ActivityKind.TOOL)
        )
        QTest.keyClick(items(app), Qt.Key.Key_Return)
        await until(lambda: texts(app).get("Result") == '{\n  "result": 42\n}')
        assert texts(app)["Arguments"] == '{\n  "expression": "6 * 7"\n}'

        for name, begins in (("How much.json", '{"workflow":"How much?"'), ("How much.md", "# How much?")):
            action = app.window.findChild(QAction, "activity.export")
            assert isinstance(action, QAction)
            action.trigger()
            await until(lambda: dialogs(app))
            (dialog,) = dialogs(app)
            dialog.setDirectory(str(tmp_path))
            if name.endswith("md"):
                dialog.selectNameFilter("Markdown (*.md)")
                dialog.filterSelected.emit("Markdown (*.md)")
            dialog.accept()
            path = tmp_path / name
            await until(lambda path=path: is_there(path))
            assert written(path).startswith(begins)
            await until(lambda: is_written(app))  # a second one is not begun before
        told = json.loads(written(tmp_path / "How much.json"))["items"]
        assert [each["kind"] for each in told] == ["agent", "tool"]
        assert told[1]["result"] == {"result": 42}
        await until(lambda: any(toast.code == "activity_exported" for toast in app.core.stores.toasts.visible))


async def test_with_nothing_to_export_it_reports_it_and_opens_nothing(tmp_path: Path, qapp: QApplication) -> None:
    async with an_app(tmp_path, qapp) as app:
        app.content.activity_binder.export()
        assert [toast.code for toast in app.core.stores.toasts.visible] == ["nothing_to_export"]
        assert dialogs(app) == []
