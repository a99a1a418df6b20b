"""Putting a backup, or anything else that was built, in the place of a store."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from core.persistence.failures import os_failure
from core.persistence.folder_copy import remove_folder
from core.persistence.replacement import building_folder, replace
from core.persistence.store_watch import adopt
from core.persistence.worker_process import OnProgress, run_job
from core.threads.pieces import Pieces, in_thread

T = TypeVar("T")


async def restore(store: Path, file: Path, on_progress: OnProgress | None = None) -> Path | None:
    """Restore the backup as the closed store in this folder, whose lock is held.

    Returns where a previous store was set aside. The backup is loaded into a new store and compared; only then it
    takes the place of the previous store, in a single step. Raises Refused `bad_backup` and
    StorageFailed; then the previous store is in its place.
    """
    target = str(building_folder(store))
    loading: Awaitable[dict[str, Any]] = run_job(
        "core.backups.jobs:load_backup", on_progress, file=str(file), folder=target
    )
    return (await replace_by(loading, store))[1]


async def replace_by(building: Awaitable[T], store: Path) -> tuple[T, Path | None]:
    """Put what is built in the building folder in the place of the closed store, whose lock is held.

    Returns the result of building it, and where a previous store was set aside. Raises what building it raises, and
    StorageFailed; then the previous store is in its place.
    """
    try:
        return await building, await in_thread(_replaced(store))
    except OSError as error:
        raise os_failure(error) from error
    finally:
        await in_thread(remove_folder(building_folder(store)))


def _replaced(store: Path) -> Pieces[Path | None]:
    """Replace the store; a caller that is cancelled waits for it."""
    aside = replace(store, adopt, keep_old=True)
    yield
    return aside
