"""An import that dies, fails or is cancelled at any point leaves all of it or nothing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.persistence.surreal import SurrealStorage
from core.ports import Write
from core.services.import_export.library import OnConflict
from core.services.import_export.service import ALL_KINDS
from core.services.outcome import Ok
from tests.services.import_export.filled import a_core, an_empty_store, chat, export, fill, ok
from tests.support.failing_storage import FailingMemory, Trouble
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.project import ROOT

pytestmark = pytest.mark.usefixtures("bare")


class Remembering(InMemoryStorage):
    """A store that keeps what a kill would leave before and after each commit."""

    left: list[InMemoryStorage]

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        self.left.append(InMemoryStorage(self._tables.copy()))
        lost = await super().commit(writes)
        self.left.append(InMemoryStorage(self._tables.copy()))
        return lost

    async def delete_workflow(self, workflow_id: Any) -> None:
        self.left.append(InMemoryStorage(self._tables.copy()))
        await super().delete_workflow(workflow_id)
        self.left.append(InMemoryStorage(self._tables.copy()))


async def content(storage: InMemoryStorage, folder: Path) -> dict[str, Any]:
    """What the next start makes of a store, as an export, once what is hidden is deleted."""
    async with a_core(storage, folder) as core:
        found = await export(core, folder / "left.zip")
    rows = storage._tables
    workflows = {each.id for _, each in rows.workflows.values()}
    assert {message.workflow_id for _, message in rows.messages.values()} <= workflows
    assert {run.workflow_id for _, run in rows.runs.values()} <= workflows
    assert rows.events.keys() <= rows.runs.keys()
    assert rows.discarded == {}
    return found


@pytest.mark.parametrize("on_conflict", [OnConflict.SKIP, OnConflict.OVERWRITE])
async def test_a_kill_at_any_commit_leaves_all_or_nothing(tmp_path: Path, on_conflict: OnConflict) -> None:
    storage = Remembering()
    storage.left = []
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        talk = await chat(core, "say 1 word")
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
        ok(await core.import_export.export(tmp_path / "talk.json", [talk]))
    async with a_core(storage, tmp_path) as core:
        ok(await core.import_export.import_file(tmp_path / "talk.json"))
        ok(await core.workflows.rename(talk, "Other"))  # a conflict
        storage.left.clear()
        ok(await core.import_export.import_file(tmp_path / "all.zip", on_conflict))
        left = list(storage.left)
    before, after = await content(left[0], tmp_path), await content(left[-1], tmp_path)
    assert before != after
    seen = [await content(each, tmp_path) for each in left]
    assert [each for each in seen if each not in (before, after)] == []
    assert (before in seen, after in seen) == (True, True)
    assert len(left) > 8


@pytest.mark.parametrize("is_applied", [False, True])
async def test_a_failed_write_leaves_nothing(tmp_path: Path, *, is_applied: bool) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    for at in range(1, 30):
        storage = FailingMemory()
        storage.trouble = Trouble(at, is_applied=is_applied)
        async with a_core(storage, tmp_path) as core:
            before = await export(core, tmp_path / "before.zip")
            storage.trouble.is_on = True
            done = await core.import_export.import_file(tmp_path / "all.zip")
            storage.trouble.is_on = False
            if not storage.trouble.failed:
                ok(done)
                return
            if isinstance(done, Ok):  # the last commit was written, though it was told as failed
                assert is_applied
                assert len(await core.storage.workflows.all()) == 4
                continue
            assert done.code == "storage_full"
            assert await export(core, tmp_path / "after.zip") == before
            assert (core.prompts.current, core.servers.configs) == ((), [])
            ok(await core.import_export.import_file(tmp_path / "all.zip"))
    raise AssertionError("every commit failed")


async def test_a_cancelled_import_leaves_nothing(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        for _ in range(5):
            await chat(core, "say 1 word")
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    async with a_core(an_empty_store(), tmp_path) as core:
        reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def progress(done: int, total: int) -> None:
            if done == 3 and not reached.done():
                reached.set_result(None)

        importing = asyncio.ensure_future(_import(core, tmp_path / "all.zip", progress))
        await reached
        importing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await importing
        assert await core.storage.workflows.all() == []
        assert await core.storage.workflows.discarded() == []
        assert await core.storage.runs.page() == []


async def _import(core: Core, path: Path, progress: Any) -> Any:
    return await core.import_export.import_file(path, progress=progress)


_LIFE = """
import asyncio, os, signal, sys
from pathlib import Path
from core.app import Folders
from core.persistence.surreal import SurrealStorage
from core.wiring import open_core

async def main(data, file, at):
    commit, count = SurrealStorage.commit, 0

    async def mortal(self, writes):
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return await commit(self, writes)

    async with open_core(Folders.choose(data)) as core:
        SurrealStorage.commit = mortal
        done = await core.import_export.import_file(Path(file))
        assert hasattr(done, "data"), done

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
async def test_a_process_that_is_killed_leaves_all_or_nothing(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        for number in range(2):
            await chat(core, f"say {number + 1} words")
        ok(await core.prompts.save(name="P", content="text"))
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    counts = []
    for at in range(1, 6):
        data = tmp_path / f"data{at}"
        life = [sys.executable, "-P", "-c", _LIFE, str(data), str(tmp_path / "all.zip"), str(at)]
        code = await asyncio.to_thread(_run, life)
        assert code in (0, -signal.SIGKILL)
        storage = await SurrealStorage.open(data / "store")
        try:
            workflows, prompts = await storage.workflows.all(), await storage.prompts.all()
        finally:
            await storage.close()
        counts.append((len(workflows), len(prompts)))
        assert code == -signal.SIGKILL or counts[-1] == (2, 1)
    assert set(counts) == {(0, 0), (2, 1)}


def _run(life: list[str]) -> int:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    return subprocess.run(life, env=env, check=False, timeout=120).returncode
