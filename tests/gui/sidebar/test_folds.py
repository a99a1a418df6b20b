"""Sections fold, what is archived has a list of its own, and rows stand still under the pointer."""

import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from core.bus import WorkflowChanged
from core.domain.run import RunStatus
from core.domain.workflow import Workflow
from core.stores.workflows import ListedWorkflow
from tests.gui.sidebar.rig import Bench, Stores, wf
from tests.stores.rig import START

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Key = Qt.Key


def test_left_folds_the_section_of_the_cursor_and_right_unfolds_it(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_Left)
    assert bench.shown == ["RUNNING", "Alpha", "Beta", "RECENT", "Done", "WORKFLOWS"]
    assert bench.sidebar.folded_sections == ("workflows",)
    assert bench.cursor is None
    spoken = bench.view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Workflows, 2 workflows, folded"
    bench.press(Key.Key_Up)
    assert bench.cursor == "Done"
    bench.press(Key.Key_Down, Key.Key_Right)
    assert bench.shown[-3:] == ["WORKFLOWS", "Idle", "Old"]
    assert bench.cursor == "Idle"


def test_what_was_folded_stays_so_and_what_is_found_by_name_is_seen_all_the_same(bench: Bench) -> None:
    bench.sidebar.fold_sections(("workflows", "recent", "no such section"))
    assert bench.sidebar.folded_sections == ("recent", "workflows")
    assert bench.shown == ["RUNNING", "Alpha", "Beta", "RECENT", "WORKFLOWS"]
    assert [str(one) for one in bench.sidebar.order()][-1] == wf("old")
    bench.sidebar._search.setText("old")
    assert bench.shown == ["WORKFLOWS", "Old"]
    bench.press(Key.Key_Home, Key.Key_Left)
    assert bench.shown == ["WORKFLOWS", "Old"]
    bench.press(Key.Key_Escape)
    assert bench.shown == ["RUNNING", "Alpha", "Beta", "RECENT", "WORKFLOWS"]
    bench.sidebar.set_collapsed(True)
    assert bench.shown[-2:] == ["Idle", "Old"]


def test_a_click_on_a_title_folds_its_section(bench: Bench) -> None:
    title = bench.view.visualRect(bench.model.index(0)).center()
    QTest.mouseClick(bench.view.viewport(), Qt.MouseButton.LeftButton, pos=title)
    assert bench.shown[:2] == ["RUNNING", "RECENT"]
    QTest.mouseClick(bench.view.viewport(), Qt.MouseButton.LeftButton, pos=title)
    assert bench.shown[:2] == ["RUNNING", "Alpha"]


def test_renaming_unfolds_the_section_of_the_row(bench: Bench) -> None:
    bench.sidebar.fold_sections(("workflows", "recent"))
    bench.sidebar.rename(wf("old"))
    assert bench.editor is not None
    assert bench.sidebar.folded_sections == ("recent",)


def test_what_is_archived_stands_in_a_list_of_its_own(bench: Bench) -> None:
    buttons = [one for one in bench.sidebar.findChildren(QPushButton) if one.text() == "Archived"]
    assert not buttons[0].isVisible()
    bench.stores.archive("done")
    bench.stores.archive("old")
    bench.draw()
    assert bench.shown == ["RUNNING", "Alpha", "Beta", "WORKFLOWS", "Idle"]
    assert buttons[0].isVisible()
    bench.sidebar.show_archive(True)
    assert bench.shown == ["ARCHIVED", "Old", "Done"]
    bench.press(Key.Key_Home, Key.Key_Return, Key.Key_Delete)
    assert bench.asked == [("open", "wf_old"), ("delete", "wf_old")]
    assert bench.view.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) == "Old, not started, archived"
    bench.press(Key.Key_Escape)
    assert bench.shown[0] == "RUNNING"


def test_an_archived_workflow_that_runs_is_listed_as_running(bench: Bench) -> None:
    bench.stores.archive("alpha")
    bench.draw()
    assert bench.shown[:2] == ["RUNNING", "Alpha"]


def test_rows_stand_still_while_the_pointer_aims_and_move_when_it_rests(bench: Bench) -> None:
    place, none = QPointF(bench.middle("idle")), Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(bench.view.viewport(), moved)
    top = bench.top("idle")
    bench.stores.background.mark_complete(wf("alpha"), RunStatus.SUCCESS)
    bench.stores.run("gamma", "Gamma")
    bench.draw()
    assert bench.shown[:4] == ["RUNNING", "Alpha", "Beta", "RECENT"]
    assert bench.top("idle") == top
    QTest.mouseClick(bench.view.viewport(), Qt.MouseButton.LeftButton, pos=bench.middle("idle"))
    assert bench.asked == [("open", "wf_idle")]
    QApplication.processEvents()
    bench.draw()
    assert bench.shown[:4] == ["RUNNING", "Beta", "Gamma", "RECENT"]


def test_ten_thousand_workflows_are_shown_by_pages_and_walked_to_the_end(
    make_bench: Callable[[Stores], Bench],
) -> None:
    stores = Stores()
    stores.workflows.load(
        ListedWorkflow(Workflow(wf(f"n{n}"), f"Number {n}", "Ada", START, START)) for n in range(10_000)
    )
    stores.run("alpha", "Alpha")
    bench = make_bench(stores)
    few = len(bench.model.items)
    assert few < 500
    before = time.process_time()
    for _ in range(5):
        stores.background.mark_complete(wf("alpha"), RunStatus.SUCCESS)
        stores.run("alpha", "Alpha")
        bench.draw()
    assert (time.process_time() - before) / 10 < 0.25
    bar = bench.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert few < len(bench.model.items) < 1_000
    bench.press(Key.Key_End)
    assert bench.cursor == "Number 9999"
    assert len(bench.sidebar.order()) == 10_001
    stores.bus.publish(WorkflowChanged(Workflow(wf("n9999"), "The last", "Ada", START, START)))
    bench.draw()
    assert bench.cursor == "The last"
