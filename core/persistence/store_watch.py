"""Keeping the watch file of an open store up to date: the numbers of commits, and pictures of its files."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.persistence.driver import ENGINE
from core.persistence.store_files import picture_of_files, read_manifest
from core.persistence.watch_file import DamagedWatchFile, Picture, WatchFile

log = logging.getLogger(__name__)

# After an unclean end the mark may be behind what was written; numbers go on well above both.
NUMBERS_PER_LIFE = 1_000_000
TRIES = 5


class StoreWatch:
    """The watch file of a store that this process has open. `picture` is what the store was before."""

    def __init__(self, store: Path, file: WatchFile, picture: Picture, *, schema: int = 0) -> None:
        self._store = store
        self._file = file
        self.picture = picture
        self.schema = schema
        self._was_clean = picture.is_clean
        self.number = file.mark.number
        self.checkpoint = picture.checkpoint

    @property
    def is_outdated(self) -> bool:
        """Return whether the open store is another than in the picture: after an unclean end, or migrated."""
        return not self._was_clean or self.picture.schema != self.schema

    def begin(self) -> None:
        """Write that the store is open, before the engine opens it. Blocks on the disk. Raises OSError."""
        self.picture = replace(self.picture, is_clean=False)
        self._file.write(self.picture)

    def resume(self) -> None:
        """Go on with the file that describes another store, which has taken the place of this one. Raises OSError."""
        try:
            self.picture, _ = WatchFile(self._store).read()
        except (FileNotFoundError, DamagedWatchFile) as error:
            log.warning("the watch file is written anew: %s", error)
            self.picture = Picture()
        self.begin()

    def go_on_from(self, commit: int, checkpoint: int) -> None:
        """Continue the numbers after these, which the store has."""
        self.number, self.checkpoint = max(self.number, commit, checkpoint), checkpoint
        if not self._was_clean and self.number:
            self.number = (self.number // NUMBERS_PER_LIFE + 1) * NUMBERS_PER_LIFE

    def next_number(self) -> int:
        """Return the number of a commit that begins. A failed commit keeps its number: it may have been written."""
        self.number += 1
        return self.number

    def note_commit(self, number: int, row: tuple[str, Any]) -> None:
        """Write the number of a finished commit into the file, and the row that carries it."""
        self._file.note_commit(number, row)

    def note_checkpoint(self, number: int, row: tuple[str, Any]) -> None:
        """Write the number of the last commit before the log is emptied."""
        self.checkpoint = number
        self.note_commit(number, row)

    def record(self, counters: Mapping[str, int], *, is_clean: bool) -> None:
        """Take a new picture of the store, whose log is empty. Blocks on the disk.

        A picture that cannot be written leaves the previous picture, which holds, but for a clean end.
        """
        try:
            self._record(counters, is_clean=is_clean)
        except OSError as error:
            log.warning("the watch file could not be written: %s", error)
        if is_clean:
            self._file.close()

    def _record(self, counters: Mapping[str, int], *, is_clean: bool) -> None:
        for _ in range(TRIES):  # the engine may merge tables meanwhile
            manifest = read_manifest(self._store)
            try:
                files = picture_of_files(self._store, self.picture.files)
            except FileNotFoundError:
                continue
            if read_manifest(self._store) == manifest:
                self.picture = Picture(self.schema, ENGINE, is_clean, self.checkpoint, manifest, files, dict(counters))
                self._file.write(self.picture)
                return


def accept(store: Path) -> None:
    """Write a watch file for a closed store that was in doubt and is to be opened as it is.

    It counts as not cleanly ended, so that its copy is opened first. Blocks on the disk. Raises OSError.
    """
    _write_anew(store, is_clean=False)


def adopt(store: Path) -> None:
    """Write a watch file for a closed store that is there for good reason: restored or rebuilt.

    Numbers go on from the numbers in the store. Blocks on the disk. Raises OSError.
    """
    _write_anew(store, is_clean=True)


def _write_anew(store: Path, *, is_clean: bool) -> None:
    file = WatchFile(store)
    file.write(Picture(is_clean=is_clean, manifest=read_manifest(store), files=picture_of_files(store, {})))
    file.close()
