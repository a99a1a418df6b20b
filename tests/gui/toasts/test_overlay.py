"""The pile over the window: what is seen, where it stands, and what it leaves alone."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.domain.run import RunStatus
from core.domain.toast import ToastType
from desktop.theme import Appearance, Scheme, Theme
from desktop.tokens import SIZES
from desktop.widgets import Paragraph
from tests.gui.toasts.conftest import COMPOSER, HEIGHT, WIDTH, A, B, Stage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

HUGE = "one single paragraph of an error " * 1250  # 40 KB


def say(stage: Stage, *titles: str, kind: ToastType = ToastType.INFO) -> None:
    for title in titles:
        stage.desk.toasts.add(kind, "note", title=title)
    stage.show()


def fail(stage: Stage, message: str) -> None:
    stage.desk.toasts.add_workflow_complete(A, "Import", RunStatus.ERROR, {"code": "failed", "message": message})
    stage.show()


# Places


def test_the_newest_is_at_the_bottom_and_the_pile_grows_upward(stage: Stage) -> None:
    say(stage, "first", "second", "third")
    assert stage.titles == ["first", "second", "third"]
    tops = [stage.place(card).top() for card in stage.cards]
    assert tops == sorted(tops)
    lowest = stage.place(stage.cards[-1])
    say(stage, "fourth")
    assert stage.place(stage.cards[-1]) == lowest


def test_a_toast_is_316_wide_and_16_from_the_right(stage: Stage) -> None:
    say(stage, "first")
    place = stage.place(stage.cards[0])
    assert place.width() == SIZES.toast
    assert place.right() == WIDTH - 1 - SIZES.space_l


def test_the_pile_moves_with_the_window(stage: Stage) -> None:
    say(stage, "first")
    stage.window.resize(1200, 800)
    stage.show()
    assert stage.place(stage.cards[0]).right() == 1200 - 1 - SIZES.space_l


def test_the_same_again_is_one_toast_with_a_count(stage: Stage) -> None:
    say(stage, "again", "again", "again")
    assert stage.titles == ["again"]
    assert "×3" in [label.text() for label in stage.cards[0].findChildren(QLabel) if label.isVisible()]


# UX025


def test_a_huge_error_is_no_more_than_three_lines_and_can_be_closed(stage: Stage) -> None:
    fail(stage, HUGE)
    card = stage.cards[0]
    assert card.height() < 4 * SIZES.control
    close = stage.place(stage.button(card, "Close"))
    assert stage.window.rect().contains(close)
    QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=close.center())
    stage.show()
    assert stage.cards == []


def test_the_whole_of_a_huge_error_can_be_read_and_copied_inside_the_window(stage: Stage, qtbot: QtBot) -> None:
    say(stage, "one", "two", "three", "four")
    fail(stage, HUGE)
    card = stage.cards[-1]
    QTest.mouseClick(stage.button(card, "Details"), Qt.MouseButton.LeftButton)
    text = card.findChild(QPlainTextEdit)
    assert isinstance(text, QPlainTextEdit)
    qtbot.waitUntil(lambda: text.toPlainText() == HUGE)
    room = stage.window.rect()
    for each in stage.cards:
        assert room.contains(stage.place(each))
        assert room.contains(stage.place(stage.button(each, "Close")))
    assert room.contains(stage.place(stage.button(card, "Less")))
    QTest.mouseClick(stage.button(card, "Copy"), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == HUGE


def test_less_gives_the_others_their_room_back(stage: Stage) -> None:
    say(stage, "one", "two", "three", "four")
    before = [stage.place(card) for card in stage.cards]
    fail(stage, HUGE)
    QTest.mouseClick(stage.button(stage.cards[-1], "Details"), Qt.MouseButton.LeftButton)
    QTest.mouseClick(stage.button(stage.cards[-1], "Less"), Qt.MouseButton.LeftButton)
    stage.desk.toasts.dismiss(stage.cards[-1].id)
    stage.show()
    assert [stage.place(card) for card in stage.cards] == before


def ask(stage: Stage) -> None:
    stage.desk.toasts.add_user_question(A, "Letters", "Which?")
    stage.show()


def fail_at_length(stage: Stage) -> None:
    fail(stage, HUGE[:2000])  # all of it is laid out at once


def unfold(stage: Stage) -> None:
    fail_at_length(stage)
    QTest.mouseClick(stage.button(stage.cards[-1], "Details"), Qt.MouseButton.LeftButton)


class LayoutRequests(QObject):
    """Counts those that an overlay gets: at each it has the pile laid out again."""

    def __init__(self, overlay: QWidget) -> None:
        super().__init__(overlay)
        self.count = 0
        overlay.installEventFilter(self)

    def eventFilter(self, _overlay: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


@pytest.mark.parametrize("come", [ask, fail_at_length, unfold])
def test_a_toast_with_buttons_is_still_once_it_is_there(
    stage: Stage, qtbot: QtBot, come: Callable[[Stage], None]
) -> None:
    requests = LayoutRequests(stage.overlay)

    def is_still() -> bool:
        before = requests.count
        QTest.qWait(50)
        return requests.count == before

    come(stage)
    qtbot.waitUntil(is_still, timeout=20_000)
    assert requests.count < 10
    assert is_still()


def test_a_message_of_any_length_is_whole_or_has_details(stage: Stage) -> None:
    for length in range(60, 260, 7):
        stage.desk.toasts.clear()
        stage.desk.toasts.add(ToastType.INFO, "note", title="Saved", message=("word " * 60)[:length])
        stage.show()
        (message,) = [each for each in stage.cards[0].findChildren(Paragraph) if "word" in each.text()]
        assert message.is_cut() == (message.line_count(message.width()) > 4)
        assert message.height() == message.heightForWidth(message.width())
        offered = [each.text() for each in stage.cards[0].findChildren(QPushButton) if each.isVisible()]
        assert offered == (["Details"] if message.is_cut() else [])


def test_a_title_that_is_cut_can_be_read_too(stage: Stage) -> None:
    title = "A title that is too long for the two lines that it has, whatever the words at its end"
    say(stage, title)
    QTest.mouseClick(stage.button(stage.cards[0], "Details"), Qt.MouseButton.LeftButton)
    text = stage.cards[0].findChild(QPlainTextEdit)
    assert isinstance(text, QPlainTextEdit)
    assert text.toPlainText() == title


def test_a_short_message_offers_no_details(stage: Stage) -> None:
    fail(stage, "too slow")
    with pytest.raises(AssertionError):
        stage.button(stage.cards[0], "Details")


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_five_toasts_with_all_to_say_stay_inside_a_small_window(stage: Stage, theme: Theme, zoom: float) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT, zoom, reduced_motion=True))
    stage.window.resize(800, 600)
    for number in range(5):
        stage.desk.toasts.add_user_question(A, f"{number}", f"{number} {HUGE}")
    stage.show()
    room = QRect(0, 0, 800, COMPOSER.top())
    assert stage.titles[-1] == "4"
    for card in stage.cards:
        assert room.contains(stage.place(card))
        assert room.contains(stage.place(stage.button(card, "Close")))


# UX026


def test_clicks_beside_toasts_reach_what_is_under_them(stage: Stage) -> None:
    say(stage, "one", "two", "three")
    drawn = [stage.place(card) for card in stage.cards]
    box = stage.place(stage.overlay)
    meant = [
        under
        for under in stage.window.under
        if box.contains(under.geometry().center())
        and not any(card.contains(under.geometry().center()) for card in drawn)
    ]
    assert len(meant) > 10
    for under in meant:
        QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=under.geometry().center())
    assert len(stage.window.clicked) == len(meant)


def test_a_click_on_a_toast_stays_there(stage: Stage) -> None:
    say(stage, "one", "two", "three")
    middle = stage.place(stage.cards[1]).center()
    QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=middle)
    assert stage.window.clicked == []


def test_toasts_never_cover_the_composer_and_send(stage: Stage) -> None:
    for number in range(5):
        stage.desk.toasts.add_user_question(A, "Import", f"{number} {HUGE}")
    stage.show()
    for card in stage.cards:
        assert not stage.place(card).intersects(COMPOSER)
    QTest.mouseClick(stage.window.windowHandle(), Qt.MouseButton.LeftButton, pos=stage.window.send.geometry().center())
    assert stage.window.clicked == ["click"]


def test_toasts_make_way_when_the_composer_grows(stage: Stage) -> None:
    say(stage, "one", "two")
    grown = COMPOSER.adjusted(0, -200, 0, 0)
    stage.overlay.set_keep_clear([grown])
    assert stage.place(stage.cards[-1]).bottom() < grown.top()
    stage.overlay.set_keep_clear([])
    assert stage.place(stage.cards[-1]).bottom() == HEIGHT - 1 - SIZES.space_l


def test_without_toasts_nothing_is_over_the_window(stage: Stage) -> None:
    say(stage, "one")
    stage.desk.toasts.clear()
    stage.show()
    assert stage.overlay.size().isEmpty()
    assert stage.window.childAt(QPoint(WIDTH - 100, 490)) is not stage.overlay


# UX027


def test_of_thirty_events_five_are_seen_with_all_three_questions(stage: Stage) -> None:
    cards_before, timers_before = len(stage.overlay.findChildren(QWidget)), stage.desk.time.timers
    for number in range(30):
        stage.desk.time.advance(1 / 30)
        if number % 10 == 5:
            stage.desk.toasts.add_user_question(B, f"question {number}", "Which?")
        else:
            stage.desk.toasts.add(ToastType.INFO, "note", title=f"event {number}")
        stage.show()
        assert len(stage.cards) <= 5
    assert [title for title in stage.titles if "question" in title] == ["question 5", "question 15", "question 25"]
    stage.desk.toasts.clear()
    stage.show()
    assert len(stage.desk.toasts.history) == 30
    assert len(stage.overlay.findChildren(QWidget)) == cards_before
    assert stage.desk.time.timers == timers_before


# UX029


def test_toasts_open_no_window_and_move_no_focus(stage: Stage) -> None:
    windows = set(QApplication.topLevelWidgets())
    stage.window.composer.setFocus()
    for name in ("a", "b", "c"):
        run = stage.desk.start(name)
        stage.desk.toasts.add_user_question(run.workflow_id, name, "Which?")
        stage.show()
        stage.desk.tell(run.finished(RunStatus.ERROR if name == "b" else RunStatus.SUCCESS))
        stage.show()
        assert QApplication.focusWidget() is stage.window.composer
    assert len(stage.cards) == 3
    assert set(QApplication.topLevelWidgets()) == windows
    assert QApplication.activeWindow() is stage.window


def test_what_is_typed_while_toasts_come_arrives(stage: Stage) -> None:
    for letter in "HELLO":
        say(stage, letter)
        QTest.keyClick(stage.window.windowHandle(), Qt.Key(ord(letter)))
    assert stage.window.composer.text().upper() == "HELLO"


# Motion


def test_a_toast_comes_and_goes_within_a_moment(stage: Stage, theme: Theme, qtbot: QtBot) -> None:
    theme.set_appearance(Appearance(Scheme.LIGHT))
    say(stage, "one")
    card = stage.cards[0]
    assert stage.place(card).left() > WIDTH - SIZES.toast - SIZES.space_l
    qtbot.waitUntil(lambda: stage.place(card).right() == WIDTH - 1 - SIZES.space_l)
    stage.desk.toasts.clear()
    stage.show()
    assert card.isVisible()
    with qtbot.waitSignal(card.destroyed):
        pass
    assert stage.overlay.size().isEmpty()


def test_under_reduced_motion_it_is_there_at_once_and_gone_at_once(stage: Stage) -> None:
    say(stage, "one")
    card = stage.cards[0]
    assert stage.place(card).right() == WIDTH - 1 - SIZES.space_l
    stage.desk.toasts.clear()
    stage.frames.draw()
    assert not card.isVisible()
