"""What a screen reader is told: the role of a kind of widget, and words that are said by themselves."""

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_ROLES: dict[type[QWidget], QAccessible.Role] = {}


def set_role(kind: type[QWidget], role: QAccessible.Role) -> None:
    """Widgets of exactly this class have this role from now on."""
    _ROLES[kind] = role
    _install()


def announce(widget: QWidget, words: str, *, is_urgent: bool = False) -> None:
    """Have it said: urgent words now, any others when there is time. Nothing where nobody listens."""
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
