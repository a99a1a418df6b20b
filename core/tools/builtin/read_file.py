"""`read_file`: the text of a file (AGENTS_AND_TOOLS §5)."""

import codecs
import os
from collections.abc import Sequence
from typing import Any

from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.file_access import (
    PickedFiles,
    ResolvedPath,
    no_picked_files,
    path_errors,
    resolve_path,
    retry_with_picked,
)
from core.tools.measure import RESULT_BYTES, format_count, format_size, text_bytes
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Arguments, Tool

PIECE_BYTES = 65_536
TEXT_BYTES = RESULT_BYTES - 100_000  # leaves room for the path beside it

_INFO = ToolInfo(
    name="read_file",
    title="Read file",
    description=(
        "Reads a text file (UTF-8) and returns {path, text, bytes, lines}. The text is exact, with its own line ends "
        "and byte order mark; lines is the number of newline characters, as `wc -l` counts. Files that are not "
        "UTF-8, or larger than about 10 MB, are refused."
    ),
    input_schema=schema.of_object({"path": schema.path("The file to read.")}),
    category=Category.FILES,
)


def tool(picked: PickedFiles = no_picked_files, own: OwnPlaces = NO_PLACES) -> Tool:
    """Return the tool. Errors: as `core.tools.file_access`, `not_text`, `output_too_large`."""

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments["path"])
        return await retry_with_picked(picked, context, lambda files: in_thread(_read(path, context.allow, files, own)))

    return Tool(_INFO, server=call, read_only=True, summary=_summary)


def _read(path: str, allow: Sequence[str], files: Sequence[str], own: OwnPlaces) -> Pieces[dict[str, Any]]:
    target = resolve_path(path, allow, files, own)
    with path_errors(target.path):
        return (yield from _contents(target))


def _contents(target: ResolvedPath) -> Pieces[dict[str, Any]]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    texts, total, lines, room = [], 0, 0, TEXT_BYTES
    with target.parent() as (folder, name), folder.open_file(name, os.O_RDONLY) as file:
        while True:
            piece = file.read(PIECE_BYTES)
            if piece is None:  # a pseudo file whose read would block
                raise ToolFailed("not_a_file", "it cannot be read to its end")
            # The decoder keeps the bytes of an incomplete character, which the position of an error has to include.
            held_back = len(decoder.getstate()[0])
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                at = total - held_back + error.start
                raise ToolFailed("not_text", f"it is not UTF-8 text: byte {at:,} is not part of a character") from None
            texts.append(text)
            total, lines, room = total + len(piece), lines + piece.count(b"\n"), room - text_bytes(text)
            if room < 0:
                raise ToolFailed("output_too_large", "it holds more text than the 10 MB of JSON that can be kept")
            if not piece:
                return {"path": target.path, "text": "".join(texts), "bytes": total, "lines": lines}
            yield


def _summary(arguments: Arguments, value: Any) -> str:
    return f"{format_size(value['bytes'])}, {format_count(value['lines'], 'line')}"
