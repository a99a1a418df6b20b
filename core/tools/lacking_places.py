"""The places that a call lacks and that the user can allow: what a card offers before the call fails
(AGENTS_AND_TOOLS §5).

Offered is the folder of a file, free of links, as it is now; the file alone where that folder holds far more than the
task needs. Never offered are the app's own places, pseudo file systems and the whole disk.
"""

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from core.domain.access import Access, Place
from core.errors import ToolFailed
from core.ports import CallContext
from core.tools.file_access import PickedFiles, is_system_path, no_picked_files, real_path, resolve_path
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, LackingPlaces


def lacking_folders(
    own: OwnPlaces, picked: PickedFiles = no_picked_files, *, is_folder: bool = False, **accesses: Access
) -> LackingPlaces:
    """Return what finds the folders that a call lacks. `accesses`: arguments that are paths → the access that they
    need. `is_folder`: the paths are folders themselves.
    """

    async def lacking(arguments: Arguments, context: CallContext) -> Sequence[Place]:
        places = await asyncio.to_thread(_lacking, arguments, context, (), own, accesses, is_folder=is_folder)
        files = await picked(context.run_id) if places else ()
        if not files:
            return places
        return await asyncio.to_thread(_lacking, arguments, context, files, own, accesses, is_folder=is_folder)

    return lacking


def _lacking(
    arguments: Arguments,
    context: CallContext,
    files: Sequence[str],
    own: OwnPlaces,
    accesses: Mapping[str, Access],
    *,
    is_folder: bool,
) -> list[Place]:
    places: list[Place] = []
    for name, access in accesses.items():
        path = arguments.get(name)
        if isinstance(path, str) and _is_lacking(context.from_base(path), context, files, own, access):
            place = _offered(context.from_base(path), context, own, access, is_folder=is_folder)
            if place is not None and not any(known.covers(place) for known in places):
                places.append(place)
    return places


def _is_lacking(path: str, context: CallContext, files: Sequence[str], own: OwnPlaces, access: Access) -> bool:
    try:
        resolve_path(path, context.allow, files, own, context.read_only if access is Access.WRITE else ())
    except ToolFailed as error:
        return error.code == "not_allowed"
    return False


def _offered(path: str, context: CallContext, own: OwnPlaces, access: Access, *, is_folder: bool) -> Place | None:
    """Return the place to be allowed for a path that is not; None if it cannot be."""
    if not PurePath(path).is_absolute() and not context.allow:
        return None
    real = Path(real_path(path, context.allow))
    if is_system_path(real) or own.guard().holds_path(real):
        return None
    folder = real if is_folder or real.is_dir() else real.parent
    if folder == real and folder == Path(folder.anchor):
        return None
    if not folder.is_dir() and (is_folder or access is Access.READ):
        return None  # it would be allowed in vain
    is_file = folder != real and _is_wide(folder)
    name = str(real if is_file else folder)
    try:
        name.encode()
    except UnicodeEncodeError:  # a fact is text
        return None
    return Place(name, access, is_file)


def _is_wide(folder: Path) -> bool:
    """Return whether the folder holds far more than what a file in it belongs to."""
    home, temporary = Path(os.path.realpath(Path.home())), Path(os.path.realpath(tempfile.gettempdir()))
    return folder == temporary or home.is_relative_to(folder) or folder == Path(folder.anchor)
