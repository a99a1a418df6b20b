"""What the app writes is its owner's alone, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.app import Folders
from core.threads.files import make_private_folder, private_opener, replace_private

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")


@pytest.fixture(params=[0o000, 0o022], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_folder_that_is_made_on_the_way_is_private(tmp_path: Path, umask: None) -> None:
    make_private_folder(tmp_path / "a/b/c")
    assert {mode(tmp_path / each) for each in ("a", "a/b", "a/b/c")} == {0o700}


def test_existing_folders_keep_their_mode(tmp_path: Path, umask: None) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine").chmod(0o755)
    make_private_folder(tmp_path / "mine")
    make_private_folder(tmp_path / "mine/new")
    assert (mode(tmp_path / "mine"), mode(tmp_path / "mine/new")) == (0o755, 0o700)


def test_files_are_private_and_existing_ones_become_so(tmp_path: Path, umask: None) -> None:
    (tmp_path / "old.log").touch()
    (tmp_path / "old.log").chmod(0o666)
    for name in ("old.log", "new.log"):
        with open(tmp_path / name, "a", opener=private_opener) as file:
            file.write("line")
    replace_private(tmp_path / "keys.json", b"{}")
    assert {mode(path) for path in tmp_path.iterdir()} == {0o600}


def test_the_folders_of_the_app_are_made_private_but_not_a_folder_of_the_users(tmp_path: Path, umask: None) -> None:
    folders = Folders.choose(str(tmp_path / "new"))
    folders.create()
    assert {mode(tmp_path / "new"), mode(folders.logs)} == {0o700}
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "letter.txt").touch()
    documents.chmod(0o755)
    Folders.choose(str(documents)).create()
    assert (mode(documents), mode(documents / "logs")) == (0o755, 0o700)
    (documents / "store").mkdir()  # from an older version, that kept data there and did not close the folder
    Folders.choose(str(documents)).create()
    assert mode(documents) == 0o700


def test_a_folder_that_cannot_be_made_is_left_to_whoever_writes_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    Folders.choose(str(tmp_path / "file/data")).create()
