"""What a composer is told and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_MESSAGE_CHARACTERS = 1_000_000
"""Of one message."""
MAX_PASTE_BYTES = 20_000
"""A longer paste becomes a chip (UI §5)."""


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A text that is to go along: a file at `path`, which is read again when it is sent, or a `text` that is kept here.

    `hash` is the SHA-256 of the text as it was when it came here, `problem` says why it cannot go along.
    """

    name: str
    size: int
    hash: str
    path: str | None = None
    text: str | None = None
    problem: str = ""

    def is_same(self, other: "DraftFile") -> bool:
        """Whatever became of it since."""
        return (
            self.path == other.path if self.path or other.path else (self.name, self.hash) == (other.name, other.hash)
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was not sent yet, with the cursor in it; positions count as Qt does, in UTF-16 units. `scroll` is how
    far it was scrolled, in lines."""

    text: str = ""
    cursor: int = 0
    anchor: int = 0
    files: tuple[DraftFile, ...] = ()
    scroll: int = 0

    def is_said_by(self, text: str, hashes: Sequence[str]) -> bool:
        """Whether a message of that text, with attached texts of these hashes, is what stands here."""
        return self.text == text and [one.hash for one in self.files] == list(hashes)

    def without(self, text: str, hashes: Sequence[str]) -> "Draft":
        """What was written behind that text since it was sent, and what else is to go along; all of it where the text
        does not begin with it any more."""
        if not self.text.startswith(text):
            return self
        gone = utf16_length(text)
        files = tuple(one for one in self.files if one.hash not in hashes)
        return Draft(self.text[len(text) :], max(0, self.cursor - gone), max(0, self.anchor - gone), files)


def utf16_length(text: str) -> int:
    """How Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class ComposerState:
    """What a composer is for. While `is_running`, it offers to stop, and what is sent waits."""

    workflow: str = ""
    is_running: bool = False
