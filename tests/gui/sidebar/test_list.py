"""The list follows its stores: nothing jumps, and nothing is painted that did not change."""

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QImage, QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.bus import WorkflowDeleted
from core.domain.run import RunStatus
from desktop.sidebar.delegate import RowDelegate
from desktop.sidebar.geometry import RowGeometry
from desktop.theme import Appearance, Scheme, Theme
from desktop.translation import Language, Translation
from tests.gui.sidebar.rig import Bench, Stores, wf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def long(make_bench: Callable[[Stores], Bench]) -> Bench:
    """Stores with two running and forty idle workflows."""
    stores = Stores()
    for number in range(40):
        stores.add(f"n{number}", f"Number {number}")
    stores.run("alpha", "Alpha")
    stores.run("beta", "Beta")
    return make_bench(stores)


class Painted(QObject):
    """Records what a view paints."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench.sidebar)
        self.region = QRegion()
        QApplication.processEvents()
        bench.view.viewport().installEventFilter(self)

    def eventFilter(self, _view: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region = self.region.united(event.region())
        return False


def test_a_click_opens_a_row_and_a_header_nothing(bench: Bench) -> None:
    bench.click("idle")
    assert bench.asked == [("open", "wf_idle")]
    assert bench.selected == []


def test_the_viewed_workflow_is_selected_and_brought_into_view(long: Bench) -> None:
    long.stores.background.set_viewed(wf("n3"))
    long.draw()
    assert long.selected == ["Number 3"]
    assert long.view.viewport().rect().contains(long.middle("n3"))
    long.stores.background.set_viewed(None)
    long.draw()
    assert long.selected == []


def test_a_workflow_that_is_listed_after_it_was_viewed_is_selected(bench: Bench) -> None:
    bench.stores.background.set_viewed(wf("new"))
    bench.draw()
    bench.stores.add("new", "New one")
    bench.draw()
    assert bench.selected == ["New one"]


def test_selection_and_cursor_go_with_their_rows_to_another_section(bench: Bench) -> None:
    bench.stores.background.set_viewed(wf("alpha"))
    bench.draw()
    bench.stores.background.mark_complete(wf("alpha"), RunStatus.CANCELLED)
    bench.draw()
    assert bench.shown[:4] == ["RUNNING", "Beta", "RECENT", "Alpha"]
    assert (bench.selected, bench.cursor) == (["Alpha"], "Alpha")


def test_visible_rows_stay_in_place_while_the_list_changes_above(long: Bench) -> None:
    long.view.verticalScrollBar().setValue(900)
    top = long.top("n20")
    long.stores.background.mark_complete(wf("alpha"), RunStatus.SUCCESS)
    long.stores.run("gamma", "Gamma")
    long.draw()
    assert long.top("n20") == top
    long.stores.add("late", "Late")
    long.draw()
    assert long.top("n20") == top


def test_at_the_top_what_comes_there_is_seen(long: Bench) -> None:
    long.stores.run("gamma", "Gamma")
    long.draw()
    assert long.view.verticalScrollBar().value() == 0
    assert long.shown[:4] == ["RUNNING", "Alpha", "Beta", "Gamma"]


def test_a_workflow_that_is_deleted_leaves_the_cursor_on_its_neighbour(bench: Bench) -> None:
    bench.stores.background.set_viewed(wf("idle"))
    bench.draw()
    bench.stores.bus.publish(WorkflowDeleted(wf("idle")))
    bench.draw()
    assert "Idle" not in bench.shown
    assert bench.cursor in ("Old", "Done")
    assert bench.selected == []


def test_a_second_that_passes_paints_the_state_lines_of_running_rows_alone(bench: Bench) -> None:
    bench.view.refresh_times()
    painted = Painted(bench)
    bench.stores.time.advance(1)
    bench.view.refresh_times()
    QApplication.processEvents()
    rows = [bench.view.visualRect(bench.model.index_of(wf(name))) for name in ("alpha", "beta")]
    lower = QRegion()
    for row in rows:
        lower = lower.united(QRect(row.left(), row.center().y(), row.width(), row.height() // 2))
    assert not painted.region.isEmpty()
    assert painted.region.subtracted(lower).isEmpty()


def test_where_nothing_reads_otherwise_nothing_is_painted(bench: Bench) -> None:
    bench.view.refresh_times()
    painted = Painted(bench)
    bench.view.refresh_times()
    QApplication.processEvents()
    assert painted.region.isEmpty()


def test_a_pulsing_dot_has_no_words_set_again(bench: Bench, theme: Theme) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT, reduced_motion=False))
    for _ in range(2):
        QApplication.processEvents()
        theme.pulse.tick()
    painted = Painted(bench)
    theme.pulse.tick()
    QApplication.processEvents()
    theme.set_appearance(Appearance(Scheme.LIGHT, reduced_motion=True))
    assert not painted.region.isEmpty()
    assert painted.region.boundingRect().right() < bench.view.visualRect(bench.model.index_of(wf("alpha"))).left() + 40


def test_dots_that_are_painted_by_themselves_look_as_with_their_rows(
    bench: Bench, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.stores.background.set_viewed(wf("alpha"))  # on a ground of its own
    bench.draw()
    whole = bench.view.viewport().grab().toImage()
    rows: list[object] = []
    monkeypatch.setattr(RowDelegate, "paint", lambda *given: rows.append(given))
    signs = [sign_place(bench, theme, name) for name in ("alpha", "beta")]
    _assert_same(paint_alone(bench, whole, signs), whole, signs)
    assert rows == []


def test_a_dot_that_scrolled_away_is_not_painted_where_it_stood(long: Bench, theme: Theme) -> None:
    signs = [sign_place(long, theme, name) for name in ("alpha", "beta")]
    before = long.view.viewport().grab().toImage()
    long.view.verticalScrollBar().setValue(long.view.verticalScrollBar().maximum())
    alone = paint_alone(long, before, signs)
    _assert_same(alone, long.view.viewport().grab().toImage(), signs)


def sign_place(bench: Bench, theme: Theme, name: str) -> QRect:
    index = bench.model.index_of(wf(name))
    row = bench.model.row_at(index)
    assert row is not None
    return RowGeometry.of(bench.view.visualRect(index), theme, row, "").indicator


def paint_alone(bench: Bench, like: QImage, places: Sequence[QRect]) -> QImage:
    """Paint only these areas of the list, as a frame of the pulse does."""
    alone, wanted = like.copy(), QRegion()
    alone.fill(Qt.GlobalColor.transparent)
    for place in places:
        wanted = wanted.united(place)
    bench.view.viewport().render(alone, wanted.boundingRect().topLeft(), wanted)
    return alone


def _assert_same(one: QImage, other: QImage, places: Sequence[QRect]) -> None:
    assert [one.copy(place) for place in places] == [other.copy(place) for place in places]


def test_the_row_of_a_workflow_that_waits_for_the_user_is_repeated(bench: Bench) -> None:
    bench.stores.background.set_viewed(wf("alpha"))
    alpha = bench.stores.teller("alpha")
    alpha.seq = 2
    bench.stores.tell(alpha.asks())
    bench.draw()
    assert bench.shown[:5] == ["NEEDS_YOU", "Alpha", "RUNNING", "Alpha", "Beta"]
    assert (bench.selected, bench.sidebar.order().count(wf("alpha"))) == (["Alpha"], 1)
    top = bench.view.visualRect(bench.model.index(1)).center()
    QTest.mouseClick(bench.view.viewport(), Qt.MouseButton.LeftButton, pos=top)
    assert bench.asked == [("open", "wf_alpha")]
    bench.stores.tell(alpha.closes())
    bench.draw()
    assert bench.shown[:3] == ["RUNNING", "Alpha", "Beta"]


@pytest.mark.parametrize("is_collapsed", [False, True])
def test_the_badge_is_painted_on_the_row_and_on_the_collapsed_square(
    bench: Bench, theme: Theme, is_collapsed: bool
) -> None:
    bench.sidebar.set_collapsed(is_collapsed)
    alpha = bench.stores.teller("alpha")
    alpha.seq = 2
    bench.draw()

    def orange() -> int:
        image = bench.view.grab().toImage()
        wanted = theme.color("badge").rgb()
        return sum(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))

    assert orange() == 0
    bench.stores.tell(alpha.asks())
    bench.draw()
    assert orange() > 100


def test_every_row_has_a_name_for_a_screen_reader(bench: Bench) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [bench.model.index(place).data(role) for place in range(len(bench.model.items))] == [
        "Running, 2 workflows",
        "Alpha, running, slot 2",
        "Beta, running, slot 3",
        "Recently finished, 1 workflow",
        "Done, completed, not looked at yet, slot 1",
        "Workflows, 2 workflows",
        "Idle, completed",
        "Old, not started",
    ]


def test_the_words_change_with_the_language(bench: Bench, translation: Translation) -> None:
    translation.set_language(Language.FRENCH)
    QApplication.processEvents()
    assert bench.model.index(0).data() == "En cours"
    assert bench.view.accessibleName() == "Workflows"
