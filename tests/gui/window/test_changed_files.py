"""The files that a run has changed, under its answer: counted, compared, opened and taken back, by keys alone."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.activity.activity_list import ActivityList
from desktop.chat.views.changes_view import ChangesView, FileActionsView, FileView
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.line_button import LineButton
from desktop.widgets import DiffSection
from tests.gui.window.rig import App, an_app
from tests.support.waiting import until

INVOICE = "def total(lines):\n    return sum(round(line.price * line.quantity, 2) for line in lines)\n"
BETTER = (
    "def total(lines):\n    amount = sum(line.price * line.quantity for line in lines)\n    return round(amount, 2)\n"
)


async def work(app: App, folder: Path, *calls: tuple[str, dict[str, Any]]) -> None:
    """Let an agent make the calls in the folder, and show what it says."""
    script = [{"call": tool, "arguments": arguments} for tool, arguments in calls]
    sent = await app.core.chat.send(
        "Mend the invoices",
        app.viewed,
        mode=ValidationMode.AUTO,
        allow=[str(folder)],
        script=[*script, {"say": "The sum is rounded once now."}],
    )
    assert isinstance(sent, Ok), sent
    await app.core.engine.wait(sent.data.id)
    app.content.workflow_actions.show(sent.data.workflow_id)
    await until(lambda: app.core.stores.view.is_loaded)
    await app.drawn()


def shown(app: App, kind: type[QWidget]) -> list[Any]:
    return [view for view in app.content.chat.transcript.findChildren(kind) if view.isVisible()]


def lines(app: App) -> list[str]:
    return [view.accessibleName() for view in sorted(shown(app, FileView), key=lambda view: int(view.y()))]


def buttons(app: App) -> list[str]:
    (view,) = shown(app, FileActionsView)
    return [button.text() for button in view.findChildren(QPushButton) if button.isVisible()]


async def opened_in_activity(app: App, tool: str) -> None:
    """Open the call in the activity: it shows what it changed."""
    listed = app.content.activity.findChildren(ActivityList)[0]
    listed.setFocus()
    listed.select(next(item.id for item, _ in app.content.activity.filtered_items() if item.name == tool))
    app.key(Qt.Key.Key_Return)
    (section,) = app.content.activity.findChildren(DiffSection)
    await until(lambda: section.isVisible() and section.view.is_filled)
    kinds = [row.kind.value for row in section.view.rows]
    assert kinds == ["same", "removed", "added", "added"]
    app.key(Qt.Key.Key_Escape)


async def press(app: App, text: str) -> None:
    """Reach the button by Tab, and press it."""
    for _ in range(40):
        focused = QApplication.focusWidget()
        if isinstance(focused, QPushButton | LineButton) and text in (focused.text() or focused.accessibleName()):
            app.key(Qt.Key.Key_Space)
            return
        app.key(Qt.Key.Key_Tab)
        await app.drawn()
    raise AssertionError(f"Tab does not reach {text}")


async def test_changed_files_are_shown_under_the_answer_and_taken_back(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    folder = tmp_path / "billing"
    folder.mkdir()
    (folder / "invoices.py").write_text(INVOICE)
    (folder / "notes.md").write_text("# Notes\n")
    edits = [{"old": INVOICE.partition("\n")[2], "new": BETTER.partition("\n")[2]}]
    async with an_app(tmp_path / "data", qapp) as app:
        await work(
            app,
            folder,
            ("edit_file", {"path": "invoices.py", "edits": edits}),
            ("write_file", {"path": "test_invoices.py", "content": "import invoices\n"}),
            ("move_file", {"path": "notes.md", "destination": "doc/notes.md"}),
        )
        (changes,) = shown(app, ChangesView)
        names = "invoices.py, test_invoices.py, notes.md"
        assert changes.accessibleName() == f"3 files changed, {names}, +3 −1"
        await opened_in_activity(app, "edit_file")
        app.content.chat.transcript.setFocus()
        await press(app, "3 files changed")
        await until(lambda: len(lines(app)) == 3)
        assert lines(app) == [
            "Edited, billing/invoices.py, +2 −1",
            "Created, billing/test_invoices.py, +1",
            "Moved, notes.md → doc/notes.md",
        ]
        await press(app, "billing/invoices.py")
        await until(lambda: shown(app, FileActionsView))
        await app.drawn()
        (diff,) = shown(app, CodeView)
        assert diff.toPlainText().splitlines()[:3] == [
            " def total(lines):",
            f"-{INVOICE.splitlines()[1]}",
            f"+{BETTER.splitlines()[1]}",
        ]
        assert buttons(app) == ["Undo this change", "Open file", "Open folder"]
        await press(app, "Open file")
        await press(app, "Open folder")
        assert [url.toLocalFile() for url in opened] == [str(folder / "invoices.py"), str(folder)]
        await press(app, "Undo this change")
        await until(lambda: (folder / "invoices.py").read_text() == INVOICE)
        await until(lambda: "Undone" in lines(app)[0])
        await app.drawn()
        assert buttons(app) == ["Do it again", "Open file", "Open folder"]
        await press(app, "Do it again")
        await until(lambda: (folder / "invoices.py").read_text() == BETTER)
        await until(lambda: "Undone" not in lines(app)[0])
        (folder / "invoices.py").write_text("mine\n")
        await press(app, "Undo this change")
        await until(lambda: buttons(app) == ["Open file", "Open folder"])
        assert (folder / "invoices.py").read_text() == "mine\n"
        (toast,) = [toast for toast in app.core.stores.toasts.visible if toast.code == "changed_since"]
        assert toast.message
