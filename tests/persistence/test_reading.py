"""A store that cannot be written is read all the same, and written again as soon as that is possible."""

import errno
from pathlib import Path

import pytest

from core.errors import StorageFailed
from core.persistence.store_watch import StoreWatch
from core.persistence.surreal import SurrealStorage
from core.ports import PutSetting
from tests.support.damage import content_of


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "storage_full"), (errno.EROFS, "storage_not_writable"), (errno.EACCES, "storage_not_writable")],
)
async def test_it_is_read_until_it_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    store = tmp_path / "store"
    storage = await SurrealStorage.open(store)
    await storage.commit([PutSetting("a", "1")])
    await storage.close()
    before = content_of(store)

    def refuse(_: StoreWatch) -> None:
        raise OSError(number, "refused")

    with monkeypatch.context() as patched:
        patched.setattr(StoreWatch, "begin", refuse)
        storage = await SurrealStorage.open(store)
        assert storage.unwritable_code == code
        assert await storage.settings.all() == {"a": 1}
        for _ in range(2):
            with pytest.raises(StorageFailed) as failed:
                await storage.commit([PutSetting("a", "2")])
            assert failed.value.code == code
        assert content_of(store) == before
    await storage.commit([PutSetting("a", "3")])
    assert await storage.settings.all() == {"a": 3}
    await storage.close()
    storage = await SurrealStorage.open(store)
    assert await storage.settings.all() == {"a": 3}
    await storage.close()


async def test_a_new_store_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: StoreWatch) -> None:
        raise OSError(errno.ENOSPC, "refused")

    monkeypatch.setattr(StoreWatch, "begin", refuse)
    with pytest.raises(StorageFailed) as failed:
        await SurrealStorage.open(tmp_path / "store")
    assert failed.value.code == "storage_full"
