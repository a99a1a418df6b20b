"""Notices of the inbox survive a restart (UI §7).

Ends of runs and questions are not stored here, because they are derived from their own rows. All other toasts are
stored, the newest 200.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Any, Self

from core.bus import Bus, WorkflowDeleted
from core.domain.text.masking import masked_text
from core.domain.toast import Toast, ToastId
from core.errors import StorageFailed
from core.ports.storage import Storage
from core.ports.writes import Put, Remove, Write
from core.stores.toasts import Toasts

log = logging.getLogger(__name__)

MAX_NOTICES = 200
MESSAGE_CHARACTERS = 2_000
_DERIVED_CODES = frozenset({"workflow_success", "workflow_error", "user_question", "question_reminder"})


class NoticeService:
    """Saves toasts while it is open. A failed write is retried with the next notice."""

    def __init__(self, storage: Storage, toasts: Toasts, bus: Bus) -> None:
        self._storage = storage
        self._toasts = toasts
        self._bus = bus
        self._known: dict[ToastId, Toast] = {}
        self._unwritten: dict[ToastId, Toast | None] = {}
        self._has_news = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._toasts.added.connect(self._on_toast)
        self._subscription = self._bus.subscribe(WorkflowDeleted, self._on_deleted)
        self._writing = asyncio.create_task(self._write_on(), name="notices")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._toasts.added.disconnect(self._on_toast, missing_ok=True)
        self._subscription.close()
        self._writing.cancel()
        if kind is not GeneratorExit:  # whoever is abandoned cannot wait
            await asyncio.wait([self._writing])
            await self._write()

    async def kept(self) -> list[Toast]:
        """Return the stored notices of this process and previous processes, oldest first; empty if they are
        unreadable.
        """
        try:
            found = await self._storage.notices.all()
        except StorageFailed as error:
            log.warning("the notices cannot be read: %s", error.message)
            return []
        self._known = {one.id: one for one in [*found, *self._known.values()]}
        self._let_the_oldest_go()
        return list(self._known.values())

    def _on_toast(self, toast: Toast) -> None:
        if toast.code in _DERIVED_CODES:
            return
        kept = replace(
            toast,
            message=masked_text(toast.message[:MESSAGE_CHARACTERS]),
            parameters=tuple(pair for pair in toast.parameters if _is_plain(pair[1])),
        )
        self._known.pop(toast.id, None)
        self._known[toast.id] = self._unwritten[toast.id] = kept
        self._let_the_oldest_go()
        self._has_news.set()

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        for notice in [one for one in self._known.values() if one.workflow_id == message.workflow_id]:
            del self._known[notice.id]
            self._unwritten[notice.id] = None
            self._has_news.set()

    def _let_the_oldest_go(self) -> None:
        for oldest in list(self._known)[:-MAX_NOTICES]:
            del self._known[oldest]
            self._unwritten[oldest] = None
            self._has_news.set()

    async def _write_on(self) -> None:
        while True:
            await self._has_news.wait()
            self._has_news.clear()
            await self._write()

    async def _write(self) -> None:
        unwritten, self._unwritten = self._unwritten, {}
        writes: list[Write] = [
            Put(notice) if notice is not None else Remove(Toast, notice_id) for notice_id, notice in unwritten.items()
        ]
        try:
            if writes:
                await self._storage.commit(writes)
        except StorageFailed as error:
            log.warning("notices are not written yet: %s", error.message)
            self._unwritten = {**unwritten, **self._unwritten}
        except asyncio.CancelledError:  # the commit may have been made: again is harmless
            self._unwritten = {**unwritten, **self._unwritten}
            raise


def _is_plain(value: Any) -> bool:
    """Return whether the value can be stored as it is. No notice has a text for any other value."""
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= MESSAGE_CHARACTERS)
