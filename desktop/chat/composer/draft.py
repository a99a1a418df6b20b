"""Values that a composer takes and returns."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QMimeData, QUrl

from core.domain.messages import AttachedFile, Attachment

# Limit of one message.
MAX_MESSAGE_CHARACTERS = 1_000_000
# Longer pastes are attached as a file (UI §5).
MAX_PASTE_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A file to be sent with a message: a file at `path`, read again when it is sent, or `content` without a file.

    `about` is what it was when it was attached; `problem` is why it cannot be sent.
    """

    about: Attachment
    path: str | None = None
    content: AttachedFile | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        return self.about.name

    @property
    def size(self) -> int:
        return self.about.size

    @property
    def hash(self) -> str:
        return self.about.hash

    def is_same(self, other: "DraftFile") -> bool:
        """Return whether both are the same file, whatever its current content."""
        return (
            self.path == other.path if self.path or other.path else (self.name, self.hash) == (other.name, other.hash)
        )


def kept_file(content: AttachedFile) -> DraftFile:
    """Return an attachment as a file of a draft, which has its content."""
    return DraftFile(content.about, content=content)


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsent message with the cursor in it; positions are in UTF-16 units as in Qt, `scroll` in lines."""

    text: str = ""
    cursor: int = 0
    anchor: int = 0
    files: tuple[DraftFile, ...] = ()
    scroll: int = 0

    def is_sent_as(self, text: str, hashes: Sequence[str]) -> bool:
        """Return whether a message of that text, with attachments of these hashes, is this draft."""
        return self.text == text and [file.hash for file in self.files] == list(hashes)

    def without(self, text: str, hashes: Sequence[str]) -> "Draft":
        """Return what was written after that text since it was sent, and what else is attached; the whole draft if it
        no longer begins with that text.
        """
        if not self.text.startswith(text):
            return self
        gone = utf16_length(text)
        files = tuple(file for file in self.files if file.hash not in hashes)
        return Draft(self.text[len(text) :], max(0, self.cursor - gone), max(0, self.anchor - gone), files)


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class ComposerState:
    """The state of a composer. While a turn `is_running`, it offers to stop, and messages are queued."""

    workflow: str = ""
    is_running: bool = False


def local_files(source: QMimeData) -> list[str]:
    """Return the paths of dragged or copied files; none if any is not on this computer."""
    urls = source.urls()
    return [_local_path(url) for url in urls] if urls and all(url.isLocalFile() for url in urls) else []


def _local_path(url: QUrl) -> str:
    """Return the path of a local file. Qt would replace bytes that are not UTF-8; Python keeps them."""
    path = url.toLocalFile()
    if "\N{REPLACEMENT CHARACTER}" not in path or os.name != "posix":
        return path
    return os.fsdecode(unquote_to_bytes(url.path(QUrl.ComponentFormattingOption.FullyEncoded)))
