"""What the views of a transcript share: the theme, the clock, and the signals of what the user requests."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from desktop.chat.pictures.cache import PictureCache
from desktop.theme import Theme


class Intents(QObject):
    """One object for all views of a transcript. The first argument is the view, where that matters."""

    fold = Signal(QWidget)
    """Toggle the fold of a line."""
    copy = Signal(QWidget, str)
    """Copy a group: a code frame, a table, or the value of a line."""
    copy_failure = Signal(QWidget)
    retry = Signal(QWidget)
    edit = Signal(QWidget)
    file = Signal(QWidget, str)
    """Do something about a changed file: `open`, `folder`, `undo` or `redo`."""
    picture = Signal(object, object, str)
    """Do something about a Picture, one of the first argument: `open`, `copy` or `save`."""
    picture_menu = Signal(QWidget, QPoint)
    """Open the menu of a picture at a global point."""
    file_menu = Signal(QWidget, str, str, QPoint)
    """Open the menu of an attached file, with its name and the hash of its data, at a global point."""
    open_link = Signal(str)
    point_at_link = Signal(str)
    """The link under the mouse or the focus; empty without one."""
    press = Signal(QWidget, bool)
    """The mouse starts a selection, or extends it (True)."""
    drag = Signal(QWidget, QPoint)
    """The mouse extends a selection to a global point."""
    release = Signal(QWidget)
    """The mouse button is released."""
    select = Signal(QWidget)
    """The keyboard has changed the selection of a text."""
    menu = Signal(QWidget, QPoint)
    """Open the context menu of a block at a global point."""
    message_menu = Signal(QWidget, QPoint)
    """Open the menu of a turn at a global point."""
    point_out = Signal(QWidget, bool)
    """The mouse or the focus enters (True) or leaves a turn."""
    leave_turn = Signal(QWidget, bool)
    """Tab (True) or Shift+Tab was pressed on a turn as a whole."""
    scroll_code = Signal(QWidget, int)
    """A piece of code was scrolled sideways."""


@dataclass(frozen=True, slots=True)
class ViewContext:
    """Passed to every view. `now` returns the time for the durations of running work."""

    theme: Theme
    intents: Intents
    now: Callable[[], datetime]
    pictures: PictureCache


@dataclass(frozen=True, slots=True)
class BlockContext:
    """What a block does not hold itself.

    For code, the longest line of its frame and whether the frame is complete; for a failure or a notice, whether retry
    and edit are offered.
    """

    columns: int = 0
    is_complete: bool = False
    can_retry: bool = False
    can_edit: bool = False
