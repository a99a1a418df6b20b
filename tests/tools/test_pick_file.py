"""`pick_file`: what a picked file permits, and what stays closed."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import RunId
from core.domain.tool import CallStatus, Effect
from core.errors import StorageFailed
from core.ports import FileRequest
from tests.support.in_memory.storage import InMemoryStorage
from tests.tools.rig import Builtins, error_of


class Person:
    """A user who picks this file, and records the requests."""

    def __init__(self, picks: Path | None) -> None:
        self.picks = picks
        self.asked: list[FileRequest] = []

    async def __call__(self, wanted: FileRequest) -> Path | None:
        self.asked.append(wanted)
        return self.picks


def tools(picks: Path | None, *allow: Path, **more: Any) -> Builtins:
    return Builtins(*allow, picker=Person(picks), viewed=True, **more)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "private").mkdir()
    (tmp_path / "allowed").mkdir()
    (tmp_path / "private/other.txt").write_text("other")
    picked = tmp_path / "private/été.txt"
    picked.write_text("picked")
    return picked


def text_of(path: Path) -> str:
    return path.read_text()


def swap(path: Path, target: Path) -> None:
    """Put a link in the place of the file."""
    path.unlink()
    path.symlink_to(target)


@pytest.mark.parametrize("has_folder", [True, False])
async def test_the_file_tools_reach_what_was_picked_and_nothing_beside_it(
    file: Path, tmp_path: Path, has_folder: bool
) -> None:
    made = tools(file, *([tmp_path / "allowed"] if has_folder else []))
    assert (await made.failure("read_file", path=str(file)))[0] == "not_allowed"
    value = await made.value("pick_file", purpose="To be summed up")
    assert value == {"path": str(file), "name": "été.txt", "size": 6, "cancelled": False}
    assert (await made.value("read_file", path=value["path"]))["text"] == "picked"
    await made.value("write_file", path=value["path"], content="written")
    await made.value("write_file", path=value["path"], content=" more", append=True)
    assert text_of(file) == "written more"
    for path in (file.parent / "other.txt", file.parent / "new.txt", file.parent, file / "x", f"{file}2"):
        for name, more in (("read_file", {}), ("write_file", {"content": "x"}), ("list_files", {})):
            assert (await made.failure(name, path=str(path), **more))[0] in ("not_allowed", "not_a_folder")
    assert (await made.failure("list_files", path=str(file)))[0] == "not_allowed"
    assert text_of(file.parent / "other.txt") == "other"


async def test_it_holds_for_this_run_alone_and_for_its_next_life(file: Path) -> None:
    first = tools(file)
    await first.value("pick_file")
    again = tools(None, storage=first.storage)
    assert (await again.value("read_file", path=str(file)))["text"] == "picked"
    again.context = replace(again.context, run_id=RunId("run_2"))
    assert (await again.failure("read_file", path=str(file)))[0] == "not_allowed"


async def test_a_link_is_what_it_leads_to_and_one_put_there_later_leads_nowhere(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(file)
    made = tools(link)
    assert (await made.value("pick_file"))["path"] == str(file)
    assert (await made.value("read_file", path=str(link)))["text"] == "picked"
    swap(file, file.parent / "other.txt")
    assert (await made.failure("read_file", path=str(file)))[0] == "not_allowed"


async def test_the_user_may_pick_nothing(tmp_path: Path) -> None:
    result = await tools(None).call("pick_file", suffixes=["csv", ".tar.gz"])
    assert result.value == {"path": None, "name": None, "size": None, "cancelled": True}
    assert result.summary == "nothing picked"


async def test_the_user_sees_what_it_is_for(file: Path) -> None:
    person = Person(file)
    made = Builtins(picker=person, viewed=True)
    await made.value("pick_file", purpose="Your budget", suffixes=["csv", ".tar.gz"])
    assert person.asked == [FileRequest(made.context.workflow_id, "Your budget", ("csv", "tar.gz"))]


async def test_where_the_run_is_not_viewed_no_dialog_opens(file: Path) -> None:
    person = Person(file)
    result = await Builtins(picker=person).call("pick_file")
    assert result.status is CallStatus.SKIPPED
    assert result.error is not None
    assert result.error.message == "Tool not available in background mode"
    assert person.asked == []


@pytest.mark.parametrize("kind", ["folder", "missing", "fifo"])
async def test_what_is_no_file_cannot_be_picked(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    made = tools(path)
    assert (await made.failure("pick_file"))[0] == ("not_found" if kind == "missing" else "not_a_file")
    assert await made.storage.allowed_files.of_run(made.context.run_id) == []


async def test_what_cannot_be_kept_is_not_let_in(file: Path) -> None:
    class Full(InMemoryStorage):
        async def commit(self, writes: Any) -> frozenset[int]:
            raise StorageFailed("storage_full", "the disk is full")

    made = tools(file, storage=Full())
    assert (await made.failure("pick_file"))[0] == "storage_full"
    assert (await made.failure("read_file", path=str(file)))[0] == "not_allowed"


WRONG: list[tuple[Any, str]] = [
    ({"purpose": ""}, "purpose"),
    ({"purpose": "x" * 201}, "purpose"),
    ({"purpose": 5}, "purpose"),
    ({"suffixes": "csv"}, "suffixes"),
    ({"suffixes": [""]}, "suffixes"),
    ({"suffixes": ["*"]}, "'*' is not a suffix"),
    ({"suffixes": ["a b"]}, "'a b' is not a suffix"),
    ({"suffixes": ["csv)"]}, "'csv)' is not a suffix"),
    ({"suffixes": ["x"] * 21}, "suffixes"),
    ({"path": "/etc"}, "path"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[str(number) for number in range(len(WRONG))])
async def test_invalid_arguments_are_reported_and_no_dialog_opens(arguments: Any, reason: str) -> None:
    person = Person(None)
    made = Builtins(picker=person, viewed=True)
    code, message = error_of(await made.runner.call("pick_file", arguments, made.context, default_timeout_s=10))
    assert (code, reason in message) == ("invalid_arguments", True)
    assert person.asked == []


def test_it_can_be_asked_again_after_a_crash() -> None:
    assert tools(None).tools["pick_file"].effect({}) is Effect.IDEMPOTENT
