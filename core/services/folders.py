"""The folders that a workflow may access, and the places that the input of a template names."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from core.domain.input_schema import PLACE_FORMATS, properties_of
from core.errors import Refused
from core.tools.own_places import OWN_MESSAGE, OwnPlaces

MAX_FOLDERS = 20


async def checked_folders(folders: Sequence[str], own: OwnPlaces) -> tuple[str, ...]:
    """Return the folders without repetitions. Raises Refused `bad_input` or `not_allowed`, with the `folder`."""
    if len(folders) > MAX_FOLDERS:
        raise Refused("bad_input", f"a workflow has at most {MAX_FOLDERS} folders", limit=MAX_FOLDERS)
    return await asyncio.to_thread(_checked, folders, own)


def named_places(schema: Any, given: Mapping[str, Any]) -> list[str]:
    """Return the absolute paths that the input gives for the properties whose format is a folder or a file."""
    named = [given.get(name) for name, inner in properties_of(schema).items() if inner.get("format") in PLACE_FORMATS]
    return [os.path.normpath(path) for path in named if isinstance(path, str) and PurePath(path).is_absolute()]


def _checked(folders: Sequence[str], own: OwnPlaces) -> tuple[str, ...]:
    guard = own.guard()
    normal = tuple(dict.fromkeys(os.path.normpath(folder) for folder in folders))
    for folder in normal:
        if not PurePath(folder).is_absolute():
            raise Refused("bad_input", f"{folder!r} is not an absolute path", folder=folder)
        try:
            real = Path(folder).resolve(strict=True)
            if not real.is_dir():
                raise Refused("bad_input", f"{folder!r} is not a folder", folder=folder)
            folder.encode()
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Refused("bad_input", f"{folder!r} cannot be read: {reason}", folder=folder) from None
        if guard.holds_path(real):
            raise Refused("not_allowed", f"{folder!r}: {OWN_MESSAGE}", folder=folder)
    return normal
