"""What the page of notifications needs of whoever shows them."""

from enum import StrEnum

from PySide6.QtCore import QObject, Signal


class NotificationChannel(StrEnum):
    """How a notification reaches a person. `UNCLICKABLE`: the desktop shows it, and tells of no click."""

    LOOKING = "looking"
    DESKTOP = "desktop"
    UNCLICKABLE = "unclickable"
    TRAY = "tray"
    NONE = "none"


class TrialState(StrEnum):
    """What became of the last test."""

    NONE = "none"
    SENT = "sent"
    SHOWN = "shown"
    FAILED = "failed"


class Notifier(QObject):
    """A class to derive from. `changed` tells that the way or the trial is another one."""

    changed = Signal()

    @property
    def way(self) -> NotificationChannel:
        raise NotImplementedError

    @property
    def trial(self) -> TrialState:
        raise NotImplementedError

    def send_test(self) -> None:
        """Show a notification now, whatever the level is and wherever the person looks."""
        raise NotImplementedError
