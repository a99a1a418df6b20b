"""The audit log: newest first, page by page, written once, and deleted for good."""

from pathlib import Path

from core.domain.ids import AuditId
from core.persistence.surreal import SurrealStorage
from core.ports import PAGE_ROWS, PutAudit, PutWorkflow, Storage
from tests.contracts.rows import W, a_workflow, an_entry, at


async def test_an_entry_comes_back_whole(storage: Storage) -> None:
    plain = an_entry("aud_2", 1, risk=None, call_id=None, scope=None, asked_at=None, index=3, reason="no \ud800")
    await storage.commit([PutAudit(an_entry()), PutAudit(plain)])
    assert await storage.audit.page() == [plain, an_entry()]


async def test_the_first_entry_of_an_id_stays(storage: Storage) -> None:
    first, second = an_entry(), an_entry(made=5, reason="later")
    assert await storage.commit([PutAudit(first)]) == frozenset()
    assert await storage.commit([PutAudit(second), PutAudit(second)]) == frozenset()
    assert await storage.audit.page() == [first]


async def test_it_is_read_newest_first_page_by_page(storage: Storage) -> None:
    entries = [an_entry(f"aud_{number:04}", number % 7) for number in range(PAGE_ROWS + 50)]
    await storage.commit([PutAudit(entry) for entry in entries])
    newest = sorted(entries, key=lambda entry: (entry.at, entries.index(entry)), reverse=True)
    assert await storage.audit.page(limit=3) == newest[:3]
    assert await storage.audit.page(limit=10_000) == newest[:PAGE_ROWS]
    assert await storage.audit.page(before=newest[PAGE_ROWS - 1].id) == newest[PAGE_ROWS:]
    assert await storage.audit.page(before=newest[-1].id) == []
    assert await storage.audit.page(before=AuditId("nowhere")) == []
    assert await storage.audit.page(limit=0) == []


async def test_what_is_old_is_deleted_and_the_rest_stays(storage: Storage) -> None:
    entries = [an_entry(f"aud_{number:04}", number) for number in range(450)]
    await storage.commit([PutAudit(entry) for entry in entries])
    await storage.audit.drop(at(440))
    assert await storage.audit.page() == entries[:439:-1]
    await storage.audit.drop(at(1000))
    assert await storage.audit.page() == []


async def test_it_outlives_a_deleted_workflow(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), PutAudit(an_entry())])
    await storage.delete_workflow(W)
    assert await storage.audit.page() == [an_entry()]


async def test_what_was_deleted_is_not_on_the_disk_any_more(tmp_path: Path) -> None:
    storage = await SurrealStorage.open(tmp_path / "store")
    await storage.commit([PutAudit(an_entry(tool="a-very-special-tool"))])
    await storage.audit.drop(at(1))
    rows = await storage.connection.read("SELECT * FROM audit")
    await storage.close()
    assert rows == []
