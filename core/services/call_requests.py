"""Describes the calls that wait for the user's consent: what will run, and what it comes to (AGENTS_AND_TOOLS §6)."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from core.domain.call_description import CallDescription, Warn, describe_call, has_paths
from core.domain.events import InterruptionRaised
from core.domain.ids import RunId
from core.domain.tool import COMMAND_TOOL, mcp_server_of
from core.engine.runs.engine import Engine
from core.services.file_changes import FileChanges, proposed_change
from core.threads.long_values import is_long
from core.threads.pieces import in_thread

MAX_PATH_CHARACTERS = 4_096


class CallRequestService:
    """Describes open requests about calls. `is_confined` returns whether commands are confined here."""

    def __init__(self, engine: Engine, changes: FileChanges, is_confined: Callable[[], Awaitable[bool]]) -> None:
        self._engine = engine
        self._changes = changes
        self._is_confined = is_confined

    def describe_at_once(self, run_id: RunId, asked: InterruptionRaised) -> CallDescription | None:
        """Return the same as `describe`, where it takes no time: for short arguments without paths. Else None."""
        request = self._engine.request_now(run_id, asked.id)
        arguments = asked.arguments if request is None else request.arguments
        # a path may lie on a slow disk, and whether a command is confined may have to be tried
        if asked.tool == COMMAND_TOOL or (request is not None and arguments is None):
            return None
        if is_long(arguments) or has_paths(arguments):
            return None
        work = describe_call(arguments)
        while True:
            try:
                next(work)
            except StopIteration as done:
                described: CallDescription = done.value
                return described

    async def describe(self, run_id: RunId, asked: InterruptionRaised) -> CallDescription:
        """Return what the request is about: the arguments that will run, unmasked, and where their paths lead.

        If the run is not active here, the arguments are those of the request, which may be masked.
        """
        described = await self._described(run_id, asked)
        if asked.tool != COMMAND_TOOL:
            return described
        arguments = described.arguments if isinstance(described.arguments, Mapping) else {}
        confined = Warn.CONFINED_ONLINE if arguments.get("network", False) is not False else Warn.CONFINED
        warn = confined if await self._is_confined() else Warn.UNCONFINED
        deciding = (
            replace(value, warnings=(*value.warnings, warn)) if value.path == ("command",) else value
            for value in described.deciding
        )
        return replace(described, deciding=tuple(deciding))

    async def _described(self, run_id: RunId, asked: InterruptionRaised) -> CallDescription:
        request = await self._engine.find_request(run_id, asked.id)
        if request is None:
            return await in_thread(describe_call(asked.arguments))
        snapshot, tool = request.snapshot, asked.tool or ""
        is_own = asked.tool is not None and mcp_server_of(tool) is None
        folders, base = (list(snapshot.folders), snapshot.base) if is_own else ([], None)
        described = await in_thread(describe_call(request.arguments, _place_finder(base, folders)))
        proposed = proposed_change(tool, request.arguments)
        if proposed is None or not described.is_complete:
            return described
        return replace(described, change=await in_thread(self._changes.change(run_id, proposed, folders, base)))

    async def has_changed(self, call: CallDescription) -> bool:
        """Return whether the file of the call is not as it was when the call was described."""
        change = call.change
        if change is None or change.diff is None:
            return False
        return await in_thread(self._changes.state(change.path)) != change.state


def _place_finder(base: str | None, folders: Sequence[str]) -> Callable[[str], str | None]:
    """Return a function that resolves paths as the file tools do. A tool of a server resolves relative paths from a
    folder of its own: of these only the `..` are resolved.
    """
    start = base or next(iter(folders), None)

    def place_of(path: str) -> str | None:
        if not path or "\0" in path or len(path) > MAX_PATH_CHARACTERS or "://" in path:
            return None
        try:
            if start is not None or os.path.isabs(path):  # noqa: PTH117
                return os.path.realpath(os.path.join(start or "", path))  # noqa: PTH118
        except (OSError, ValueError):
            return None
        return os.path.normpath(path) if ".." in PurePath(path).parts else None

    return place_of
