"""The tab order of widgets that come and go: by position, not by creation."""

from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSpinBox, QComboBox, QLineEdit, QWidget

# Qt builds these from inner widgets that accept focus too, but are not stops of their own.
_COMPOUND = QAbstractScrollArea | QAbstractSpinBox | QComboBox | QLineEdit


def tab_stops(part: QWidget) -> list[QWidget]:
    """Return the tab stops within a widget, in the order of creation."""
    return [
        widget
        for widget in (part, *part.findChildren(QWidget))
        if _is_tab_stop(widget) and not isinstance(widget.parentWidget(), _COMPOUND)
    ]


def chain_tab_stops(stops: Iterable[QWidget]) -> None:
    """Make Tab go from each widget to the next."""
    for previous, after in pairwise(stops):
        QWidget.setTabOrder(previous, after)


def previous_tab_stop(control: QWidget) -> QWidget:
    """Return the previous tab stop.

    `setTabOrder` ignores widgets without focus, and replaces a widget by its focus proxy: neither may begin a chain.
    """
    previous = control.previousInFocusChain()
    while previous is not None and previous is not control and not _is_tab_stop(previous):
        previous = previous.previousInFocusChain()
    return previous or control


def _is_tab_stop(widget: QWidget) -> bool:
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.focusProxy() is None
