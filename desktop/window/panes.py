"""Going from pane to pane by F6."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication, QWidget


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the window, and what puts the focus into it."""

    widget: QWidget
    enter: Callable[[], object]


def go_to_pane(panes: Sequence[Pane], by: int) -> None:
    """Into the next pane that is seen (1), or the one before (-1), going around."""
    shown = [pane for pane in panes if pane.widget.isVisible()]
    focused = QApplication.focusWidget()
    at = next((n for n, pane in enumerate(shown) if focused is not None and _holds(pane.widget, focused)), None)
    if shown:
        shown[0 if at is None else (at + by) % len(shown)].enter()


def _holds(pane: QWidget, focused: QWidget) -> bool:
    return pane is focused or pane.isAncestorOf(focused)
