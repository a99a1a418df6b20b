"""What the user requests of a block. All views of a transcript share one `Intents` object."""

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget


class Intents(QObject):
    """The first argument is the view that the event happened in, where that matters."""

    fold = Signal(QWidget)
    """Fold what is unfolded, unfold what is folded."""
    copy = Signal(QWidget, str)
    """Copy the whole of a group: a code frame, a table, the value of a line."""
    copy_failure = Signal(QWidget)
    retry = Signal(QWidget)
    edit = Signal(QWidget)
    open_link = Signal(str)
    point_at_link = Signal(str)
    """The mouse or the focus is on a link that goes there; nothing: on none any more."""
    press = Signal(QWidget, bool)
    """The mouse begins a selection; true if it extends the one there is."""
    drag = Signal(QWidget, QPoint)
    """The mouse draws a selection; where it is, in global coordinates."""
    release = Signal(QWidget)
    """The mouse lets go of a selection."""
    select = Signal(QWidget)
    """The keyboard has changed the selection of a text."""
    menu = Signal(QWidget, QPoint)
    """The context menu is wanted, in global coordinates."""
    message_menu = Signal(QWidget, QPoint)
    """What can be done with a turn is wanted, in global coordinates."""
    point_out = Signal(QWidget, bool)
    """The mouse or the focus is on a turn, or is not any more."""
    leave_turn = Signal(QWidget, bool)
    """Tab (true) or Shift+Tab was pressed on a turn as a whole."""
    scroll_code = Signal(QWidget, int)
    """The pieces of a code frame scroll sideways together."""
