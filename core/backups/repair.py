"""What the user chooses for a store in doubt: to open it all the same, the newest backup, salvage, or an empty store.

The store itself is never changed: it stays, or is set aside as it is.
"""

import asyncio
from pathlib import Path

from core.backups.restoring import replace_by, restore
from core.backups.salvage import salvage
from core.backups.store_backups import kept_backups, kept_folder
from core.domain.doubt import Repair, Repaired
from core.errors import Refused, StorageFailed
from core.persistence.failures import os_failure
from core.persistence.open_store import locked
from core.persistence.replacement import aside_folder, building_folder
from core.persistence.store_check import doubt_of
from core.persistence.store_watch import accept
from core.persistence.watch_file import WatchFile
from core.persistence.worker_process import OnProgress


async def doubt_about(store: Path) -> StorageFailed | None:
    """Return why the closed store is in doubt, with the choices there are, or None if it can be opened.

    Raises StorageFailed for everything else that keeps it from being opened.
    """
    async with locked(store):
        return await _doubt_about(store)


async def with_backup(error: StorageFailed, store: Path) -> StorageFailed:
    """Return the error; if the store is in doubt, with the choice of the newest backup, if there is one."""
    backups = await asyncio.to_thread(kept_backups, kept_folder(store)) if error.code == "store_doubtful" else []
    if not backups:
        return error
    newest, choices = backups[0], list(error.parameters.get("choices", ()))
    place = 1 if choices[:1] == [Repair.KEEP] else 0
    return StorageFailed(
        error.code,
        error.message,
        **{
            **error.parameters,
            "choices": [*choices[:place], Repair.BACKUP, *choices[place:]],
            "backup": {"created_at": newest.created_at.isoformat(), "runs": newest.runs},
        },
    )


async def repair(store: Path, choice: Repair, on_progress: OnProgress | None = None) -> Repaired:
    """Do what the user has chosen for a closed store in doubt.

    Raises Refused `bad_choice` if the store is not in doubt or there is no such choice, and StorageFailed; then nothing
    has changed.
    """
    async with locked(store):
        doubt = await _doubt_about(store)
        if doubt is None:
            raise Refused("bad_choice", "nothing is in doubt about the store")
        choices: list[str] = doubt.parameters["choices"]
        if choice not in choices:
            raise Refused("bad_choice", f"{choice} is not possible here, but {', '.join(choices)}", choices=choices)
        try:
            return await _repair(store, choice, on_progress)
        except OSError as error:
            raise os_failure(error) from error


async def _doubt_about(store: Path) -> StorageFailed | None:
    doubt = await doubt_of(store)
    return None if doubt is None else await with_backup(doubt, store)


async def _repair(store: Path, choice: Repair, on_progress: OnProgress | None) -> Repaired:
    match choice:
        case Repair.KEEP:
            await asyncio.to_thread(accept, store)
            return Repaired(choice)
        case Repair.EMPTY:
            return Repaired(choice, await asyncio.to_thread(_set_aside, store))
        case Repair.BACKUP:
            newest = (await asyncio.to_thread(kept_backups, kept_folder(store)))[0]
            return Repaired(choice, await restore(store, newest.path, on_progress), newest.runs)
        case Repair.SALVAGE:
            salvaged, aside = await replace_by(salvage(store, building_folder(store), on_progress), store)
            return Repaired(choice, aside, salvaged.rows.get("run", 0), tuple(salvaged.missing))


def _set_aside(store: Path) -> Path | None:
    """Rename the store and then its watch file. Cut off in between, the store is in doubt as missing."""
    aside = aside_folder(store)
    watch = WatchFile(store).path
    if not store.exists():
        watch.unlink(missing_ok=True)
        return None
    store.rename(aside)
    if watch.exists():
        watch.rename(WatchFile(aside).path)
    return aside
