"""What a desktop notification says. Text for people, already in their language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DesktopNotification:
    """Plain text: whoever shows it escapes it. `open_words` name what a click does; `is_quiet`: it must not ring."""

    title: str
    body: str
    open_words: str
    is_quiet: bool = False
