"""The format of a backup file: whatever is cut, flipped or made up is refused before anything is restored."""

import gzip
import hashlib
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.backups import backup_file
from core.backups.backup_file import BackupFile, BackupWriter
from core.domain.backup import BackupReason
from core.errors import Refused
from core.persistence.driver import RecordID
from core.persistence.dump import Digests

AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {"id": RecordID("run", f"run_{number}"), "status": "success", "data": "é🙂" * number} for number in range(300)
]
Edit = Callable[[list[Any]], object]


def write(path: Path) -> Path:
    writer = BackupWriter(path, BackupReason.DAILY, AT, 3, "3.0", "0.1")
    digests = Digests()
    writer.add(digests.add("run", ROWS))
    writer.finish(digests, 4, len(ROWS))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "backup.jsonl.gz")


def read_whole(path: Path) -> list[dict[str, Any]]:
    """Read the file as a restoration does."""
    backup = BackupFile(path)
    backup.check()
    digests, rows = Digests(), []
    for table, page in backup.pages():
        digests.add(table, page)
        rows += page
    if digests.differing(backup.digests):
        raise backup_file.bad_backup("changed", "other rows")
    return rows


def test_what_was_written_is_read(file: Path) -> None:
    assert read_whole(file) == ROWS
    info = BackupFile(file).info
    assert (info.created_at, info.reason, info.schema, info.engine, info.app) == (AT, "daily", 3, "3.0", "0.1")
    assert (info.rows, info.workflows, info.runs) == ({"run": 300}, 4, 300)
    assert info.size_bytes == file.stat().st_size


def test_the_usual_tools_show_the_lines(file: Path) -> None:
    head, *rows, summary = gzip.decompress(file.read_bytes()).decode().splitlines()
    assert json.loads(head)["format"] == "metier.backup/1"
    assert json.loads(rows[7]) == ["run", "run_7", {"data": "é🙂" * 7, "status": "success"}]
    assert json.loads(summary)["tables"]["run"]["rows"] == 300


def test_the_file_is_private(file: Path) -> None:
    assert file.stat().st_mode & 0o077 == 0


def test_every_flipped_bit_is_found(file: Path) -> None:
    dice, data = random.Random(5), file.read_bytes()
    ends = [*range(30), *range(len(data) - 400, len(data))]
    for position in [*ends, *dice.sample(range(len(data)), 200)]:
        changed = bytearray(data)
        changed[position] ^= 1 << dice.randrange(8)
        file.write_bytes(changed)
        with pytest.raises(Refused, match=r".") as refused:
            read_whole(file)
        assert refused.value.code == "bad_backup"


def test_every_cut_is_found(file: Path) -> None:
    dice, data = random.Random(6), file.read_bytes()
    for length in [0, 1, 10, len(data) - 1, *dice.sample(range(len(data)), 100)]:
        file.write_bytes(data[:length])
        with pytest.raises(Refused):
            read_whole(file)


def test_what_is_appended_is_found(file: Path) -> None:
    data = file.read_bytes()
    for more in (b"\0", b"x" * 70_000, gzip.compress(b"more"), data[:-5]):
        file.write_bytes(data + more)
        with pytest.raises(Refused):
            read_whole(file)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        b"\x1f\x8b",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"{}\n", mtime=0),
        gzip.compress(b'{"format": "metier.template/1"}\n', mtime=0),
        gzip.compress(b"[" * 4000, mtime=0),
        gzip.compress(b"x" * 10_000_000, mtime=0),
    ],
)
def test_another_file_is_no_backup(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(Refused) as refused:
        BackupFile(tmp_path / "file")
    assert refused.value.parameters["reason"] == "not_a_backup"


def forge(path: Path, edit: Edit = lambda lines: None, **summary: Any) -> Path:
    """Write a file whose checksums are right, with lines of the attacker's choice."""
    head = {"format": "metier.backup/1", "created_at": AT.isoformat(), "reason": "daily", "schema": 3}
    lines: list[Any] = [{**head, "engine": "3", "app": "0"}, ["run", "a", {}]]
    edit(lines)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines).encode()
    packed = gzip.compress(text)
    numbers = {"tables": {"run": {"rows": 1, "hash": "0"}}, "workflows": 0, "runs": 1, "bytes": len(text)}
    end = json.dumps({**numbers, "sha256": hashlib.sha256(packed).hexdigest(), **summary})
    path.write_bytes(packed + backup_file.stored_member(f"{end}\n".encode()))
    return path


def head_with(**fields: Any) -> Edit:
    return lambda lines: lines[0].update(fields)


def more(line: str) -> Edit:
    return lambda lines: lines.append(line)


@pytest.mark.parametrize(
    ("edit", "summary"),
    [
        (head_with(format="metier.backup/2"), {}),
        (head_with(schema="many"), {}),
        (head_with(schema=None), {}),
        (head_with(created_at="yesterday"), {}),
        (head_with(created_at=7), {}),
        (head_with(reason="malice"), {}),
        (more("no row"), {}),
        (more('["run","b",{"x":{"$run":"rm"}}]'), {}),
        (more("[" * 100_000), {}),
        (more(""), {"bytes": 100}),
        (more(""), {"bytes": 10**18}),
        (more(""), {"bytes": -1}),
        (more(""), {"bytes": "all"}),
        (more(""), {"tables": []}),
        (more(""), {"tables": {"run": 1}}),
        (more(""), {"tables": {"run": {"rows": 9e999, "hash": "0"}}}),
        (head_with(), {}),  # the hash of the rows is not theirs
    ],
)
def test_a_forged_file_is_refused(tmp_path: Path, edit: Edit, summary: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read_whole(forge(tmp_path / "file", edit, **summary))


def test_more_content_than_announced_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = forge(tmp_path / "file", more("x" * 50_000_000), bytes=1000)
    unpacked = 0
    whole = gzip.GzipFile.readline

    def counted(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        nonlocal unpacked
        line = whole(self, size)
        unpacked += len(line)
        return line

    monkeypatch.setattr(gzip.GzipFile, "readline", counted)

    with pytest.raises(Refused):
        list(BackupFile(bomb).pages())
    assert unpacked <= 1000
