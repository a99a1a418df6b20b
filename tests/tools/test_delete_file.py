"""`delete_file` puts a file into the trash, or leaves it where it is."""

from pathlib import Path

import pytest

from core.tools.builtin import delete_file
from tests.tools.rig import Builtins, entries


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder where the trash of the user keeps its files."""
    from send2trash import plat_other  # type: ignore[import-untyped]

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(plat_other, "HOMETRASH_B", bytes(home / "Trash"))
    return home / "Trash/files"


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "inside"
    (folder / "folder").mkdir(parents=True)
    (folder / "a").write_text("old")
    return folder


async def test_a_file_is_put_into_the_trash(inside: Path, trash: Path) -> None:
    (inside / "link").symlink_to("a")
    result = await Builtins(inside).call("delete_file", path="link")
    assert (result.value, result.summary) == ({"path": str(inside / "a")}, "in the trash")
    assert entries(inside) == ["folder", "link"]
    assert (trash / "a").read_text() == "old"


@pytest.mark.parametrize(
    ("path", "code"),
    [("folder", "not_a_file"), ("missing", "not_found"), ("../home", "not_allowed"), ("a/b", "not_a_folder")],
)
async def test_what_is_no_allowed_file_stays(inside: Path, trash: Path, path: str, code: str) -> None:
    assert (await Builtins(inside).failure("delete_file", path=path))[0] == code
    assert (entries(inside), entries(trash.parents[1])) == (["a", "folder"], [])


async def test_without_a_trash_nothing_is_deleted(inside: Path, trash: Path) -> None:
    trash.parent.write_text("in the way")
    code, message = await Builtins(inside).failure("delete_file", path="a")
    assert code == "no_trash"
    assert "was left as it is" in message
    assert (inside / "a").read_text() == "old"


async def test_a_file_that_others_changed_since_it_was_read_stays(inside: Path, trash: Path) -> None:
    builtins = Builtins(inside)
    await builtins.value("read_file", path="a")
    (inside / "a").write_text("newer than old")
    assert (await builtins.failure("delete_file", path="a"))[0] == "changed_since_read"
    await builtins.value("read_file", path="a")
    await builtins.value("delete_file", path="a")
    assert entries(inside) == ["folder"]


async def test_a_folder_that_is_replaced_meanwhile_is_reported(
    inside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inside / "folder/b").write_text("mine")

    def swap(path: str) -> None:
        (inside / "folder").rename(tmp_path / "elsewhere")

    monkeypatch.setattr(delete_file, "put_in_trash", swap)
    code, message = await Builtins(inside).failure("delete_file", path="folder/b")
    assert (code, "still there" in message) == ("failed", True)
