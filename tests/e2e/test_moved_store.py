"""A data folder that is moved away while a run works: the run pauses, reports nothing that is nowhere, and goes on."""

import shutil
from pathlib import Path

import pytest

from core.bus import SaveState, SaveStateChanged
from core.domain.run import RunStatus
from core.persistence.surreal import SurrealStorage
from core.services.outcome import Ok
from core.wiring import run_core
from tests.support.waiting import until

SCRIPT = ({"say": "word " * 300, "delay_ms": 20},)


@pytest.mark.parametrize("comes_back", [True, False])
async def test_a_run_whose_store_is_moved_away_waits_for_it(tmp_path: Path, comes_back: bool) -> None:
    store, away = tmp_path / "store", tmp_path / "away"
    storage = await SurrealStorage.open(store)
    states = list[SaveStateChanged]()
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        core.bus.subscribe(SaveStateChanged, states.append)
        said = await core.chat.send("go", script=SCRIPT)
        assert isinstance(said, Ok)
        shutil.move(store, away)
        await until(lambda: any(state.code == "storage_moved" for state in states))
        run = await core.storage.runs.get(said.data.id)  # what was open can still be read
        assert run is not None
        assert run.status is RunStatus.RUNNING
        if comes_back:
            shutil.move(away, store)
            core.runs.retry_writing()
            assert (await core.engine.wait(said.data.id)).status is RunStatus.SUCCESS
            await until(lambda: states[-1].saving is SaveState.SAVED)
    await storage.close()
    if not comes_back:
        assert not store.exists()
        return
    again = await SurrealStorage.open(store)
    run = await again.runs.get(said.data.id)
    assert run is not None
    assert run.status is RunStatus.SUCCESS
    await again.close()
