"""Files attached to a message: read and prepared, or refused with the reason (AGENTS_AND_TOOLS §9)."""

import asyncio
import errno
import os
import stat
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import (
    MESSAGE_BYTES,
    MESSAGE_FILES,
    MESSAGE_TEXT_BYTES,
    AttachedFile,
    Attachment,
    AttachmentKind,
    shown_name,
)
from core.errors import NotFound, Refused
from core.ports import KeepFile, PutAttachedText, Storage
from core.ports.pictures import READ_BYTES, PicturePreparer, keep_as_it_is
from core.services.attached_content import attached_content
from core.services.outcome import returns_outcome
from core.services.pdf_text import PdfText, read_pdf
from core.tools.own_places import NO_PLACES, OWN_MESSAGE, Guard, OwnPlaces
from core.tools.result_pictures import ResultPictures

MAX_ENTRIES = 2_000
"""Entries of a folder that are looked at."""

_REMEMBERED_PDFS = 8
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class PathCompletion:
    """An entry of a folder that completes a path. `path` is absolute."""

    path: str
    name: str
    is_folder: bool


ReadResource = Callable[[str], Awaitable[tuple[str, bytes] | None]]


async def no_resource(path: str) -> None:
    """Read none: every path is that of a file."""


class AttachmentService:
    """Reads files that the user attaches, but none of the app's `own`.

    A window decodes pictures and scales them down (`use_preparer`), also those of `pictures`, the results of tools.
    Without it, only pictures that providers take as they are can be attached. `read_resource` returns name and content
    of what an MCP server offers at an address in the place of a path; None for any other path.
    """

    def __init__(
        self,
        storage: Storage,
        own: OwnPlaces = NO_PLACES,
        read_resource: ReadResource = no_resource,
        pictures: ResultPictures | None = None,
    ) -> None:
        self._prepare: PicturePreparer = keep_as_it_is
        self._pictures = pictures
        self._storage = storage
        self._own = own
        self._read_resource = read_resource
        self._pdf_texts: dict[str, PdfText] = {}

    def use_preparer(self, prepare: PicturePreparer) -> None:
        """Decode pictures by this function from now on."""
        self._prepare = prepare
        if self._pictures is not None:
            self._pictures.prepare = prepare

    @returns_outcome
    async def read(self, path: str) -> AttachedFile:
        """Return the file, or the resource of a server, as an attachment. Fails with `file_gone`, `file_unreadable`,
        `not_a_file`, `file_is_own`, `file_too_large`, `picture_broken` or `picture_too_large`, each with the `name` of
        the file; for a resource also with `failed` and the server's words.
        """
        if (resource := await self._read_resource(path)) is not None:
            return await self._take(*resource)
        name = shown_name(os.path.basename(path) or path)  # noqa: PTH119  # a name may hold what is no path
        return await self._with_text(await asyncio.to_thread(self._read, path, name))

    @returns_outcome
    async def take(self, name: str, data: bytes) -> AttachedFile:
        """Return an attachment of this content, such as a pasted picture. Fails as `read`."""
        return await self._take(name, data)

    async def _take(self, name: str, data: bytes) -> AttachedFile:
        return await self._with_text(await asyncio.to_thread(attached_content, name, data, self._prepare))

    @returns_outcome
    async def of_message(
        self, workflow_id: WorkflowId, message_id: MessageId, attachments: Sequence[Attachment]
    ) -> list[AttachedFile]:
        """Return the attachments of a message with their content, in order; those whose data is lost are left out."""
        return await load_attached(self._storage, workflow_id, message_id, attachments)

    @returns_outcome
    async def texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """Return the texts attached to a message, in order."""
        return await self._storage.messages.attached_texts(workflow_id, message_id)

    @returns_outcome
    async def data(self, digest: str) -> bytes:
        """Return the data of a file of a message or a run. Fails with `not_found`."""
        data = await self._storage.files.get(digest)
        if data is None:
            raise NotFound("file", digest)
        return data

    @returns_outcome
    async def save(self, digest: str, path: str) -> None:
        """Write a file of a message or a run to a place of the user's. Fails with `not_found` or `not_saved`."""
        data = await self._storage.files.get(digest)
        if data is None:
            raise NotFound("file", digest)
        try:
            await asyncio.to_thread(Path(path).write_bytes, data)
        except OSError as error:
            raise Refused("not_saved", f"{path!r} cannot be written: {error.strerror}") from None

    def _read(self, path: str, name: str) -> AttachedFile:
        return attached_content(name, _read_attachment(path, name, self._own), self._prepare)

    async def _with_text(self, file: AttachedFile) -> AttachedFile:
        """Read the text of a PDF."""
        if file.about.kind is not AttachmentKind.PDF:
            return file
        read = self._pdf_texts.pop(file.about.hash, None) or await read_pdf(file.data)
        self._pdf_texts[file.about.hash] = read  # a file is read when it is attached, and again when it is sent
        if len(self._pdf_texts) > _REMEMBERED_PDFS:
            del self._pdf_texts[next(iter(self._pdf_texts))]
        return AttachedFile(file.about.model_copy(update={"note": read.note}), read.text, file.data)

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


def require_within_limits(attached: Sequence[AttachedFile]) -> None:
    """Raise Refused `too_many_files` or `files_too_large` if the files exceed the limits of a message."""
    if len(attached) > MESSAGE_FILES:
        raise Refused("too_many_files", f"a message takes at most {MESSAGE_FILES} files", limit=MESSAGE_FILES)
    sizes = [(0 if file.about.has_data else file.about.size, file.about.size) for file in attached]
    for total, limit in zip(map(sum, zip(*sizes, strict=True)), (MESSAGE_TEXT_BYTES, MESSAGE_BYTES), strict=False):
        if total > limit:
            raise Refused("files_too_large", f"the files of a message have at most {limit:,} bytes together")


def attachment_writes(
    workflow_id: WorkflowId, message_id: MessageId, attached: Sequence[AttachedFile]
) -> tuple[PutAttachedText | KeepFile, ...]:
    """Return the writes that store the texts of a message, in order, and the data of its files."""
    texts = (PutAttachedText(workflow_id, message_id, index, file.text) for index, file in enumerate(attached))
    kept = (KeepFile(workflow_id, message_id, file.about.hash, file.data) for file in attached if file.about.has_data)
    return (*texts, *kept)


async def load_attached(
    storage: Storage, workflow_id: WorkflowId, message_id: MessageId, attachments: Sequence[Attachment]
) -> list[AttachedFile]:
    """Return the attachments of a message with their content, in order; those whose data is lost are left out."""
    texts = await storage.messages.attached_texts(workflow_id, message_id)
    loaded = []
    for about, text in zip(attachments, texts, strict=False):
        data = await storage.files.get(about.hash) if about.has_data else b""
        if data is not None:
            loaded.append(AttachedFile(about, text, data))
    return loaded


def _read_attachment(path: str, name: str, own: OwnPlaces) -> bytes:
    try:
        return _read_bytes(path, name, own.guard())
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else errno.ENOENT  # a name that no file can have
        if number in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise Refused("file_gone", f"there is no file {name!r} any more", name=name) from None
        if number in (errno.EISDIR, errno.ENXIO):
            raise Refused("not_a_file", f"{name!r} is no file", name=name) from None
        reason = error.strerror if isinstance(error, OSError) else None
        raise Refused("file_unreadable", f"{name!r} cannot be read: {reason}", name=name) from None


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
        data = b"" if status.st_size > READ_BYTES else file.read(READ_BYTES + 1)
    if status.st_size > READ_BYTES or len(data) > READ_BYTES:
        size = max(status.st_size, len(data))
        raise Refused(
            "file_too_large", f"{name!r} has over {READ_BYTES:,} bytes", name=name, size=size, limit=READ_BYTES
        )
    return data


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
