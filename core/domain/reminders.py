"""When a person is told once more of what waits for them: pure rules, for any clock (UI §6, §7).

    asked ──(as long as the setting says)──► told ──(as long as it has waited by then)──► told ──► …

So the first pause is the setting's, and each later one is twice the one before, up to a day. What a person was told
counts from when they were told it, not from when it was due: after a night of sleep, or a restart, there is one
reminder and no row of them.
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
    """An open request without a time limit: since when it is, and when a person was last told of it."""

    id: InterruptionId
    asked_at: datetime
    told_at: datetime


@dataclass(frozen=True, slots=True)
class ReminderPlan:
    """What a person is reminded of now, and when to decide again; None: when something changes."""

    now: tuple[InterruptionId, ...] = ()
    again_at: datetime | None = None


def plan_reminders(
    waiting: Iterable[PendingRequest], now: datetime, after: timedelta | None, reminded_at: datetime | None = None
) -> ReminderPlan:
    """`after`: how long a request waits before its first reminder; None: there are none. `reminded_at`: when there was
    a reminder last, of anything. Times that a clock which was set back calls the future count as this moment."""
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
