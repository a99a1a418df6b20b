"""Strings of a row, for display and for screen readers."""

from datetime import datetime
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QTextBoundaryFinder

from core.domain.template import ValidationMode
from desktop.sidebar.rows import Row, RowState, Section
from desktop.translation import (
    ago,
    call_in_flight,
    day,
    duration,
    number,
    request_state_text,
    short_tool_name,
    time_of_day,
)
from desktop.widgets import unread_text

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`

_BETWEEN = " · "
_MIN_SHOWN_DURATION_S = 1  # under a second the state suffices (UI §10)


def section_title(section: Section) -> str:
    """Return the title of a section in sentence case; the font makes capitals of it."""
    match section:
        case Section.NEEDS_YOU:
            return translate("Sidebar", "Needs you")
        case Section.RUNNING:
            return translate("Sidebar", "Running", "section")
        case Section.RECENT:
            return translate("Sidebar", "Recently finished")
        case Section.WORKFLOWS:
            return translate("Sidebar", "Workflows")
        case Section.ARCHIVED:
            return translate("Sidebar", "Archived")


class RowTexts(NamedTuple):
    """The texts of a row that change with the time."""

    state: str
    time: str


def row_texts(row: Row, now: datetime) -> RowTexts:
    return RowTexts(state_text(row, now), time_text(row, now))


def state_text(row: Row, now: datetime) -> str:
    """Return `Running · 12 s`, `Writing report.md · 4 s`, `Step 3/7 · 2 min`, `Failed: no answer`; without line
    breaks.
    """
    texts = [_state(row)]
    doing = _doing(row)
    if row.progress is not None and row.state is RowState.RUNNING:
        done, steps = row.progress
        texts = [
            *([doing] if doing else []),
            translate("Sidebar", "Step {done}/{steps}").format(done=number(done), steps=number(steps)),
        ]
    elif doing:
        texts = [doing]
    elapsed_s = _elapsed_s(row, now)
    if elapsed_s is not None and elapsed_s >= _MIN_SHOWN_DURATION_S and row.state is not RowState.FAILED:
        texts.append(duration(elapsed_s))
    if row.mode is not None:
        texts.append(_mode(row.mode))
    return _BETWEEN.join(texts)


def time_text(row: Row, now: datetime) -> str:
    """Return when the run began, how long ago it ended, or when the workflow was changed."""
    match row.section:
        case Section.NEEDS_YOU | Section.RUNNING:
            return time_of_day(row.at.astimezone())
        case Section.RECENT:
            return ago((now - row.at).total_seconds())
        case Section.WORKFLOWS | Section.ARCHIVED:
            then, today = row.at.astimezone(), now.astimezone().date()
            return time_of_day(then) if then.date() == today else day(then.date(), today)


def accessible_row_text(row: Row, requests: str = "") -> str:
    """Return `Refactor billing, running, step 3 of 7, slot 1`. Without times: they would be read again each second.

    `requests` is the number of open requests as text, from a class: lupdate finds plurals only in `self.tr`.
    """
    state = _state(row)
    texts = [row.title, state[:1].lower() + state[1:]]
    if row.is_unread:
        texts.append(unread_text())
    if row.is_archived:
        texts.append(translate("Sidebar", "archived"))
    if row.progress is not None:
        done, steps = row.progress
        texts.append(translate("Sidebar", "step {done} of {steps}").format(done=number(done), steps=number(steps)))
    if row.mode is not None:
        texts.append(_mode(row.mode))
    if requests:
        texts.append(requests)
    if row.slot is not None:
        texts.append(translate("Sidebar", "slot {slot}").format(slot=row.slot))
    return ", ".join(texts)


def initial(title: str) -> str:
    """Return the first character of a title, whole even if it is an emoji."""
    title = title.strip()
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, title)
    end = finder.toNextBoundary()
    units = title.encode("utf-16-le")[: 2 * max(end, 0)]
    return units.decode("utf-16-le").upper()


def _state(row: Row) -> str:
    match row.state:
        case RowState.NEW:
            return translate("Sidebar", "Not started")
        case RowState.QUEUED:
            return translate("Sidebar", "Waiting for a place")
        case RowState.RUNNING:
            return translate("Sidebar", "Running", "state")
        case RowState.WAITING if row.asked is not None:
            asked = request_state_text(row.asked)
            tool = short_tool_name(row.asked_about)
            return translate("Sidebar", "{state}: {tool}").format(state=asked, tool=tool) if tool else asked
        case RowState.WAITING:
            return translate("Sidebar", "Waiting for you")
        case RowState.PAUSED:
            return translate("Sidebar", "Paused: the storage cannot be written")
        case RowState.COMPLETED:
            return translate("Sidebar", "Completed")
        case RowState.FAILED if row.error:
            return translate("Sidebar", "Failed: {message}").format(message=" ".join(row.error.split()))
        case RowState.FAILED:
            return translate("Sidebar", "Failed")
        case RowState.STOPPED:
            return translate("Sidebar", "Stopped")
        case RowState.INTERRUPTED:
            return translate("Sidebar", "Interrupted")


def _mode(mode: ValidationMode) -> str:
    match mode:
        case ValidationMode.AUTO:
            return translate("Sidebar", "Auto")
        case ValidationMode.MANUAL:
            return translate("Sidebar", "Manual")
        case ValidationMode.SELECTIVE:
            return translate("Sidebar", "Selective")


def _doing(row: Row) -> str:
    """Return the call in flight: `Editing invoices.py`; empty without one."""
    return "" if row.doing is None else call_in_flight(row.doing.tool, row.doing.target)


def _elapsed_s(row: Row, now: datetime) -> float | None:
    if row.since is None:
        return None
    since = row.since if row.doing is None else row.doing.since
    return max(0.0, ((row.until or now) - since).total_seconds())
