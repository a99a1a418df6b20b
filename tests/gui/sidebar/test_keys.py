"""The list by keyboard: rows are reached, opened, renamed, deleted, and have a menu."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.run import RunStatus
from desktop.sidebar.row_menu import RowMenu
from tests.gui.sidebar.rig import Bench, wf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Key = Qt.Key


def test_home_and_end_reach_the_first_and_the_last_row(bench: Bench) -> None:
    bench.press(Key.Key_Home)
    assert bench.cursor == "Alpha"
    bench.press(Key.Key_End)
    assert bench.cursor == "Old"
    bench.press(Key.Key_Home)
    assert bench.cursor == "Alpha"


def test_arrows_go_from_row_to_row_over_headers_and_stop_at_the_ends(bench: Bench) -> None:
    bench.press(Key.Key_Home, Key.Key_Down, Key.Key_Down)
    assert bench.cursor == "Done"
    bench.press(Key.Key_Up)
    assert bench.cursor == "Beta"
    bench.press(Key.Key_Up, Key.Key_Up)
    assert bench.cursor == "Alpha"
    bench.press(Key.Key_End, Key.Key_Down)
    assert bench.cursor == "Old"


def test_pages_end_at_the_first_and_the_last_row(bench: Bench) -> None:
    bench.press(Key.Key_Home, Key.Key_PageDown, Key.Key_PageDown)
    assert bench.cursor == "Old"
    bench.press(Key.Key_PageUp, Key.Key_PageUp)
    assert bench.cursor == "Alpha"


def test_a_letter_jumps_to_a_title_and_never_to_a_header(bench: Bench) -> None:
    bench.press(Key.Key_O)
    assert bench.cursor == "Old"
    bench.press(Key.Key_Home)
    bench.press(Key.Key_W)
    assert bench.cursor == "Alpha"


def test_the_cursor_alone_opens_nothing_and_keeps_the_viewed_row_selected(bench: Bench) -> None:
    bench.stores.background.set_viewed(wf("beta"))
    bench.draw()
    bench.press(Key.Key_End)
    assert bench.selected == ["Beta"]
    assert bench.asked == []


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
def test_enter_opens_the_row_of_the_cursor(bench: Bench, key: Qt.Key) -> None:
    bench.press(Key.Key_End, key)
    assert bench.asked == [("open", "wf_old")]


def test_delete_archives_the_row_of_the_cursor_and_with_shift_deletes_it(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_Delete)
    bench.press(Key.Key_Delete, shift=True)
    assert bench.asked == [("archive", "wf_old"), ("delete", "wf_old")]


def test_space_peeks_and_esc_goes_back_while_something_is_peeked_at(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_Escape, Key.Key_Space)
    bench.sidebar.set_peeking(True)
    bench.press(Key.Key_Escape)
    assert bench.asked == [("peek", "wf_old"), ("back",)]


def test_control_z_undoes_in_the_list(bench: Bench) -> None:
    QTest.keyClick(bench.view, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert bench.asked == [("undo",)]


def test_f2_lets_the_title_be_written_and_enter_asks_for_it(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_F2)
    assert bench.editor is not None
    assert bench.editor.text() == "Old"
    QTest.keyClicks(bench.editor, "  A new   name ")
    bench.press(Key.Key_Return, widget=bench.editor)
    assert bench.asked == [("rename", "wf_old", "A new name")]
    assert bench.view.hasFocus()


def test_esc_leaves_the_title_as_it_was(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_F2)
    assert bench.editor is not None
    QTest.keyClicks(bench.editor, "Another")
    bench.press(Key.Key_Escape, widget=bench.editor)
    assert bench.asked == []
    assert bench.view.hasFocus()


@pytest.mark.parametrize("written", ["", "   ", "Old"])
def test_no_title_or_the_same_title_requests_nothing(bench: Bench, written: str) -> None:
    bench.press(Key.Key_End, Key.Key_F2)
    assert bench.editor is not None
    bench.editor.setText(written)
    bench.press(Key.Key_Return, widget=bench.editor)
    assert bench.asked == []


def test_what_is_written_stays_while_its_row_changes_and_moves(bench: Bench) -> None:
    bench.press(Key.Key_Home, Key.Key_F2)
    assert bench.editor is not None
    QTest.keyClicks(bench.editor, "Half a na")
    bench.stores.background.mark_complete(wf("alpha"), RunStatus.SUCCESS)
    bench.stores.background.set_viewed(wf("beta"))
    bench.draw()
    assert bench.shown[:5] == ["RUNNING", "Beta", "RECENT", "Alpha", "Done"]
    QTest.keyClicks(bench.editor, "me")
    bench.press(Key.Key_Return, widget=bench.editor)
    assert bench.asked == [("rename", "wf_alpha", "Half a name")]


@pytest.mark.parametrize(("key", "shift"), [(Key.Key_Menu, False), (Key.Key_F10, True)])
def test_the_menu_key_and_shift_f10_open_the_menu_of_the_row(bench: Bench, key: Qt.Key, shift: bool) -> None:
    bench.press(Key.Key_Home)
    bench.press(key, shift=shift)
    assert words_of(menu(bench)) == ["Open", "Peek", "Rename", "Stop", "Export…", "Archive", "Delete…"]
    bench.press(*[Key.Key_Down] * 4, Key.Key_Return, widget=menu(bench))
    assert bench.asked == [("stop", "wf_alpha")]


def test_only_what_runs_can_be_stopped(bench: Bench) -> None:
    bench.press(Key.Key_End, Key.Key_Menu)
    assert words_of(menu(bench)) == ["Open", "Peek", "Rename", "Export…", "Archive", "Delete…"]


def test_a_right_click_opens_the_menu_of_the_row_under_the_pointer(bench: Bench) -> None:
    place = bench.middle("idle")
    QApplication.sendEvent(
        bench.view.viewport(),
        QContextMenuEvent(
            QContextMenuEvent.Reason.Mouse,
            place,
            bench.view.viewport().mapToGlobal(place),
            Qt.KeyboardModifier.NoModifier,
        ),
    )
    bench.press(*[Key.Key_Down] * 3, Key.Key_Return, widget=menu(bench))
    assert bench.editor is not None
    assert bench.editor.text() == "Idle"


def menu(bench: Bench) -> RowMenu:
    (found,) = bench.view.findChildren(RowMenu)
    assert found.isVisible()
    return found


def words_of(menu: RowMenu) -> list[str]:
    """Return the titles without the shortcuts behind a tab."""
    shown = [action for action in menu.actions() if action.isVisible() and not action.isSeparator()]
    return [action.text().partition("\t")[0] for action in shown]
