"""When the user is reminded of open requests: pure rules, with the time as a parameter (UI §6, §7).

    asked ──(the interval of the setting)──► reminded ──(as long as it has waited)──► reminded ──► …

The first interval is the setting's; each later interval doubles, up to a day. Intervals count from the actual
reminder, not from when it was due: after a suspended night or a restart there is one reminder, not a series.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.domain.ids import InterruptionId

MAX_INTERVAL = timedelta(days=1)
BATCH_WINDOW = timedelta(minutes=1)
"""What falls due so soon after something else is told with it."""
MIN_INTERVAL = timedelta(minutes=5)
"""Between two reminders, whatever they are about; what falls due meanwhile comes with the next one."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """An open request without a time limit: when it was asked, and the last reminder of it."""

    id: InterruptionId
    asked_at: datetime
    told_at: datetime


@dataclass(frozen=True, slots=True)
class ReminderPlan:
    """The requests to remind of now, and when to plan again; None: only after a change."""

    now: tuple[InterruptionId, ...] = ()
    again_at: datetime | None = None


def plan_reminders(
    waiting: Iterable[PendingRequest], now: datetime, after: timedelta | None, reminded_at: datetime | None = None
) -> ReminderPlan:
    """Return which requests are due.

    `after`: how long a request waits before its first reminder; None disables reminders. `reminded_at`: the last
    reminder of any request. Times in the future (the clock was set back) count as `now`.
    """
    if after is None:
        return ReminderPlan()
    known = [PendingRequest(one.id, one.asked_at, min(one.told_at, now)) for one in waiting]
    if not known:
        return ReminderPlan()
    free_at = min(reminded_at, now) + MIN_INTERVAL if reminded_at is not None else now
    due: tuple[InterruptionId, ...] = ()
    if free_at <= now and any(_due_at(one, after) <= now for one in known):
        due = tuple(one.id for one in known if _due_at(one, after) <= now + BATCH_WINDOW)
        known = [PendingRequest(one.id, one.asked_at, now) if one.id in due else one for one in known]
        free_at = now + MIN_INTERVAL
    return ReminderPlan(due, max(free_at, min(_due_at(one, after) for one in known)))


def _due_at(one: PendingRequest, after: timedelta) -> datetime:
    return one.told_at + min(MAX_INTERVAL, max(after, one.told_at - one.asked_at))
