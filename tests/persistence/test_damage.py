"""Damaged stores are refused, and nothing of them is changed; a few cells of the matrix (`tests.bench damage`)."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.damage import FILE_HARMS, FOLDER_HARMS, DamagedStores

HARMS = {harm.name: harm for harm in (*FOLDER_HARMS, *FILE_HARMS)}
TABLE, VALUES = "store/sstables/00000000000000000001.sst", "store/vlog/00000000000000000001.vlog"
MANIFEST = "store/manifest/00000000000000000000.manifest"


@pytest.fixture(scope="module", params=["close", "kill"])
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> DamagedStores:
    return DamagedStores(tmp_path_factory.mktemp("damage"), request.param)


def refusal(stores: DamagedStores, name: str, harm: str) -> dict[str, Any]:
    """Return the answer to opening a harmed store, which must be refused and unchanged."""
    outcome = stores.outcome(name, HARMS[harm])
    assert (outcome.kind, outcome.is_changed) == ("refused", False), outcome
    assert outcome.answer["code"] == "store_doubtful"
    assert outcome.answer["folder"] in outcome.answer["message"]
    return outcome.answer


@pytest.mark.parametrize("harm", ["cut at 50%", "flipped at 50%", "flipped at 100%", "deleted", "emptied"])
@pytest.mark.parametrize("name", [TABLE, VALUES, MANIFEST])
def test_a_damaged_file_is_named(stores: DamagedStores, name: str, harm: str) -> None:
    answer = refusal(stores, name, harm)
    assert any(name.endswith(file.partition(":")[0]) for file in answer["files"]) or answer["reason"] == "unopenable"
    assert "empty" in answer["choices"]


def test_tables_without_a_manifest_are_no_new_store(stores: DamagedStores) -> None:
    assert refusal(stores, "store/manifest", "deleted")["reason"] == "damaged"


@pytest.mark.parametrize("harm", ["deleted", "emptied"])
def test_a_store_that_was_there_is_missed(stores: DamagedStores, harm: str) -> None:
    answer = refusal(stores, "store", harm)
    assert (answer["reason"], answer["choices"]) == ("gone", ["empty"])


def test_an_older_copy_is_told_from_damage_and_can_be_kept(stores: DamagedStores) -> None:
    answer = refusal(stores, "store", "older copy")
    assert (answer["reason"], answer["choices"]) == ("older", ["keep", "salvage", "empty"])


@pytest.mark.parametrize(
    ("harm", "reason"), [("deleted", "unknown"), ("emptied", "watch_damaged"), ("flipped at 50%", "watch_damaged")]
)
def test_a_store_is_not_opened_without_its_watch_file(stores: DamagedStores, harm: str, reason: str) -> None:
    answer = refusal(stores, "store.watch", harm)
    assert (answer["reason"], answer["choices"][0]) == (reason, "keep")


def test_an_older_watch_file_is_noticed(stores: DamagedStores) -> None:
    assert refusal(stores, "store.watch", "older copy")["reason"] in ("later", "changed", "damaged")


def test_a_lock_has_no_content_that_matters(stores: DamagedStores) -> None:
    assert stores.outcome("store/LOCK", HARMS["flipped at 50%"]).kind == "whole"


@pytest.mark.parametrize("harm", ["cut at 50%", "cut at 100%", "flipped at 25%", "emptied", "deleted"])
def test_an_end_of_the_log_that_is_missing_is_missed(tmp_path: Path, harm: str) -> None:
    stores = DamagedStores(tmp_path, "kill")
    log = next((stores.base / "store" / "wal").iterdir()).relative_to(stores.base).as_posix()
    assert refusal(stores, log, harm)["reason"] in ("incomplete", "older")
