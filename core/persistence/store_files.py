"""The files of a store: hashing them in threads, and comparing them with what was seen of them.

The engine's files come in four kinds. A table never changes. A value file only grows, at its end. The manifest is
replaced, and lists the tables. The log is written all the time, and empty after a clean close. Files of other names
are not the engine's, and are ignored.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG

from core.persistence.folder import LOG, MANIFESTS, MIB, TABLES, VALUES
from core.persistence.watch_file import Picture, SeenFile

MANIFEST_BYTES = 64 * 1024
PIECE_BYTES = 4 * MIB
THREADS = 4
# Hashing takes 0.8 ms per MB. In a larger store files with an unchanged inode and unchanged times are not read again.
HASHED_BYTES = 192 * MIB

_NAMES = {TABLES: r"\d+\.sst", VALUES: r"\d+\.vlog", MANIFESTS: r"\d+\.manifest", LOG: r"\d+\.wal"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not as it was seen: `missing`, `changed`, `shorter`, `longer` or `new`."""

    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}"


def engine_files(store: Path) -> dict[str, os.stat_result]:
    """Return the status of the engine's files by their path in the folder, without empty logs. Raises OSError.

    A folder that does not exist has none. What stands in place of a file, such as a folder, is listed too.
    """
    found = {}
    for folder, pattern in _NAMES.items():
        try:
            names = sorted(entry.name for entry in (store / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in names:
            if re.fullmatch(pattern, name):
                status = (store / folder / name).stat()
                if folder != LOG or status.st_size:
                    found[f"{folder}/{name}"] = status
    return found


def picture_of_files(store: Path, previous: Mapping[str, SeenFile]) -> dict[str, SeenFile]:
    """Return all files but the log with their hashes. Raises OSError.

    Pieces of a file that was seen before are not hashed again.
    """
    files = {name: status for name, status in engine_files(store).items() if kind_of(name) != LOG}
    known = {name: _known_hashes(previous.get(name), status) for name, status in files.items()}
    pieces = [
        (name, number) for name, status in files.items() for number in range(len(known[name]), _pieces(status.st_size))
    ]
    hashes = _hash_all(store, pieces, {name: status.st_size for name, status in files.items()})
    return {
        name: SeenFile(
            status.st_size,
            (*known[name], *(hashes[name, number] for number in range(len(known[name]), _pieces(status.st_size)))),
            stamp_of(status),
        )
        for name, status in files.items()
    }


def differences(store: Path, picture: Picture, *, is_thorough: bool = False) -> list[Difference]:
    """Return in what the files differ from the picture. Raises OSError.

    After an unclean end tables may have been added and merged if the manifest has changed, value files may be longer,
    and the log is not looked at. `is_thorough` reads every file, however large the store is.
    """
    files = engine_files(store)
    found = [*_differing_names(store, files, picture), *_differing_sizes(files, picture)]
    doubted = {difference.name for difference in found}
    seen = {name: seen for name, seen in picture.files.items() if name in files and name not in doubted}
    if not picture.is_clean:
        seen = {name: file for name, file in seen.items() if kind_of(name) != MANIFESTS}
    pieces = [
        (name, number)
        for name in _to_hash(seen, files, is_thorough=is_thorough)
        for number in range(_comparable(seen[name], files[name].st_size))
    ]
    hashes = _hash_all(store, pieces, {name: seen[name].size for name in seen})
    changed = {name for (name, number), value in hashes.items() if seen[name].hashes[number] != value}
    return [*found, *(Difference(name, "changed") for name in sorted(changed))]


def has_other_manifest(store: Path, picture: Picture) -> bool:
    """Return whether the manifest is another than in the picture, because tables were added or merged since.

    Raises OSError.
    """
    return read_manifest(store) != picture.manifest


def read_manifest(store: Path) -> str:
    """Return the content of the manifest in hexadecimal digits, empty if there is none. Raises OSError."""
    names = [name for name in engine_files(store) if kind_of(name) == MANIFESTS]
    return (store / names[-1]).read_bytes()[:MANIFEST_BYTES].hex() if names else ""


def kind_of(name: str) -> str:
    """Return the folder of a file of the engine."""
    return name.partition("/")[0]


def _differing_names(store: Path, files: Mapping[str, os.stat_result], picture: Picture) -> Iterator[Difference]:
    has_other_tables = not picture.is_clean and has_other_manifest(store, picture)
    for name in sorted({*files, *picture.files}):
        kind = kind_of(name)
        if name not in files:
            if not (kind == TABLES and has_other_tables):
                yield Difference(name, "missing")
        elif not S_ISREG(files[name].st_mode):
            yield Difference(name, "changed")
        elif name not in picture.files and (picture.is_clean or (kind == TABLES and not has_other_tables)):
            yield Difference(name, "new")


def _differing_sizes(files: Mapping[str, os.stat_result], picture: Picture) -> Iterator[Difference]:
    for name, seen in picture.files.items():
        size = files[name].st_size if name in files else seen.size
        if size < seen.size and (picture.is_clean or kind_of(name) != MANIFESTS):
            yield Difference(name, "shorter")
        elif size > seen.size and (picture.is_clean or kind_of(name) == TABLES):
            yield Difference(name, "longer")


def _to_hash(seen: Mapping[str, SeenFile], files: Mapping[str, os.stat_result], *, is_thorough: bool) -> Iterator[str]:
    """Yield the files to read: small ones first, and beyond HASHED_BYTES only files that were touched."""
    total = 0
    for name in sorted(seen, key=lambda name: seen[name].size):
        total += seen[name].size
        if is_thorough or total <= HASHED_BYTES or stamp_of(files[name]) != seen[name].stamp:
            yield name


def _hash_all(store: Path, pieces: Iterable[tuple[str, int]], sizes: Mapping[str, int]) -> dict[tuple[str, int], str]:
    """Hash the pieces of the files up to these sizes, in threads."""

    def hash_of(piece: tuple[str, int]) -> str:
        name, number = piece
        begin = number * PIECE_BYTES
        return _hash_piece(store / name, begin, min(PIECE_BYTES, sizes[name] - begin))

    listed = list(pieces)
    with ThreadPoolExecutor(THREADS, thread_name_prefix="hash") as threads:
        return dict(zip(listed, threads.map(hash_of, listed), strict=True))


def _hash_piece(path: Path, begin: int, size: int) -> str:
    digest = sha256()
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        while size > 0 and (data := file.read(min(size, MIB))):
            digest.update(data)
            size -= len(data)
    return digest.hexdigest()[:32]


def _known_hashes(seen: SeenFile | None, status: os.stat_result) -> tuple[str, ...]:
    """Return the known hashes of the same file: its pieces need not be read, as far as they were full."""
    if seen is None or not seen.stamp or seen.stamp[0] != status.st_ino or status.st_size < seen.size:
        return ()
    if seen.stamp == stamp_of(status):
        return seen.hashes
    return seen.hashes[: seen.size // PIECE_BYTES]


def _comparable(seen: SeenFile, size: int) -> int:
    return len(seen.hashes) if size >= seen.size else 0


def _pieces(size: int) -> int:
    return -(-size // PIECE_BYTES)


def stamp_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return inode, size and time of a file: as long as they are the same, so is its content."""
    return (status.st_ino, status.st_size, status.st_mtime_ns)
