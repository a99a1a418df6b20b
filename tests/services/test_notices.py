"""Notices are there after a restart, once; a full disk loses nothing that can be kept."""

import asyncio

from core.bus import Bus, WorkflowDeleted
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.toast import Toast, ToastType
from core.services.notices import MAX_NOTICES, NoticeService
from core.stores.toasts import Toasts
from tests.support.clock import FakeClock
from tests.support.failing_storage import FailingMemory, Trouble

A = WorkflowId("wf_a")


class Desk:
    def __init__(self) -> None:
        time = FakeClock()
        self.time = time
        self.bus = Bus()
        self.storage = FailingMemory()
        self.storage.trouble = Trouble(at=1, count=1)
        self.toasts = Toasts(time, time.call_later)

    def service(self) -> NoticeService:
        return NoticeService(self.storage, self.toasts, self.bus)

    def say(self, title: str, **more: object) -> None:
        self.time.advance(1)
        self.toasts.add(ToastType.WARNING, "limit_reached", title=title, **more)  # type: ignore[arg-type]


def titles(notices: list[Toast]) -> list[str]:
    return [notice.title for notice in notices]


async def test_notices_are_stored_except_those_that_runs_repeat() -> None:
    desk = Desk()
    async with desk.service():
        desk.toasts.add_workflow_complete(A, "ended", RunStatus.SUCCESS)
        desk.toasts.add_user_question(A, "asks", "what?")
        desk.say("full", message="token ghp_abcdefghijklmnopqrstuvwxyz", parameters=[("limit", 3), ("odd", {1: 2})])
        desk.say("full", message="token ghp_abcdefghijklmnopqrstuvwxyz", parameters=[("limit", 3), ("odd", {1: 2})])
    async with desk.service() as later:
        (kept,) = await later.load()
    assert (kept.title, kept.message, kept.repeated) == ("full", "token [secret-not-kept]", 2)
    assert kept.parameters == (("limit", 3),)


async def test_what_the_disk_refused_goes_with_the_next_one() -> None:
    desk = Desk()
    desk.storage.trouble.is_on = True
    async with desk.service():
        desk.say("first")
        while not desk.storage.trouble.failed:  # noqa: ASYNC110  # the store has no event for it
            await asyncio.sleep(0)
        desk.say("second")
    assert titles(await desk.storage.notices.all()) == ["first", "second"]


async def test_the_oldest_notices_and_notices_of_a_deleted_workflow_are_removed() -> None:
    desk = Desk()
    async with desk.service() as service:
        for number in range(MAX_NOTICES + 5):
            desk.say(str(number), workflow_id=A if number == MAX_NOTICES else None)
        desk.bus.publish(WorkflowDeleted(A))
        assert len(await service.load()) == MAX_NOTICES - 1
    kept = titles(await desk.storage.notices.all())
    assert (len(kept), kept[0], str(MAX_NOTICES) in kept) == (MAX_NOTICES - 1, "5", False)
