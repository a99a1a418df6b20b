"""When the user is reminded: at each doubling, never in a series, and no reminder is lost."""

from datetime import UTC, datetime, timedelta

import pytest

from core.domain.ids import InterruptionId
from core.domain.reminders import (
    MAX_INTERVAL,
    MIN_INTERVAL,
    PendingRequest,
    ReminderPlan,
    end_reminder_at,
    plan_reminders,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
HALF_HOUR = timedelta(minutes=30)
NIGHT = timedelta(hours=9)


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def waiting(name: str = "q", asked: timedelta = timedelta(0), told: timedelta | None = None) -> PendingRequest:
    return PendingRequest(InterruptionId(name), START + asked, START + (asked if told is None else told))


def moments(
    until: timedelta, *requests: PendingRequest, after: timedelta = HALF_HOUR
) -> list[tuple[float, tuple[str, ...]]]:
    """List the reminders until then, as minutes and requests, planning only at the announced times."""
    held = {request.id: request for request in requests}
    now, reminded_at = START, None
    found: list[tuple[float, tuple[str, ...]]] = []
    while now <= START + until:
        due = plan_reminders(held.values(), now, after, reminded_at)
        if due.due:
            found.append(((now - START) / minutes(1), due.due))
            reminded_at = now
            held.update(
                (request_id, PendingRequest(request_id, held[request_id].asked_at, now)) for request_id in due.due
            )
        if due.next_at is None:
            break
        assert due.next_at > now
        now = due.next_at
    return found


def test_the_first_interval_is_the_settings_and_then_doubles() -> None:
    assert [at for at, _ in moments(NIGHT, waiting())] == [30, 60, 120, 240, 480]
    assert [at for at, _ in moments(minutes(20), waiting(), after=minutes(5))] == [5, 10, 20]


def test_later_it_is_once_a_day() -> None:
    at = [moment for moment, _ in moments(timedelta(days=6), waiting())]
    assert at[-2] - at[-3] == at[-1] - at[-2] == MAX_INTERVAL / minutes(1)


def test_several_that_are_due_are_one_reminder_and_a_straggler_comes_with_the_next() -> None:
    one, two, late = waiting("one"), waiting("two", asked=minutes(0.9)), waiting("late", asked=minutes(2))
    assert moments(minutes(40), one, two, late) == [(30, ("one", "two")), (35, ("late",))]


def test_a_night_of_sleep_makes_one_reminder() -> None:
    morning = START + NIGHT
    due = plan_reminders([waiting("one"), waiting("two", asked=minutes(3))], morning, minutes(5))
    assert due == ReminderPlan(("one", "two"), morning + (NIGHT - minutes(3)))  # type: ignore[arg-type]


def test_a_request_restored_after_a_restart_is_not_due() -> None:
    """A restored request has its toast again, which counts as a reminder."""
    restarted = [waiting(f"q{n}", told=NIGHT) for n in range(20)]
    assert plan_reminders(restarted, START + NIGHT, HALF_HOUR) == ReminderPlan((), START + 2 * NIGHT)
    just_asked = waiting(told=minutes(29))
    assert plan_reminders([just_asked], START + minutes(31), HALF_HOUR) == ReminderPlan((), START + minutes(59))


def test_never_is_never() -> None:
    assert plan_reminders([waiting()], START + NIGHT, None) == ReminderPlan()
    assert plan_reminders([], START, HALF_HOUR) == ReminderPlan()


@pytest.mark.parametrize("ahead", [minutes(1), timedelta(days=400)])
def test_a_clock_that_was_set_back_delays_no_longer_than_the_setting(ahead: timedelta) -> None:
    future = waiting(asked=ahead)
    due = plan_reminders([future], START, HALF_HOUR, START + ahead)
    assert due == ReminderPlan((), START + HALF_HOUR)


def test_a_reminder_right_after_another_is_postponed() -> None:
    now = START + minutes(31)
    assert plan_reminders([waiting()], now, HALF_HOUR, now - minutes(1)) == ReminderPlan(
        (), now - minutes(1) + MIN_INTERVAL
    )


@pytest.mark.parametrize(
    ("limit_s", "before_s"), [(45, 11.25), (24, 10), (21, 10), (20, None), (5, None), (3600, 900), (86_400, 21_600)]
)
def test_the_end_of_a_limit_is_reminded_of_at_its_last_quarter(limit_s: float, before_s: float | None) -> None:
    ends_at = START + timedelta(seconds=limit_s)
    expected = None if before_s is None else ends_at - timedelta(seconds=before_s)
    assert end_reminder_at(START, ends_at) == expected
