"""The files that runs have changed: taking a change back, and removing the copies of workflows that are gone (UI §5).

A change is undone only while the file is exactly as the run left it; so nothing that was done since is lost, and what
was undone can be done again.
"""

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from core.bus import Bus, WorkflowDeleted
from core.domain.changed_files import ChangedFile, FileState, ShownChange, Takeback
from core.domain.events import Event, FileChanged
from core.domain.ids import WorkflowId
from core.errors import Refused, StepFailed, StorageFailed
from core.ports import Storage
from core.services.outcome import returns_outcome
from core.threads.pieces import Pieces, in_thread
from core.tools.file_access import ResolvedPath, path_errors, resolve_path
from core.tools.file_copies import Content, FileCopies, content_of, difference, digest_of, require_same
from core.tools.own_places import OwnPlaces
from core.tools.text_files import PIECE_BYTES, replace_file

MAX_LATEST = 1_000
"""Files of which the last change is known."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Side:
    """A file before or after a change: where it is, and the copy of its content; no file if it does not exist."""

    path: str
    copy: str | None
    exists: bool


class ChangedFilesService:
    """An async context manager, inside the store's. Removes the copies of a workflow when that is deleted."""

    def __init__(self, copies: FileCopies, storage: Storage, bus: Bus, own: OwnPlaces) -> None:
        self._copies = copies
        self._storage = storage
        self._bus = bus
        self._own = own
        self._deleted: asyncio.Queue[WorkflowId] = asyncio.Queue()
        self._latest: OrderedDict[str, tuple[WorkflowId, str | None]] = OrderedDict()

    async def __aenter__(self) -> Self:
        self._subscriptions = (
            self._bus.subscribe(WorkflowDeleted, self._on_deleted),
            self._bus.subscribe(Event, self._on_change, (FileChanged,)),
        )
        self._task = asyncio.create_task(self._forget_forever(), name="copies of changed files")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._task.cancel()
        if kind is not GeneratorExit:  # an abandoned generator cannot await
            await asyncio.wait([self._task])

    async def show(self, workflow_id: WorkflowId, files: Sequence[ChangedFile]) -> tuple[ShownChange, ...]:
        """Return the files with their differences, and what can be done about each as things are."""
        shown = await in_thread(self._show(workflow_id, files))
        return tuple([await self._with_changer(change) for change in shown])

    async def _with_changer(self, change: ShownChange) -> ShownChange:
        """Add who has changed the file since, if a run of this process has."""
        changer, content = self._latest.get(change.file.path, (None, None))
        if change.takeback is not Takeback.CHANGED or changer is None or content == change.file.after:
            return change
        if await in_thread(self._content_now(change.file.path)) != content:
            return change  # it was not the last to change it
        try:
            workflow = await self._storage.workflows.get(changer)
        except StorageFailed:
            return change
        return change if workflow is None else replace(change, changed_by=workflow.title)

    @returns_outcome
    async def undo(self, workflow_id: WorkflowId, file: ChangedFile) -> None:
        """Make the file what it was before the run. Fails with `changed_since`, `copy_gone`, or as the file tools do;
        then nothing has changed.
        """
        await in_thread(self._turn(workflow_id, file, Takeback.UNDO))

    @returns_outcome
    async def redo(self, workflow_id: WorkflowId, file: ChangedFile) -> None:
        """Make the file again what the run had made of it. Fails as `undo`."""
        await in_thread(self._turn(workflow_id, file, Takeback.REDO))

    def _show(self, workflow_id: WorkflowId, files: Sequence[ChangedFile]) -> Pieces[tuple[ShownChange, ...]]:
        shown = []
        for file in files:
            try:
                takeback = yield from self._takeback(workflow_id, file)
            except (StepFailed, OSError):  # it is no file any more, or may not be read
                takeback = Takeback.CHANGED
            before, after = (self._content(workflow_id, side) if side.exists else b"" for side in _sides(file))
            diff = yield from difference(before, after)
            if diff is not None:
                file = replace(file, added=diff.added, removed=diff.removed)  # noqa: PLW2901  # the same file
            shown.append(ShownChange(file, takeback, diff))
            yield
        return tuple(shown)

    def _takeback(self, workflow_id: WorkflowId, file: ChangedFile) -> Pieces[Takeback]:
        before, after = _sides(file)
        if (before.exists and before.copy is None) or (after.exists and after.copy is None):
            return Takeback.GONE
        for there, then, possible in ((after, before, Takeback.UNDO), (before, after, Takeback.REDO)):
            if (yield from self._is_as_left(there, then)):
                is_kept = not then.exists or then.copy == there.copy or self._content(workflow_id, then) is not None
                return possible if is_kept else Takeback.GONE
        return Takeback.CHANGED

    def _is_as_left(self, now: _Side, then: _Side) -> Pieces[bool]:
        """Return whether the file is as it was left, and nothing is where it was moved from."""
        found = yield from self._read(now.path)
        if now.path != then.path and (yield from self._read(then.path)) is not None:
            return False
        if not now.exists or found is None:
            return not now.exists and found is None
        return found.data is not None and digest_of(found.data) == now.copy

    def _turn(self, workflow_id: WorkflowId, file: ChangedFile, wanted: Takeback) -> Pieces[None]:
        possible = yield from self._takeback(workflow_id, file)
        if possible is Takeback.GONE:
            raise Refused("copy_gone", f"{file.path}: no copy of it is kept any more", path=file.path)
        if possible is not wanted:
            raise Refused("changed_since", f"{file.path} has changed since, and was left as it is", path=file.path)
        before, after = _sides(file)
        now, then = (after, before) if wanted is Takeback.UNDO else (before, after)
        content = self._content(workflow_id, then)
        with path_errors(now.path), self._place(now).parent(create=True) as (folder, name):
            found = yield from content_of(folder, name)
            if found is not None and found.data is not None:
                self._copies.keep(workflow_id, found.data)  # the oldest copies go, but this is the way back
            if not then.exists:
                require_same(found, folder, name)
                folder.remove(name)
            elif content is not None and then.copy != now.copy:
                pieces = (content[at : at + PIECE_BYTES] for at in range(0, len(content), PIECE_BYTES))
                yield from replace_file(folder, name, pieces, lambda: require_same(found, folder, name))
                if not now.exists and file.mode is not None:
                    folder.set_mode(name, file.mode)
            if now.path != then.path:
                with path_errors(then.path), self._place(then).parent(create=True) as (goal, new_name):
                    folder.move(name, goal, new_name)

    def _content_now(self, path: str) -> Pieces[str | None]:
        try:
            found = yield from self._read(path)
        except (StepFailed, OSError):
            return None
        return None if found is None or found.data is None else digest_of(found.data)

    def _read(self, path: str) -> Pieces[Content | None]:
        """Return the file that is there now; None if there is none, also no folder for it."""
        try:
            with self._place_at(path).parent() as (folder, name):
                return (yield from content_of(folder, name))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _place(self, side: _Side) -> ResolvedPath:
        return self._place_at(side.path)

    def _place_at(self, path: str) -> ResolvedPath:
        # It was allowed to the run, and the user acts: only the app's own places are out of reach.
        return resolve_path(path, [os.path.dirname(path)], own=self._own)  # noqa: PTH120

    def _content(self, workflow_id: WorkflowId, side: _Side) -> bytes | None:
        return None if side.copy is None else self._copies.content(workflow_id, side.copy)

    def _on_change(self, event: Event) -> None:
        fact = event.fact
        if isinstance(fact, FileChanged):
            path = fact.destination or fact.path
            self._latest[path] = event.workflow_id, fact.after
            self._latest.move_to_end(path)
            if len(self._latest) > MAX_LATEST:
                self._latest.popitem(last=False)

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        if not message.can_return:
            self._deleted.put_nowait(message.workflow_id)

    async def _forget_forever(self) -> None:
        try:
            workflows = self._storage.workflows
            ids = {workflow.id for workflow in await workflows.all()}
            existing = ids | await workflows.archived() | {*await workflows.discarded()}
            await asyncio.to_thread(self._copies.forget_others, existing)
        except StorageFailed as error:
            _log.warning("copies of changed files are looked through at the next start: %s", error.message)
        while True:
            await asyncio.to_thread(self._copies.forget, await self._deleted.get())


def _sides(file: ChangedFile) -> tuple[_Side, _Side]:
    before = _Side(file.was_at or file.path, file.before, file.state is not FileState.CREATED)
    return before, _Side(file.path, file.after, file.state is not FileState.DELETED)
