"""Consent: exceptions of the user, and the audit log of decisions (AGENTS_AND_TOOLS §6)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from psygnal import Signal

from core.domain.audit import AuditEntry
from core.domain.consent import (
    NEVER_ASKED,
    ConsentPolicy,
    Permission,
    Rule,
    exception_setting,
    parse_exceptions,
    parse_permissions,
)
from core.domain.ids import AuditId
from core.domain.text.json_text import encode
from core.domain.tool import Category, ToolInfo, mcp_server_of
from core.errors import Refused, StorageFailed
from core.ports import PAGE_ROWS, Clock, PutSetting, Storage
from core.services.outcome import returns_outcome
from core.services.settings import SettingsService
from core.stores.base import emit
from core.threads.files import replace_private

NAME_CHARACTERS = 256
SWEEP_INTERVAL_S = 24 * 3600.0
SWEEP_RETRY_S = 600.0

log = logging.getLogger(__name__)


class Binding(StrEnum):
    """Whether a permission holds: for tools as they are, not since a change, or not as one of an older version."""

    HOLDS = "holds"
    VOID = "void"
    NONE = "none"


class ConsentService:
    """A `core.ports.consent.ConsentBook`. `kept` are the stored settings, which hold the exceptions.

    A context manager on the running loop. While it is open, expired entries of the log are deleted at once, every day,
    and when the retention changes. `changed` is emitted when the exceptions change.
    """

    changed = Signal()

    def __init__(self, stored: Mapping[str, Any], settings: SettingsService, storage: Storage, clock: Clock) -> None:
        self._settings = settings
        self._storage = storage
        self._clock = clock
        self._exceptions = parse_exceptions(stored)
        self._permissions = parse_permissions(stored)
        self._policy = ConsentPolicy(settings.current, self._exceptions, self._permissions)
        self._tools: Callable[[], Sequence[ToolInfo]] = tuple
        self._settings_changed = asyncio.Event()

    # Exceptions

    @property
    def policy(self) -> ConsentPolicy:
        """The policy that applies now."""
        # rebuilt lazily: it is asked at every call, and changes rarely
        if self._policy.settings is not self._settings.current or self._policy.exceptions is not self._exceptions:
            self._policy = ConsentPolicy(self._settings.current, self._exceptions, self._permissions)
        return self._policy

    def use_tools(self, tools: Callable[[], Sequence[ToolInfo]]) -> None:
        """Set the function that returns all tools."""
        self._tools = tools

    @property
    def exception_names(self) -> list[str]:
        """The names that an exception can be made for: tools that may need consent, and servers."""
        infos = [info for info in self._tools() if info.category is not Category.SYSTEM]
        names = [info.name for info in infos if info.name not in NEVER_ASKED]
        servers = {f"mcp__{server}" for name in names if (server := mcp_server_of(name)) is not None}
        return sorted({*names, *servers})

    @property
    def exceptions(self) -> Mapping[str, Rule]:
        """The rules by name of the tool, or of the server as `mcp__SERVER`."""
        return self._exceptions

    def binding(self, name: str) -> Binding | None:
        """Return whether an `allow` still holds for the tools of servers that it was given to; None for any other."""
        if self._exceptions.get(name) is not Rule.ALLOW:
            return None
        known, current = self._permissions.get(name, Permission()).definitions, self._current(name).definitions
        if not known:
            return Binding.NONE if current else None
        return Binding.HOLDS if all(known.get(tool) == text for tool, text in current.items()) else Binding.VOID

    def _current(self, name: str) -> Permission:
        """Return the permission to call the tool, or the tools of the server, as they are defined now."""
        infos = [info for info in self._tools() if name in (info.name, f"mcp__{mcp_server_of(info.name)}")]
        return Permission({info.name: info.definition for info in infos if info.definition is not None})

    def allow(self, tool: str, permission: Permission) -> None:
        """Apply an exception for this tool that is stored already."""
        self._apply([tool], Rule.ALLOW, {tool: permission})

    @returns_outcome
    async def set_exception(self, name: str, rule: Rule | None) -> None:
        """Store an exception for a tool or a server, then apply it; None removes it.

        Fails with `bad_input` if the name is not valid.
        """
        await self._set_exceptions([name], rule)

    @returns_outcome
    async def set_exceptions(self, names: Sequence[str], rule: Rule | None) -> None:
        """Store the same rule for all names in one transaction."""
        await self._set_exceptions(names, rule)

    async def _set_exceptions(self, names: Sequence[str], rule: Rule | None) -> None:
        if any(not name.strip() or len(name) > NAME_CHARACTERS for name in names):
            raise Refused("bad_input", f"the name of a tool has 1 to {NAME_CHARACTERS} characters")
        permissions = {name: self._current(name) for name in names} if rule is Rule.ALLOW else {}
        values = {name: permissions[name].stored() if name in permissions else rule for name in names}
        await self._storage.commit([PutSetting(exception_setting(name), encode(values[name])) for name in names])
        self._apply(names, rule, permissions)

    def _apply(self, names: Sequence[str], rule: Rule | None, permissions: Mapping[str, Permission]) -> None:
        kept = {name: permission for name, permission in self._permissions.items() if name not in set(names)}
        self._permissions = {**kept, **permissions}
        others = {name: exception for name, exception in self._exceptions.items() if name not in set(names)}
        self._exceptions = others if rule is None else {**others, **dict.fromkeys(names, rule)}
        emit(self.changed)

    # The audit log

    @returns_outcome
    async def audit(self, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        """Return a page of the log, newest first (`Storage.audit`)."""
        return await self._storage.audit.page(limit=limit, before=before)

    @returns_outcome
    async def export(self, path: Path) -> int:
        """Write the whole log as JSON lines, newest first, and return the number of entries. The file appears whole or
        not at all, readable by its owner alone. Fails with `not_written`.
        """
        lines = [encode(entry.as_dict()) async for entry in self._all_entries()]
        try:
            await asyncio.to_thread(replace_private, path, "".join(f"{line}\n" for line in lines).encode("ascii"))
        except OSError as error:
            raise Refused("not_written", f"{path}: {error.strerror or error}", path=str(path)) from error
        return len(lines)

    async def _all_entries(self) -> AsyncIterator[AuditEntry]:
        before: AuditId | None = None
        while page := await self._storage.audit.page(before=before):
            for entry in page:
                yield entry
            before = page[-1].id

    # Its retention

    def __enter__(self) -> Self:
        self._settings.changed.connect(self._on_settings)
        self._sweep_task = asyncio.create_task(self._sweep_forever(), name="audit sweep")
        return self

    def __exit__(self, *exception: object) -> None:
        self._settings.changed.disconnect(self._on_settings)
        self._sweep_task.cancel()

    async def sweep(self) -> None:
        """Delete entries older than the retention. Raises StorageFailed."""
        await self._storage.audit.drop(self._clock.now() - timedelta(days=self._settings.current.audit_days))

    async def _sweep_forever(self) -> None:
        while True:
            self._settings_changed.clear()
            pause_s = SWEEP_INTERVAL_S
            try:
                await self.sweep()
            except StorageFailed as error:
                log.warning("old entries of the audit log stay: %s", error.message)
                pause_s = SWEEP_RETRY_S
            # whichever comes first: the next day, or changed settings
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._settings_changed.wait()

    def _on_settings(self) -> None:
        self._settings_changed.set()
