"""Desktop notifications: their content, and the service that shows them on Linux."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DesktopNotification:
    """Plain text: the notifier escapes it. `open_words` label the click action; `is_quiet` suppresses the sound."""

    title: str
    body: str
    open_words: str
    is_quiet: bool = False
