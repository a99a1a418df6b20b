"""Putting a backup in the place of a store."""

from pathlib import Path

from core.backups.store_backups import describe
from core.persistence.failures import os_failure
from core.persistence.folder_copy import remove_folder
from core.persistence.replacement import OnPlaced, building_folder, replace
from core.persistence.store_watch import adopt
from core.persistence.worker_process import OnProgress, run_job
from core.threads.pieces import Pieces, in_thread


async def restore(
    store: Path, file: Path, on_placed: OnPlaced = adopt, on_progress: OnProgress | None = None
) -> Path | None:
    """Restore the backup as the closed store in this folder, whose lock is held.

    Returns where a previous store was set aside. The backup is loaded into a new store and compared; only then it
    takes the place of the previous store, in a single step. Raises Refused `bad_backup` and
    StorageFailed; then the previous store is in its place.
    """
    await describe(file)
    building = building_folder(store)
    try:
        await run_job("core.backups.jobs:load_backup", on_progress, file=str(file), folder=str(building))
        return await in_thread(_replaced(store, on_placed))
    except OSError as error:
        raise os_failure(error) from error
    finally:
        await in_thread(remove_folder(building))


def _replaced(store: Path, on_placed: OnPlaced) -> Pieces[Path | None]:
    """Replace the store; a caller that is cancelled waits for it."""
    aside = replace(store, on_placed, keep_old=True)
    yield
    return aside
