"""Desktop notifications while the window is not in front, and reminders (UI §7).

A notification leaves the window and may be read by others or stored by the desktop: secrets are masked, and characters
that a desktop could interpret are removed.
"""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QApplication

from core.domain.ids import WorkflowId
from core.domain.text.graphemes import ellipsize
from core.domain.text.hidden import reveal
from core.domain.text.masking import masked_text
from core.domain.toast import Toast, ToastType
from core.stores.notifications import Notification, NotificationGroup
from desktop.attention.card import AttentionCard
from desktop.notifications import DesktopNotification
from desktop.settings.sources.notifier import NotificationChannel, Notifier, TrialState
from desktop.toasts.toast_strings import INBOX, kind_text, toast_text
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import is_present
from desktop.window.frame.quit_guard import QuitGuard, TrayIcon
from desktop.window.navigation.workflow_switcher import WorkflowOpener

translate = QCoreApplication.translate  # lupdate finds texts by this name

TITLE_CHARACTERS = 80
BODY_CHARACTERS = 240
MOST_NAMES = 3
_MOST_SCANNED = 4_000
"""Characters of a text that are looked at: a result may have megabytes."""


def message_of(notification: Notification) -> DesktopNotification:
    """Return the notification in the current language."""
    open_words = translate("Notifications", "Go to workflow")
    if len(notification.toasts) == 1:
        toast = notification.toasts[0]
        return DesktopNotification(
            one_line(toast.title, TITLE_CHARACTERS), _body(toast), open_words, notification.is_quiet
        )
    title, open_words = NotificationCounts().words(notification), translate("Notifications", "Open")
    return DesktopNotification(title, _names(notification), open_words, notification.is_quiet)


def sample_message() -> DesktopNotification:
    """Return a test notification."""
    title = translate("Notifications", "This is a test")
    body = translate("Notifications", "This is how you are notified when a workflow needs you.")
    return DesktopNotification(title, body, translate("Notifications", "Open"))


def one_line(text: str, most: int) -> str:
    """Return at most `most` characters on one line, with secrets masked and hidden characters as marks."""
    masked = masked_text(text[:_MOST_SCANNED])
    return ellipsize(" ".join(reveal(masked).split()), most)


def _body(toast: Toast) -> str:
    text = toast_text(toast).message
    # the text of a reminder says already that it waits
    if toast.type is ToastType.SUCCESS or toast.code in ("question_reminder", "question_ending"):
        return one_line(text, BODY_CHARACTERS)
    words = translate("Notifications", "{kind}: {what}").format(kind=kind_text(toast.type), what=text[:_MOST_SCANNED])
    return one_line(words, BODY_CHARACTERS)


class NotificationCounts(QObject):
    """Translates counts. A QObject, because only `QObject.tr` handles plural forms."""

    def words(self, notification: Notification) -> str:
        if notification.group is NotificationGroup.ASKING:
            return self.tr("%n workflow(s) need you", "", len(notification.toasts))
        failed = sum(toast.type is ToastType.ERROR for toast in notification.toasts)
        finished = len(notification.toasts) - failed
        parts = []
        if finished:
            parts.append(self.tr("%n workflow(s) finished", "", finished))
        if failed:
            parts.append(self.tr("%n workflow(s) failed", "", failed))
        return " · ".join(parts)


def _names(notification: Notification) -> str:
    names = [one_line(toast.title, TITLE_CHARACTERS // 2) for toast in reversed(notification.toasts)]
    listed = ", ".join(names[:MOST_NAMES])
    return f"{listed}…" if len(names) > MOST_NAMES else listed


if TYPE_CHECKING:
    from desktop.notifications.freedesktop import FreedesktopNotifier

MOST_REMEMBERED = 200
_TEST = "test"


class DesktopNotifier(Notifier):
    """Shows notifications by the desktop's service if there is one, else by the tray icon, else not at all.

    Only a click brings the window to the front; `open_inbox` shows the inbox.
    """

    def __init__(
        self,
        context: WindowContext,
        tray: TrayIcon,
        quit_guard: QuitGuard,
        opener: WorkflowOpener,
        open_inbox: Callable[[], object],
    ) -> None:
        super().__init__(context.owner)
        self._context = context
        self._stores = context.stores
        self._tray = tray
        self._quit_guard = quit_guard
        self._opener = opener
        self._open_inbox = open_inbox
        self._system: FreedesktopNotifier | None = None
        self._known: dict[str, Notification] = {}
        self._at_tray = ""
        self._trial = TrialState.NONE
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusWindowChanged.connect(self._update_presence)
        tray.message_clicked.connect(self._on_tray_clicked)
        self._stores.notifications.shown.connect(self._show)
        self._stores.notifications.closed.connect(self._close)

    def begin(self) -> None:
        """Connect to the desktop's notification service until the window's tasks end."""
        self._update_presence()
        if sys.platform != "linux":  # on other systems, the tray icon shows native notifications
            return
        from desktop.notifications.freedesktop import FreedesktopNotifier

        self._system = FreedesktopNotifier(
            self._context.core.clock,
            on_activated=self._on_activated,
            on_dismissed=self._stores.notifications.dismissed,
            on_shown=self._on_shown,
            on_undelivered=self._on_undelivered,
            on_changed=self.changed.emit,
        )
        self._context.tasks.spawn(self._system.run(), "desktop notifications")

    def close(self) -> None:
        """Disconnect from the stores."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusWindowChanged.disconnect(self._update_presence)
        self._stores.notifications.shown.disconnect(self._show, missing_ok=True)
        self._stores.notifications.closed.disconnect(self._close, missing_ok=True)

    def _update_presence(self) -> None:
        """Set the user's presence. A dialog of the app counts too."""
        self._stores.notifications.set_present(is_present(self._context.window))

    # For the settings

    @property
    def channel(self) -> NotificationChannel:
        system = self._system
        if system is not None and system.is_available is None:
            return NotificationChannel.LOOKING
        if system is not None and system.is_available:
            return NotificationChannel.DESKTOP if "actions" in system.capabilities else NotificationChannel.UNCLICKABLE
        return NotificationChannel.TRAY if self._tray.can_notify else NotificationChannel.NONE

    @property
    def trial_state(self) -> TrialState:
        return self._trial

    def send_test(self) -> None:
        self._set_trial(TrialState.SENT)
        if self._system is not None:
            self._system.hurry()
        self._deliver(_TEST, sample_message())

    # Showing

    def _show(self, notification: Notification) -> None:
        self._known.pop(notification.key, None)
        self._known[notification.key] = notification
        for oldest in list(self._known)[:-MOST_REMEMBERED]:
            del self._known[oldest]
        if notification.group is NotificationGroup.ASKING and not notification.is_quiet:
            QApplication.alert(self._context.window)  # marks the task bar entry; nothing comes to the front
        self._deliver(notification.key, message_of(notification))

    def _deliver(self, key: str, message: DesktopNotification) -> None:
        if self._system is not None:
            self._system.show(key, message)
        else:
            self._on_undelivered(key, message)

    def _close(self, key: str) -> None:
        if self._system is not None:
            self._system.close(key)
        if self._at_tray == key:
            self._at_tray = ""

    # Results

    def _on_shown(self, key: str) -> None:
        if key == _TEST:
            self._set_trial(TrialState.SHOWN)

    def _on_undelivered(self, key: str, message: DesktopNotification) -> None:
        """Show the notification in the tray, which holds one at a time, unless it is a quiet update."""
        if self._tray.can_notify and not message.is_quiet:
            self._at_tray = key
            self._tray.notify(message.title, message.body)
            self._on_shown(key)
        elif key == _TEST:
            self._set_trial(TrialState.FAILED)

    def _on_tray_clicked(self) -> None:
        self._on_activated(self._at_tray, "")

    def _on_activated(self, key: str, token: str) -> None:
        """Bring the window to the front with the workflow of the clicked notification."""
        # Wayland lets only a window with a token come to the front, and Qt reads it from the environment
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token
        self._quit_guard.come_back()
        os.environ.pop("XDG_ACTIVATION_TOKEN", None)
        self._close(key)
        self._stores.notifications.dismissed(key)
        notification = self._known.get(key)
        if notification is not None:
            self._go_to(notification)

    def _go_to(self, notification: Notification) -> None:
        stores = self._stores
        asking = set(stores.questions.workflows)
        targets = [key for key in notification.workflows if stores.workflows.get(key) is not None]
        if notification.group is NotificationGroup.ASKING and len(notification.toasts) > 1:
            targets = [key for key in targets if key in asking][:1] or targets
        if len(targets) == 1:
            self._opener.open_request(targets[0])
        elif targets:
            self._open_inbox()
        else:
            stores.toasts.add(ToastType.INFO, "workflow_gone")

    def _set_trial(self, trial: TrialState) -> None:
        self._trial = trial
        self.changed.emit()


class ReminderBinder(Controller):
    """Reports to the reminders which requests are visible or postponed (UI §6).

    A request is visible while its card is unfolded in the active window. Activating the window checks the reminders, as
    the system clock may have jumped.
    """

    def __init__(self, context: WindowContext, card: AttentionCard, open_inbox: Callable[[], object]) -> None:
        super().__init__(context)
        self._card = card
        self._open_inbox = open_inbox
        card.postponed.connect(self._on_put_off)

    def begin(self) -> None:
        """Start the reminders."""
        self._stores.reminders.start(self._is_visible)
        self._stores.background.window_active_changed.connect(self._stores.reminders.check)

    def close(self) -> None:
        """Stop the reminders."""
        self._stores.background.window_active_changed.disconnect(self._stores.reminders.check, missing_ok=True)
        self._stores.reminders.close()

    def act(self, action: str) -> None:
        """Open the inbox for a reminder about several workflows."""
        if action == INBOX:
            self._open_inbox()

    def _is_visible(self, workflow_id: WorkflowId) -> bool:
        is_open = self._card.workflow_id == workflow_id and self._card.isVisible() and not self._card.is_folded
        return is_open and self._stores.background.is_watched(workflow_id)

    def _on_put_off(self) -> None:
        if self._card.workflow_id is not None:
            self._stores.reminders.postpone(self._card.workflow_id)
