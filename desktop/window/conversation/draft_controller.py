"""Keep the composer's draft and unfinished answers by workflow, across switches and crashes (UI §3, §6, §11)."""

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.stores.view_cache import ViewCache
from core.stores.watched_runs import Batch
from core.stores.workflows import Workflows
from desktop.aio import Tasks
from desktop.attention.card import AttentionCard
from desktop.attention.request import DraftAnswer
from desktop.bind import Frames
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import ComposerState, Draft
from desktop.chat.composer.text_box import TextHistory
from desktop.window.base.outgoing import OutgoingMessage
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.drafts import DraftStore, WriteBehind
from desktop.window_state import read_small_file, replace_file

_MOST_HISTORIES = 20


class DraftController(QObject):
    """Swaps the composer's draft and undo history with the viewed workflow. Rendered while `pane` is visible."""

    def __init__(
        self,
        composer: Composer,
        folder: Path,
        tasks: Tasks,
        view: ViewCache,
        workflows: Workflows,
        frames: Frames,
        pane: QWidget,
    ) -> None:
        super().__init__(pane)
        self._composer = composer
        self._view = view
        self._workflows = workflows
        self._shown: WorkflowId | None = None
        self._is_shown = False
        self._histories: dict[WorkflowId | None, TextHistory] = {}
        self._sending: dict[WorkflowId | None, Draft] = {}
        self.drafts = DraftStore(folder, tasks, self._current, self)
        composer.send_requested.connect(self._on_send)
        composer.edited.connect(self.drafts.touch)
        composer.text_box.cursorPositionChanged.connect(self.drafts.touch)
        self._bind = frames.bind(pane, (view.changed, workflows.changed), self.show_now)
        view.batch.connect(self._on_batch)

    def show_now(self) -> None:
        """Show the draft of the viewed workflow, saving that of the previous workflow."""
        viewed, composer = self._view.workflow_id, self._composer
        if viewed != self._shown or not self._is_shown:
            if self._is_shown:
                self.drafts.put(self._shown, composer.draft())
                self._keep_history(self._shown, composer.take_history())
            self._shown, self._is_shown = viewed, True
            composer.set_draft(self.drafts.get(viewed), self._histories.pop(viewed, None))
            if viewed in self._sending:
                composer.mark_sending()
        self._tell_state()

    async def load(self) -> None:
        """Show the draft of the previous process if the composer is empty."""
        await self.drafts.load()
        if self._is_shown and self._composer.is_empty:
            self._composer.set_draft(self.drafts.get(self._shown))

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """Drop the drafts of deleted workflows."""
        gone = list(workflow_ids)
        for one in gone:
            self._histories.pop(one, None)
            self._sending.pop(one, None)
        self.drafts.forget(gone)

    def forget_those_of_none(self) -> None:
        """Drop drafts of workflows that no longer exist. Call it when the workflows are loaded."""
        if self._workflows.rows:
            self.drafts.forget([one for one in self.drafts.workflows if self._workflows.get(one) is None])

    def sending_worked(self, origin: str, said: OutgoingMessage) -> None:
        """Remove a message that was sent from its draft; `origin` "" is a new workflow.

        The draft may hold another text, as a message that is sent again never was in the composer.
        """
        said_in = WorkflowId(origin) if origin else None
        sent = self._sending.get(said_in)
        is_from_here = sent is not None and sent.is_sent_as(said.text, said.hashes)
        if is_from_here:
            del self._sending[said_in]
        draft = self.drafts.get(said_in)
        if is_from_here or draft.is_sent_as(said.text, said.hashes):
            self.drafts.put(said_in, draft.without(said.text, said.hashes))
        if self._shown == said_in:
            self._composer.message_accepted(said.text, said.hashes, is_from_here=is_from_here)
        self.drafts.write_soon()

    def begun(self, workflow_id: str, said: OutgoingMessage) -> None:
        """Move text typed behind the first message to the new workflow, which is shown next."""
        if self._shown is None and self._sending.pop(None, None) is not None:
            self.drafts.put(WorkflowId(workflow_id), self._composer.draft().without(said.text, said.hashes))
            self._composer.set_draft(Draft())

    def sending_failed(self, origin: str, reason: str) -> None:
        """Show why a message was rejected, if its workflow is viewed."""
        said_in = WorkflowId(origin) if origin else None
        self._sending.pop(said_in, None)
        if self._shown == said_in:
            self._composer.message_refused(reason)

    def leave(self) -> None:
        """Disconnect from the stores."""
        self._bind.close()
        self._view.batch.disconnect(self._on_batch, missing_ok=True)

    def _current(self) -> tuple[WorkflowId | None, Draft]:
        return self._shown, self._composer.draft() if self._is_shown else self.drafts.get(self._shown)

    def _on_send(self, draft: Draft) -> None:
        self._sending[self._shown] = draft

    def _keep_history(self, workflow_id: WorkflowId | None, history: TextHistory) -> None:
        """Cache the undo history, dropping the oldest."""
        self._histories[workflow_id] = history
        if len(self._histories) > _MOST_HISTORIES:
            del self._histories[next(iter(self._histories))]

    def _on_batch(self, _batch: Batch) -> None:
        if self._view.workflow_id == self._shown:
            self._tell_state()

    def _tell_state(self) -> None:
        execution = self._view.execution
        is_running = execution is not None and execution.is_active
        self._composer.set_state(ComposerState(viewed_title(self._view, self._workflows), is_running))


log = logging.getLogger(__name__)

_MOST_ANSWER_BYTES = 20_000_000
_MOST_ANSWERS = 200

StoredAnswers = Mapping[InterruptionId, DraftAnswer]


class AnswerDrafts(QObject):
    """Restores unfinished answers into the card and saves changes from then on."""

    def __init__(self, path: Path, tasks: Tasks, card: AttentionCard, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._card = card
        self._written: StoredAnswers = {}
        self._behind = WriteBehind("answers", tasks, self._write_changed, self)

    async def load(self) -> None:
        """Restore the saved answers, before any request is shown."""
        self._written = await asyncio.to_thread(_read_answers, self._path)
        self._card.take_up(self._written)
        self._card.begun_changed.connect(self._behind.touch)

    async def flush(self) -> None:
        """Save changes (`WriteBehind.flush`)."""
        await self._behind.flush()

    async def close(self) -> None:
        """Save changes and stop saving."""
        await self._behind.close()

    async def _write_changed(self) -> bool:
        now = dict([*self._card.begun().items()][-_MOST_ANSWERS:])
        is_changed = now != self._written
        if is_changed:
            await asyncio.to_thread(_write_answers, self._path, now)
            self._written = now
        return is_changed


def _write_answers(path: Path, kept: StoredAnswers) -> None:
    if not kept:
        path.unlink(missing_ok=True)
        return
    text = json.dumps({one: {"fields": begun.fields, "reason": begun.reason} for one, begun in kept.items()})
    replace_file(path, text.encode("ascii"))


def _read_answers(path: Path) -> StoredAnswers:
    """Return the saved answers; an unreadable file counts as empty."""
    try:
        kept: Any = json.loads(read_small_file(path, _MOST_ANSWER_BYTES))
        return {
            InterruptionId(one): DraftAnswer(tuple(each["fields"]), str(each["reason"])) for one, each in kept.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("the answers that were begun cannot be read: %s", error)
        return {}
