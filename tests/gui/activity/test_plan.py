"""The plan on top of the activity: what an agent has planned with `todo`, and how far it is."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QToolButton

from core.domain.events import TaskChanged, ToolEnded, ToolStarted
from core.domain.ids import CallId, TaskId
from core.domain.task import TaskStatus
from core.domain.tool import CallStatus
from desktop.activity.plan_view import MOST_ROWS, PlanView, TaskListView
from desktop.translation import Language, Translation
from desktop.widgets import ROW_ROLE
from tests.gui.activity.conftest import Sidebar
from tests.stores.rig import Teller

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

PENDING, DOING, DONE = TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED
Key = Qt.Key


def plan(sidebar: Sidebar, run: Teller, change: str = "updated", **tasks: TaskStatus) -> None:
    """The agent changes these tasks."""
    for name, status in tasks.items():
        fact = TaskChanged(id=TaskId(name), change=change, name=name, status=status, priority=3)
        sidebar.desk.tell(run.say(fact))
    sidebar.show()


def view(sidebar: Sidebar) -> PlanView:
    (found,) = sidebar.panel.findChildren(PlanView)
    return found


def tasks(sidebar: Sidebar) -> list[str]:
    """What is seen of the plan, as a screen reader reads it."""
    listed = sidebar.panel.findChild(TaskListView)
    assert isinstance(listed, TaskListView)
    if not listed.isVisible():
        return []
    model = listed.model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    assert all(isinstance(row.data(ROW_ROLE).name, str) for row in rows)
    return [str(row.data(Qt.ItemDataRole.AccessibleTextRole)) for row in rows]


def words(sidebar: Sidebar) -> list[str]:
    return [label.text() for label in view(sidebar).findChildren(QLabel) if label.isVisible()]


def fold_button(sidebar: Sidebar) -> QToolButton:
    (found,) = view(sidebar).findChildren(QToolButton)
    return found


def test_a_plan_is_shown_live_and_folds_when_it_is_done(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    assert not view(sidebar).isVisible()
    plan(sidebar, run, "created", reproduce=PENDING, locate=PENDING, mend=PENDING)
    assert words(sidebar) == ["Plan", "0 of 3"]
    plan(sidebar, run, reproduce=DONE, locate=DOING)
    assert words(sidebar) == ["Plan", "1 of 3"]
    assert tasks(sidebar) == ["reproduce, Done", "locate, In progress", "mend, To do"]
    (bar,) = view(sidebar).findChildren(QProgressBar)
    assert (bar.value(), bar.maximum(), bar.accessibleName()) == (1, 3, "1 of 3 tasks done")
    plan(sidebar, run, "deleted", mend=PENDING)
    assert words(sidebar) == ["Plan", "1 of 2"]
    plan(sidebar, run, locate=DONE)
    assert words(sidebar) == ["Plan", "2 of 2"]
    assert tasks(sidebar) == []


def test_the_next_plan_does_not_begin_with_the_last(sidebar: Sidebar) -> None:
    run = sidebar.chat()
    plan(sidebar, run, "created", reproduce=PENDING, locate=PENDING)
    plan(sidebar, run, reproduce=DONE)
    sidebar.desk.tell(run.finished())
    then = sidebar.desk.start("b", "wf_a")
    sidebar.show()
    assert words(sidebar) == ["Plan", "1 of 2"], "a turn that plans nothing goes on with it"
    plan(sidebar, then, locate=DOING)
    assert tasks(sidebar) == ["reproduce, Done", "locate, In progress"]
    plan(sidebar, then, "created", write=PENDING)
    assert tasks(sidebar) == ["locate, In progress", "write, To do"]
    sidebar.desk.background.set_viewed(None)
    sidebar.show()
    assert not view(sidebar).isVisible()


def test_it_is_used_by_keys_and_a_long_plan_stays_small(sidebar: Sidebar, qapp: QApplication) -> None:
    run = sidebar.chat()
    plan(sidebar, run, "created", **{f"task {number:02}": PENDING for number in range(30)})
    plan(sidebar, run, **{"task 20": DOING})
    listed = sidebar.panel.findChild(TaskListView)
    assert isinstance(listed, TaskListView)
    row = listed.visualRect(listed.model().index(20, 0))
    assert listed.viewport().rect().contains(row), "what is being done is in sight"
    assert listed.height() <= (MOST_ROWS + 1) * row.height()
    listed.setFocus(Qt.FocusReason.TabFocusReason)
    listed.setCurrentIndex(listed.model().index(2, 0))
    plan(sidebar, run, **{"task 00": DONE})
    assert listed.currentIndex().row() == 2, "the cursor stays where it is"
    QTest.keyClick(sidebar.window.windowHandle(), Key.Key_Return)
    sidebar.show()
    assert "task 02" in [label.text() for label in sidebar.panel.findChildren(QLabel) if label.isVisible()]

    fold_button(sidebar).setFocus(Qt.FocusReason.TabFocusReason)
    assert fold_button(sidebar).accessibleName() == "Hide the plan"
    QTest.keyClick(sidebar.window.windowHandle(), Key.Key_Space)
    assert tasks(sidebar) == []
    plan(sidebar, run, **{"task 01": DONE})
    assert tasks(sidebar) == [], "the user folded it"
    interface = QAccessible.queryAccessibleInterface(fold_button(sidebar))
    assert interface.text(QAccessible.Text.Name) == "Show the plan"
    translation = Translation(qapp, Language.FRENCH)
    sidebar.show()
    assert words(sidebar) == ["Plan", "2 sur 30"]
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()


def test_a_call_that_changes_the_plan_names_the_task_and_its_state(sidebar: Sidebar, qapp: QApplication) -> None:
    run = sidebar.chat()
    call = CallId("call")
    arguments = {"action": "update", "id": "task_1f0c", "status": "in_progress"}
    sidebar.desk.tell(run.say(ToolStarted(call_id=call, tool="todo", arguments=arguments, step="chat")))
    ended = ToolEnded(call_id=call, status=CallStatus.COMPLETED, duration_ms=5, summary="Find: it: in_progress")
    sidebar.desk.tell(run.say(ended))
    sidebar.show()
    role = Qt.ItemDataRole.AccessibleTextRole
    translation = Translation(qapp, Language.ENGLISH)
    assert str(sidebar.items.model().index(0, 0).data(role)).startswith("Tasks, Find: it: in progress,")
    translation.set_language(Language.FRENCH)
    assert str(sidebar.items.model().index(0, 0).data(role)).startswith("Tâches, Find: it\N{NO-BREAK SPACE}: en cours,")
    translation.set_language(Language.ENGLISH)
    translation.retire()
    translation.deleteLater()
