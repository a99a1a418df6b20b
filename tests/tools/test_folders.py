"""What the file tools reach, and every way out that is closed."""

import ctypes
import errno
import os
import shutil
import socket
import sys
import threading
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from core.errors import ToolFailed
from core.tools import file_access
from core.tools.file_access import Folder, path_errors, resolve_path
from tests.tools.rig import Builtins, entries

TOOLS = [("read_file", {}), ("write_file", {"content": "new"}), ("list_files", {})]
EACH_TOOL = pytest.mark.parametrize(("name", "more"), TOOLS, ids=["read", "write", "list"])


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """Return the allowed folder. Beside it lies `outside`, with a secret."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "a.txt").write_text("text\n")
    return folder


@EACH_TOOL
async def test_without_an_allowed_folder_nothing_can_be_reached(name: str, more: dict[str, str]) -> None:
    code, message = await Builtins().failure(name, path="a.txt", **more)
    assert code == "not_allowed"
    assert "no folder is allowed" in message


@EACH_TOOL
@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "../outside/new.txt",
        "deep/../../outside/secret.txt",
        "../inside2",
        "..",
        "/",
        "/etc/passwd",
        "out/secret.txt",
        "out/new.txt",
        "secret_link",
        "dangling",
        "chain",
        "out",
    ],
)
async def test_what_leads_out_is_refused(name: str, more: dict[str, str], path: str, inside: Path) -> None:
    (inside / "out").symlink_to(inside.parent / "outside")
    (inside / "secret_link").symlink_to(inside.parent / "outside/secret.txt")
    (inside / "dangling").symlink_to(inside.parent / "outside/new.txt")
    (inside / "chain").symlink_to(inside / "secret_link")
    code, message = await Builtins(inside).failure(name, path=path, **more)
    assert code == "not_allowed"
    assert str(inside) in message
    assert outside_is_untouched(inside)


async def test_the_refusal_names_every_allowed_folder(inside: Path) -> None:
    other = inside.parent / "other"
    result = await Builtins(inside, other).call("read_file", path="/etc/passwd")
    assert result.error is not None
    assert result.error.parameters["allowed"] == [str(inside), str(other)]
    assert f"{inside}, {other}" in result.error.message


async def test_a_folder_whose_name_only_begins_alike_is_outside(inside: Path) -> None:
    twin = inside.parent / "inside-2"
    twin.mkdir()
    (twin / "b.txt").write_text("b")
    assert (await Builtins(inside).failure("read_file", path=str(twin / "b.txt")))[0] == "not_allowed"


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "deep/../a.txt", "deep//../a.txt", "../inside/a.txt"])
async def test_a_relative_path_starts_at_the_first_allowed_folder(inside: Path, path: str) -> None:
    (inside / "deep").mkdir()
    value = await Builtins(inside, inside.parent / "outside").value("read_file", path=path)
    assert value["path"] == str(inside / "a.txt")


async def test_with_a_base_a_relative_path_starts_there(inside: Path) -> None:
    (inside / "deep").mkdir()
    builtins = Builtins(inside.parent / "outside", inside, base=inside / "deep")
    assert (await builtins.value("read_file", path="../a.txt"))["path"] == str(inside / "a.txt")
    await builtins.value("write_file", path="b.txt", content="b")
    assert (await builtins.value("list_files", path="."))["files"][0]["path"] == str(inside / "deep/b.txt")


@EACH_TOOL
async def test_a_base_opens_no_folder_that_is_not_allowed(name: str, more: dict[str, str], inside: Path) -> None:
    builtins = Builtins(inside, base=inside.parent / "outside")
    assert (await builtins.failure(name, path="secret.txt", **more))[0] == "not_allowed"
    assert outside_is_untouched(inside)


async def test_an_absolute_path_may_lie_in_any_allowed_folder(inside: Path) -> None:
    secret = inside.parent / "outside/secret.txt"
    assert (await Builtins(inside, secret.parent).value("read_file", path=str(secret)))["text"] == "secret"


async def test_a_link_that_stays_inside_is_followed(inside: Path) -> None:
    (inside / "deep").mkdir()
    (inside / "deep/link").symlink_to("../a.txt")
    value = await Builtins(inside).value("read_file", path="deep/link")
    assert (value["path"], value["text"]) == (str(inside / "a.txt"), "text\n")


async def test_a_link_from_one_allowed_folder_into_another_is_followed(inside: Path) -> None:
    outside = inside.parent / "outside"
    (inside / "out").symlink_to(outside)
    value = await Builtins(inside, outside).value("read_file", path="out/secret.txt")
    assert value["path"] == str(outside / "secret.txt")


async def test_an_allowed_folder_may_be_a_link_itself_and_keeps_its_name(inside: Path) -> None:
    link = inside.parent / "link"
    link.symlink_to(inside)
    assert (await Builtins(link).value("read_file", path="a.txt"))["path"] == str(link / "a.txt")


@pytest.mark.skipif(os.name != "posix", reason="folders are descriptors on POSIX alone")
@pytest.mark.parametrize("swapped", ["deep", "deep/er", "deep/er/a.txt"])
def test_a_link_that_is_put_there_after_the_check_is_not_followed(inside: Path, swapped: str) -> None:
    (inside / "deep/er").mkdir(parents=True)
    (inside / "deep/er/a.txt").write_text("inside")
    (inside.parent / "outside/er").mkdir()
    for target in ("a.txt", "er/a.txt"):
        (inside.parent / "outside" / target).write_text("secret")
    place = resolve_path("deep/er/a.txt", [str(inside)])
    victim = inside / swapped
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
    victim.symlink_to(inside.parent / "outside" if victim.name != "a.txt" else inside.parent / "outside/a.txt")
    with pytest.raises(ToolFailed), path_errors(place.path), place.parent() as (folder, name):
        folder.open_file(name, os.O_RDONLY)


@pytest.mark.skipif(os.name != "posix", reason="folders are descriptors on POSIX alone")
def test_an_open_folder_stays_the_same_when_its_path_is_swapped(inside: Path) -> None:
    (inside / "deep").mkdir()
    with resolve_path("deep/new.txt", [str(inside)]).parent() as (folder, name):
        (inside / "deep").rename(inside / "moved")
        (inside / "deep").symlink_to(inside.parent / "outside")
        folder.open_file(name, os.O_WRONLY | os.O_CREAT).close()
    assert (inside / "moved/new.txt").exists()
    assert outside_is_untouched(inside)


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs, and opening that follows no link")
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_put_there_after_the_look_is_refused(inside: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    regular = (inside / "a.txt").stat()
    place = resolve_path("special", [str(inside)])
    os.mkfifo(inside / "special") if kind == "pipe" else (inside / "special").symlink_to("a.txt")
    monkeypatch.setattr(Folder, "state", lambda folder, name: regular)
    with pytest.raises(ToolFailed), path_errors("special"), place.parent() as (folder, name):
        folder.open_file(name, os.O_RDONLY)


async def test_the_tools_work_where_folders_have_no_descriptors(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_access, "HAS_DESCRIPTORS", False)
    (inside / "out").symlink_to(inside.parent / "outside")
    builtins = Builtins(inside)
    await builtins.value("write_file", path="deep/b.txt", content="b")
    await builtins.value("write_file", path="deep/b.txt", content="c", append=True)
    assert (await builtins.value("read_file", path="deep/b.txt"))["text"] == "bc"
    listed = await builtins.value("list_files", path=".", recursive=True)
    assert [file["path"] for file in listed["files"]] == [str(inside / "a.txt"), str(inside / "deep/b.txt")]
    assert (await builtins.failure("read_file", path="out/secret.txt"))[0] == "not_allowed"


@EACH_TOOL
@pytest.mark.parametrize(
    "path", ["a\0b", "\ud800", chr(0xDCE9), "x" * 256, "x/" * 2047 + "x"], ids=["NUL", "half", "escape", "name", "path"]
)
async def test_a_path_that_no_system_takes_is_refused(name: str, more: dict[str, str], path: str, inside: Path) -> None:
    assert (await Builtins(inside).failure(name, path=path, **more))[0] == "invalid_arguments"
    assert entries(inside) == ["a.txt"]


@EACH_TOOL
async def test_an_empty_path_is_invalid(name: str, more: dict[str, str], inside: Path) -> None:
    assert (await Builtins(inside).failure(name, path="", **more))[0] == "invalid_arguments"


async def test_a_tilde_is_a_name_like_any_other(inside: Path) -> None:
    (inside / "~").mkdir()
    await Builtins(inside).value("write_file", path="~/b.txt", content="b")
    assert (inside / "~/b.txt").read_text() == "b"


@pytest.mark.parametrize("name", ["read_file", "list_files"])
async def test_what_does_not_exist_is_not_found(name: str, inside: Path) -> None:
    code, message = await Builtins(inside).failure(name, path="missing")
    assert code == "not_found"
    assert str(inside / "missing") in message


async def test_an_allowed_folder_that_does_not_exist_is_not_found(tmp_path: Path) -> None:
    assert (await Builtins(tmp_path / "no").failure("write_file", path="a", content=""))[0] == "not_found"


@EACH_TOOL
async def test_a_path_through_a_file_leads_nowhere(name: str, more: dict[str, str], inside: Path) -> None:
    assert (await Builtins(inside).failure(name, path="a.txt/b", **more))[0] == "not_a_folder"


@pytest.mark.parametrize("name", ["read_file", "write_file"])
@pytest.mark.parametrize("path", [".", "deep"])
async def test_a_folder_is_no_file(name: str, path: str, inside: Path) -> None:
    (inside / "deep").mkdir()
    more = {"content": ""} if name == "write_file" else {}
    code, message = await Builtins(inside).failure(name, path=path, **more)
    assert code == "not_a_file"
    assert "folder" in message


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs")
@pytest.mark.parametrize("more", [None, {"content": "x"}, {"content": "x", "append": True}])
@pytest.mark.parametrize("kind", ["fifo", "socket", "link to fifo"])
async def test_what_is_no_regular_file_is_refused_and_blocks_nothing(
    kind: str, more: dict[str, object] | None, inside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inside)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        if kind == "socket":
            server.bind("special")
        else:
            os.mkfifo("pipe" if kind == "link to fifo" else "special")
        if kind == "link to fifo":
            (inside / "special").symlink_to("pipe")
        name = "read_file" if more is None else "write_file"
        assert (await Builtins(inside).failure(name, path="special", **(more or {})))[0] == "not_a_file"


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="needs a device")
@pytest.mark.parametrize(("name", "more"), TOOLS[:2])
async def test_a_device_is_refused_and_not_even_opened(
    name: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, really_open = [], os.open

    def watched_open(path: str, *arguments: Any, **more: Any) -> int:
        opened.append(path)
        return really_open(path, *arguments, **more)

    monkeypatch.setattr(os, "open", watched_open)
    assert (await Builtins("/dev").failure(name, path="null", **more))[0] == "not_a_file"
    assert opened == ["/dev"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs what the system shows as files")
@pytest.mark.parametrize("name", ["read_file", "list_files"])  # where all is allowed, no test may write
@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/1", "/proc", "/sys", "/dev/stdin"])
async def test_what_the_system_shows_as_files_is_in_no_folder(name: str, path: str) -> None:
    assert (await Builtins("/").failure(name, path=path))[0] == "not_allowed"


@pytest.mark.skipif(not Path("/proc/self/root").exists(), reason="needs what the system shows as files")
@EACH_TOOL
@pytest.mark.parametrize("target", ["/proc/self/root", "/proc/self/cwd", "/proc/self/fd", "/proc/self/task"])
async def test_links_of_the_system_lead_out_too(name: str, more: dict[str, str], target: str, inside: Path) -> None:
    (inside / "way").symlink_to(target)
    assert (await Builtins(inside).failure(name, path="way", **more))[0] == "not_allowed"
    assert (await Builtins(inside).failure(name, path="way/0", **more))[0] == "not_allowed"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs what the system shows as files")
async def test_a_folder_of_the_system_that_is_allowed_by_its_name_is_open() -> None:
    assert (await Builtins("/proc/self").value("read_file", path="/proc/self/status"))["text"].startswith("Name:")


async def test_a_file_that_would_make_us_wait_is_refused(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Waiting(FileIO):
        def read(self, size: int | None = -1, /) -> Any:
            return None

    monkeypatch.setattr(file_access, "FileIO", Waiting)
    assert (await Builtins(inside).failure("read_file", path="a.txt"))[0] == "not_a_file"


@pytest.mark.skipif(os.name != "posix", reason="needs hard links")
async def test_through_a_second_name_nothing_outside_is_changed(inside: Path) -> None:
    secret = inside.parent / "outside/secret.txt"
    os.link(secret, inside / "twin.txt")
    builtins = Builtins(inside)
    code, message = await builtins.failure("write_file", path="twin.txt", content="x", append=True)
    assert (code, "hard link" in message) == ("not_allowed", True)
    assert outside_is_untouched(inside)
    await builtins.value("write_file", path="twin.txt", content="mine")
    await builtins.value("write_file", path="twin.txt", content="!", append=True)
    assert (inside / "twin.txt").read_text() == "mine!"
    assert outside_is_untouched(inside)


@pytest.mark.skipif(sys.platform != "linux", reason="needs names that are exchanged at once")
async def test_folders_that_are_swapped_all_the_time_let_nothing_out(inside: Path) -> None:
    """A folder and a link to a secret change places while it is read and written again and again."""
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange is None:
        pytest.skip("needs a system that exchanges two names at once")
    (inside / "deep").mkdir()
    (inside / "deep/secret.txt").write_text("harmless")
    (inside / "link").symlink_to(inside.parent / "outside")
    names = [bytes(inside / name) for name in ("deep", "link")]
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            assert exchange(-1, names[0], -1, names[1], 2) == 0  # RENAME_EXCHANGE, of absolute names

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        builtins, outcomes = Builtins(inside), set()
        for number in range(60):
            read = await builtins.call("read_file", path="deep/secret.txt")
            outcomes.add(read.value["text"] if read.error is None else read.error.code)
            await builtins.call("write_file", path="deep/secret.txt", content="harmless", append=bool(number % 2))
            listed = await builtins.call("list_files", path="deep")
            assert listed.error is not None or listed.value["path"] == str(inside / "deep")
    finally:
        stop.set()
        swapping.join()
    assert not any(outcome == "secret" for outcome in outcomes)
    assert outside_is_untouched(inside)


@EACH_TOOL
async def test_a_circle_of_links_is_refused(name: str, more: dict[str, str], inside: Path) -> None:
    (inside / "x").symlink_to("y")
    (inside / "y").symlink_to("x")
    code, _ = await Builtins(inside).failure(name, path="x", **more)
    assert code in ("not_a_file", "not_a_folder", "not_allowed")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@EACH_TOOL
async def test_what_the_system_forbids_is_not_allowed(name: str, more: dict[str, str], inside: Path) -> None:
    target = inside if name == "list_files" else inside / "a.txt"
    target.chmod(0)
    try:
        code, message = await Builtins(inside).failure(name, path=str(target), **more)
    finally:
        target.chmod(0o700)
    assert code == "not_allowed"
    assert "permit" in message


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "not_allowed"),
        (errno.EIO, "failed"),
    ],
)
def test_errors_of_the_system_are_explained_with_the_path(number: int, code: str) -> None:
    with pytest.raises(ToolFailed, match=r"^/data/a: ") as failure, path_errors("/data/a"):
        raise OSError(number, os.strerror(number))
    assert (failure.value.code, failure.value.parameters) == (code, {"path": "/data/a"})


def outside_is_untouched(inside: Path) -> bool:
    outside = inside.parent / "outside"
    return entries(outside) == ["secret.txt"] and (outside / "secret.txt").read_text() == "secret"


async def test_in_a_folder_that_may_only_be_read_nothing_changes(inside: Path) -> None:
    (inside / "out").mkdir()
    (inside / "by_link").symlink_to(inside / "a.txt")
    builtins = Builtins(f"ro:{inside}", inside / "out")
    assert (await builtins.value("read_file", path="a.txt"))["text"] == "text\n"
    changes: list[tuple[str, dict[str, Any]]] = [
        ("write_file", {"path": "a.txt", "content": "new"}),
        ("write_file", {"path": "new/b.txt", "content": "new"}),
        ("write_file", {"path": "by_link", "content": "new"}),
        ("edit_file", {"path": "a.txt", "edits": [{"old": "text", "new": "new"}]}),
        ("move_file", {"path": "a.txt", "destination": "out/a.txt"}),
    ]
    for name, arguments in changes:
        code, message = await builtins.failure(name, **arguments)
        assert (code, "may only be read" in message) == ("not_allowed", True)
    assert entries(inside) == ["a.txt", "by_link", "out"]
    await builtins.value("write_file", path="out/b.txt", content="new")
    assert (inside / "out" / "b.txt").read_text() == "new"


async def test_a_folder_that_is_also_allowed_for_writing_can_be_written(inside: Path) -> None:
    await Builtins(f"ro:{inside}", inside).value("write_file", path="a.txt", content="new")
    assert (inside / "a.txt").read_text() == "new"


async def test_a_relative_path_starts_at_the_first_folder_or_beside_the_first_file(inside: Path) -> None:
    (inside / "b.txt").write_text("b")
    file = inside / "a.txt"
    other = inside.parent / "other"
    other.mkdir()
    assert (await Builtins(file, inside).value("read_file", path="b.txt"))["text"] == "b"
    alone = Builtins(file)
    assert (await alone.value("read_file", path="a.txt"))["text"] == "text\n"
    assert (await alone.failure("read_file", path="b.txt"))[0] == "not_allowed"
