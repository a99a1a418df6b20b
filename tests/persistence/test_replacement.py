"""A new store in place of the current one: the old or the new, wherever the process is killed."""

import signal
from pathlib import Path

import pytest

from core.persistence import replacement
from core.persistence.store_watch import adopt
from core.persistence.surreal import SurrealStorage
from core.ports import PutSetting
from tests.persistence.processes import run

FILES = ("LOCK", "tables/1")

# Kills itself before the change of the disk number `at`; 0 never does. Says how many there were.
MORTAL = """
from core.persistence import replacement

at, passed = int(sys.argv[2]), 0

def hook(event, arguments):
    global passed
    if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir"):
        passed += 1
        if passed == at:
            os.kill(os.getpid(), signal.SIGKILL)

def note(path):
    (STORE.parent / "watch.new").write_text((path / "LOCK").read_text() if path.exists() else "nothing")
    (STORE.parent / "watch.new").replace(STORE.parent / "watch")

sys.addaudithook(hook)
"""
REPLACE = f"""{MORTAL}
async def main():
    replacement.replace(STORE, note, keep_old=sys.argv[3] == "keep")
    say(passed)
"""
RECOVER = f"""{MORTAL}
async def main():
    replacement.recover(STORE, note)
    say(passed)
"""


def make(folder: Path, content: str) -> None:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def content(folder: Path) -> str:
    """Return what the folder's files hold, which must all be there and hold the same."""
    (text,) = {(folder / name).read_text() for name in FILES}
    assert len([path for path in folder.rglob("*") if path.is_file()]) == len(FILES)
    return text


def scene(folder: Path, *, has_old: bool = True) -> Path:
    store = folder / "data" / "store"
    store.parent.mkdir(parents=True)
    if has_old:
        make(store, "old")
    make(replacement.building_folder(store), "new")
    (store.parent / "watch").write_text("old" if has_old else "nothing")
    return store


def names(store: Path) -> set[str]:
    return {path.name for path in store.parent.iterdir()} - {"watch", "watch.new"}


def check(store: Path, *, keep: bool, has_old: bool = True) -> str:
    """Check what is there after a recovery, and return which store it is."""
    which = content(store) if has_old or store.exists() else "nothing"
    assert (store.parent / "watch").read_text() == which
    others = names(store) - {"store"}
    if keep and has_old and which == "new":
        (name,) = others
        assert name.startswith("store.aside-")
        assert content(store.parent / name) == "old"
    else:
        assert not others
    return which


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("has_old", [False, True])
def test_a_replacement_killed_at_any_change_is_completed_or_undone(tmp_path: Path, keep: bool, has_old: bool) -> None:
    """Also when the recovery is killed at each of its changes, which the one after it completes."""
    how = "keep" if keep else "delete"
    store = scene(tmp_path / "all", has_old=has_old)
    changes = int(run(REPLACE, store, 0, how)[0])
    assert check(store, keep=keep, has_old=has_old) == "new"
    assert changes > 4
    seen = set()
    for at in range(1, changes + 1):
        recoveries, again = 1, 0
        while again < recoveries + 1:
            store = scene(tmp_path / f"{at}-{again}", has_old=has_old)
            run(REPLACE, store, at, how, code=-signal.SIGKILL)
            if again:
                run(RECOVER, store, again, code=-signal.SIGKILL)
            done = int(run(RECOVER, store, 0)[0])
            recoveries = done if again == 0 else recoveries
            seen.add(check(store, keep=keep, has_old=has_old))
            again += 1
    assert seen == {"old" if has_old else "nothing", "new"}


def test_an_unfinished_store_is_deleted(tmp_path: Path) -> None:
    store = scene(tmp_path)
    replacement.recover(store, lambda path: pytest.fail("nothing was replaced"))
    assert names(store) == {"store"}
    assert content(store) == "old"


def test_a_second_store_of_the_day_is_set_aside_beside_the_first(tmp_path: Path) -> None:
    store = scene(tmp_path)
    kept = []
    for name in ("new", "newer"):
        make(replacement.building_folder(store), name)
        kept.append(replacement.replace(store, lambda path: None, keep_old=True))
    assert [content(folder) for folder in kept if folder is not None] == ["old", "new"]
    assert content(store) == "newer"


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_folder_that_cannot_be_renamed_leaves_the_old_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    store, calls = scene(tmp_path), 0
    rename = Path.rename

    def refuse_once(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise PermissionError(13, "denied", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_once)
    with pytest.raises(PermissionError):
        replacement.replace(store, lambda path: None)
    assert content(store) == "old"
    assert names(store) == {"store", "store.building"}
    replacement.replace(store, lambda path: None)
    assert content(store) == "new"


def test_what_fails_after_the_new_store_is_in_place_is_tried_again(tmp_path: Path) -> None:
    store, described = scene(tmp_path), list[Path]()

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        replacement.replace(store, full)
    assert content(store) == "new"
    replacement.recover(store, described.append)
    assert described == [store]
    assert names(store) == {"store"}


async def test_a_real_store_is_replaced_by_another(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for path, value in ((store, "1"), (replacement.building_folder(store), "2")):
        storage = await SurrealStorage.open(path)
        await storage.commit([PutSetting("which", value)])
        await storage.close()
    replacement.replace(store, adopt)
    storage = await SurrealStorage.open(store)
    assert await storage.settings.all() == {"which": 2}
    await storage.close()
