"""The store under test: the embedded database in its own folder, and the in-memory twin."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.domain.ids import RunId
from core.persistence.keys import key_range, record_id
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports import Storage
from tests.support.in_memory.storage import InMemoryStorage


class Store:
    """A store that can damage its rows, which the port rightly cannot."""

    def __init__(self, storage: InMemoryStorage | SurrealStorage) -> None:
        self._storage = storage

    @property
    def port(self) -> Storage:
        return self._storage

    async def spoil(self, rows: str, run_id: RunId) -> None:
        """Make rows of the run unreadable, named as for `InMemoryStorage.spoil`."""
        if isinstance(self._storage, InMemoryStorage):
            self._storage.spoil(rows, run_id)
            return
        one_row = {"row": "run", "snapshot": "snapshot"}
        table = {"events": "fact", "interruptions": "interruption"}.get(rows, rows)
        broken = record_id(one_row[rows], run_id) if rows in one_row else key_range(table, run_id)
        changed = await self._storage.connection.commit(
            [Statement("UPDATE $argument SET data = '{' RETURN id", broken)]
        )
        assert changed[0], "there was nothing to break"


@pytest.fixture(params=["embedded", "in_memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    storage = InMemoryStorage() if request.param == "in_memory" else await SurrealStorage.open(tmp_path / "store")
    yield Store(storage)
    await storage.close()


@pytest.fixture
def storage(store: Store) -> Storage:
    return store.port
