"""Accessible roles of widget classes, and announcements to screen readers."""

import time
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import isValid

_ROLES: dict[type[QWidget], QAccessible.Role] = {}


def set_role(kind: type[QWidget], role: QAccessible.Role) -> None:
    """Set the accessible role of widgets of exactly this class."""
    _ROLES[kind] = role
    _install()


def announce(widget: QWidget, words: str, *, is_urgent: bool = False) -> None:
    """Announce a text: at once if urgent, else when the screen reader is idle. No effect without a screen reader."""
    if QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, words)
        if is_urgent:
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)


@cache
def _install() -> None:
    QAccessible.installFactory(_interface)


def _interface(_key: str, widget: QObject) -> QAccessibleInterface | None:
    role = _ROLES.get(type(widget)) if isinstance(widget, QWidget) else None
    return QAccessibleWidget(widget, role) if isinstance(widget, QWidget) and role is not None else None


GAP_S = 1.0
_MOST = 10


@dataclass(frozen=True, slots=True)
class _Announcement:
    widget: QWidget
    words: str
    is_urgent: bool


class AnnouncementQueue(QObject):
    """Announces at most one text per second in its window, urgent texts first, each once.

    Feedback on the user's own keys is not queued: it is announced at once.
    """

    said = Signal(str, bool)
    """The words, and whether they were urgent."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._waiting: list[_Announcement] = []
        self._free_at = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    def tell(self, widget: QWidget, words: str, *, is_urgent: bool) -> None:
        """Queue a text; when too many wait, the oldest are dropped."""
        if not words or any(piece.words == words for piece in self._waiting):
            return
        urgent = [piece for piece in self._waiting if piece.is_urgent]
        others = [piece for piece in self._waiting if not piece.is_urgent]
        (urgent if is_urgent else others).append(_Announcement(widget, words, is_urgent))
        self._waiting = [*urgent[-_MOST:], *others[-_MOST:]]
        if not self._timer.isActive():
            self._next()

    def _next(self) -> None:
        self._waiting = [piece for piece in self._waiting if isValid(piece.widget)]
        rest_s = self._free_at - time.monotonic()
        if self._waiting and rest_s <= 0:
            piece = self._waiting.pop(0)
            self._free_at = time.monotonic() + GAP_S
            announce(piece.widget, piece.words, is_urgent=piece.is_urgent)
            self.said.emit(piece.words, piece.is_urgent)
        if self._waiting:
            self._timer.start(max(1, round((self._free_at - time.monotonic()) * 1000) + 1))


def queue_announcement(widget: QWidget, words: str, *, is_urgent: bool = False) -> None:
    """Queue a text in the queue of the widget's window."""
    announcement_queue(widget.window()).tell(widget, words, is_urgent=is_urgent)


def announcement_queue(window: QWidget) -> AnnouncementQueue:
    """Return the queue of this window."""
    return next(
        (child for child in window.children() if isinstance(child, AnnouncementQueue)), None
    ) or AnnouncementQueue(window)
