"""Drafts by workflow, kept in memory for switches and in files for crashes (UI §5).

    drafts/WORKFLOW/draft.json      the text, the cursor, and the attached files
    drafts/WORKFLOW/HASH.txt        an attached text that is in no file of the user, or the text of a PDF
    drafts/WORKFLOW/HASH.data       a picture, or another attached file, that is in no file of the user

They are files, not rows: they change all the time, and the database never reclaims that space.
"""

import asyncio
import json
import logging
import re
import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from PySide6.QtCore import QObject, QTimer

from core.domain.ids import WorkflowId
from core.domain.messages import PLAIN_TEXT, AttachedFile, Attachment
from core.threads.files import make_private_folder
from desktop.aio import Tasks
from desktop.chat.composer.draft import Draft, DraftFile, kept_file
from desktop.window_state import read_small_file, replace_file

log = logging.getLogger(__name__)

T = TypeVar("T")

_TEXT, _DATA = ".txt", ".data"
MOST_BYTES = 20_000_000
"""Of a file with drafts; a larger one is not read."""

SAVE_DELAY_MS = 1000
"""The time for which a crash can lose a change. Each key press is a change, so saving at once would be too much."""


class WriteBehind(QObject):
    """Saves changes in the background, one at a time, at most a second after each.

    `name` is for the log.
    """

    def __init__(self, name: str, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._name = name
        self._tasks = tasks
        self._lock = asyncio.Lock()
        self._is_closed = False
        self._has_failed = False
        self._timer = QTimer(self, singleShot=True, interval=SAVE_DELAY_MS)
        self._timer.timeout.connect(self._spawn_flush)

    def touch(self) -> None:
        """Schedule saving in a second."""
        # not restarted: under steady typing the delay would never end
        if not self._timer.isActive() and not self._is_closed:
            self._timer.start()

    async def flush(self) -> None:
        """Save changes. A failure is logged, once in a row, and retried with the next change."""
        self._timer.stop()
        async with self._lock:
            try:
                if await self._save_changes():
                    self._has_failed = False
            except OSError as error:
                level = logging.DEBUG if self._has_failed else logging.WARNING  # a full disk would fill the log too
                log.log(level, "cannot save %s: %s", self._name, error)
                self._has_failed = True

    def write_soon(self) -> None:
        """Save now, in the background."""
        if not self._is_closed:
            self._spawn_flush()

    async def close(self) -> None:
        """Save changes and stop saving."""
        await self.flush()
        self._timer.stop()
        self._is_closed = True

    @abstractmethod
    async def _save_changes(self) -> bool:
        """Save what changed and return whether anything did. Raises OSError."""

    def _spawn_flush(self) -> None:
        self._tasks.spawn(self.flush(), f"save {self._name}")


def read_saved(path: Path, parse: Callable[[Any], T], nothing: T, name: str) -> T:
    """Return what `parse` makes of the JSON in a file; `nothing` if there is no file, or if it cannot be read, which is
    logged under this name.
    """
    try:
        return parse(json.loads(read_small_file(path, MOST_BYTES)))
    except FileNotFoundError:
        return nothing
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("cannot read %s: %s", name, error)
        return nothing


def write_saved(path: Path, saved: Any) -> None:
    """Write a value as JSON; without a value, remove the file."""
    if saved:
        replace_file(path, json.dumps(saved).encode("ascii"))
    else:
        path.unlink(missing_ok=True)


_NEW_FOLDER = "new"
_WORKFLOW_PREFIX = "of-"
_DRAFT_FILE = "draft.json"
_HASH = re.compile(r"[0-9a-f]{64}")


class DraftStore(WriteBehind):
    """The drafts of all workflows; None is the draft of a new workflow.

    `current` returns the draft in the composer and its workflow.
    """

    def __init__(
        self, folder: Path, tasks: Tasks, current: Callable[[], tuple[WorkflowId | None, Draft]], parent: QObject
    ) -> None:
        super().__init__("drafts", tasks, parent)
        self._folder = folder
        self._current = current
        self._drafts: dict[WorkflowId | None, Draft] = {}
        self._saved: dict[WorkflowId | None, Draft] = {}

    async def load(self) -> None:
        """Read the drafts of the previous process, skipping unreadable ones."""
        self._saved = await asyncio.to_thread(_read_all, self._folder)
        self._drafts = {**self._saved, **self._drafts}  # the user may have typed while the files were read

    def get(self, workflow_id: WorkflowId | None) -> Draft:
        return self._drafts.get(workflow_id, Draft())

    def put(self, workflow_id: WorkflowId | None, draft: Draft) -> None:
        """Replace the draft of a workflow; an empty draft removes it."""
        self._set(workflow_id, draft)
        self.touch()

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """Remove the drafts of deleted workflows."""
        for workflow_id in workflow_ids:
            self.put(workflow_id, Draft())

    @property
    def workflows(self) -> list[WorkflowId]:
        """The workflows that have a draft, without the new workflow."""
        return [workflow_id for workflow_id in self._drafts if workflow_id is not None]

    def _set(self, workflow_id: WorkflowId | None, draft: Draft) -> None:
        if draft.text or draft.files:
            self._drafts[workflow_id] = draft
        else:
            self._drafts.pop(workflow_id, None)

    async def _save_changes(self) -> bool:
        self._set(*self._current())
        drafts, saved = dict(self._drafts), self._saved
        changed = {key: drafts.get(key) for key in {*drafts, *saved} if drafts.get(key) != saved.get(key)}
        if changed:
            await asyncio.to_thread(_write_drafts, self._folder, changed, saved)
            self._saved = drafts
        return bool(changed)


def _write_drafts(
    folder: Path, changed: dict[WorkflowId | None, Draft | None], before: dict[WorkflowId | None, Draft]
) -> None:
    for workflow_id, draft in changed.items():
        directory = folder / _folder_name(workflow_id)
        if draft is None:
            with suppress(FileNotFoundError):
                (directory / _DRAFT_FILE).unlink(missing_ok=True)  # first: a folder without it is removed at the start
                shutil.rmtree(directory)
            continue
        make_private_folder(directory)
        # files before the draft that names them, and unused ones after it: a crash in between loses none
        known = {file.hash for file in before.get(workflow_id, Draft()).files}
        kept: set[str] = set()
        for file in draft.files:
            for suffix, data in _kept_data(file):
                kept.add(file.hash + suffix)
                if file.hash not in known or not (directory / f"{file.hash}{suffix}").exists():
                    replace_file(directory / f"{file.hash}{suffix}", data())
        replace_file(directory / _DRAFT_FILE, json.dumps(_serialized(draft)).encode("ascii"))
        for path in (*directory.glob("*.txt"), *directory.glob("*.data")):
            if path.name not in kept:
                path.unlink(missing_ok=True)


def _kept_data(file: DraftFile) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the suffix and the data of each file that an attachment without a path is kept in."""
    if (content := file.content) is not None:
        yield _TEXT, lambda: content.text.encode("utf-8", "surrogatepass")
        if content.about.has_data:
            yield _DATA, lambda: content.data


def _serialized(draft: Draft) -> dict[str, Any]:
    files = [{**file.about.model_dump(mode="json", exclude_none=True), "path": file.path} for file in draft.files]
    return {
        "text": draft.text,
        "cursor": draft.cursor,
        "anchor": draft.anchor,
        "scroll": draft.scroll,
        "files": files,
    }


def _read_all(folder: Path) -> dict[WorkflowId | None, Draft]:
    drafts: dict[WorkflowId | None, Draft] = {}
    try:
        directories = sorted(folder.iterdir())
    except OSError:
        return drafts
    for directory in directories:
        if _is_half_removed(directory):
            shutil.rmtree(directory, ignore_errors=True)
            continue
        try:
            drafts[_workflow_of_folder(directory.name)] = _read_draft(directory)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("cannot read the draft in %s: %s", directory.name, error)
    return drafts


def _is_half_removed(directory: Path) -> bool:
    """Return whether a crash interrupted the removal of this folder."""
    is_ours = directory.name == _NEW_FOLDER or directory.name.startswith(_WORKFLOW_PREFIX)
    return is_ours and directory.is_dir() and not (directory / _DRAFT_FILE).exists()


def _read_draft(directory: Path) -> Draft:
    """Return the draft in a folder. Raises OSError, ValueError, KeyError, TypeError, RecursionError."""
    fields = json.loads(read_small_file(directory / _DRAFT_FILE, MOST_BYTES))
    text, cursor, anchor, scroll = fields["text"], fields["cursor"], fields["anchor"], fields["scroll"]
    if not isinstance(text, str) or not all(isinstance(n, int) and n >= 0 for n in (cursor, anchor, scroll)):
        raise TypeError("not a draft")
    return Draft(text, cursor, anchor, tuple(_read_files(directory, fields["files"])), scroll)


def _read_files(directory: Path, entries: Iterable[Any]) -> Iterator[DraftFile]:
    """Yield the readable attached files, so that a broken file does not cost the text."""
    for fields in entries:
        try:
            yield _read_file(directory, fields)
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("cannot read a file attached to the draft in %s: %s", directory.name, error)


def _read_file(directory: Path, fields: dict[str, Any]) -> DraftFile:
    about, path = Attachment.model_validate({"mime": PLAIN_TEXT, **fields}), fields.get("path")
    if not _HASH.fullmatch(about.hash):
        raise TypeError("not a file of a draft")
    if isinstance(path, str):
        return DraftFile(about, path)
    text = read_small_file(directory / f"{about.hash}{_TEXT}", MOST_BYTES).decode("utf-8", "surrogatepass")
    data = read_small_file(directory / f"{about.hash}{_DATA}", MOST_BYTES) if about.has_data else b""
    return kept_file(AttachedFile(about, text, data))


def _folder_name(workflow_id: WorkflowId | None) -> str:
    return _NEW_FOLDER if workflow_id is None else f"{_WORKFLOW_PREFIX}{quote(workflow_id, safe='')}"


def _workflow_of_folder(name: str) -> WorkflowId | None:
    return None if name == _NEW_FOLDER else WorkflowId(unquote(name.removeprefix(_WORKFLOW_PREFIX)))
