"""How a screen reader finds the conversation: a list, and an item for each turn; and what it is told by itself."""

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_ROLES: dict[type[QWidget], QAccessible.Role] = {}


def set_role(kind: type[QWidget], role: QAccessible.Role) -> None:
    """Widgets of exactly this class have this role from now on."""
    _ROLES[kind] = role
    _install()


def announce(widget: QWidget, words: str) -> None:
    """Have it said when there is time; nothing where nobody listens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


@cache
def _install() -> None:
    QAccessible.installFactory(_interface)


def _interface(_key: str, widget: QObject) -> QAccessibleInterface | None:
    role = _ROLES.get(type(widget)) if isinstance(widget, QWidget) else None
    return QAccessibleWidget(widget, role) if isinstance(widget, QWidget) and role is not None else None
