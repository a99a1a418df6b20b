"""Around the list: a new workflow, search, settings, collapsing, and empty states."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QPaintEvent, QPixmap, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.sidebar import controls
from desktop.sidebar.controls import SearchField
from desktop.theme import Appearance, Scheme, Theme, app_mark
from desktop.tokens import SIZES
from desktop.translation import Language, Translation
from tests.gui.sidebar.rig import Bench, Stores, wf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def button(bench: Bench, name: str) -> QAbstractButton:
    """Return the visible button with this accessible name."""
    (found,) = [
        one for one in bench.sidebar.findChildren(QAbstractButton) if one.isVisible() and one.accessibleName() == name
    ]
    return found


def press(bench: Bench, name: str) -> None:
    found = button(bench, name)
    found.setFocus()
    QTest.keyClick(found, Qt.Key.Key_Space)
    QApplication.processEvents()


def words(bench: Bench) -> list[str]:
    return [label.text() for label in bench.sidebar.findChildren(QLabel) if label.isVisible()]


def search(bench: Bench, text: str) -> SearchField:
    press(bench, "Find a workflow")
    (field,) = bench.sidebar.findChildren(SearchField)
    assert field.hasFocus()
    QTest.keyClicks(field, text)
    QApplication.processEvents()
    return field


def test_its_buttons_ask_for_a_new_workflow_and_the_settings(bench: Bench) -> None:
    press(bench, "New workflow")
    press(bench, "Settings")
    assert bench.asked == [("new",), ("settings",)]


def test_it_shows_the_keys_that_do_the_same_as_its_buttons(bench: Bench) -> None:
    assert {"Ctrl+N", "Ctrl+,"} <= set(words(bench))


def test_a_search_leaves_what_it_finds_and_esc_brings_all_back(bench: Bench) -> None:
    field = search(bench, "AL")
    assert bench.shown == ["RUNNING", "Alpha"]
    bench.press(Qt.Key.Key_Escape, widget=field)
    assert len(bench.shown) == 8
    assert not field.isVisible()
    assert bench.view.hasFocus()


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Return])
def test_from_the_search_the_keys_go_on_in_the_list(bench: Bench, key: Qt.Key) -> None:
    field = search(bench, "d")
    bench.press(key, widget=field)
    assert bench.view.hasFocus()
    assert bench.cursor == "Done"


def test_a_search_without_matches_offers_the_way_back(bench: Bench) -> None:
    search(bench, "zebra")
    assert "No workflow has “zebra” in its name." in words(bench)
    press(bench, "Show all")
    assert bench.view.isVisible()
    assert len(bench.shown) == 8


def test_without_workflows_it_shows_what_will_be_here_and_the_next_step(make_bench: Callable[[Stores], Bench]) -> None:
    bench = make_bench(Stores())
    assert "No workflows yet" in words(bench)
    assert words(bench).count("Ctrl+N") == 2
    bench.stores.add("a", "Alpha")
    bench.draw()
    assert bench.view.isVisible()
    assert "No workflows yet" not in words(bench)


def test_collapsing_leaves_squares_in_the_same_order_and_emits_it(bench: Bench) -> None:
    shown = bench.shown
    press(bench, "Collapse the sidebar")
    assert bench.asked == [("collapsed", True)]
    assert bench.sidebar.width() == SIZES.sidebar_collapsed
    assert bench.shown == shown
    press(bench, "Expand the sidebar")
    assert bench.asked == [("collapsed", True), ("collapsed", False)]
    assert bench.sidebar.width() == SIZES.sidebar


def test_collapsing_by_the_window_emits_nothing(bench: Bench) -> None:
    bench.sidebar.set_collapsed(True)
    assert bench.sidebar.is_collapsed
    assert bench.asked == []


def test_a_square_has_name_and_state_in_its_tool_tip(bench: Bench) -> None:
    bench.sidebar.set_collapsed(True)
    bench.stores.time.advance(12)
    tip = bench.model.index_of(wf("alpha")).data(Qt.ItemDataRole.ToolTipRole)
    assert "Alpha" in tip
    assert "Running" in tip


def test_a_square_opens_and_has_the_same_keys(bench: Bench) -> None:
    bench.sidebar.set_collapsed(True)
    bench.click("done")
    bench.view.setFocus()
    bench.press(Qt.Key.Key_End, Qt.Key.Key_Return)
    assert bench.asked == [("open", "wf_done"), ("open", "wf_old")]


def test_folding_ends_a_search(bench: Bench) -> None:
    search(bench, "alpha")
    bench.sidebar.set_collapsed(True)
    assert len(bench.shown) == 8


def test_a_title_can_be_written_from_elsewhere_and_a_strip_opens_for_it(bench: Bench) -> None:
    bench.sidebar.set_collapsed(True)
    button(bench, "New workflow").setFocus()
    bench.sidebar.rename(wf("done"))
    assert not bench.sidebar.is_collapsed
    assert bench.editor is not None
    assert bench.editor.text() == "Done"


def test_it_returns_the_order_that_it_shows(bench: Bench) -> None:
    assert bench.sidebar.order() == [wf(name) for name in ("alpha", "beta", "done", "idle", "old")]


def test_it_speaks_french_at_once(bench: Bench, translation: Translation) -> None:
    translation.set_language(Language.FRENCH)
    QApplication.processEvents()
    assert {"Ctrl+N", "Ctrl+,"} <= set(words(bench))
    press(bench, "Nouveau workflow")
    press(bench, "Réglages")
    assert bench.asked == [("new",), ("settings",)]


@pytest.mark.parametrize("is_collapsed", [False, True])
def test_it_takes_the_colours_of_the_theme_at_once(bench: Bench, theme: Theme, is_collapsed: bool) -> None:
    bench.sidebar.set_collapsed(is_collapsed)
    light = bench.sidebar.grab().toImage()
    theme.set_appearance(Appearance(Scheme.DARK, reduced_motion=True))
    dark = bench.sidebar.grab().toImage()
    assert light.pixelColor(3, 300).lightness() > 200
    assert dark.pixelColor(3, 300).lightness() < 60
    theme.set_appearance(Appearance(Scheme.LIGHT, reduced_motion=True))
    assert bench.sidebar.grab().toImage() == light


def test_the_row_of_the_cursor_has_a_ring_while_the_list_has_the_focus(bench: Bench, theme: Theme) -> None:
    bench.press(Qt.Key.Key_End)
    left = bench.view.visualRect(bench.model.index_of(wf("old"))).left() + theme.sizes.space_s
    place = bench.view.viewport().mapTo(bench.sidebar, bench.middle("old"))
    accent = theme.color("accent")
    assert bench.sidebar.grab().toImage().pixelColor(left, place.y()) == accent
    button(bench, "Settings").setFocus()
    assert bench.sidebar.grab().toImage().pixelColor(left, place.y()) != accent


def test_the_mark_is_read_and_drawn_once_for_a_size(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def draw(side: int) -> QPixmap:
        drawn.append(side)
        return app_mark(side)

    monkeypatch.setattr(controls, "app_mark", draw)
    mark = controls.AppMark(theme)
    qtbot.addWidget(mark)
    mark.resize(20, 20)
    first = mark.grab().toImage()
    assert mark.grab().toImage() == first
    mark.resize(40, 40)
    mark.grab()
    assert drawn == [20, 40]


class PaintedRegion(QObject):
    """Collects what is painted of a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.region = QRegion()
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region = self.region.united(event.region())
        return False


def test_a_row_of_which_a_part_is_repainted_with_newer_texts_is_repainted_whole(bench: Bench, qtbot: QtBot) -> None:
    view = bench.view.viewport()
    row = bench.view.visualRect(bench.model.index_of(wf("done")))
    painted = PaintedRegion(view)
    part = QRect(row.right() - 30, row.top() + 4, 20, 20)
    view.update(part)
    bench.draw()
    assert painted.region == QRegion(part)  # nothing has changed
    bench.stores.time.advance(70)  # "now" has become "1 min", and the list does not know yet
    view.update(part)
    qtbot.waitUntil(lambda: QRegion(row).subtracted(painted.region).isEmpty())
