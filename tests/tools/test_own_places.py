"""The app's own folders are out of reach of every tool, whichever way leads there."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from core.errors import ToolFailed
from core.ports import AllowFile, FileRequest
from core.services.attachments import AttachmentService
from core.services.outcome import Failed, Ok
from core.tools.file_access import Folder, resolve_path
from core.tools.own_places import OwnPlaces
from tests.support.in_memory.storage import InMemoryStorage
from tests.tools.rig import Builtins

TOOLS = [("read_file", {}), ("write_file", {"content": "x"}), ("write_file", {"content": "x", "append": True})]
EACH_TOOL = pytest.mark.parametrize(("name", "more"), TOOLS, ids=["read", "write", "append"])
KEYS = '{"keys": {"https://api.example": "k-1"}}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return an allowed folder that contains the app's data, its program, and a file of the user."""
    home = tmp_path / "home"
    for folder in ("metier/store/manifest", "program/core"):
        (home / folder).mkdir(parents=True)
    (home / "metier/keys.json").write_text(KEYS)
    (home / "metier/store/LOCK").write_text("")
    (home / "program/core/wiring.py").write_text("print()")
    (home / "notes.txt").write_text("mine")
    return home


@pytest.fixture
def own(home: Path) -> OwnPlaces:
    return OwnPlaces([home / "metier", home / "nowhere"], [home / "program"])


def real_path(path: Path) -> str:
    return os.path.realpath(path)


@EACH_TOOL
@pytest.mark.parametrize(
    "path",
    [
        *("metier/keys.json", "metier/store/LOCK", "metier/store/manifest/new", "metier/new/er.txt", "metier"),
        *("program/core/wiring.py", "program/sitecustomize.py"),
        *("metier/../metier/keys.json", "a/../metier/keys.json", "./metier/./keys.json", "metier//keys.json"),
        *("to_data/keys.json", "to_file", "to_store/../keys.json", "to_link/keys.json", "linked.json"),
    ],
)
async def test_no_way_leads_to_them(home: Path, own: OwnPlaces, name: str, more: dict[str, Any], path: str) -> None:
    (home / "to_data").symlink_to(home / "metier")
    (home / "to_file").symlink_to("metier/keys.json")
    (home / "to_store").symlink_to(home / "metier/store")
    (home / "to_link").symlink_to("to_data")
    os.link(home / "metier/keys.json", home / "linked.json")
    tools = Builtins(home, own=own)
    for spelling in (path, str(home / path)):
        code, message = await tools.failure(name, path=spelling, **more)
        assert (code, "Metier itself" in message) == ("not_allowed", True), spelling
    assert (home / "metier/keys.json").read_text() == KEYS
    assert not (home / "metier/new").exists()
    assert not (home / "program/sitecustomize.py").exists()


@EACH_TOOL
async def test_allowing_one_of_them_by_name_does_not_open_it(
    home: Path, own: OwnPlaces, name: str, more: dict[str, Any]
) -> None:
    for allowed in (home / "metier", home / "metier/store", home / "program/core"):
        code, message = await Builtins(allowed, own=own).failure(name, path="LOCK", **more)
        assert (code, "Metier itself" in message) == ("not_allowed", True)
    code, _ = await Builtins(home, own=own, base=home / "metier").failure(name, path="keys.json", **more)
    assert code == "not_allowed"


async def test_they_are_not_listed_and_all_else_is(home: Path, own: OwnPlaces) -> None:
    (home / "to_file").symlink_to("metier/keys.json")
    os.link(home / "metier/keys.json", home / "linked.json")
    os.link(home / "notes.txt", home / "notes2.txt")  # another name of a file that is the user's
    tools = Builtins(home, own=own)
    for recursive in (False, True):
        listed = await tools.value("list_files", path=".", recursive=recursive)
        assert [file["name"] for file in listed["files"]] == ["notes.txt", "notes2.txt"]
        assert "unreadable" not in listed
    for path in ("metier", "program/core"):
        assert (await tools.failure("list_files", path=path))[0] == "not_allowed"


@EACH_TOOL
async def test_files_beside_them_are_reached_as_before(
    home: Path, own: OwnPlaces, name: str, more: dict[str, Any]
) -> None:
    os.link(home / "notes.txt", home / "again.txt")
    tools = Builtins(home, own=own)
    for path in ("metier2.txt", "metier.txt"):
        (home / path).write_text("text")
        await tools.value(name, path=path, **more)
    await tools.value("read_file", path="again.txt")


def test_a_folder_that_is_swapped_for_the_apps_after_the_check_is_not_entered(home: Path, own: OwnPlaces) -> None:
    (home / "work").mkdir()
    (home / "work/keys.json").write_text("harmless")
    target = resolve_path("work/keys.json", [str(home)], own=own)
    (home / "work").rename(home / "gone")
    (home / "metier").rename(home / "work")
    with pytest.raises(ToolFailed, match="Metier itself"), target.parent():
        raise AssertionError("entered")


def test_a_file_that_is_swapped_for_the_apps_after_the_check_is_not_opened(home: Path, own: OwnPlaces) -> None:
    target = resolve_path("notes.txt", [str(home)], own=own)
    (home / "notes.txt").unlink()
    os.link(home / "metier/keys.json", home / "notes.txt")
    with target.parent() as (folder, name), pytest.raises(ToolFailed, match="Metier itself"):
        folder.open_file(name, os.O_RDONLY)


def test_a_folder_is_recognized_under_another_name(home: Path, own: OwnPlaces) -> None:
    # As with a bind mount, which takes root to make: another path that leads to the same device and inode.
    with pytest.raises(ToolFailed, match="Metier itself"):
        Folder("elsewhere", os.open(home / "metier", os.O_RDONLY), own.guard())


async def test_a_picked_file_of_the_app_is_refused_and_so_is_an_older_permission(home: Path, own: OwnPlaces) -> None:
    async def pick(wanted: FileRequest) -> Path:
        return home / "metier/keys.json"

    storage = InMemoryStorage()
    tools = Builtins(own=own, picker=pick, viewed=True, storage=storage)
    code, message = await tools.failure("pick_file")
    assert (code, "Metier itself" in message) == ("not_allowed", True)
    path = real_path(home / "metier/keys.json")
    await storage.commit([AllowFile(tools.context.run_id, path)])
    assert (await tools.failure("read_file", path=path))[0] == "not_allowed"


async def test_they_can_neither_be_attached_nor_completed(home: Path, own: OwnPlaces) -> None:
    (home / "to_data").symlink_to("metier")
    os.link(home / "metier/keys.json", home / "linked.json")
    service = AttachmentService(InMemoryStorage(), own)
    for path in ("metier/keys.json", "to_data/keys.json", "linked.json", "program/core/wiring.py"):
        outcome = await service.read(str(home / path))
        assert isinstance(outcome, Failed), path
        assert outcome.code == "file_is_own"
    assert isinstance(await service.read(str(home / "notes.txt")), Ok)
    assert [entry.name for entry in await service.complete_path(f"{home}/")] == ["notes.txt"]
    assert await service.complete_path(f"{home}/metier/k") == []
    assert await service.complete_path(f"{home}/to_data/") == []


def test_the_data_is_looked_through_only_for_a_file_with_several_names(home: Path, own: OwnPlaces) -> None:
    guard = own.guard()
    assert not guard.holds((home / "notes.txt").stat())
    assert guard._files is None


async def test_a_socket_is_no_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("a.socket")
        tools = Builtins(home)
        assert (await tools.failure("read_file", path="a.socket"))[0] == "not_a_file"
        assert (await tools.failure("write_file", path="a.socket", content="x"))[0] == "not_a_file"
