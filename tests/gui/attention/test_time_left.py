"""The time left on the card: rounded, in words, and updated only when the words change."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.events import InterruptionRaised
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.interruption import OPEN_STATUS, Action, InterruptionKind
from core.stores.questions import Question
from desktop.attention.time_left import TimeLeft, shown_minutes, until_next_s
from desktop.translation import Language, Translation

START = datetime(2026, 1, 1, tzinfo=UTC)


class Time:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def asked(
    left_s: float | None, action: Action | None = Action.SKIP, kind: InterruptionKind = InterruptionKind.QUESTION
) -> Question:
    told = InterruptionRaised(
        id=InterruptionId("int"), step="chat", kind=kind, status=OPEN_STATUS[kind], default_action=action
    )
    expires_at = START + timedelta(seconds=left_s) if left_s is not None else None
    return Question(WorkflowId("wf"), RunId("run"), told, START, expires_at=expires_at)


@pytest.fixture
def countdown(qtbot: QtBot, translation: Translation) -> TimeLeft:
    found = TimeLeft(Time())
    qtbot.addWidget(found)
    return found


@pytest.mark.parametrize(
    ("left_s", "minutes", "until_s"),
    [
        (1.5, 0, 0.5),
        (1.0, 0, 1.0),
        (59.0, 0, 1.0),
        (60.0, 1, 1.0),
        (89.0, 1, 30.0),
        (90.0, 2, 0.0),
        (179.0, 3, 29.0),
        (7_200.0, 120, 30.0),
    ],
)
def test_the_text_changes_every_minute_and_every_second_of_the_last(
    left_s: float, minutes: int, until_s: float
) -> None:
    assert shown_minutes(left_s) == minutes
    assert until_next_s(left_s) == pytest.approx(until_s)
    assert until_next_s(left_s) <= 60


@pytest.mark.parametrize(
    ("left_s", "time"),
    [
        (1.2, "2 seconds"),
        (1, "1 second"),
        (60, "1 minute"),
        (170, "3 minutes"),
        (3_600, "1 hour"),
        (7_500, "2 hours and 5 minutes"),
        (86_400, "1 day"),
        (2 * 86_400 + 3_600, "2 days and 1 hour"),
    ],
)
def test_time_is_shown_in_words(countdown: TimeLeft, left_s: float, time: str) -> None:
    countdown.set_question(asked(left_s))
    assert countdown.text() == f"{time} left, then it goes on without an answer."


@pytest.mark.parametrize(
    ("kind", "action", "then"),
    [
        (InterruptionKind.TOOL_APPROVAL, Action.APPROVE, ", then the call is approved without you."),
        (InterruptionKind.TOOL_APPROVAL, Action.REJECT, ", then the call is rejected."),
        (InterruptionKind.TOOL_APPROVAL, Action.SKIP, ", then you are asked again."),
        (InterruptionKind.APPROVAL, Action.APPROVE, ", then it goes on as if you had approved."),
        (InterruptionKind.APPROVAL, Action.REJECT, ", then it is rejected."),
        (InterruptionKind.APPROVAL, None, "."),
        (InterruptionKind.QUESTION, None, ", then it goes on without an answer."),
    ],
)
def test_it_shows_the_default_action(
    countdown: TimeLeft, kind: InterruptionKind, action: Action | None, then: str
) -> None:
    countdown.set_question(asked(120, action, kind))
    assert countdown.text() == f"2 minutes left{then}"


def test_it_is_translated_to_french(countdown: TimeLeft, translation: Translation) -> None:
    translation.set_language(Language.FRENCH)
    countdown.set_question(asked(61))
    assert countdown.text() == "Encore 1\N{NO-BREAK SPACE}minute, puis la suite se fait sans réponse."


def test_a_screen_reader_gets_minutes_and_a_single_announcement_of_the_last(
    qapp: QApplication, qtbot: QtBot, translation: Translation
) -> None:
    time = Time()
    countdown = TimeLeft(time)
    qtbot.addWidget(countdown)
    countdown.show()
    countdown.set_question(asked(180))
    names: list[str] = []
    countdown.accessible_text_changed.connect(lambda: names.append(countdown.accessibleName()))
    heights = set()
    for passed_s in range(1, 181):
        time.now = START + timedelta(seconds=passed_s)
        countdown.refresh()
        heights.add(countdown.heightForWidth(400))
    assert names == [
        "2 minutes left, then it goes on without an answer.",
        "1 minute left, then it goes on without an answer.",
        "Less than a minute left, then it goes on without an answer.",
        "Its time is over.",
    ]
    assert len(heights) == 1


def test_it_never_shrinks_when_its_text_does(countdown: TimeLeft) -> None:
    countdown.set_question(asked(7_500))
    narrow = countdown.fontMetrics().horizontalAdvance("2 hours and 5 minutes left, then it goes on without")
    tall = countdown.heightForWidth(narrow)
    countdown._now.now = START + timedelta(seconds=7_499)  # type: ignore[attr-defined]
    countdown.refresh()
    assert countdown.text().startswith("1 second left")
    assert countdown.heightForWidth(narrow) == tall
    countdown.set_question(None)
    assert (countdown.text(), countdown.isVisible()) == ("", False)
