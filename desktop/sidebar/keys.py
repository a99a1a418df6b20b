"""The keys that the sidebar shows, and those that it hears itself while its list has the focus."""

from dataclasses import dataclass, field
from functools import partial

from PySide6.QtGui import QKeySequence

OPEN = "Return"
PEEK = "Space"
RENAME = "F2"
ARCHIVE = "Del"
DELETE = "Shift+Del"
UNDO = "Ctrl+Z"
FOLD = "Left"
UNFOLD = "Right"
LEAVE = "Esc"


@dataclass(frozen=True, slots=True)
class Keys:
    """Those of the window's commands that it has buttons for, and those that its menu names: they are only shown."""

    new: QKeySequence
    settings: QKeySequence
    collapse: QKeySequence
    open: QKeySequence = field(default_factory=partial(QKeySequence, OPEN))
    peek: QKeySequence = field(default_factory=partial(QKeySequence, PEEK))
    rename: QKeySequence = field(default_factory=partial(QKeySequence, RENAME))
    archive: QKeySequence = field(default_factory=partial(QKeySequence, ARCHIVE))
    delete: QKeySequence = field(default_factory=partial(QKeySequence, DELETE))
