"""The folders that a workflow may access, and the places that the input of a template names."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from core.domain.grants import FolderGrant
from core.domain.input_schema import PLACE_FORMATS, properties_of
from core.errors import Refused
from core.tools.own_places import OWN_MESSAGE, Guard, OwnPlaces

MAX_FOLDERS = 20


async def checked_folders(folders: Sequence[str], own: OwnPlaces) -> tuple[str, ...]:
    """Return the folders and files, each written as `FolderGrant`, without repetitions: of these the last counts.
    Folders come first, since relative paths start at the first.

    Raises Refused with the `folder`: `bad_input`, `not_allowed`, `folder_gone` or `folder_unreadable`.
    """
    if len(folders) > MAX_FOLDERS:
        raise Refused("too_many_folders", f"a workflow has at most {MAX_FOLDERS} folders", limit=MAX_FOLDERS)
    return await asyncio.to_thread(_checked, folders, own)


async def gone_folders(folders: Sequence[str]) -> frozenset[str]:
    """Return the folders and files that are not there any more."""

    def gone() -> frozenset[str]:
        paths = {folder: FolderGrant.parse(folder).path for folder in folders}
        return frozenset(folder for folder, path in paths.items() if not os.path.exists(path))  # noqa: PTH110

    return await asyncio.to_thread(gone)


def named_places(schema: Any, given: Mapping[str, Any]) -> list[str]:
    """Return the absolute paths that the input gives for the properties whose format is a folder or a file."""
    named = [given.get(name) for name, inner in properties_of(schema).items() if inner.get("format") in PLACE_FORMATS]
    return [os.path.normpath(path) for path in named if isinstance(path, str) and PurePath(path).is_absolute()]


def _checked(folders: Sequence[str], own: OwnPlaces) -> tuple[str, ...]:
    guard = own.guard()
    grants: dict[str, FolderGrant] = {}
    for text in folders:
        grant = FolderGrant.parse(text)
        path = os.path.normpath(grant.path)
        grants[path] = FolderGrant(path, grant.is_read_only)
    are_files = {path: _is_file(path, guard) for path in grants}
    return tuple(str(grants[path]) for path in sorted(grants, key=are_files.__getitem__))


def _is_file(path: str, guard: Guard) -> bool:
    """Return whether it is a file and not a folder. Raises as `checked_folders`."""
    if not PurePath(path).is_absolute():
        raise Refused("bad_input", f"{path!r} is not an absolute path", folder=path)
    try:
        path.encode()
        real = Path(path).resolve(strict=True)
        is_file = not real.is_dir()
        if is_file and not real.is_file():
            raise Refused("bad_input", f"{path!r} is no folder and no file", folder=path)
    except FileNotFoundError:
        raise Refused("folder_gone", f"{path!r} does not exist", folder=path) from None
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused("folder_unreadable", f"{path!r} cannot be read: {reason}", folder=path) from None
    if guard.holds_path(real):
        raise Refused("not_allowed", f"{path!r}: {OWN_MESSAGE}", folder=path)
    return is_file
