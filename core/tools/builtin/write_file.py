"""`write_file`: put text into a file (AGENTS_AND_TOOLS §5)."""

import errno
import os
from collections.abc import Sequence
from typing import Any

from core.domain.access import Access
from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces
from core.tools import schema
from core.tools.file_access import (
    Folder,
    PickedFiles,
    path_errors,
    resolve_path,
)
from core.tools.file_copies import ChangeRecord, Content, FileCopies, keeping, record_changes
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_size
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool
from core.tools.text_files import SeenFiles, encoded, replace_file, stamp_of

_INFO = ToolInfo(
    name="write_file",
    title="Write file",
    description=(
        "Writes text to a file as UTF-8 and returns {path, bytes}: how many bytes were written. An existing file is "
        "replaced, or with append the text is added to its end. Missing folders are created. A file that others "
        "changed since this run last read or wrote it is not replaced: read it again first."
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


def tool(picked: PickedFiles, own: OwnPlaces, seen: SeenFiles, copies: FileCopies) -> Tool:
    """Return the tool, which keeps `copies` of what it changes. Errors: as `core.tools.file_access`, `disk_full`, and
    `changed_since_read` where a file to be replaced is not as the run has `seen` it; after an error the file is
    unchanged.

    A replaced file keeps its mode; a link that stays inside is followed and preserved. Lone surrogates, which UTF-8
    cannot hold, are written as U+FFFD. What others added to a file stays when more is appended.
    """

    return Tool(
        _INFO,
        server=lambda arguments, context: _call(picked, own, seen, copies, arguments, context),
        idempotent=lambda arguments: not arguments.get("append", False),
        summary=_summary,
        lacking=lacking_folders(own, picked, path=Access.WRITE),
    )


async def _call(
    picked: PickedFiles,
    own: OwnPlaces,
    seen: SeenFiles,
    copies: FileCopies,
    arguments: Arguments,
    context: CallContext,
) -> dict[str, Any]:
    path, content = context.from_base(arguments["path"]), arguments["content"]
    append, run_id = arguments.get("append", False), context.run_id

    def work(files: Sequence[str], record: ChangeRecord) -> Pieces[dict[str, Any]]:
        target = resolve_path(path, context.allow, files, own, context.read_only)
        with path_errors(target.path), target.parent(create=True) as (folder, name):
            before = yield from record.before(folder, name)
            if append:
                was_known = seen.knows(run_id, target, folder, name)
                data = yield from _append(folder, name, content)
                if was_known:
                    seen.note(run_id, target, stamp_of(folder.state(name)))
                size, after = len(data), _together(before, data)
            else:
                # A file that the run has not seen is replaced whoever writes to it meanwhile: the last one wins.
                def check() -> None:
                    seen.require_unchanged(run_id, target, folder, name)

                written: list[bytes] = []
                stamp = yield from replace_file(folder, name, keeping(encoded(content), written), check)
                seen.note(run_id, target, stamp)
                size, after = stamp.size, b"".join(written)
            yield from record.add("written", target, before, after)
        return {"path": target.path, "bytes": size}

    return await record_changes(copies, picked, context, work)


def _together(before: Content | None, data: bytes) -> bytes | None:
    """Return the file with what was appended, if all of it is known."""
    if before is None:
        return data
    return None if before.data is None else before.data + data


def _append(folder: Folder, name: str, content: str) -> Pieces[bytes]:
    # Encoded completely before the file is opened, so that a single write appends all of it.
    pieces = []
    for piece in encoded(content):
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
    return data


def _summary(arguments: Arguments, value: Any) -> str:
    return f"{format_size(value['bytes'])} {'added' if arguments.get('append', False) else 'written'}"
