"""Notices of the inbox survive a restart (UI §7).

Ends of runs and questions are not stored here, because they are derived from their own rows. All other toasts are
stored, the newest 200.
"""

import logging
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Self

from core.bus import Bus, WorkflowDeleted
from core.domain.text.masking import masked_text
from core.domain.toast import Toast, ToastId
from core.errors import StorageFailed
from core.ports import Put, Remove, Storage
from core.services.late_writes import LateWrites
from core.stores.toasts import Toasts

log = logging.getLogger(__name__)

MAX_NOTICES = 200
MESSAGE_CHARACTERS = 2_000
_DERIVED_CODES = frozenset({"workflow_success", "workflow_error", "user_question", "question_reminder"})


class NoticeService:
    """Saves toasts while it is open."""

    def __init__(self, storage: Storage, toasts: Toasts, bus: Bus) -> None:
        self._storage = storage
        self._toasts = toasts
        self._bus = bus
        self._known: dict[ToastId, Toast] = {}
        self._writes = LateWrites(storage, "notices")
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._writes)
        self._toasts.added.connect(self._on_toast)
        self._stack.callback(self._toasts.added.disconnect, self._on_toast, missing_ok=True)
        self._stack.callback(self._bus.subscribe(WorkflowDeleted, self._on_deleted).close)
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._stack.__aexit__(*exception)

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
        self._known[toast.id] = notice
        self._writes.add(toast.id, Put(notice))
        self._drop_oldest()

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        for notice in [notice for notice in self._known.values() if notice.workflow_id == message.workflow_id]:
            self._drop(notice.id)

    def _drop_oldest(self) -> None:
        for oldest in list(self._known)[:-MAX_NOTICES]:
            self._drop(oldest)

    def _drop(self, notice_id: ToastId) -> None:
        del self._known[notice_id]
        self._writes.add(notice_id, Remove(Toast, notice_id))


def _is_plain(value: Any) -> bool:
    """Return whether the value can be stored as it is. No notice has a text for any other value."""
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= MESSAGE_CHARACTERS)
