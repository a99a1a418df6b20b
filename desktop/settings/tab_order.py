"""The order of Tab where widgets come and go: as they stand, not as they were made."""

from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSpinBox, QComboBox, QLineEdit, QWidget

_WHOLE = QAbstractScrollArea | QAbstractSpinBox | QComboBox | QLineEdit
"""What is inside of these is theirs."""


def stops_in(part: QWidget) -> list[QWidget]:
    """The controls of a part, in the order in which they were put into it."""
    return [
        one
        for one in (part, *part.findChildren(QWidget))
        if _is_stop(one) and not isinstance(one.parentWidget(), _WHOLE)
    ]


def chain(stops: Iterable[QWidget]) -> None:
    """Tab goes from each to the next."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def stop_before(control: QWidget) -> QWidget:
    """The control that comes before. Qt leaves the order as it is for what takes no focus, and takes another widget for
    one that hands its focus on."""
    before = control.previousInFocusChain()
    while before is not None and before is not control and not _is_stop(before):
        before = before.previousInFocusChain()
    return before or control


def _is_stop(widget: QWidget) -> bool:
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.focusProxy() is None
