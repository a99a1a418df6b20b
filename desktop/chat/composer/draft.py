"""What a composer is told and what it gives back."""

from dataclasses import dataclass

MOST_CHARACTERS = 1_000_000
"""Of one message."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was not sent yet, with the cursor in it; positions count as Qt does, in UTF-16 units."""

    text: str = ""
    cursor: int = 0
    anchor: int = 0


@dataclass(frozen=True, slots=True)
class ComposerState:
    """What a composer is for. While `is_running`, it offers to stop and sends nothing."""

    workflow: str = ""
    is_running: bool = False
