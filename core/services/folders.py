"""The folders that workflows may access: checked when they are set, taken back by the user."""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from core.bus import Bus, WorkflowChanged
from core.domain.grants import FolderGrant, folders_in
from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.errors import Refused
from core.ports import PutWorkflow, Storage
from core.services.outcome import returns_outcome, unwrap
from core.services.settings import SettingsService
from core.tools.own_places import OWN_MESSAGE, Guard, OwnPlaces

MAX_FOLDERS = 20


async def checked_folders(folders: Sequence[str], own: OwnPlaces) -> tuple[str, ...]:
    """Return the folders and files, each written as `FolderGrant`, without repetitions: of these the last counts.
    Folders come first, since relative paths start at the first.

    Raises Refused with the `folder`: `bad_input`, `not_allowed`, `folder_gone` or `folder_unreadable`.
    """
    require_few(folders)
    return await asyncio.to_thread(_checked, folders, own)


def require_few(folders: Collection[str]) -> None:
    """Raise Refused `too_many_folders` above the limit of a workflow."""
    if len(folders) > MAX_FOLDERS:
        raise Refused("too_many_folders", f"a workflow has at most {MAX_FOLDERS} folders", limit=MAX_FOLDERS)


async def gone_folders(folders: Sequence[str]) -> frozenset[str]:
    """Return the folders and files that are not there any more."""

    def gone() -> frozenset[str]:
        paths = {folder: FolderGrant.parse(folder).path for folder in folders}
        return frozenset(folder for folder, path in paths.items() if not os.path.exists(path))  # noqa: PTH110

    return await asyncio.to_thread(gone)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What `FolderService.take_back` has changed: the former folders of these workflows, and of the next new one."""

    folders: Mapping[WorkflowId, tuple[str, ...]]
    last_folders: tuple[str, ...]


class FolderService:
    """Takes folders back from all workflows."""

    def __init__(self, storage: Storage, bus: Bus, settings: SettingsService) -> None:
        self._storage = storage
        self._bus = bus
        self._settings = settings

    @returns_outcome
    async def take_back(self, path: str) -> TakenBack:
        """Remove the folder or file from every workflow that has it, and from what a new one is offered. A run that is
        active keeps it.
        """
        holding = [each for each in await self._storage.workflows.all() if path in folders_in(each.folders)]
        former = TakenBack({each.id: each.folders for each in holding}, self._settings.current.last_folders)
        await self._put([replace(each, folders=_without(path, each.folders)) for each in holding])
        await self._offer(_without(path, former.last_folders))
        return former

    @returns_outcome
    async def give_back(self, taken: TakenBack) -> None:
        """Undo `take_back`, in the workflows that still exist."""
        existing = [each for each in await self._storage.workflows.all() if each.id in taken.folders]
        await self._put([replace(each, folders=taken.folders[each.id]) for each in existing])
        await self._offer(taken.last_folders)

    async def _put(self, changed: Sequence[Workflow]) -> None:
        if changed:
            await self._storage.commit([PutWorkflow(each) for each in changed])
        for each in changed:
            self._bus.publish(WorkflowChanged(each))

    async def _offer(self, folders: tuple[str, ...]) -> None:
        if folders != self._settings.current.last_folders:
            unwrap(await self._settings.change(last_folders=folders))


def _without(path: str, folders: Sequence[str]) -> tuple[str, ...]:
    return tuple(folder for folder in folders if FolderGrant.parse(folder).path != path)


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
