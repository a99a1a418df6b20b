"""Files that a run has changed: what is kept of them, and how a change is undone and done again."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.changed_files import ChangedFile, FileState, Takeback, changed_files
from core.domain.events import FileChanged
from core.domain.fold import replay
from core.domain.ids import WorkflowId
from core.services.outcome import Failed, Ok
from core.tools import file_copies
from core.tools.builtin import delete_file
from core.tools.file_copies import FileCopies
from core.wiring import run_core
from desktop.chat.layout.outputs import diff_text
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until
from tests.tools.rig import entries

pytestmark = pytest.mark.usefixtures("bare")


class World:
    """A core with a folder to work in, a folder of copies, and a workflow."""

    def __init__(self, core: Core, folder: Path, copies: Path) -> None:
        self.core, self.folder, self.copies = core, folder, copies
        self.workflow_id = WorkflowId("")

    async def turn(self, *calls: tuple[str, dict[str, Any]]) -> list[ChangedFile]:
        """Let an agent make the calls, and return what its turn has changed."""
        script: list[dict[str, Any]] = [
            *({"call": tool, "arguments": arguments} for tool, arguments in calls),
            {"say": "Done."},
        ]
        workflow = self.workflow_id or None
        sent = await self.core.chat.send("Work", workflow, allow=[str(self.folder)], script=script)
        assert isinstance(sent, Ok), sent
        self.workflow_id = sent.data.workflow_id
        await self.core.engine.wait(sent.data.id)
        run = replay(await self.core.storage.events.of_run(sent.data.id))
        assert run is not None
        assert [call.error for call in run.calls.values()] == [None] * len(calls)
        return changed_files(run.file_changes)

    async def takeback(self, file: ChangedFile) -> Takeback:
        (shown,) = await self.core.changed_files.show(self.workflow_id, [file])
        return shown.takeback

    async def undo(self, file: ChangedFile) -> Any:
        return await self.core.changed_files.undo(self.workflow_id, file)

    async def redo(self, file: ChangedFile) -> Any:
        return await self.core.changed_files.redo(self.workflow_id, file)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    folder, copies = tmp_path / "folder", tmp_path / "copies"
    folder.mkdir()
    async with run_core(InMemoryStorage(), key_file=tmp_path / "keys.json", copies=FileCopies(copies)) as core:
        yield World(core, folder, copies)


@pytest.fixture(autouse=True)
def trash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_file, "put_in_trash", lambda path: Path(path).unlink())


def write(path: str, content: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": path, "content": content, **more}


def edit(path: str, old: str, new: str) -> tuple[str, dict[str, Any]]:
    return "edit_file", {"path": path, "edits": [{"old": old, "new": new}]}


def move(path: str, destination: str) -> tuple[str, dict[str, Any]]:
    return "move_file", {"path": path, "destination": destination}


def delete(path: str) -> tuple[str, dict[str, Any]]:
    return "delete_file", {"path": path}


async def test_each_kind_of_change_is_undone_and_done_again(world: World) -> None:
    folder = world.folder
    for name in ("edited", "moved", "gone"):
        (folder / name).write_text(f"{name}\n")
    (folder / "gone").chmod(0o755)
    (folder / "log").write_text("one\n")
    files = await world.turn(
        *(write("sub/new", "new\n"), edit("edited", "edited", "better"), write("log", "two\n", append=True)),
        *(move("moved", "sub/there"), edit("sub/there", "moved", "moved and edited"), delete("gone")),
        *(write("for a moment", "x"), delete("for a moment"), write("edited", "better\n")),
    )
    assert [(Path(file.path).relative_to(folder).as_posix(), file.state.value) for file in files] == [
        ("sub/new", "created"),
        ("edited", "written"),
        ("log", "written"),
        ("sub/there", "moved"),
        ("gone", "deleted"),
    ]
    counts = [(file.added, file.removed) for file in files]
    assert counts == [(1, 0), (1, 1), (1, 0), (1, 1), (0, 1)]
    shown = await world.core.changed_files.show(world.workflow_id, files)
    assert [change.file for change in shown] == files
    assert [diff_text(change.diff) for change in shown if change.diff] == [
        "+new\n",
        "-edited\n+better\n",
        " one\n+two\n",
        "-moved\n+moved and edited\n",
        "-gone\n",
    ]
    after = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
    for file in files:
        assert await world.takeback(file) is Takeback.UNDO
        assert await world.undo(file) == Ok(None)
        assert await world.takeback(file) is Takeback.REDO
    assert {name: (folder / name).read_text() for name in ("edited", "moved", "gone", "log")} == {
        **{name: f"{name}\n" for name in ("edited", "moved", "gone")},
        "log": "one\n",
    }
    assert (entries(folder / "sub"), (folder / "gone").stat().st_mode & 0o777) == ([], 0o755)
    for file in files:
        assert await world.redo(file) == Ok(None)
    assert {path: path.read_text() for path in folder.rglob("*") if path.is_file()} == after


async def test_a_file_that_has_changed_since_is_left_as_it_is(world: World) -> None:
    (world.folder / "a").write_text("old")
    (world.folder / "b").write_text("old")
    first = (await world.turn(write("a", "new")))[0]
    second = (await world.turn(edit("a", "new", "newer"), move("b", "c")))[:]
    assert isinstance(refused := await world.undo(first), Failed)
    assert (refused.code, (world.folder / "a").read_text()) == ("changed_since", "newer")
    assert await world.takeback(first) is Takeback.CHANGED
    (shown,) = await world.core.changed_files.show(world.workflow_id, [first])
    assert shown.changed_by == "Work"
    (world.folder / "a").write_text("mine")
    (shown,) = await world.core.changed_files.show(world.workflow_id, [first])
    assert shown.changed_by is None
    (world.folder / "a").write_text("newer")
    (world.folder / "b").write_text("in the way")
    assert isinstance(refused := await world.undo(second[1]), Failed)
    assert (refused.code, (world.folder / "c").read_text()) == ("changed_since", "old")
    assert await world.undo(second[0]) == Ok(None)
    assert await world.undo(first) == Ok(None)
    assert (world.folder / "a").read_text() == "old"


async def test_what_is_too_large_or_no_longer_kept_cannot_be_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copies, "FILE_BYTES", 10)
    monkeypatch.setattr(file_copies.content_of, "__defaults__", (10,))
    (world.folder / "a").write_text("more than ten bytes")
    (large,) = await world.turn(write("a", "small"))
    assert (large.before, await world.takeback(large)) == (None, Takeback.GONE)
    (small,) = await world.turn(write("a", "smaller"))
    for copy in world.copies.rglob("*"):
        if copy.is_file():
            copy.write_text("damaged")
    assert isinstance(refused := await world.undo(small), Failed)
    assert (refused.code, (world.folder / "a").read_text()) == ("copy_gone", "smaller")


async def test_copies_are_private_bounded_and_go_with_their_workflow(world: World, tmp_path: Path) -> None:
    await world.turn(write("a", "one"), write("a", "two"))
    (folder,) = world.copies.iterdir()
    assert (len(entries(folder)), folder.stat().st_mode & 0o077) == (2, 0)
    assert isinstance(await world.core.trash.discard(world.workflow_id), Ok)
    assert len(entries(folder)) == 2
    await world.core.trash.delete(world.workflow_id)
    await until(lambda: not folder.exists())
    bounded = FileCopies(tmp_path / "bounded", workflow_bytes=10)
    names = [bounded.keep(WorkflowId("wf"), bytes([number]) * 4) for number in range(4)]
    assert [bounded.content(WorkflowId("wf"), name) is not None for name in names] == [False, False, True, True]
    bounded.forget_others([])
    assert entries(tmp_path / "bounded") == []


def test_a_file_that_is_moved_to_and_fro_or_written_as_it_was_has_not_changed() -> None:
    def fact(change: Any, path: str, before: str | None, after: str | None, to: str | None = None) -> FileChanged:
        return FileChanged(call_id="c", change=change, path=path, destination=to, before=before, after=after)

    there, back = fact("moved", "a", "1", "1", "b"), fact("moved", "b", "1", "1", "a")
    assert changed_files([there, back]) == []
    assert changed_files([fact("written", "a", "1", "2"), fact("written", "a", "2", "1")]) == []
    assert changed_files([fact("deleted", "a", "1", None), fact("created", "a", None, "1")]) == []
    assert changed_files([there, fact("deleted", "b", "1", None)]) == [ChangedFile("a", FileState.DELETED, "1", None)]
    assert changed_files([fact("created", "a", None, "1"), fact("moved", "a", "1", "1", "b")]) == [
        ChangedFile("b", FileState.CREATED, None, "1")
    ]
