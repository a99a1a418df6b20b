"""`pick_file`: a file that the user picks in the window (AGENTS_AND_TOOLS §4, §5).

Picking a file lets this run reach that file alone: neither its folder nor its neighbours. The permission is a row of
the run, written before the result is returned, since the snapshot of a run never changes; so it survives a crash, and
is deleted with the run. The path is stored real, without links; the file tools open that name in its folder and follow
no link that is put there later. Child runs and forks have to ask again.
"""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

from core.domain.tool import Category, Runtime, ToolInfo
from core.errors import ToolFailed
from core.ports import AllowFile, CallContext, FilePicker, FileRequest, Storage
from core.tools import schema
from core.tools.file_access import PATH_BYTES, path_errors
from core.tools.invocation import NO_WINDOW
from core.tools.measure import format_size
from core.tools.own_places import NO_PLACES, OwnPlaces, require_foreign
from core.tools.registry import Arguments, Tool, errors_as_failures

TIMEOUT_S = 600.0
PURPOSE_CHARACTERS = 200
MAX_SUFFIXES = 20
SUFFIX_CHARACTERS = 20
NOTHING = {"path": None, "name": None, "size": None, "cancelled": True}

_INFO = ToolInfo(
    name="pick_file",
    title="Pick a file",
    description=(
        "Opens a dialog in which the user picks a file, and returns {path, name, size, cancelled}. From then on "
        "read_file and write_file of this run reach that file, by its path, and nothing beside it. cancelled is true, "
        "and the rest null, if the user picked none. It needs the app's window on this conversation."
    ),
    input_schema=schema.of_object(
        {},
        {
            "purpose": schema.text("What the file is for, shown to the user, in their language.", PURPOSE_CHARACTERS),
            "suffixes": schema.array(
                "File name suffixes to offer at first: csv, json.",
                {"type": "string", "minLength": 1, "maxLength": SUFFIX_CHARACTERS},
                MAX_SUFFIXES,
            ),
        },
    ),
    runtime=Runtime.CLIENT,
    category=Category.FILES,
)


def tool(store: Storage, picker: FilePicker | None = None, own: OwnPlaces = NO_PLACES) -> Tool:
    """Return the tool. A `client` tool: it runs where the window shows the run, with the `picker` of the window.
    Idempotent: repeated after a crash, it asks again.

    Errors: `not_available` without a window, `not_a_file`, `not_found`, `not_allowed` for a file of the app, system and
    storage errors, and `timeout` after 10 minutes.
    """

    @errors_as_failures
    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        if picker is None:
            raise ToolFailed("not_available", NO_WINDOW)
        request = FileRequest(context.workflow_id, arguments.get("purpose"), _suffixes(arguments.get("suffixes", [])))
        picked = await picker(request)
        if picked is None:
            return dict(NOTHING)
        path, size = await asyncio.to_thread(_check_file, picked, own)
        await store.commit([AllowFile(context.run_id, path)])
        return {"path": path, "name": Path(path).name, "size": size, "cancelled": False}

    return Tool(_INFO, client=call, idempotent=True, timeout_s=TIMEOUT_S, summary=_summary)


def _suffixes(suffixes: list[str]) -> tuple[str, ...]:
    """Return the suffixes without dots. Raises ToolFailed `invalid_arguments` for text that means more in the filter of
    a dialog.
    """
    for suffix in suffixes:
        if not suffix.lstrip(".").replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise ToolFailed("invalid_arguments", f"suffixes: {suffix!r} is not a suffix such as csv or tar.gz")
    return tuple(suffix.lstrip(".") for suffix in suffixes)


def _check_file(picked: Path, own: OwnPlaces) -> tuple[str, int]:
    """Return the real path and the size of a regular file."""
    path = os.path.realpath(picked)
    with path_errors(path):
        try:
            path.encode()
        except UnicodeEncodeError:
            raise ToolFailed("not_a_file", "its name is not valid text") from None
        if len(os.fsencode(path)) > PATH_BYTES:
            raise ToolFailed("not_a_file", "its path is too long")
        state = os.stat(path, follow_symlinks=False)  # noqa: PTH116  # as the file tools look at it
        if not stat.S_ISREG(state.st_mode):
            raise ToolFailed("not_a_file", "it is not a regular file")
        require_foreign(path, state, own)
    return path, state.st_size


def _summary(arguments: Arguments, value: Any) -> str:
    return "nothing picked" if value["cancelled"] else f"{value['name']}, {format_size(value['size'])}"
