"""The content of a desktop notification, in the user's language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DesktopNotification:
    """Plain text: the notifier escapes it. `open_words` label the click action; `is_quiet` suppresses the sound."""

    title: str
    body: str
    open_words: str
    is_quiet: bool = False
