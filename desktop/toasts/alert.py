"""How a screen reader hears of a toast: an alert, said by itself and found again among the widgets."""

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget


class Alert:
    """Marks a widget whose role is that of an alert: stands before its Qt class."""


@cache
def know_alerts() -> None:
    """From now on every `Alert` has its role."""
    QAccessible.installFactory(_interface)


def announce(widget: QWidget, words: str, *, is_urgent: bool) -> None:
    """Have it said: an urgent one now, any other when there is time. Nothing where nobody listens."""
    if QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, words)
        if is_urgent:
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)


def _interface(_key: str, widget: QObject) -> QAccessibleInterface | None:
    if isinstance(widget, Alert) and isinstance(widget, QWidget):
        return QAccessibleWidget(widget, QAccessible.Role.AlertMessage)
    return None
