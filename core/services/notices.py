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
from core.ports import Put, Remove, Storage, Write
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
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._toasts.added.connect(self._on_toast)
        self._subscription = self._bus.subscribe(WorkflowDeleted, self._on_deleted)
        self._write_task = asyncio.create_task(self._write_forever(), name="notices")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._toasts.added.disconnect(self._on_toast, missing_ok=True)
        self._subscription.close()
        self._write_task.cancel()
        if kind is not GeneratorExit:  # an abandoned generator cannot await
            await asyncio.wait([self._write_task])
            await self._write()

    async def load(self) -> list[Toast]:
        """Return the stored notices of this process and previous processes, oldest first; empty if they are
        unreadable.
        """
        try:
            stored = await self._storage.notices.all()
        except StorageFailed as error:
            log.warning("the notices cannot be read: %s", error.message)
            return []
        self._known = {notice.id: notice for notice in [*stored, *self._known.values()]}
        self._drop_oldest()
        return list(self._known.values())

    def _on_toast(self, toast: Toast) -> None:
        if toast.code in _DERIVED_CODES:
            return
        notice = replace(
            toast,
            message=masked_text(toast.message[:MESSAGE_CHARACTERS]),
            parameters=tuple(pair for pair in toast.parameters if _is_plain(pair[1])),
        )
        # to the end: the dictionary is in order of the last report
        self._known.pop(toast.id, None)
        self._known[toast.id] = self._unwritten[toast.id] = notice
        self._drop_oldest()
        self._changed.set()

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        for notice in [notice for notice in self._known.values() if notice.workflow_id == message.workflow_id]:
            del self._known[notice.id]
            self._unwritten[notice.id] = None
            self._changed.set()

    def _drop_oldest(self) -> None:
        for oldest in list(self._known)[:-MAX_NOTICES]:
            del self._known[oldest]
            self._unwritten[oldest] = None
            self._changed.set()

    async def _write_forever(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._write()

    async def _write(self) -> None:
        # taken before the commit: what comes meanwhile goes with the next one
        unwritten, self._unwritten = self._unwritten, {}
        writes: list[Write] = [
            Put(notice) if notice is not None else Remove(Toast, notice_id) for notice_id, notice in unwritten.items()
        ]
        try:
            if writes:
                await self._storage.commit(writes)
        except StorageFailed as error:
            log.warning("notices are not written yet: %s", error.message)
            # the newer state of a notice wins
            self._unwritten = {**unwritten, **self._unwritten}
        except asyncio.CancelledError:  # the commit may have been made: again is harmless
            self._unwritten = {**unwritten, **self._unwritten}
            raise


def _is_plain(value: Any) -> bool:
    """Return whether the value can be stored as it is. No notice has a text for any other value."""
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= MESSAGE_CHARACTERS)
