"""`search_files` finds lines in files, in bounds, and shows nothing that may not be read."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from core.tools import ripgrep
from core.tools.builtin import search_files
from core.tools.own_places import OwnPlaces
from tests.tools.rig import Builtins, cancel


def put(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def lines(result: Any, folder: Path) -> list[tuple[str, int, str]]:
    assert result["truncated"] is False
    return [(os.path.relpath(found["path"], folder), found["line"], found["text"]) for found in result["matches"]]


async def test_lines_are_found_by_text_or_pattern_and_by_names(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"b.py": "one\ntwo (x)\n", "a/c.py": "TWO (x)\r\nlast two (x)", "d.txt": "two (x)\n", ".env": "two (x)"},
    )
    builtins = Builtins(tmp_path)
    result = await builtins.call("search_files", query="two (x)")
    assert (result.summary, result.value["path"]) == ("4 lines in 4 files", str(tmp_path))
    assert lines(result.value, tmp_path) == [
        (".env", 1, "two (x)"),
        ("a/c.py", 2, "last two (x)"),
        ("b.py", 2, "two (x)"),
        ("d.txt", 1, "two (x)"),
    ]
    found = await builtins.value(
        "search_files", query=r"^TWO.*\)$", regex=True, ignore_case=True, names=["*.py", "*.{md,txt}"], exclude=["/b*"]
    )
    assert lines(found, tmp_path) == [("a/c.py", 1, "TWO (x)"), ("d.txt", 1, "two (x)")]
    assert lines(await builtins.value("search_files", path="b.py", query="one\ntwo"), tmp_path) == [("b.py", 1, "one")]
    assert lines(await builtins.value("search_files", path="a", query="--help"), tmp_path) == []


async def test_what_git_ignores_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    put(
        tmp_path,
        {".gitignore": "*.log\nout/\n", "a.log": "word", "b.py": "word", "out/c.py": "word", ".git/config": "word"},
    )
    put(tmp_path / "sub", {".gitignore": "d.py\n", "d.py": "word", "e.py": "word"})
    builtins = Builtins(tmp_path)
    for more in ({}, {"names": ["*"]}):
        found = await builtins.value("search_files", query="word", **more)
        assert [name for name, _, _ in lines(found, tmp_path)] == ["b.py", "sub/e.py"]
    found = await builtins.value("search_files", query="word", ignored=True)
    assert [name for name, _, _ in lines(found, tmp_path)] == ["a.log", "b.py", "out/c.py", "sub/d.py", "sub/e.py"]
    assert lines(await builtins.value("search_files", query="word", path="a.log"), tmp_path) == [("a.log", 1, "word")]


@pytest.mark.skipif(os.name != "posix", reason="names are UTF-16 elsewhere")
async def test_odd_names_and_bytes_are_shown_with_escapes(tmp_path: Path) -> None:
    odd = os.fsdecode(b"caf\xe9\n")
    put(tmp_path, {odd: b"\xef\xbb\xbfword\nw\xf6rd\n", "binary": b"word\n\0word", "-e": "word"})
    builtins = Builtins(tmp_path)
    first, second, third = (await builtins.value("search_files", query="rd"))["matches"]
    assert (first["path"], first["text"]) == (str(tmp_path / "-e"), "word")
    assert (second["path"], second["text"]) == (f"{tmp_path}/caf\\xE9\n", "word")
    assert (third["line"], third["text"]) == (2, "w\\xf6rd")
    assert (await builtins.value("search_files", query="rd", path=second["path"]))["matches"] == [second, third]


async def test_a_long_line_is_cut_around_its_match(tmp_path: Path) -> None:
    put(tmp_path, {"a": "é" * 200_000 + "word" + "è" * 200_000 + "\nword é" + "x" * 1_000 + "\nword"})
    first, second, third = (await Builtins(tmp_path).value("search_files", query="word"))["matches"]
    assert first == {"path": str(tmp_path / "a"), "line": 1, "text": f"…{'é' * 50}word{'è' * 148}…"}
    assert second["text"] == f"word é{'x' * 393}…"
    assert (third["line"], third["text"]) == (3, "word")


async def test_a_line_with_a_million_matches_costs_little(tmp_path: Path) -> None:
    put(tmp_path, {"a": "ab" * 1_000_000 + "\nb"})
    found = await Builtins(tmp_path).value("search_files", query="a|b", regex=True)
    assert [(match["line"], len(match["text"])) for match in found["matches"]] == [(1, 401), (2, 1)]


async def test_above_the_limit_the_first_lines_are_returned(tmp_path: Path) -> None:
    put(tmp_path, {"a": "word\n" * 300, "b": "word\n" * 300, "c": "word\n" * 1_000_000})
    result = await Builtins(tmp_path).call("search_files", query="word")
    assert result.value["truncated"]
    assert len(result.value["matches"]) == search_files.MAX_MATCHES
    assert result.summary == "500 lines in 2 files and more"
    assert result.value["matches"][-1]["line"] == 200


async def test_after_its_time_what_was_found_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = ripgrep._collect

    async def last_too_long(output: asyncio.StreamReader, found: ripgrep.Found, most: int) -> bool:
        await really(output, found, most)
        raise TimeoutError

    put(tmp_path, {"a": "word"})
    monkeypatch.setattr(ripgrep, "_collect", last_too_long)
    found = await Builtins(tmp_path).value("search_files", query="word")
    assert (len(found["matches"]), found["truncated"]) == (1, True)


async def test_the_program_ends_with_a_cancelled_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()
    really = asyncio.create_subprocess_exec

    async def start(*arguments: str, **more: Any) -> asyncio.subprocess.Process:
        process = await really(*arguments, **more)
        started.put_nowait(process)
        return process

    async def stuck(*arguments: object) -> bool:
        return await asyncio.Event().wait()

    monkeypatch.setattr(ripgrep, "_collect", stuck)
    monkeypatch.setattr("core.tools.ripgrep.create_subprocess_exec", start)
    task = asyncio.create_task(Builtins(tmp_path).call("search_files", query="word"))
    process = await started.get()
    await cancel(task)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert process.returncode is not None


async def test_links_and_the_apps_own_files_are_not_searched(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    put(inside, {"a": "word", "data/keys": "word", "data/more/deep": "word"})
    put(tmp_path, {"outside/secret": "word"})
    (inside / "link").symlink_to(tmp_path / "outside")
    (inside / "file").symlink_to(tmp_path / "outside/secret")
    os.link(inside / "data/keys", inside / "hard")
    builtins = Builtins(inside, own=OwnPlaces([inside / "data"]))
    for more in ({}, {"ignored": True}, {"path": "a"}):
        assert lines(await builtins.value("search_files", query="word", **more), inside) == [("a", 1, "word")]
    for path in ("data", "data/keys", "hard", "link", "file", "../outside"):
        assert (await builtins.failure("search_files", query="word", path=path))[0] == "not_allowed"


@pytest.mark.skipif(os.name != "posix", reason="folders are not held open elsewhere")
async def test_a_folder_that_becomes_a_link_meanwhile_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"inside/sub/a": "word", "outside/a": "word: secret"})
    really = ripgrep.search

    async def swap(options: list[str], folder: str, name: str, most: int) -> ripgrep.Found:
        (tmp_path / "inside/sub").rename(tmp_path / "inside/old")
        (tmp_path / "inside/sub").symlink_to(tmp_path / "outside")
        return await really([*options, "--follow", "--glob=!/old"], folder, name, most)

    monkeypatch.setattr(search_files, "search", swap)
    assert (await Builtins(tmp_path / "inside").value("search_files", query="word"))["matches"] == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"query": "a(", "regex": True}, "invalid_arguments"),
        ({"query": "a\0"}, "invalid_arguments"),
        ({"query": "\ud800"}, "invalid_arguments"),
        ({"query": "a", "names": ["b/c"]}, "invalid_arguments"),
        ({"query": "a", "names": ["[a"]}, "invalid_arguments"),
        ({"query": "a", "exclude": ["{a"]}, "invalid_arguments"),
        ({"query": "a", "path": "missing"}, "not_found"),
        ({"query": "a", "path": "pipe"}, "not_a_file"),
    ],
)
async def test_what_cannot_be_searched_says_so(tmp_path: Path, more: dict[str, Any], code: str) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    assert (await Builtins(tmp_path).failure("search_files", **more))[0] == code


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
async def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    put(tmp_path, {"a": "word", "b/c": "word"})
    (tmp_path / "b").chmod(0)
    found = await Builtins(tmp_path).value("search_files", query="word")
    (tmp_path / "b").chmod(0o700)
    assert (len(found["matches"]), found["incomplete"]) == (1, True)
