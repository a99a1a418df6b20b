"""The tables of the in-memory storage, and the effect of a commit on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Self

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.ids import (
    AuditId,
    InterruptionId,
    MemoryId,
    MessageId,
    RunId,
    ServerId,
    TemplateId,
    WorkflowId,
)
from core.domain.interruption import Interruption
from core.domain.mcp_server import McpServer
from core.domain.memory import Memory
from core.domain.messages import Message, QueuedMessage
from core.domain.progress import RunProgress
from core.domain.prompt import Prompt
from core.domain.run import Run, RunStatus, Snapshot
from core.domain.task import TaskList
from core.domain.toast import Toast
from core.domain.workflow import Workflow
from core.errors import StorageFailed
from core.persistence.batch import Batch, Creation
from core.persistence.event_rows import EventRow
from core.ports import writes as kinds

OrderKey = tuple[datetime, int]  # a time, and the number of the put: the order of listings
ChunkKey = tuple[str, int | None, int]
QUEUE_END = 1_000_000  # where new messages wait: behind those that were ordered


@dataclass(slots=True)
class Tables:
    """Rows by key, grouped by run. `broken` names rows that cannot be read.

    `folded` caches how far runs got, for simulations that look at each turn.
    """

    workflows: dict[WorkflowId, tuple[OrderKey, Workflow]] = field(default_factory=dict)
    discarded: dict[WorkflowId, datetime] = field(default_factory=dict)
    looked_at: dict[WorkflowId, datetime] = field(default_factory=dict)
    messages: dict[MessageId, tuple[OrderKey, Message]] = field(default_factory=dict)
    attached: dict[tuple[WorkflowId, MessageId, int], str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    file_uses: set[tuple[WorkflowId, str, str]] = field(default_factory=set)
    queued: dict[tuple[WorkflowId, MessageId], tuple[int, QueuedMessage]] = field(default_factory=dict)
    templates: dict[TemplateId, dict[int, kinds.StoredTemplate]] = field(default_factory=dict)
    documents: dict[type[object], dict[str, kinds.Document]] = field(
        default_factory=lambda: {kind: {} for kind in (Agent, Prompt, Toast, McpServer)}
    )
    tool_lists: dict[ServerId, str] = field(default_factory=dict)
    runs: dict[RunId, tuple[OrderKey, Run]] = field(default_factory=dict)
    snapshots: dict[RunId, Snapshot] = field(default_factory=dict)
    interruptions: dict[RunId, dict[InterruptionId, tuple[OrderKey, Interruption]]] = field(default_factory=dict)
    events: dict[RunId, dict[int, EventRow]] = field(default_factory=dict)
    chunks: dict[RunId, dict[ChunkKey, kinds.Chunk]] = field(default_factory=dict)
    marks: dict[RunId, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    audit: dict[AuditId, tuple[OrderKey, AuditEntry]] = field(default_factory=dict)
    tasks: dict[WorkflowId, TaskList] = field(default_factory=dict)
    allowed_files: dict[RunId, dict[str, None]] = field(default_factory=dict)
    memories: dict[MemoryId, tuple[OrderKey, Memory]] = field(default_factory=dict)
    broken: set[tuple[str, RunId]] = field(default_factory=set)
    puts: int = 0
    folded: dict[RunId, RunProgress] = field(default_factory=dict)

    def copy(self) -> Self:
        """Return a copy. The rows are frozen and shared."""
        twin = replace(self, broken=set(self.broken), folded={})
        for table in fields(self):
            rows = getattr(self, table.name)
            if isinstance(rows, dict) and table.name != "folded":
                copied = {key: dict(row) if isinstance(row, dict) else row for key, row in rows.items()}
                setattr(twin, table.name, copied)
        return twin

    def apply(self, writes: Sequence[kinds.Write]) -> frozenset[int]:
        """Apply the writes of a commit in order. Returns the positions of lost writes."""
        batch = Batch(writes)
        creations, (dropped, pieces), rows = batch.creations(), batch.chunks(), batch.event_rows()
        lost = batch.duplicates()
        self._require_accepted(batch, rows)
        self._put(batch)
        for creation in creations:
            if not self._create(creation):
                lost |= creation.positions
        lost |= {at for at, change in batch.with_positions(kinds.ChangeRun) if not self._change(change)}
        for moved in batch.of(kinds.ChangeRoot):
            self._change_root(moved)
        for raised in batch.of(kinds.RaiseInterruption):
            asked = raised.interruption
            self.interruptions.setdefault(asked.run_id, {})[asked.id] = self._place(asked.created_at), asked
        for closed in batch.of(kinds.CloseInterruption):
            self.interruptions.get(closed.run_id, {}).pop(closed.id, None)
        for row in rows:
            self._put_events(row)
        for run_id, step, index in dropped:
            chunks = self.chunks.get(run_id, {})
            self.chunks[run_id] = {key: chunk for key, chunk in chunks.items() if key[:2] != (step, index)}
        for piece in pieces:
            self.chunks.setdefault(piece.run_id, {})[piece.step, piece.index, piece.offset] = piece
        self.marks.update({mark.run_id: mark.reason for mark in batch.of(kinds.MarkUnreadable)})
        for put_memory in batch.of(kinds.PutMemory):
            memory = put_memory.memory
            self.memories[memory.id] = self._place(memory.created_at), memory
        self.settings.update({setting.name: setting.value_json for setting in batch.of(kinds.PutSetting)})
        for put_audit in batch.of(kinds.PutAudit):
            entry = put_audit.entry
            if entry.id not in self.audit:
                self.audit[entry.id] = self._place(entry.at), entry
        lost |= {at for at, write in batch.with_positions(kinds.ChangeTasks) if not self._change_tasks(write)}
        for allowed in batch.of(kinds.AllowFile):
            self.allowed_files.setdefault(allowed.run_id, {})[allowed.path] = None
        return frozenset(lost)

    def progress(self, run_id: RunId) -> RunProgress:
        """Return how far the run got, as its events say."""
        progress = self.folded.setdefault(run_id, RunProgress(run_id))
        for _, row in sorted(self.events.get(run_id, {}).items()):
            if row.last_seq > progress.last_seq:
                for stored in row.events:
                    progress.add(stored.event)
        return progress

    def delete_workflow(self, workflow_id: WorkflowId) -> None:
        for run_id in [run.id for _, run in self.runs.values() if run.workflow_id == workflow_id]:
            tables: list[dict[RunId, Any]] = [self.runs, self.snapshots, self.events, self.folded]
            for table in [*tables, self.interruptions, self.chunks, self.marks, self.allowed_files]:
                table.pop(run_id, None)
        for message_id in [message.id for _, message in self.messages.values() if message.workflow_id == workflow_id]:
            del self.messages[message_id]
        self.tasks.pop(workflow_id, None)
        self.attached = {key: text for key, text in self.attached.items() if key[0] != workflow_id}
        self._release(workflow_id)
        self.queued = {key: row for key, row in self.queued.items() if key[0] != workflow_id}
        self.memories = {key: row for key, row in self.memories.items() if row[1].workflow_id != workflow_id}
        self.workflows.pop(workflow_id, None)
        self.discarded.pop(workflow_id, None)
        self.looked_at.pop(workflow_id, None)

    def remember(self, memory: Memory) -> Memory:
        """Add the memory unless its id exists. Returns the stored memory."""
        if memory.id not in self.memories:
            self.memories[memory.id] = self._place(memory.created_at), memory
        return self.memories[memory.id][1]

    def _place(self, at: datetime) -> OrderKey:
        self.puts += 1
        return at, self.puts

    def _put(self, batch: Batch) -> None:
        for put_workflow in batch.of(kinds.PutWorkflow):
            known = self.workflows.get(put_workflow.workflow.id)
            workflow = replace(put_workflow.workflow, archived_at=known[1].archived_at if known else None)
            self.workflows[workflow.id] = self._place(workflow.updated_at), workflow
            self.looked_at.setdefault(workflow.id, workflow.updated_at)
        for archive in batch.of(kinds.ArchiveWorkflow):
            if archive.workflow_id in self.workflows:
                place, workflow = self.workflows[archive.workflow_id]
                self.workflows[workflow.id] = place, replace(workflow, archived_at=archive.at)
        for look in batch.of(kinds.MarkLookedAt):
            if look.workflow_id in self.workflows:
                self.looked_at[look.workflow_id] = look.at
        for discard in batch.of(kinds.DiscardWorkflow):
            if discard.at is None:
                self.discarded.pop(discard.workflow_id, None)
            elif discard.workflow_id in self.workflows:
                self.discarded[discard.workflow_id] = discard.at
        for message in batch.messages():
            self._put_message(message)
        self._put_queued(batch)
        for put in batch.of(kinds.Put):
            document = put.document
            if isinstance(document, kinds.StoredTemplate):
                self.templates.setdefault(document.id, {})[document.version] = document
            else:
                self.documents[type(document)][document.id] = document
        self.tool_lists.update({tools.server_id: tools.tools_json for tools in batch.of(kinds.PutToolList)})
        for removal in batch.of(kinds.Remove):
            if removal.kind is kinds.StoredTemplate:
                self.templates.pop(TemplateId(removal.id), None)
            else:
                self.documents[removal.kind].pop(removal.id, None)
            if removal.kind is McpServer:
                self.tool_lists.pop(ServerId(removal.id), None)

    def _put_queued(self, batch: Batch) -> None:
        for put in batch.of(kinds.PutAttachedText):
            self.attached.setdefault((put.workflow_id, put.message_id, put.position), put.text)
        for keep in batch.of(kinds.KeepFile):
            self.file_uses.add((keep.workflow_id, keep.owner, keep.hash))
            if keep.data is not None:
                self.files.setdefault(keep.hash, keep.data)
        for queue in batch.of(kinds.QueueMessage):
            key = queue.message.workflow_id, queue.message.id
            if key not in self.queued:
                self.puts += 1
                self.queued[key] = QUEUE_END + self.puts, queue.message
        for order in batch.of(kinds.OrderQueued):
            for place, message_id in enumerate(order.ids):
                if (key := (order.workflow_id, message_id)) in self.queued:
                    self.queued[key] = place, self.queued[key][1]
        for removal in batch.of(kinds.UnqueueMessage):
            of_message = (removal.workflow_id, removal.message_id)
            self.queued.pop(of_message, None)
            if removal.with_texts:
                self.attached = {key: text for key, text in self.attached.items() if key[:2] != of_message}
                self._release(*of_message)

    def _release(self, *owner: str) -> None:
        """Delete the uses of a workflow, or of one of its messages, and the files that nothing uses any more."""
        self.file_uses = {use for use in self.file_uses if use[: len(owner)] != owner}
        used = {digest for _, _, digest in self.file_uses}
        self.files = {digest: data for digest, data in self.files.items() if digest in used}

    def _put_message(self, message: Message) -> None:
        self.messages[message.id] = self._place(message.created_at), message

    def _create(self, creation: Creation) -> bool:
        run = creation.run
        if run.id in self.runs:
            return False
        self.runs[run.id] = self._place(run.created_at), run
        self.snapshots[run.id] = creation.snapshot
        for message in creation.messages:
            self._put_message(message)
        if creation.events is not None:
            self._put_events(creation.events)
        return True

    def _change(self, change: kinds.ChangeRun) -> bool:
        place, run = self.runs.get(change.run_id, (None, None))
        if place is None or run is None or run.status not in change.expected:
            return False
        names = ("started_at", "finished_at", "output_json", "error", "active_ms", "unclean_ends", "results_then")
        changed: dict[str, Any] = {name: value for name in names if (value := getattr(change, name)) is not None}
        self.runs[run.id] = place, replace(run, status=change.status, **changed)
        return True

    def _change_root(self, change: kinds.ChangeRoot) -> None:
        if change.run_id in self.runs:
            place, run = self.runs[change.run_id]
            self.runs[run.id] = place, replace(run, root=change.root)

    def _change_tasks(self, change: kinds.ChangeTasks) -> bool:
        """Return whether the tasks are now as the change asks."""
        stored = self.tasks.get(change.workflow_id, TaskList({}))
        if stored.revision != change.revision:
            return (stored.revision, stored.changed_by) == (change.revision + 1, change.by)
        tasks = {**stored.tasks, **{task.id: task for task in change.put}}
        tasks = {task_id: task for task_id, task in tasks.items() if task_id not in change.removed}
        self.tasks[change.workflow_id] = TaskList(tasks, change.revision + 1, change.by)
        return True

    def _require_accepted(self, batch: Batch, rows: Sequence[EventRow]) -> None:
        """Raise StorageFailed `events_refused` if a row of events exists, or a run that is claimed is not running."""
        statuses = {run_id: run.status for run_id, (_, run) in self.runs.items()}
        for creation in batch.creations():
            statuses.setdefault(creation.run.id, creation.run.status)
        for change in batch.of(kinds.ChangeRun):
            if statuses.get(change.run_id) in change.expected:
                statuses[change.run_id] = change.status
        claimed = {claim.run_id for claim in batch.of(kinds.Claim)} if rows else set()
        if any(statuses.get(run_id) is not RunStatus.RUNNING for run_id in claimed) or any(
            row.first_seq in self.events.get(row.run_id, {}) for row in rows
        ):
            raise StorageFailed("events_refused", "events of a run were refused")

    def _put_events(self, row: EventRow) -> None:
        self.events.setdefault(row.run_id, {})[row.first_seq] = row
