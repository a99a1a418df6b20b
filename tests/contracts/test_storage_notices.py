"""Storage of notices."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.domain.ids import WorkflowId
from core.domain.toast import Toast, ToastId, ToastType
from core.ports import Put, Remove, Storage

NOON = datetime(2026, 5, 1, 12, 0, 0, 123_456, UTC)
FULL = Toast(
    ToastId("toast_1"),
    ToastType.WARNING,
    "limit_reached",
    "Élise \x00 亚",
    "a\n🙂",
    NOON,
    WorkflowId("wf_1"),
    2.5,
    3,
    (("mode", "auto"), ("limit", 3), ("retry_after_s", None)),
)
BARE = Toast(ToastId("toast_0"), ToastType.ERROR, "unexpected", "", "", NOON + timedelta(microseconds=1))


async def test_every_field_of_a_notice_comes_back_and_they_can_be_replaced_and_removed(storage: Storage) -> None:
    assert await storage.notices.all() == []
    await storage.commit([Put(BARE), Put(FULL)])
    assert await storage.notices.all() == [FULL, BARE]
    again = replace(BARE, repeated=2)
    await storage.commit([Put(again), Remove(Toast, FULL.id), Remove(Toast, ToastId("toast_\ud800"))])
    assert await storage.notices.all() == [again]
