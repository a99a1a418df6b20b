"""The store under test: the embedded database in a folder of its own, and its twin in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.domain.ids import RunId
from core.persistence.keys import key_range, record_id
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports.storage import Storage
from tests.support.in_memory.storage import InMemoryStorage


class Store:
    """A store, and ways to break rows of it that its port rightly lacks."""

    def __init__(self, storage: InMemoryStorage | SurrealStorage) -> None:
        self._storage = storage

    @property
    def port(self) -> Storage:
        return self._storage

    async def spoil_run(self, run_id: RunId) -> None:
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil_run(run_id)
        else:
            await self._break(record_id("run", run_id))

    async def spoil_snapshot(self, run_id: RunId) -> None:
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil_snapshot(run_id)
        else:
            await self._break(record_id("snapshot", run_id))

    async def spoil_step_results(self, run_id: RunId) -> None:
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil_step_results(run_id)
        else:
            await self._break(key_range("step_result", run_id))

    async def spoil_events(self, run_id: RunId) -> None:
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil_events(run_id)
        else:
            await self._break(key_range("event", run_id))

    async def spoil_interruptions(self, run_id: RunId) -> None:
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil_interruptions(run_id)
        else:
            await self._break(key_range("interruption", run_id))

    async def _break(self, rows: object) -> None:
        assert isinstance(self._storage, SurrealStorage)
        broken = await self._storage._connection.commit([Statement("UPDATE $given SET data = '{' RETURN id", rows)])
        assert broken[0], "there was nothing to break"


@pytest.fixture(params=["embedded", "in_memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    storage = InMemoryStorage() if request.param == "in_memory" else await SurrealStorage.open(tmp_path / "store")
    yield Store(storage)
    await storage.close()


@pytest.fixture
def storage(store: Store) -> Storage:
    return store.port
