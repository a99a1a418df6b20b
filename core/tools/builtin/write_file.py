"""`write_file`: put text into a file (AGENTS_AND_TOOLS §5).

A file is replaced in a single step: readers see the old content or the new, whatever happens. After a successful call
the content is on disk.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.file_access import (
    Folder,
    PickedFiles,
    ResolvedPath,
    no_picked_files,
    path_errors,
    resolve_path,
    retry_with_picked,
)
from core.tools.measure import format_size
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Arguments, Tool

PIECE_CHARACTERS = 65_536
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_INFO = ToolInfo(
    name="write_file",
    title="Write file",
    description=(
        "Writes text to a file as UTF-8 and returns {path, bytes}: how many bytes were written. An existing file is "
        "replaced, or with append the text is added to its end. Missing folders are created."
    ),
    input_schema=schema.of_object(
        {
            "path": schema.path("The file to write."),
            "content": {"type": "string", "description": "The text, written exactly as it is."},
        },
        {"append": schema.flag("Add to the end of the file instead of replacing it.", default=False)},
    ),
    risk=Risk.MEDIUM,
    category=Category.FILES,
)


def tool(picked: PickedFiles = no_picked_files, own: OwnPlaces = NO_PLACES) -> Tool:
    """Return the tool. Errors: as `core.tools.file_access`, and `disk_full`; after an error the file is unchanged.

    A replaced file keeps its mode; a link that stays inside is followed and preserved. Lone surrogates, which UTF-8
    cannot hold, are written as U+FFFD.
    """

    return Tool(
        _INFO,
        server=lambda arguments, context: _call(picked, own, arguments, context),
        idempotent=lambda arguments: not arguments.get("append", False),
        summary=_summary,
    )


async def _call(picked: PickedFiles, own: OwnPlaces, arguments: Arguments, context: CallContext) -> dict[str, Any]:
    path, content = context.from_base(arguments["path"]), arguments["content"]
    append = arguments.get("append", False)
    return await retry_with_picked(
        picked,
        context,
        lambda files: in_thread(_write(lambda: resolve_path(path, context.allow, files, own), content, append)),
    )


def _write(resolve: Callable[[], ResolvedPath], content: str, append: bool) -> Pieces[dict[str, Any]]:
    target = resolve()
    with path_errors(target.path), target.parent(create=True) as (folder, name):
        size = yield from (_append if append else _replace)(folder, name, content)
    return {"path": target.path, "bytes": size}


def _replace(folder: Folder, name: str, content: str) -> Pieces[int]:
    mode = _mode(folder, name)
    # In the same folder, since a rename is atomic only within a file system.
    temporary = f".{secrets.token_hex(8)}.tmp"
    size = 0
    try:
        with folder.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode) as file:
            for piece in _encoded(content):
                size += len(piece)
                while piece:  # a write may be partial
                    piece = piece[file.write(piece) :]  # noqa: PLW2901  # the remaining part
                yield
            if mode is not None and hasattr(os, "fchmod"):
                # The mode at creation is reduced by the umask; a replaced file keeps its own.
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        folder.replace(temporary, name)
    except BaseException:
        with suppress(FileNotFoundError):
            folder.remove(temporary)
        raise
    return size


def _mode(folder: Folder, name: str) -> int | None:
    """Return the mode of the file to be replaced. A read-only file must not be replaced either."""
    try:
        # Opening for writing is the check of the permission: a rename would need only that of the folder.
        with folder.open_file(name, os.O_WRONLY) as file:
            return stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    except FileNotFoundError:
        return None


def _append(folder: Folder, name: str, content: str) -> Pieces[int]:
    # Encoded completely before the file is opened, so that a single write appends all of it.
    pieces = []
    for piece in _encoded(content):
        pieces.append(piece)
        yield
    data = b"".join(pieces)
    with folder.open_file(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as file:
        state = os.fstat(file.fileno())
        if state.st_nlink > 1:
            raise ToolFailed(
                "not_allowed", "it has another name (a hard link), which may lie elsewhere: replace it instead"
            )
        before = state.st_size
        count = file.write(data)  # in a single write: what other processes append lies before or after it, never within
        if count < len(data):
            # Take back a partial write, unless another process has appended behind it.
            if os.fstat(file.fileno()).st_size == before + count:
                os.ftruncate(file.fileno(), before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())
    return len(data)


def _encoded(content: str) -> Iterator[bytes]:
    for start in range(0, len(content), PIECE_CHARACTERS):
        piece = content[start : start + PIECE_CHARACTERS]
        yield _LONE_SURROGATE.sub("\ufffd", piece).encode()


def _summary(arguments: Arguments, value: Any) -> str:
    return f"{format_size(value['bytes'])} {'added' if arguments.get('append', False) else 'written'}"
