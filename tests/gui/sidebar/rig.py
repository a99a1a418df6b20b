"""A sidebar over real stores with a fake clock, with queries and actions."""

from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from core.bus import WorkflowChanged
from core.domain.ids import WorkflowId
from core.domain.run import RunKind, RunStatus
from core.domain.template import ValidationMode
from core.domain.workflow import Workflow
from core.stores.workflows import ListedWorkflow, Workflows
from desktop.bind import Frames
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.row_menu import RowAction, SidebarKeys
from desktop.sidebar.rows import Header, Row, sidebar_items
from desktop.sidebar.sidebar import Sidebar
from desktop.theme import Theme
from tests.stores.rig import START, Desk, Teller


def wf(name: str) -> WorkflowId:
    return WorkflowId(f"wf_{name}")


class Stores(Desk):
    """The stores of the sidebar, with short ways to fill them."""

    def __init__(self) -> None:
        super().__init__(ValidationMode.AUTO, max_workflows_auto=20)
        self.workflows = Workflows(self.bus)

    def add(self, name: str, title: str, status: RunStatus | None = None) -> None:
        """Add a workflow that was changed just now; `status` is the stored status of its newest run."""
        self.time.advance(1)
        workflow = Workflow(wf(name), title, "Ada", START, self.time.now())
        self.workflows.load([ListedWorkflow(workflow, status)])
        self.bus.publish(WorkflowChanged(workflow))

    def run(self, name: str, title: str, *steps: str) -> Teller:
        """Start a run: of a template if there are steps, else a chat turn."""
        if self.workflows.get(wf(name)) is None:
            self.add(name, title)
        run = self.teller(name)
        kind = RunKind.WORKFLOW if steps else RunKind.CHAT
        self.tell(run.created(*steps, kind=kind, title=title), run.started())
        return run

    def archive(self, name: str) -> None:
        """Archive it now."""
        listed = self.workflows.get(wf(name))
        assert listed is not None
        self.time.advance(1)
        self.bus.publish(WorkflowChanged(replace(listed.workflow, archived_at=self.time.now())))

    def change(self, name: str, title: str) -> None:
        """Rename it with an old timestamp, so that it keeps its place in the list."""
        workflow = Workflow(wf(name), title, "Ada", START, START - timedelta(days=1))
        self.bus.publish(WorkflowChanged(workflow))

    def titles(self, wanted: str = "") -> list[str]:
        """Return the list from the top down; headers in capitals with their count."""
        return [
            item.title if isinstance(item, Row) else f"{item.section.name} {item.count}"
            for item in sidebar_items(self.background, self.workflows, wanted)
        ]

    def row(self, name: str) -> Row:
        items = sidebar_items(self.background, self.workflows)
        (row,) = [item for item in items if item.key == wf(name)]
        assert isinstance(row, Row)
        return row


class Bench:
    """A sidebar that is shown. `asked` are its requests, as names and values."""

    def __init__(self, theme: Theme, stores: Stores) -> None:
        self.errors: list[Exception] = []
        self.stores = stores
        self.frames = Frames(self.errors.append)
        keys = SidebarKeys(QKeySequence("Ctrl+N"), QKeySequence("Ctrl+,"), QKeySequence("Ctrl+B"))
        self.sidebar = Sidebar(theme, self.frames, stores.background, stores.workflows, stores.time, keys)
        self.asked: list[tuple[object, ...]] = []
        self.sidebar.row_requested.connect(self._on_row)
        self.sidebar.new_requested.connect(self._on_new)
        self.sidebar.rename_requested.connect(self._on_rename)
        self.sidebar.peek_left.connect(self._on_peek_left)
        self.sidebar.undo_requested.connect(self._on_undo)
        self.sidebar.settings_requested.connect(self._on_settings)
        self.sidebar.collapsed_changed.connect(self._on_collapsed)

    @property
    def view(self) -> SidebarList:
        (found,) = self.sidebar.findChildren(SidebarList)
        return found

    @property
    def model(self) -> SidebarModel:
        model = self.view.model()
        assert isinstance(model, SidebarModel)
        return model

    @property
    def cursor(self) -> str | None:
        """The title of the row that keys act on."""
        row = self.view.cursor_row
        return row.title if row else None

    @property
    def selected(self) -> list[str]:
        return [index.data() for index in self.view.selectedIndexes()]

    @property
    def shown(self) -> list[str]:
        """The titles and headers of the list."""
        return [item.section.name if isinstance(item, Header) else item.title for item in self.model.items]

    @property
    def editor(self) -> QLineEdit | None:
        """The editor of a title, while it is open."""
        editors = self.view.viewport().findChildren(QLineEdit)
        return editors[0] if editors else None

    def top(self, name: str) -> int:
        """Return where the row stands in the viewport."""
        return self.view.visualRect(self.model.index_of(wf(name))).top()

    def middle(self, name: str) -> QPoint:
        return self.view.visualRect(self.model.index_of(wf(name))).center()

    def draw(self) -> None:
        """Draw the next frame."""
        self.frames.draw()
        QApplication.processEvents()
        assert self.errors == []

    def press(self, *keys: Qt.Key, widget: QWidget | None = None, shift: bool = False) -> None:
        modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        for key in keys:
            QTest.keyClick(widget or self.view, key, modifier)
        QApplication.processEvents()

    def click(self, name: str) -> None:
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=self.middle(name))

    def _on_row(self, action: RowAction, workflow_id: str) -> None:
        self.asked.append((action.value, workflow_id))

    def _on_new(self) -> None:
        self.asked.append(("new",))

    def _on_rename(self, workflow_id: str, title: str) -> None:
        self.asked.append(("rename", workflow_id, title))

    def _on_peek_left(self) -> None:
        self.asked.append(("back",))

    def _on_undo(self) -> None:
        self.asked.append(("undo",))

    def _on_settings(self) -> None:
        self.asked.append(("settings",))

    def _on_collapsed(self, is_collapsed: bool) -> None:
        self.asked.append(("collapsed", is_collapsed))
