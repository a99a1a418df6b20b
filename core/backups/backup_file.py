"""The format of a backup file: lines of JSON in gzip, `zcat` shows it.

    {"format": "metier.backup/1", "created_at", "reason", "schema", "engine", "app"}
    ["table", key, {field: value}]                        a line for each row (see core.persistence.row_lines)
    {"tables": {name: {"rows", "hash"}}, "workflows", "runs", "bytes", "sha256"}

The last line is a gzip member of its own, stored without compression, so that it is read without the rest. `sha256` is
that of the compressed file before it, and its own bytes follow from its text. So every cut and every flipped bit is
found before a single row is read. `bytes` is the length of all lines before it.
"""

import gzip
import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.domain.backup import Backup, BackupReason
from core.errors import Refused
from core.persistence.dump import PAGE_BYTES, PAGE_ROWS, Digest, Digests, Page
from core.persistence.row_lines import decode_row
from core.persistence.statements import Row

FORMAT = "metier.backup/1"
COMPRESSION = 3  # three times as fast as the usual 6, and a tenth larger
CHUNK_BYTES = 1024 * 1024
MAX_HEADER_BYTES = 4096
MAX_SUMMARY_BYTES = 65_535  # of one stored block
MAX_LINE_BYTES = 512 * 1024 * 1024

# The frame of a stored member: gzip's header without name and time, one stored block, checksum and length.
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_FRAME_BYTES = len(_GZIP_HEADER) + 5 + 8


class BackupWriter:
    """Writes a backup file: the header, then rows, then the summary. Blocks on the disk; raises OSError."""

    def __init__(self, path: Path, reason: BackupReason, created_at: datetime, schema: int, engine: str, app: str):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        self._file = os.fdopen(descriptor, "wb")
        self._packer = zlib.compressobj(COMPRESSION, wbits=31)
        self._hash = hashlib.sha256()
        self._bytes = 0
        created = created_at.astimezone(UTC).isoformat(timespec="seconds")
        head = {"format": FORMAT, "created_at": created, "reason": reason, "schema": schema, "engine": engine}
        self.add([json.dumps({**head, "app": app})])

    def add(self, lines: Iterable[str]) -> None:
        """Append lines."""
        data = "".join(f"{line}\n" for line in lines).encode()
        self._bytes += len(data)
        self._write(self._packer.compress(data))

    def finish(self, digests: Digests, workflows: int, runs: int) -> None:
        """Append the summary and make the file durable."""
        self._write(self._packer.flush())
        tables = {name: {"rows": table.rows, "hash": f"{table.hash:064x}"} for name, table in digests.tables.items()}
        numbers = {"workflows": workflows, "runs": runs, "bytes": self._bytes}
        text = json.dumps({"tables": tables, **numbers, "sha256": self._hash.hexdigest()})
        self._file.write(stored_member(f"{text}\n".encode()))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def close(self) -> None:
        """Close an unfinished file."""
        self._file.close()

    def _write(self, data: bytes) -> None:
        self._hash.update(data)
        self._file.write(data)


class BackupFile:
    """A backup file, opened to be read. Blocks on the disk.

    Raises Refused `bad_backup` for a file that is no backup, is cut or was changed, and OSError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self._size = file.seek(0, os.SEEK_END)
            header = _read_header(file)
            self._rows_end, self._summary = _read_summary(file, self._size)
        self.info, self.digests = self._describe(header)

    def check(self) -> None:
        """Compare the hash of the whole file. Raises Refused `bad_backup`."""
        digest, rest = hashlib.sha256(), self._rows_end
        with self._path.open("rb") as file:
            while rest and (data := file.read(min(CHUNK_BYTES, rest))):
                digest.update(data)
                rest -= len(data)
        if rest or digest.hexdigest() != self._summary["sha256"]:
            raise bad_backup("changed", "the file is not what was written: its checksum differs")

    def pages(self) -> Iterator[Page]:
        """Yield the rows by table, at most PAGE_ROWS and about PAGE_BYTES at a time."""
        table, rows, size = "", list[Row](), 0
        for line in self._lines():
            try:
                name, row = decode_row(line.decode())
            except ValueError as error:
                raise bad_backup("changed", f"a row cannot be read: {error}") from error
            if rows and (name != table or len(rows) == PAGE_ROWS or size + len(line) > PAGE_BYTES):
                yield table, rows
                rows, size = [], 0
            table, size = name, size + len(line)
            rows.append(row)
        if rows:
            yield table, rows

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines of rows, never more bytes than the summary announces."""
        rest = self.info.content_bytes
        try:
            with gzip.open(self._path) as file:
                rest -= len(file.readline(MAX_HEADER_BYTES))
                while rest > 0:
                    line = file.readline(min(rest, MAX_LINE_BYTES))
                    rest -= len(line)
                    if not line.endswith(b"\n"):
                        raise bad_backup("changed", "a line is cut or too long")
                    yield line
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise bad_backup("changed", f"the file cannot be unpacked: {error}") from error

    def _describe(self, header: dict[str, Any]) -> tuple[Backup, Digests]:
        try:
            if header["format"] != FORMAT:
                raise bad_backup("format", f"the format {header['format']!r} is not known to this release")
            tables: dict[str, dict[str, Any]] = self._summary["tables"]
            digests = Digests({name: Digest(int(it["rows"]), int(it["hash"], 16)) for name, it in tables.items()})
            info = Backup(
                self._path,
                self._size,
                datetime.fromisoformat(header["created_at"]).astimezone(UTC),
                BackupReason(header["reason"]),
                int(header["schema"]),
                str(header["engine"]),
                str(header["app"]),
                {name: digest.rows for name, digest in digests.tables.items()},
                int(self._summary["bytes"]),
                int(self._summary["workflows"]),
                int(self._summary["runs"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise bad_backup("changed", "the file does not say what it holds") from error
        return info, digests


def bad_backup(reason: str, message: str) -> Refused:
    """Return the error for a file that is not restored. `reason`: not_a_backup, changed, format, newer, too_large."""
    return Refused("bad_backup", message, reason=reason)


def stored_member(text: bytes) -> bytes:
    """Return the gzip member of the summary. Raises ValueError if it is too long."""
    if len(text) > MAX_SUMMARY_BYTES:
        raise ValueError("the summary is too long")
    block = b"\x01" + struct.pack("<HH", len(text), len(text) ^ 0xFFFF) + text
    return _GZIP_HEADER + block + struct.pack("<II", zlib.crc32(text), len(text))


def _read_header(file: Any) -> dict[str, Any]:
    file.seek(0)
    try:
        unpacked = zlib.decompressobj(wbits=31).decompress(file.read(MAX_HEADER_BYTES), MAX_HEADER_BYTES)
    except zlib.error:
        unpacked = b""
    line, end, _ = unpacked.partition(b"\n")
    header = _object(line)
    if not end or header is None or not str(header.get("format")).startswith("metier.backup/"):
        raise bad_backup("not_a_backup", "the file is not a backup of Metier")
    return header


def _read_summary(file: Any, size: int) -> tuple[int, dict[str, Any]]:
    """Return where the rows end and the summary begins, and the summary."""
    file.seek(max(0, size - MAX_SUMMARY_BYTES - _FRAME_BYTES))
    end: bytes = file.read(MAX_SUMMARY_BYTES + _FRAME_BYTES)
    length = int.from_bytes(end[-4:], "little")
    if length <= MAX_SUMMARY_BYTES and len(end) >= length + _FRAME_BYTES:
        member = end[-length - _FRAME_BYTES :]
        text = member[len(_GZIP_HEADER) + 5 : -8]
        summary = _object(text)
        if summary is not None and stored_member(text) == member:
            return size - len(member), summary
    raise bad_backup("changed", "the file is cut, or its end was changed")


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
