"""What is read of a damaged store, and what is said to be missing."""

import shutil
from pathlib import Path

import pytest

from core.backups.salvage import Salvaged, salvage
from core.backups.salvage_manifest import decode_manifest, manifest_of_tables
from core.errors import StorageFailed
from core.persistence.store_watch import adopt
from core.persistence.surreal import SurrealStorage
from tests.contracts.rows import W
from tests.support.damage import DamagedStores, content_of

ALL = 40


@pytest.fixture(scope="module", params=["close", "kill"])
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> DamagedStores:
    return DamagedStores(tmp_path_factory.mktemp("salvage"), request.param)


async def salvaged(stores: DamagedStores, data: Path, *gone: str) -> tuple[Salvaged, int]:
    """Salvage a copy of the store without these files; return what was found and the number of its messages."""
    shutil.copytree(stores.base, data)
    for name in gone:
        entry = data / name
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    before = content_of(data / "store")
    found = await salvage(data / "store", data / "new")
    assert content_of(data / "store") == before
    adopt(data / "new")
    storage = await SurrealStorage.open(data / "new")
    messages = await storage.messages.of_workflow(W)
    settings = await storage.settings.all()
    await storage.close()
    assert len(settings) == found.rows["setting"]
    return found, len(messages)


async def test_all_is_read_of_a_store_without_damage(stores: DamagedStores, tmp_path: Path) -> None:
    found, messages = await salvaged(stores, tmp_path / "data")
    assert (messages, found.missing) == (ALL, [])


async def test_the_last_manifest_that_was_seen_takes_the_place_of_a_lost_one(
    stores: DamagedStores, tmp_path: Path
) -> None:
    found, messages = await salvaged(stores, tmp_path / "data", "store/manifest")
    assert messages == ALL
    assert found.missing == ["manifest/00000000000000000000.manifest (missing)"]


async def test_tables_are_read_without_any_manifest(stores: DamagedStores, tmp_path: Path) -> None:
    _, messages = await salvaged(stores, tmp_path / "data", "store/manifest", "store.watch")
    assert messages == ALL


@pytest.mark.parametrize("table", ["00000000000000000001.sst", "00000000000000000002.sst"])
async def test_the_other_tables_are_read_without_one(stores: DamagedStores, tmp_path: Path, table: str) -> None:
    found, messages = await salvaged(stores, tmp_path / "data", f"store/sstables/{table}")
    assert 30 <= messages < ALL
    assert found.missing == [f"sstables/{table} (missing)"]


async def test_of_nothing_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with pytest.raises(StorageFailed, match="nothing"):
        await salvage(tmp_path / "store", tmp_path / "new")


def test_the_manifest_of_the_engine_is_read_and_written(stores: DamagedStores) -> None:
    data = next((stores.base / "store" / "manifest").iterdir()).read_bytes()
    manifest = decode_manifest(data)
    there = {int(path.stem) for path in (stores.base / "store" / "sstables").iterdir()}
    assert manifest.encode() == data
    assert manifest.tables == there
    assert manifest_of_tables(there).tables == manifest.without([]).tables
    assert manifest.without([1]).tables == there - {1}


@pytest.mark.parametrize("cut", [0, 5, 26, 30, 60])
def test_a_manifest_that_is_cut_is_not_believed(stores: DamagedStores, cut: int) -> None:
    data = next((stores.base / "store" / "manifest").iterdir()).read_bytes()
    for broken in (data[:cut], data + data[:cut] + b"x"):
        with pytest.raises(ValueError, match=r"manifest|level"):
            decode_manifest(broken)
