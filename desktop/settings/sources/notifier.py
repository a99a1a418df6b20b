"""The interface of the notifier that the Notifications page needs."""

from enum import StrEnum

from PySide6.QtCore import QObject, Signal


class NotificationChannel(StrEnum):
    """The channel of notifications. `UNCLICKABLE`: the desktop shows them, without click events."""

    LOOKING = "looking"
    DESKTOP = "desktop"
    UNCLICKABLE = "unclickable"
    TRAY = "tray"
    NONE = "none"


class TrialState(StrEnum):
    """The result of the last test."""

    NONE = "none"
    SENT = "sent"
    SHOWN = "shown"
    FAILED = "failed"


class Notifier(QObject):
    """An interface. `changed` is emitted when the channel or the test result has changed."""

    changed = Signal()

    @property
    def channel(self) -> NotificationChannel:
        raise NotImplementedError

    @property
    def trial_state(self) -> TrialState:
        raise NotImplementedError

    def send_test(self) -> None:
        """Show a notification now, whatever the level and the focus."""
        raise NotImplementedError
