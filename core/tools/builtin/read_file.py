"""`read_file`: the text of a file (AGENTS_AND_TOOLS §5)."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from core.domain.access import Access
from core.domain.ids import RunId
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.file_access import (
    PickedFiles,
    ResolvedPath,
    path_errors,
    resolve_path,
    retry_with_picked,
)
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_count, format_size
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool
from core.tools.text_files import SeenFiles, read_picture, read_text

_INFO = ToolInfo(
    name="read_file",
    title="Read file",
    description=(
        "Reads a text file (UTF-8) and returns {path, text, bytes, lines}. The text is exact, with its own line ends "
        "and byte order mark; lines is the number of newline characters, as `wc -l` counts. Of a picture (PNG, "
        "JPEG, GIF, WebP) it returns {path, content, bytes}: models that see pictures get it. Other files that are "
        "not UTF-8, or larger than about 10 MB, are refused."
    ),
    input_schema=schema.of_object({"path": schema.path("The file to read.")}),
    category=Category.FILES,
)


def tool(picked: PickedFiles, own: OwnPlaces, seen: SeenFiles) -> Tool:
    """Return the tool, which notes what it read as `seen`. Errors: as `core.tools.file_access`, `not_text`,
    `output_too_large`.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments["path"])

        def work(files: Sequence[str]) -> Pieces[dict[str, Any]]:
            return (yield from _read(resolve_path(path, context.allow, files, own), context.run_id, seen))

        value = await retry_with_picked(picked, context, lambda files: in_thread(work(files)))
        if isinstance(data := value.get("data"), bytes):
            picture = await context.keep_picture(data, PurePath(value["path"]).name)
            if picture is None:
                raise ToolFailed("not_text", "it is not UTF-8 text, and no picture that can be sent")
            return {"path": value["path"], "content": [picture], "bytes": len(data)}
        return value

    lacking = lacking_folders(own, picked, path=Access.READ)
    return Tool(_INFO, server=call, read_only=True, summary=_summary, lacking=lacking)


def _read(target: ResolvedPath, run_id: RunId, seen: SeenFiles) -> Pieces[dict[str, Any]]:
    with path_errors(target.path), target.parent() as (folder, name):
        if (data := (yield from read_picture(folder, name))) is not None:
            return {"path": target.path, "data": data}
        file = yield from read_text(folder, name)
    seen.note(run_id, target, file.stamp)
    return {"path": target.path, "text": file.text, "bytes": file.size, "lines": file.lines}


def _summary(arguments: Arguments, value: Any) -> str:
    if "content" in value:
        (picture,) = value["content"]
        return f"{picture['width']} × {picture['height']}, {format_size(value['bytes'])}"
    return f"{format_size(value['bytes'])}, {format_count(value['lines'], 'line')}"
