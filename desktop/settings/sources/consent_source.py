"""Exceptions of consent and the audit log, as the page of validation sees them."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.bus import Bus, ConsentExceptionsChanged, Subscription
from core.domain.audit import AuditEntry
from core.domain.consent import Rule
from core.services.consent import ConsentService
from core.services.outcome import Failed
from desktop.aio import Spawn


class ConsentSource(QObject):
    """`changed`: the exceptions are others. `loaded` gives entries of the log that follow those that were shown, and
    whether these are the first. `exported` gives how many were written. `failed` gives a Failed of the log, `refused`
    one of the exceptions."""

    changed = Signal()
    loaded = Signal(list, bool)
    exported = Signal(int)
    failed = Signal(object)
    refused = Signal(object)

    def __init__(self, service: ConsentService, bus: Bus, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._spawn = spawn
        self._is_loading = False
        subscription = bus.subscribe(ConsentExceptionsChanged, self._on_change)
        self.destroyed.connect(partial(Subscription.close, subscription))

    @property
    def exceptions(self) -> Mapping[str, Rule]:
        """By the name of the tool, or of the server as `mcp__SERVER`."""
        return self._service.exceptions

    @property
    def nameable(self) -> Sequence[str]:
        """What an exception can be made for."""
        return self._service.exception_names

    def set_exception(self, name: str, rule: Rule | None) -> None:
        """Ask for an exception, or take it back; `changed` or `refused` answers."""
        self.set_exceptions([name], rule)

    def set_exceptions(self, names: Sequence[str], rule: Rule | None) -> None:
        """The same for several at once."""
        self._spawn(self._set(names, rule), "change an exception")

    def load(self, after: AuditEntry | None = None) -> None:
        """Ask for the newest entries, or for those that follow one; `loaded` or `failed` answers. One at a time."""
        if not self._is_loading:
            self._is_loading = True
            self._spawn(self._load(after), "read the audit log")

    def export(self, path: Path) -> None:
        """Write the whole log; `exported` or `failed` answers."""
        self._spawn(self._export(path), "export the audit log")

    async def _set(self, names: Sequence[str], rule: Rule | None) -> None:
        outcome = await self._service.set_exceptions(names, rule)
        if isinstance(outcome, Failed):
            self.refused.emit(outcome)

    async def _load(self, after: AuditEntry | None) -> None:
        try:
            outcome = await self._service.audit(before=after.id if after is not None else None)
        finally:
            self._is_loading = False
        if isinstance(outcome, Failed):
            self.failed.emit(outcome)
        else:
            self.loaded.emit(outcome.data, after is None)

    async def _export(self, path: Path) -> None:
        outcome = await self._service.export(path)
        if isinstance(outcome, Failed):
            self.failed.emit(outcome)
        else:
            self.exported.emit(outcome.data)

    def _on_change(self, _message: ConsentExceptionsChanged) -> None:
        self.changed.emit()
