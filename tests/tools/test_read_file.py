"""`read_file` returns the exact text, or the reason why not."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from core.domain.text.json_text import STRING_BYTES, encode_output
from core.tools import text_files
from core.tools.text_files import PIECE_BYTES, TEXT_BYTES
from tests.tools.rig import Builtins, cancel


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", 0),
        (b"one", 0),
        (b"one\n", 1),
        (b"one\r\ntwo\rthree\n\n", 3),
        ("\ufeffmark\n".encode(), 1),
        ("é 漢 😀 \u2028\n".encode(), 1),
        (b"\0\x1b\x7f", 0),
    ],
)
async def test_the_text_is_exact(tmp_path: Path, content: bytes, lines: int) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    value = await Builtins(tmp_path).value("read_file", path="a.txt")
    assert value == {
        "path": str(tmp_path / "a.txt"),
        "text": content.decode(),
        "bytes": len(content),
        "lines": lines,
    }


@pytest.mark.parametrize("character", ["é", "漢", "😀"])
@pytest.mark.parametrize("before", [0, 1, 2, 3])
async def test_a_character_may_lie_across_two_pieces(tmp_path: Path, character: str, before: int) -> None:
    text = "x" * (PIECE_BYTES - before) + character * 3
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert (await Builtins(tmp_path).value("read_file", path="a.txt"))["text"] == text


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff", 0),
        (b"caf\xe9 au lait", 3),
        (b"cut \xe6\xbc", 4),
        (b"half \xed\xa0\x80", 5),
        (b"x" * (PIECE_BYTES - 1) + "漢".encode()[:2], PIECE_BYTES - 1),
        (b"x" * PIECE_BYTES + b"\x80", PIECE_BYTES),
    ],
)
async def test_what_is_not_utf_8_is_no_text_and_the_place_is_named(tmp_path: Path, content: bytes, place: int) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    code, message = await Builtins(tmp_path).failure("read_file", path="a.txt")
    assert code == "not_text"
    assert f"byte {place:,} " in message


@pytest.mark.parametrize("character", ["x", "é", "\n"])
async def test_the_largest_text_fits_into_the_output_of_a_step(tmp_path: Path, character: str) -> None:
    escaped = {"x": 1, "é": 6, "\n": 2}[character]
    (tmp_path / "a.txt").write_text(character * (TEXT_BYTES // escaped), encoding="utf-8", newline="")
    value = await Builtins(tmp_path).value("read_file", path="a.txt")
    assert len(encode_output(value)) <= STRING_BYTES


@pytest.mark.parametrize("character", ["x", "é", "\n"])
async def test_a_larger_one_is_too_large(tmp_path: Path, character: str) -> None:
    escaped = {"x": 1, "é": 6, "\n": 2}[character]
    (tmp_path / "a.txt").write_text(character * (TEXT_BYTES // escaped + 1), encoding="utf-8", newline="")
    assert (await Builtins(tmp_path).failure("read_file", path="a.txt"))[0] == "output_too_large"


async def test_a_file_without_end_is_read_no_further_than_the_limit(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(10**12)
    assert (await Builtins(tmp_path).failure("read_file", path="huge"))[0] == "output_too_large"


async def test_the_size_and_the_lines_sum_it_up(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 1233 + "\n")
    assert (await Builtins(tmp_path).call("read_file", path="a.txt")).summary == "1.2 kB, 1 line"


async def test_reading_happens_in_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, really_open = [], os.open

    def watched_open(*arguments: object, **more: object) -> int:
        threads.append(threading.current_thread())
        return really_open(*arguments, **more)  # type: ignore[arg-type]

    (tmp_path / "a.txt").write_text("a")
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", watched_open)
        await Builtins(tmp_path).value("read_file", path="a.txt")
    assert threads
    assert threading.current_thread() not in threads


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a system that tells which files are open")
async def test_a_cancelled_read_closes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(text: str) -> int:
        begun.set()
        go_on.wait(10)
        return len(text)

    monkeypatch.setattr(text_files, "text_bytes", slow)
    (tmp_path / "long").write_text("x" * (3 * PIECE_BYTES))
    caller = asyncio.create_task(Builtins(tmp_path).call("read_file", path="long"))
    await asyncio.to_thread(begun.wait, 10)
    assert str(tmp_path / "long") in open_files()
    await cancel(caller)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert str(tmp_path / "long") not in open_files()


def open_files() -> list[str]:
    links = list(Path("/proc/self/fd").iterdir())
    return [str(link.readlink()) for link in links if link.is_symlink()]
