"""Consent exceptions and the audit log, as signals for the settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.domain.audit import AuditEntry
from core.domain.consent import Rule
from core.services.consent import Binding, ConsentService
from core.services.outcome import Outcome
from desktop.bind import follow
from desktop.operations import Operations, StartTask


class ConsentSource(QObject):
    """Requests return at once; a signal has their outcome.

    `changed`: the exceptions have changed. `loaded` emits further entries of the log, and whether they are the first.
    `exported` emits the number of written entries. `failed` emits a Failed of the log, `refused` of the exceptions.
    """

    changed = Signal()
    loaded = Signal(list, bool)
    exported = Signal(int)
    failed = Signal(object)
    refused = Signal(object)

    def __init__(self, service: ConsentService, spawn: StartTask, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._operations = Operations(spawn, self.failed.emit)
        self._is_loading = False
        follow(self, service.changed, self._on_change)

    @property
    def exceptions(self) -> Mapping[str, Rule]:
        """The rules by tool name, or by `mcp__SERVER` for a whole server."""
        return self._service.exceptions

    def binding(self, name: str) -> Binding | None:
        """Return whether a permission still holds for the tools that it was given to."""
        return self._service.binding(name)

    @property
    def exception_names(self) -> Sequence[str]:
        """The names that can get an exception."""
        return self._service.exception_names

    def set_exceptions(self, names: Sequence[str], rule: Rule | None) -> None:
        """Set or remove (None) exceptions; emits `changed` or `refused`."""
        work = self._service.set_exceptions(names, rule)
        self._operations.run(work, "change exceptions", failure=self.refused.emit)

    def load(self, after: AuditEntry | None = None) -> None:
        """Load the newest entries, or the entries after one; emits `loaded` or `failed`. Ignored while loading."""

        def emit(entries: list[AuditEntry]) -> None:
            self.loaded.emit(entries, after is None)

        if not self._is_loading:
            self._is_loading = True
            self._operations.run(self._load(after), "read the audit log", success=emit)

    def export(self, path: Path) -> None:
        """Write the whole log to a file; emits `exported` or `failed`."""
        self._operations.run(self._service.export(path), "export the audit log", success=self.exported.emit)

    async def _load(self, after: AuditEntry | None) -> Outcome[list[AuditEntry]]:
        try:
            return await self._service.audit(before=after.id if after is not None else None)
        finally:
            self._is_loading = False

    def _on_change(self) -> None:
        self.changed.emit()
