"""Texts of desktop notifications: the toast of a single workflow, or the number and names of several.

A notification leaves the window and may be read by others or stored by the desktop: secrets are masked, and characters
that reorder or break the line are removed.
"""

import unicodedata

from PySide6.QtCore import QCoreApplication, QObject

from core.domain.text.graphemes import ellipsize
from core.domain.text.masking import masked_text
from core.domain.toast import Toast, ToastType
from core.stores.notifications import Notification, NotificationGroup
from desktop.notifications import DesktopNotification
from desktop.toasts.toast_strings import kind_word, words_of

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
    """Return at most `most` characters on one line, with secrets masked and invisible characters removed."""
    masked = masked_text(text[:_MOST_SCANNED])
    seen = "".join(" " if char.isspace() else char for char in masked if char.isspace() or _is_printable(char))
    line = " ".join(seen.split())
    return ellipsize(line, most)


def _is_printable(char: str) -> bool:
    """Return whether the character is visible or joins others. Controls and characters that reorder text are not."""
    return char in "\u200c\u200d" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Cn", "Co"}


def _body(toast: Toast) -> str:
    text = words_of(toast).message
    if toast.type is ToastType.SUCCESS or toast.code == "question_reminder":  # whose text says already that it waits
        return one_line(text, BODY_CHARACTERS)
    words = translate("Notifications", "{kind}: {what}").format(kind=kind_word(toast.type), what=text[:_MOST_SCANNED])
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
