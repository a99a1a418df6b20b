"""Keep the composer's draft and unfinished answers by workflow, across switches and crashes (UI §3, §6, §11)."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.stores.watched_runs import Batch
from desktop.attention.card import AttentionCard
from desktop.attention.request import DraftAnswer
from desktop.chat.composer.composer import Composer
from desktop.chat.composer.draft import ComposerState, Draft
from desktop.chat.composer.text_box import TextHistory
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import OutgoingMessage
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.drafts import DraftStore, WriteBehind, read_saved, write_saved

_MOST_HISTORIES = 20
_MOST_ANSWERS = 200

StoredAnswers = Mapping[InterruptionId, DraftAnswer]


class DraftController(Controller):
    """Swaps the composer's draft and undo history with the viewed workflow. Rendered while `pane` is visible."""

    def __init__(self, context: WindowContext, composer: Composer, pane: QWidget) -> None:
        super().__init__(context, pane)
        self._composer = composer
        self._view = view = context.stores.view
        self._workflows = context.stores.workflows
        self._shown: WorkflowId | None = None
        self._is_shown = False
        self._histories: dict[WorkflowId | None, TextHistory] = {}
        self._sending: dict[WorkflowId | None, Draft] = {}
        self.drafts = DraftStore(context.drafts_folder, context.tasks, self._current, self)
        composer.send_requested.connect(self._on_send)
        composer.edited.connect(self.drafts.touch)
        composer.text_box.cursorPositionChanged.connect(self.drafts.touch)
        self._bind = context.frames.bind(pane, (view.changed, self._workflows.changed), self.show_now)
        view.batch.connect(self._on_batch)

    def show_now(self) -> None:
        """Show the draft of the viewed workflow, saving that of the previous workflow."""
        viewed, composer = self._view.workflow_id, self._composer
        if viewed != self._shown or not self._is_shown:
            if self._is_shown:
                composer.commit_preedit()
                self.drafts.put(self._shown, composer.draft())
                self._keep_history(self._shown, composer.take_history())
            # `_is_shown` apart from `_shown`: None is the new workflow, and nothing is shown before the first render
            self._shown, self._is_shown = viewed, True
            composer.set_draft(self.drafts.get(viewed), self._histories.pop(viewed, None))
            if viewed in self._sending:
                composer.mark_sending()
        self._show_state()

    async def load(self) -> None:
        """Show the draft of the previous process if the composer is empty."""
        await self.drafts.load()
        if self._is_shown and self._composer.is_empty:
            self._composer.set_draft(self.drafts.get(self._shown))

    def forget(self, workflow_ids: Iterable[WorkflowId]) -> None:
        """Drop the drafts of deleted workflows."""
        deleted = list(workflow_ids)
        for workflow_id in deleted:
            self._histories.pop(workflow_id, None)
            self._sending.pop(workflow_id, None)
        self.drafts.forget(deleted)

    def forget_orphans(self) -> None:
        """Drop drafts of workflows that no longer exist. Call it when the workflows are loaded."""
        if self._workflows.rows:  # else the list may have failed to load, and every draft would be an orphan
            known = self._workflows
            self.drafts.forget([workflow_id for workflow_id in self.drafts.workflows if known.get(workflow_id) is None])

    def on_sent(self, origin: str, message: OutgoingMessage) -> None:
        """Remove a message that was sent from its draft; `origin` "" is a new workflow.

        The draft may hold another text, as a message that is sent again never was in the composer.
        """
        workflow_id = WorkflowId(origin) if origin else None
        sent = self._sending.get(workflow_id)
        # the draft may have changed since it was sent: only what was sent leaves it
        is_from_here = sent is not None and sent.is_sent_as(message.text, message.hashes)
        if is_from_here:
            del self._sending[workflow_id]
        draft = self.drafts.get(workflow_id)
        if is_from_here or draft.is_sent_as(message.text, message.hashes):
            self.drafts.put(workflow_id, draft.without(message.text, message.hashes))
        if self._shown == workflow_id:
            self._composer.message_accepted(message.text, message.hashes, is_from_here=is_from_here)
        self.drafts.write_soon()

    def on_begun(self, workflow_id: str, message: OutgoingMessage) -> None:
        """Move text typed behind the first message to the new workflow, which is shown next."""
        if self._shown is None and self._sending.pop(None, None) is not None:
            self._composer.commit_preedit()
            self.drafts.put(WorkflowId(workflow_id), self._composer.draft().without(message.text, message.hashes))
            self._composer.set_draft(Draft())

    def on_refused(self, origin: str, reason: str) -> None:
        """Show why a message was rejected, if its workflow is viewed."""
        workflow_id = WorkflowId(origin) if origin else None
        self._sending.pop(workflow_id, None)
        if self._shown == workflow_id:
            self._composer.message_refused(reason)

    def close(self) -> None:
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
            self._show_state()

    def _show_state(self) -> None:
        execution = self._view.execution
        is_running = execution is not None and execution.is_active
        self._composer.set_state(ComposerState(viewed_title(self._stores), is_running))


class AnswerDrafts(WriteBehind):
    """Restores unfinished answers into the card and saves changes from then on."""

    def __init__(self, context: WindowContext, card: AttentionCard, pane: QWidget) -> None:
        super().__init__("answers", context.tasks, pane)
        self._path = context.drafts_folder.with_name("answers.json")
        self._card = card
        self._saved: StoredAnswers = {}

    async def load(self) -> None:
        """Restore the saved answers, before any request is shown."""
        self._saved = await asyncio.to_thread(read_saved, self._path, _answers_of, {}, "the unfinished answers")
        self._card.requests.restore_drafts(self._saved)
        self._card.drafts_changed.connect(self.touch)

    async def _save_changes(self) -> bool:
        answers = dict([*self._card.requests.drafts().items()][-_MOST_ANSWERS:])  # the newest, as the card appends
        is_changed = answers != self._saved
        if is_changed:
            await asyncio.to_thread(write_saved, self._path, _fields_of(answers))
            self._saved = answers
        return is_changed


def _fields_of(answers: StoredAnswers) -> dict[InterruptionId, Any]:
    return {key: {"fields": answer.fields, "reason": answer.reason} for key, answer in answers.items()}


def _answers_of(saved: Any) -> StoredAnswers:
    return {
        InterruptionId(key): DraftAnswer(tuple(fields["fields"]), str(fields["reason"]))
        for key, fields in saved.items()
    }
