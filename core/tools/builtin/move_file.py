"""`move_file`: give a file another name or folder (AGENTS_AND_TOOLS §5)."""

import os
from collections.abc import Sequence
from typing import Any

from core.domain.access import Access
from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.ports import CallContext
from core.threads.pieces import Pieces
from core.tools import schema
from core.tools.file_access import PickedFiles, path_errors, resolve_path
from core.tools.file_copies import ChangeRecord, FileCopies, record_changes
from core.tools.lacking_places import lacking_folders
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool

_INFO = ToolInfo(
    name="move_file",
    title="Move file",
    description=(
        "Moves or renames a file, on the same disk, and returns {path, destination}. Nothing is overwritten: if "
        "there is something at destination already, the file stays where it is. Missing folders are created. Folders "
        "are not moved."
    ),
    input_schema=schema.of_object(
        {"path": schema.path("The file to move."), "destination": schema.path("Its new place, with its name.")}
    ),
    risk=Risk.MEDIUM,
    category=Category.FILES,
)


def tool(picked: PickedFiles, own: OwnPlaces, copies: FileCopies) -> Tool:
    """Return the tool. Errors: as `core.tools.file_access`, and `exists`; after an error the file is where it was. Of a
    link, the file that it leads to is moved.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        old, new = context.from_base(arguments["path"]), context.from_base(arguments["destination"])

        def work(files: Sequence[str], record: ChangeRecord) -> Pieces[dict[str, Any]]:
            source = resolve_path(old, context.allow, files, own, context.read_only)
            # A picked file is reached by its own path alone: it is no place to put another.
            target = resolve_path(new, context.allow, own=own, read_only=context.read_only)
            with path_errors(source.path), source.parent() as (home, name):
                home.open_file(name, os.O_RDONLY).close()  # refuses what is no file, or the app's own
                before = yield from record.before(home, name)
                with path_errors(target.path), target.parent(create=True) as (goal, new_name):
                    home.move(name, goal, new_name)
                yield from record.add("moved", source, before, destination=target)
            return {"path": source.path, "destination": target.path}

        return await record_changes(copies, picked, context, work)

    return Tool(
        _INFO,
        server=call,
        summary=lambda arguments, value: os.path.basename(value["destination"]),  # noqa: PTH119
        lacking=lacking_folders(own, picked, path=Access.WRITE, destination=Access.WRITE),
    )
