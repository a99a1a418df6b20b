"""Drafts by workflow, kept in memory for switches and in files for crashes (UI §5).

    drafts/WORKFLOW/draft.json      the text, the cursor, and the attached files
    drafts/WORKFLOW/HASH.txt        an attached text that is in no file of the user

They are files, not rows: they change all the time, and the database never reclaims that space.
"""

import asyncio
import json
import logging
import re
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from PySide6.QtCore import QObject, QTimer

from core.domain.ids import WorkflowId
from desktop.aio import Tasks
from desktop.chat.composer.draft import Draft, DraftFile
from desktop.window_state import read_small_file, replace_file

log = logging.getLogger(__name__)

SAVE_DELAY_MS = 1000
"""How long a change stays in memory alone."""


class WriteBehind(QObject):
    """Saves changes in the background, one at a time, at most a second after each.

    `write` saves what changed and returns whether anything did; it may raise OSError. `name` is for the log.
    """

    def __init__(self, name: str, tasks: Tasks, write: Callable[[], Awaitable[bool]], parent: QObject) -> None:
        super().__init__(parent)
        self._name = name
        self._tasks = tasks
        self._write = write
        self._turn = asyncio.Lock()
        self._is_closed = False
        self._is_refused = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_DELAY_MS)
        self._timer.timeout.connect(self._on_time)

    def touch(self) -> None:
        """Schedule saving in a second."""
        if not self._timer.isActive() and not self._is_closed:
            self._timer.start()

    async def flush(self) -> None:
        """Save changes. A failure is logged, once in a row, and retried with the next change."""
        self._timer.stop()
        async with self._turn:
            try:
                if await self._write():
                    self._is_refused = False
            except OSError as error:
                level = logging.DEBUG if self._is_refused else logging.WARNING
                log.log(level, "%s cannot be written: %s", self._name, error)
                self._is_refused = True

    def write_soon(self) -> None:
        """Save now, in the background."""
        if not self._is_closed:
            self._on_time()

    async def close(self) -> None:
        """Save changes and stop saving."""
        await self.flush()
        self._timer.stop()
        self._is_closed = True

    def _on_time(self) -> None:
        self._tasks.spawn(self.flush(), f"write {self._name}")


_NEW_FOLDER = "new"
_WORKFLOW_PREFIX = "of-"
_DRAFT_FILE = "draft.json"
_MOST_DRAFT_BYTES = 20_000_000
_HASH = re.compile(r"[0-9a-f]{64}")


class DraftStore(QObject):
    """The drafts of all workflows; None is the draft of a new workflow.

    `current` returns the draft in the composer and its workflow.
    """

    def __init__(
        self, folder: Path, tasks: Tasks, current: Callable[[], tuple[WorkflowId | None, Draft]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._folder = folder
        self._current = current
        self._drafts: dict[WorkflowId | None, Draft] = {}
        self._written: dict[WorkflowId | None, Draft] = {}
        self._behind = WriteBehind("drafts", tasks, self._write_changed, self)

    async def load(self) -> None:
        """Read the drafts of the previous process, skipping unreadable ones."""
        self._written = await asyncio.to_thread(_read_all, self._folder)
        self._drafts = {**self._written, **self._drafts}

    def get(self, workflow_id: WorkflowId | None) -> Draft:
        return self._drafts.get(workflow_id, Draft())

    def put(self, workflow_id: WorkflowId | None, draft: Draft) -> None:
        """Replace the draft of a workflow; an empty draft removes it."""
        if draft.text or draft.files:
            self._drafts[workflow_id] = draft
        else:
            self._drafts.pop(workflow_id, None)
        self.touch()

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """Remove the drafts of deleted workflows."""
        for workflow_id in workflow_ids:
            self.put(workflow_id, Draft())

    @property
    def workflows(self) -> list[WorkflowId]:
        """The workflows that have a draft, without the new workflow."""
        return [one for one in self._drafts if one is not None]

    def touch(self) -> None:
        """Schedule saving: the draft in the composer changed."""
        self._behind.touch()

    async def flush(self) -> None:
        """Save changes (`WriteBehind.flush`)."""
        await self._behind.flush()

    async def close(self) -> None:
        """Save changes and stop saving."""
        await self._behind.close()

    def write_soon(self) -> None:
        """Save now: a message that was sent must not come back as a draft after a crash."""
        self._behind.write_soon()

    async def _write_changed(self) -> bool:
        workflow_id, draft = self._current()
        if draft.text or draft.files:
            self._drafts[workflow_id] = draft
        else:
            self._drafts.pop(workflow_id, None)
        now = dict(self._drafts)
        changed = {one: now.get(one) for one in {*now, *self._written} if now.get(one) != self._written.get(one)}
        if changed:
            await asyncio.to_thread(_write_drafts, self._folder, changed, self._written)
            self._written = now
        return bool(changed)


def _write_drafts(
    folder: Path, changed: dict[WorkflowId | None, Draft | None], before: dict[WorkflowId | None, Draft]
) -> None:
    for workflow_id, draft in changed.items():
        place = folder / _folder_name(workflow_id)
        if draft is None:
            with suppress(FileNotFoundError):
                (place / _DRAFT_FILE).unlink(missing_ok=True)  # first: what is left without it is no draft
                shutil.rmtree(place)
            continue
        for one in (folder, place):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = {one.hash for one in before.get(workflow_id, Draft()).files}
        kept = {one.hash: one.text for one in draft.files if one.text is not None}
        for name, text in kept.items():
            if name not in known or not (place / f"{name}.txt").exists():
                replace_file(place / f"{name}.txt", text.encode("utf-8", "surrogatepass"))
        replace_file(place / _DRAFT_FILE, json.dumps(_serialized(draft)).encode("ascii"))
        for found in place.glob("*.txt"):
            if found.stem not in kept:
                found.unlink(missing_ok=True)


def _serialized(draft: Draft) -> dict[str, Any]:
    files = [{"name": one.name, "size": one.size, "hash": one.hash, "path": one.path} for one in draft.files]
    return {
        "text": draft.text,
        "cursor": draft.cursor,
        "anchor": draft.anchor,
        "scroll": draft.scroll,
        "files": files,
    }


def _read_all(folder: Path) -> dict[WorkflowId | None, Draft]:
    found: dict[WorkflowId | None, Draft] = {}
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return found
    for place in places:
        if _is_half_removed(place):
            shutil.rmtree(place, ignore_errors=True)
            continue
        try:
            found[_workflow_of_folder(place.name)] = _read_draft(place)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("the draft in %s cannot be read: %s", place.name, error)
    return found


def _is_half_removed(place: Path) -> bool:
    """Return whether a crash interrupted the removal of this folder."""
    is_ours = place.name == _NEW_FOLDER or place.name.startswith(_WORKFLOW_PREFIX)
    return is_ours and place.is_dir() and not (place / _DRAFT_FILE).exists()


def _read_draft(place: Path) -> Draft:
    """Return the draft in a folder. Raises OSError, ValueError, KeyError, TypeError, RecursionError."""
    fields = json.loads(read_small_file(place / _DRAFT_FILE, _MOST_DRAFT_BYTES))
    text, cursor, anchor, scroll = fields["text"], fields["cursor"], fields["anchor"], fields["scroll"]
    if not isinstance(text, str) or not all(isinstance(one, int) and one >= 0 for one in (cursor, anchor, scroll)):
        raise TypeError("it is no draft")
    return Draft(text, cursor, anchor, tuple(_read_files(place, fields["files"])), scroll)


def _read_files(place: Path, kept: Iterable[Any]) -> Iterator[DraftFile]:
    """Yield the readable attached files, so that a broken file does not cost the text."""
    for one in kept:
        try:
            yield _read_file(place, one)
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("what goes along with the draft in %s cannot be read: %s", place.name, error)


def _read_file(place: Path, fields: dict[str, Any]) -> DraftFile:
    name, size, digest, path = fields["name"], fields["size"], fields["hash"], fields["path"]
    if not isinstance(name, str) or not isinstance(size, int) or not _HASH.fullmatch(digest):
        raise TypeError("it is no file of a draft")
    if isinstance(path, str):
        return DraftFile(name, size, digest, path)
    text = read_small_file(place / f"{digest}.txt", _MOST_DRAFT_BYTES).decode("utf-8", "surrogatepass")
    return DraftFile(name, size, digest, text=text)


def _folder_name(workflow_id: WorkflowId | None) -> str:
    return _NEW_FOLDER if workflow_id is None else f"{_WORKFLOW_PREFIX}{quote(workflow_id, safe='')}"


def _workflow_of_folder(name: str) -> WorkflowId | None:
    return None if name == _NEW_FOLDER else WorkflowId(unquote(name.removeprefix(_WORKFLOW_PREFIX)))
