"""Files attached to a message: read as text, or refused with the reason (AGENTS_AND_TOOLS §9).

No provider accepts images yet, so a picture is refused by name rather than sent as something else.
"""

import asyncio
import codecs
import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import (
    FILE_BYTES,
    MESSAGE_BYTES,
    MESSAGE_FILES,
    AttachedText,
    attached_text,
    mime_of,
    shown_name,
)
from core.errors import Refused
from core.ports import PutAttachedText, Storage
from core.services.outcome import returns_outcome
from core.tools.own_places import NO_PLACES, OWN_MESSAGE, Guard, OwnPlaces

MAX_ENTRIES = 2_000
"""Entries of a folder that are looked at."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_BYTES = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class PathCompletion:
    """An entry of a folder that completes a path. `path` is absolute."""

    path: str
    name: str
    is_folder: bool


class AttachmentService:
    """Reads files that the user attaches, but none of the app's `own`."""

    def __init__(self, storage: Storage, own: OwnPlaces = NO_PLACES) -> None:
        self._storage = storage
        self._own = own

    @returns_outcome
    async def read(self, path: str) -> AttachedText:
        """Return the text of the file. Fails with `file_gone`, `file_unreadable`, `not_a_file`, `file_is_picture`,
        `file_is_not_text`, `file_too_large` or `file_is_own`, each with the `name` of the file.
        """
        name = shown_name(os.path.basename(path) or path)  # noqa: PTH119  # a name may hold what is no path
        return await asyncio.to_thread(_read_attachment, path, name, self._own)

    @returns_outcome
    async def texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """Return the texts attached to a message, in order."""
        return await self._storage.messages.attached_texts(workflow_id, message_id)

    async def folders_among(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that lead to folders."""
        return await asyncio.to_thread(lambda: [path for path in paths if os.path.isdir(path)])  # noqa: PTH112

    async def complete_path(self, beginning: str, start: str | None = None) -> list[PathCompletion]:
        """Return the entries that complete a path, folders first. `~` is the home folder. A relative path starts at
        the folder `start`, or beside the file `start`, by default in the home folder.

        Hidden entries are included only if the typed name begins with a dot, the app's own never. An unreadable folder
        gives an empty list.
        """
        return await asyncio.to_thread(_complete_path, beginning, start, self._own)


def require_within_limits(attached: Sequence[AttachedText]) -> None:
    """Raise Refused `too_many_files` or `files_too_large` if the files exceed the limits of a message."""
    if len(attached) > MESSAGE_FILES:
        raise Refused("too_many_files", f"a message takes at most {MESSAGE_FILES} files", limit=MESSAGE_FILES)
    if sum(text.about.size for text in attached) > MESSAGE_BYTES:
        raise Refused("files_too_large", f"the files of a message have at most {MESSAGE_BYTES:,} bytes together")


def attachment_writes(
    workflow_id: WorkflowId, message_id: MessageId, attached: Sequence[AttachedText]
) -> tuple[PutAttachedText, ...]:
    """Return the writes that store the texts of a message, in order."""
    return tuple(PutAttachedText(workflow_id, message_id, index, file.text) for index, file in enumerate(attached))


def _read_attachment(path: str, name: str, own: OwnPlaces) -> AttachedText:
    try:
        data = _read_bytes(path, name, own.guard())
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else errno.ENOENT  # a name that no file can have
        if number in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise Refused("file_gone", f"there is no file {name!r} any more", name=name) from None
        if number in (errno.EISDIR, errno.ENXIO):
            raise Refused("not_a_file", f"{name!r} is no file", name=name) from None
        reason = error.strerror if isinstance(error, OSError) else None
        raise Refused("file_unreadable", f"{name!r} cannot be read: {reason}", name=name) from None
    return attached_text(name, _decode_text(data, name), len(data))


def _read_bytes(path: str, name: str, guard: Guard) -> bytes:
    # non-blocking: a named pipe without a writer would block the thread for good
    descriptor = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
    with open(descriptor, "rb") as file:  # noqa: PTH123  # it is open already
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused("not_a_file", f"{name!r} is no file", name=name)
        if guard.holds_path(PurePath(os.path.realpath(path))) or guard.holds(status):
            raise Refused("file_is_own", f"{name!r}: {OWN_MESSAGE}", name=name)
        # one byte more than allowed: the file may grow between `fstat` and `read`
        data = b"" if status.st_size > FILE_BYTES else file.read(FILE_BYTES + 1)
    if status.st_size > FILE_BYTES or len(data) > FILE_BYTES:
        size = max(status.st_size, len(data))
        raise Refused("file_too_large", f"{name!r} has over {FILE_BYTES:,} bytes", name=name, size=size)
    return data


def _decode_text(data: bytes, name: str) -> str:
    """Return the text, decoded by its byte order mark, else as UTF-8, else as Windows-1252, without that mark."""
    encoding = next((codec for mark, codec in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
        # control characters mark binary data that happens to be valid UTF-8
        if encoding != "utf-8" or not _BINARY_BYTES & set(data):
            return text
    except UnicodeDecodeError:
        if encoding == "utf-8" and not _BINARY_BYTES & set(data):
            try:
                return data.decode("cp1252")
            except UnicodeDecodeError:
                pass
    if mime_of(name).startswith("image/"):
        raise Refused("file_is_picture", f"{name!r} is a picture: pictures cannot be sent to a model yet", name=name)
    raise Refused("file_is_not_text", f"{name!r} is no text", name=name)


def _complete_path(beginning: str, start: str | None, own: OwnPlaces) -> list[PathCompletion]:
    folder, slash, name = beginning.rpartition("/")
    try:
        path = Path(folder + slash).expanduser()
        if not path.is_absolute():
            home = Path.home() if start is None else Path(start)
            path = (home.parent if home.is_file() else home) / path
        completions: list[PathCompletion] = []
        guard = own.guard()
        if guard.holds_path(PurePath(os.path.realpath(path))):
            return []
        with os.scandir(path) as entries:
            for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                is_wanted = entry.name.casefold().startswith(name.casefold())
                if is_wanted and (name.startswith(".") or not entry.name.startswith(".")) and not _is_own(entry, guard):
                    completions.append(PathCompletion(entry.path, entry.name, entry.is_dir()))
    except (OSError, RuntimeError, ValueError):
        return []
    return sorted(completions, key=lambda completion: (not completion.is_folder, completion.name.casefold()))


def _is_own(entry: os.DirEntry[str], guard: Guard) -> bool:
    """Return whether the entry is the app's own, or leads there."""
    try:
        return guard.holds(entry.stat()) or (entry.is_symlink() and guard.holds_path(PurePath(os.path.realpath(entry))))
    except OSError:  # a dangling link
        return False
