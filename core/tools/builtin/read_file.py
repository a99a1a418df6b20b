"""`read_file`: the text of a file (AGENTS_AND_TOOLS §5)."""

from collections.abc import Sequence
from typing import Any

from core.domain.access import Access
from core.domain.ids import RunId
from core.domain.tool import Category, ToolInfo
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
from core.tools.text_files import SeenFiles, read_text

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


def tool(picked: PickedFiles, own: OwnPlaces, seen: SeenFiles) -> Tool:
    """Return the tool, which notes what it read as `seen`. Errors: as `core.tools.file_access`, `not_text`,
    `output_too_large`.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments["path"])

        def work(files: Sequence[str]) -> Pieces[dict[str, Any]]:
            return (yield from _read(resolve_path(path, context.allow, files, own), context.run_id, seen))

        return await retry_with_picked(picked, context, lambda files: in_thread(work(files)))

    lacking = lacking_folders(own, picked, path=Access.READ)
    return Tool(_INFO, server=call, read_only=True, summary=_summary, lacking=lacking)


def _read(target: ResolvedPath, run_id: RunId, seen: SeenFiles) -> Pieces[dict[str, Any]]:
    with path_errors(target.path), target.parent() as (folder, name):
        file = yield from read_text(folder, name)
    seen.note(run_id, target, file.stamp)
    return {"path": target.path, "text": file.text, "bytes": file.size, "lines": file.lines}


def _summary(arguments: Arguments, value: Any) -> str:
    return f"{format_size(value['bytes'])}, {format_count(value['lines'], 'line')}"
