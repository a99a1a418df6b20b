"""`delete_file`: put a file into the trash (AGENTS_AND_TOOLS §5)."""

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
from core.tools.file_access import PickedFiles, path_errors, resolve_path
from core.tools.file_copies import ChangeRecord, FileCopies, record_changes, require_same
from core.tools.lacking_places import lacking_folders
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool
from core.tools.text_files import SeenFiles

_INFO = ToolInfo(
    name="delete_file",
    title="Delete file",
    description=(
        "Puts a file into the trash of the system and returns {path}. Folders are not deleted. A file that others "
        "changed since this run last read or wrote it stays: read it again first."
    ),
    input_schema=schema.of_object({"path": schema.path("The file to delete.")}),
    risk=Risk.HIGH,
    category=Category.FILES,
)


def tool(picked: PickedFiles, own: OwnPlaces, seen: SeenFiles, copies: FileCopies) -> Tool:
    """Return the tool, which keeps `copies` of what it deletes. Errors: as `core.tools.file_access`,
    `changed_since_read`, and `no_trash` where there is none; after an error the file is where it was. Of a link, the
    file that it leads to is deleted.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments["path"])

        def work(files: Sequence[str], record: ChangeRecord) -> Pieces[dict[str, Any]]:
            target = resolve_path(path, context.allow, files, own, context.read_only)
            with path_errors(target.path), target.parent() as (folder, name):
                folder.open_file(name, os.O_RDONLY).close()  # refuses what is no file, or the app's own
                before = yield from record.before(folder, name)
                seen.require_unchanged(context.run_id, target, folder, name)
                require_same(before, folder, name)
                put_in_trash(target.real)
                try:
                    folder.state(name)
                except FileNotFoundError:
                    yield from record.add("deleted", target, before)
                else:  # its folder was replaced meanwhile: the trash took what is there by that name
                    raise ToolFailed("failed", "it is still there: another file may be in the trash in its place")
            return {"path": target.path}

        return await record_changes(copies, picked, context, work)

    lacking = lacking_folders(own, picked, path=Access.WRITE)
    return Tool(_INFO, server=call, summary=lambda arguments, value: "in the trash", lacking=lacking)


def put_in_trash(path: str) -> None:
    """Put the file into the trash of the user, or of its disk. Raises ToolFailed `no_trash`; then it is where it was.
    Blocks.
    """
    from send2trash import send2trash  # type: ignore[import-untyped]  # late: it loads what the system has

    try:
        send2trash(path)
    except OSError as error:
        reason = error.strerror or str(error) or "it has no trash"
        message = f"it cannot be put into the trash, and was left as it is: {reason}"
        raise ToolFailed("no_trash", message) from error
