"""Exceptions of consent and the audit log, as a window uses them."""

import json
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.bus import Bus
from core.domain.consent import ConsentPolicy, Permission, Rule, exception_setting
from core.domain.text.json_text import encode
from core.errors import StorageFailed
from core.ports import PutAudit, PutSetting
from core.services.consent import ConsentService
from core.services.outcome import Failed, Ok
from core.services.settings import SettingsService, parse_settings
from tests.contracts.rows import an_entry, at
from tests.support.clock import FakeClock
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until
from tests.tools.rig import entries as entries_of


async def a_service(
    storage: InMemoryStorage, bus: Bus | None = None, days: float = 0
) -> tuple[ConsentService, SettingsService]:
    bus = bus or Bus()
    kept = await storage.settings.all()
    settings = SettingsService(parse_settings(kept), storage, bus)
    return ConsentService(kept, settings, storage, FakeClock(at(0) + timedelta(days=days))), settings


async def test_an_exception_is_saved_published_and_removed() -> None:
    storage, changes = InMemoryStorage(), list[int]()
    consent, _ = await a_service(storage)
    consent.changed.connect(lambda: changes.append(len(consent.exceptions)))
    assert isinstance(await consent.set_exception("write_file", Rule.ALLOW), Ok)
    assert isinstance(await consent.set_exception("mcp__github", Rule.ASK), Ok)
    assert consent.exceptions == {"write_file": Rule.ALLOW, "mcp__github": Rule.ASK}
    assert changes == [1, 2]
    again, _ = await a_service(storage)
    assert again.exceptions == consent.exceptions
    assert isinstance(await again.set_exception("write_file", None), Ok)
    assert (await a_service(storage))[0].exceptions == {"mcp__github": Rule.ASK}


@pytest.mark.parametrize("name", ["", "  ", "x" * 257])
async def test_what_is_no_name_makes_no_exception(name: str) -> None:
    storage = InMemoryStorage()
    consent, _ = await a_service(storage)
    refused = await consent.set_exception(name, Rule.ALLOW)
    assert isinstance(refused, Failed)
    assert (refused.code, consent.exceptions, await storage.settings.all()) == ("bad_input", {}, {})


async def test_an_exception_that_cannot_be_kept_does_not_hold() -> None:
    storage = InMemoryStorage()
    consent, _ = await a_service(storage)

    async def full(writes: Any) -> frozenset[int]:
        raise StorageFailed("storage_full", "the disk is full")

    storage.commit = full  # type: ignore[method-assign]
    refused = await consent.set_exception("write_file", Rule.ALLOW)
    assert isinstance(refused, Failed)
    assert (refused.code, consent.exceptions) == ("storage_full", {})


async def test_an_exception_that_cannot_be_read_is_none() -> None:
    storage = InMemoryStorage()
    kept: list[tuple[str, Any]] = [("a", "allow"), ("b", "perhaps"), ("c", 5), ("d", None), ("e", ["allow"])]
    await storage.commit([PutSetting(exception_setting(name), encode(value)) for name, value in kept])
    assert (await a_service(storage))[0].exceptions == {"a": Rule.ALLOW}


async def test_the_policy_is_that_of_now() -> None:
    consent, settings = await a_service(InMemoryStorage())
    before = consent.policy
    assert before is consent.policy
    await settings.change(ask_for_tools=True)
    assert consent.policy == ConsentPolicy(settings.current)
    consent.allow("note", Permission())
    assert consent.policy.exceptions == {"note": Rule.ALLOW}


async def test_the_log_is_exported_whole_for_its_owner_alone(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    entries = [an_entry(f"aud_{number:04}", number, title="Run") for number in range(450)]
    await storage.commit([PutAudit(entry) for entry in entries])
    consent, _ = await a_service(storage)
    file = tmp_path / "audit.jsonl"
    file.write_text("old")
    assert await consent.export(file) == Ok(450)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [entry.id for entry in reversed(entries)]
    assert lines[0]["arguments"] == {"x": "é"}
    assert (lines[0]["tool"], lines[0]["decision"], lines[0]["decider"]) == ("echo", "approved", "person")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert entries_of(tmp_path) == ["audit.jsonl"]


async def test_a_page_of_the_log_can_be_read() -> None:
    storage = InMemoryStorage()
    await storage.commit([PutAudit(an_entry("aud_1")), PutAudit(an_entry("aud_2", 1))])
    consent, _ = await a_service(storage)
    assert await consent.audit(limit=1) == Ok([an_entry("aud_2", 1)])


async def test_where_the_log_cannot_be_written_the_old_file_stays(tmp_path: Path) -> None:
    consent, _ = await a_service(InMemoryStorage())
    refused = await consent.export(tmp_path / "nowhere" / "audit.jsonl")
    assert isinstance(refused, Failed)
    assert refused.code == "not_written"
    (tmp_path / "folder").mkdir()
    assert isinstance(await consent.export(tmp_path / "folder"), Failed)
    assert entries_of(tmp_path) == ["folder"]


async def test_old_entries_are_deleted_at_the_start_and_when_another_age_is_set() -> None:
    storage = InMemoryStorage()
    day = 24 * 3600
    entries = [an_entry(f"aud_{days}", days * day) for days in (0, 80, 95)]
    await storage.commit([PutAudit(entry) for entry in entries])
    consent, settings = await a_service(storage, days=100)
    with consent:

        async def are_left(*wanted: str) -> bool:
            return [entry.id for entry in await storage.audit.page()] == list(wanted)

        await until(lambda: are_left("aud_95", "aud_80"))
        assert isinstance(await settings.change(audit_days=7), Ok)
        await until(lambda: are_left("aud_95"))
        for days in (6, 91):
            assert isinstance(await settings.change(audit_days=days), Failed)
