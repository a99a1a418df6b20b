"""The activity panel in a window of its own, on real stores with a fake clock."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.domain.events import StepFinished, ToolEnded, ToolStarted
from core.domain.ids import CallId
from core.domain.run import RunKind, StepStatus
from core.domain.tool import CallStatus
from desktop.activity.activity_list import ActivityList
from desktop.activity.panel import ActivityPanel
from desktop.bind import Frames
from desktop.theme import Theme
from tests.stores.rig import Desk, Teller


@dataclass
class Sidebar:
    """What the test queries. `show` draws the stores, as the next frame would."""

    panel: ActivityPanel
    desk: Desk
    frames: Frames
    window: QWidget = field(default_factory=QWidget)

    def show(self) -> None:
        self.desk.time.advance(0.1)  # the batch closes
        self.frames.draw()
        QTest.qWait(0)

    def chat(self) -> Teller:
        """Start a chat turn, and view it."""
        run = self.desk.start("a")
        self.desk.background.set_viewed(run.workflow_id)
        self.show()
        return run

    def call(self, run: Teller, name: str, *, step: str = "chat", **how: Any) -> None:
        """Read a file, successfully by default."""
        known = {"status": CallStatus.COMPLETED, "duration_ms": 5, **how}
        arguments = {"path": f"{name}.txt"}
        self.desk.tell(run.say(ToolStarted(call_id=CallId(name), tool="read_file", arguments=arguments, step=step)))
        self.desk.tell(run.say(ToolEnded(call_id=CallId(name), **known)))
        self.show()

    def template(self, output: Any) -> Teller:
        """Run a template whose first step read a file and returned this."""
        run = self.desk.teller("a")
        self.desk.background.set_viewed(run.workflow_id)
        self.desk.tell(run.created("fetch", "check", kind=RunKind.WORKFLOW), run.started(), run.step_started("fetch"))
        self.call(run, "notes", step="fetch")
        self.desk.tell(run.say(StepFinished(step="fetch", status=StepStatus.COMPLETED, output=output)))
        self.show()
        return run

    @property
    def items(self) -> ActivityList:
        found = self.panel.findChild(ActivityList)
        assert isinstance(found, ActivityList)
        return found

    @property
    def lines(self) -> list[str]:
        """The lines of the list, from the top down."""
        model = self.items.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    def middle_of(self, row: int) -> QPoint:
        """Return the middle of a line in the viewport of the list."""
        return self.items.visualRect(self.items.model().index(row, 0)).center()


@pytest.fixture
def sidebar(theme: Theme, qtbot: QtBot) -> Sidebar:
    desk = Desk()
    errors: list[Exception] = []
    frames = Frames(errors.append)
    keys = QKeySequence("Ctrl+Shift+B"), QKeySequence("Ctrl+L")
    made = Sidebar(ActivityPanel(theme, desk.view, frames, desk.time.now, *keys), desk, frames)
    qtbot.addWidget(made.window)
    row = QHBoxLayout(made.window)
    row.setContentsMargins(0, 0, 0, 0)
    row.addStretch(1)
    row.addWidget(made.panel)
    made.window.resize(800, 600)
    with qtbot.waitActive(made.window):
        made.window.show()
        made.window.activateWindow()
    made.show()
    assert errors == []
    return made
