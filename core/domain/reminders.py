"""When the user is reminded of open requests: pure rules, with the time as a parameter (UI §6, §7).

    asked ──(the interval of the setting)──► reminded ──(as long as it has waited)──► reminded ──► …

The first interval is the setting's; each later interval doubles, up to a day. Intervals count from the actual
reminder, not from when it was due: after a suspended night or a restart there is one reminder, not a series.

A request with a time limit has a single reminder instead, before its end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.domain.ids import InterruptionId

MAX_INTERVAL = timedelta(days=1)
# Requests that become due within this time are joined to the same reminder.
BATCH_WINDOW = timedelta(minutes=1)
# Between any two reminders; requests that become due meanwhile wait for the next reminder.
MIN_INTERVAL = timedelta(minutes=5)
# The user needs time to read and to answer.
MIN_LEAD = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """An open request without a time limit: when it was asked, and the last reminder of it."""

    id: InterruptionId
    asked_at: datetime
    reminded_at: datetime


@dataclass(frozen=True, slots=True)
class ReminderPlan:
    """The requests to remind of now, and when to plan again; None: only after a change."""

    due: tuple[InterruptionId, ...] = ()
    next_at: datetime | None = None


def plan_reminders(
    requests: Iterable[PendingRequest], now: datetime, after: timedelta | None, reminded_at: datetime | None = None
) -> ReminderPlan:
    """Decide which requests are due.

    `after`: how long a request waits before its first reminder; None disables reminders. `reminded_at`: the last
    reminder of any request. Times in the future (the clock was set back) count as `now`.
    """
    # If one request is due, all that would be due within the next minute are joined to its reminder. A reminder blocks
    # the next for MIN_INTERVAL, whatever it is about, so that many open requests do not become a stream of
    # notifications.
    if after is None:
        return ReminderPlan()
    pending = [PendingRequest(request.id, request.asked_at, min(request.reminded_at, now)) for request in requests]
    if not pending:
        return ReminderPlan()
    earliest = min(reminded_at, now) + MIN_INTERVAL if reminded_at is not None else now
    due: tuple[InterruptionId, ...] = ()
    if earliest <= now and any(_due_at(request, after) <= now for request in pending):
        due = tuple(request.id for request in pending if _due_at(request, after) <= now + BATCH_WINDOW)
        pending = [
            PendingRequest(request.id, request.asked_at, now) if request.id in due else request for request in pending
        ]
        earliest = now + MIN_INTERVAL
    return ReminderPlan(due, max(earliest, min(_due_at(request, after) for request in pending)))


def end_reminder_at(asked_at: datetime, expires_at: datetime) -> datetime | None:
    """Return when to remind of the end of a request's time: when a quarter of it is left, at least `MIN_LEAD` before.

    None for a limit so short that the user was asked only just now.
    """
    limit = expires_at - asked_at
    lead = max(limit / 4, MIN_LEAD)
    return expires_at - lead if 2 * lead < limit else None


def _due_at(request: PendingRequest, after: timedelta) -> datetime:
    # Waiting as long again as the request has waited so far doubles the interval: at 30, 60, 120, 240 … minutes.
    return request.reminded_at + min(MAX_INTERVAL, max(after, request.reminded_at - request.asked_at))
