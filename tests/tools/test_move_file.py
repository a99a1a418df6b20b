"""`move_file` moves a file inside the allowed folders and overwrites nothing."""

import os
from pathlib import Path

import pytest

from core.tools import file_access
from tests.tools.rig import Builtins, entries


async def test_a_file_is_moved_with_its_missing_folders(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    result = await Builtins(tmp_path).call("move_file", path="a", destination="b/c")
    assert result.value == {"path": str(tmp_path / "a"), "destination": str(tmp_path / "b/c")}
    assert result.summary == "c"
    assert (tmp_path / "b/c").read_text() == "old"
    assert entries(tmp_path) == ["b"]


@pytest.mark.skipif(os.name != "posix", reason="a rename does it elsewhere")
async def test_a_file_that_cannot_leave_its_folder_gets_no_second_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.unlink

    def refuse(name: str, **more: int) -> None:
        if name == "a":
            raise PermissionError(13, "Permission denied")
        really(name, **more)

    (tmp_path / "a").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(file_access, "rename_exclusively", lambda *names: False)
        patch.setattr(os, "unlink", refuse)
        assert (await Builtins(tmp_path).failure("move_file", path="a", destination="b"))[0] == "not_allowed"
        assert entries(tmp_path) == ["a"]
        assert (tmp_path / "a").read_text() == "old"
        patch.setattr(os, "unlink", really)
        assert (await Builtins(tmp_path).failure("move_file", path="a", destination="a"))[0] == "exists"
        await Builtins(tmp_path).value("move_file", path="a", destination="b")
    assert entries(tmp_path) == ["b"]
    assert (tmp_path / "b").read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="a hard link is a file like any other elsewhere")
async def test_a_hard_link_leaves_its_other_name_and_a_link_what_leads_to_it(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "other").write_text("old")
    os.link(tmp_path / "other", inside / "a")
    (inside / "link").symlink_to("a")
    await Builtins(inside).value("move_file", path="link", destination="b")
    assert (entries(inside), (inside / "link").is_symlink()) == (["b", "link"], True)
    assert [(inside / "b").read_text(), (tmp_path / "other").read_text()] == ["old", "old"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("a", "other", "exists"),
        ("a", "a", "exists"),
        ("a", "folder", "exists"),
        ("a", "link", "exists"),
        ("folder", "b", "not_a_file"),
        ("missing", "b", "not_found"),
        ("a", "../b", "not_allowed"),
        ("../secret", "b", "not_allowed"),
        ("out", "b", "not_allowed"),
        ("a", "out", "not_allowed"),
        ("a", "other/b", "not_a_folder"),
    ],
)
async def test_what_cannot_be_moved_stays(tmp_path: Path, old: str, new: str, code: str) -> None:
    inside = tmp_path / "inside"
    (inside / "folder").mkdir(parents=True)
    for path in (inside / "a", inside / "other", tmp_path / "secret"):
        path.write_text(path.name)
    (inside / "link").symlink_to("other")
    (inside / "out").symlink_to(tmp_path / "secret")
    assert (await Builtins(inside).failure("move_file", path=old, destination=new))[0] == code
    assert entries(inside) == ["a", "folder", "link", "other", "out"]
    assert [(inside / "a").read_text(), (inside / "other").read_text()] == ["a", "other"]
    assert entries(tmp_path) == ["inside", "secret"]
