"""Pictures and documents of a conversation: which of them the model gets, and their data (AGENTS_AND_TOOLS §9).

Every request contains all of them again, so that old ones are left out where they become too many; their names stay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.domain.messages import AttachedFile, Attachment, goes_as_file
from core.domain.model import FilesTaken
from core.ports import ChatMessage, MessageFile, Storage

MAX_FILES = 20
"""The most files of a request: several providers take no more."""
MAX_BYTES = 24_000_000
"""The data of a request: in Base64 it has 32 MB, the smallest limit of the providers."""

_LEFT_OUT = "\n\n(Not sent any more, because there are too many files: {}.)"


class FileBudget:
    """How much of its files a request may still contain. Ask for the newest first."""

    def __init__(self) -> None:
        self._files = MAX_FILES
        self._bytes = MAX_BYTES

    def take(self, size: int) -> bool:
        """Return whether a file of that size fits, and count it if so."""
        if self._files < 1 or size > self._bytes:
            self._files = 0  # an older one would be out of place beside those that are missing
            return False
        self._files -= 1
        self._bytes -= size
        return True


async def with_files(
    storage: Storage, message: ChatMessage, wanted: Sequence[Attachment], budget: FileBudget
) -> ChatMessage:
    """Return the message with the data of these files, as far as the budget goes, and the names of the others."""
    files: list[MessageFile] = []
    missing: list[str] = []
    for about in reversed(wanted):
        data = await storage.files.get(about.hash) if budget.take(about.size) else None
        if data is None:
            missing.append(about.name)
        else:
            files.append(MessageFile(about.name, about.mime, data))
    text = message.text + (_LEFT_OUT.format(", ".join(reversed(missing))) if missing else "")
    return replace(message, text=text, files=tuple(reversed(files)))


def files_to_send(attached: Iterable[AttachedFile | Attachment], taken: FilesTaken) -> list[Attachment]:
    """Return the attachments that the model gets as files."""
    abouts = (file.about if isinstance(file, AttachedFile) else file for file in attached)
    return [about for about in abouts if goes_as_file(about, taken)]
