"""The writes of a commit, as data, so that a single writer can combine those of many runs into one transaction.

Whatever their order in a commit, writes take effect in the order of `Write`, and writes of a kind in the order given.
Therefore no step is claimed after the change that ends its run. Of documents, all puts precede the removals.
"""

from dataclasses import dataclass, field
from datetime import datetime

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.events import Event
from core.domain.ids import InterruptionId, MessageId, RunId, ServerId, TaskId, TemplateId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.mcp_server import McpServer
from core.domain.memory import Memory
from core.domain.messages import Message, QueuedMessage
from core.domain.prompt import Prompt
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot
from core.domain.task import Task
from core.domain.toast import Toast
from core.domain.workflow import Workflow


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A version of a template, as text, since a draft may be invalid."""

    id: TemplateId
    version: int
    title: str
    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of streamed text, at most 4 KiB as UTF-8, at `offset` characters of its stream."""

    run_id: RunId
    step: str
    index: int | None
    offset: int
    text: str


# What the user keeps by id, apart from workflows: a notice is a Toast.
Document = StoredTemplate | Agent | Prompt | Toast | McpServer


@dataclass(frozen=True, slots=True)
class PutWorkflow:
    """Create or replace the workflow. It stays archived or discarded if it is."""

    workflow: Workflow


@dataclass(frozen=True, slots=True)
class ArchiveWorkflow:
    """Archive the workflow at this time, or restore it: None. No effect if there is none."""

    workflow_id: WorkflowId
    at: datetime | None


@dataclass(frozen=True, slots=True)
class MarkLookedAt:
    """The user looked at the workflow at this time. No effect if there is none."""

    workflow_id: WorkflowId
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscardWorkflow:
    """Hide the workflow from every read except `discarded` until it is deleted, or restore it: `at` None.

    No effect if there is none.
    """

    workflow_id: WorkflowId
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PutMessage:
    """Create or replace the message."""

    message: Message


@dataclass(frozen=True, slots=True)
class PutAttachedText:
    """Store the text of an attachment of a message, queued or sent, at its `position` (from 0). Written once."""

    workflow_id: WorkflowId
    message_id: MessageId
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class KeepFile:
    """Keep a file for a workflow until its `owner` is deleted: a message, queued or sent, or a run.

    The data is stored once by its SHA-256, and deleted when no owner is left. None: it is stored already, if at all.
    """

    workflow_id: WorkflowId
    owner: MessageId | RunId
    hash: str
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """Append a message to its workflow's queue. Written once; repeating it changes nothing."""

    message: QueuedMessage


@dataclass(frozen=True, slots=True)
class OrderQueued:
    """Reorder the queued messages of the workflow. Ids that are no longer queued are ignored."""

    workflow_id: WorkflowId
    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class UnqueueMessage:
    """Remove a sent or withdrawn message from the queue; with `with_texts`, its attached texts and files too."""

    workflow_id: WorkflowId
    message_id: MessageId
    with_texts: bool = False


@dataclass(frozen=True, slots=True)
class Put:
    """Create or replace the document.

    A template's version is kept beside its other versions; the highest number is the newest. A server's list of tools
    stays.
    """

    document: Document


@dataclass(frozen=True, slots=True)
class PutToolList:
    """Store the tools that an MCP server last offered, as JSON text."""

    server_id: ServerId
    tools_json: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the document of this type and id, if there is one.

    All versions of a template are removed, and the list of tools with its server. Runs keep their own snapshots.
    """

    kind: type[Document]
    id: str


@dataclass(frozen=True, slots=True)
class CreateRun:
    """Create a run with its snapshot. Lost if a run of that id exists, as when the same key is used again.

    The messages and events of that run in the same commit are then lost too, so that the existing run is not
    overwritten and no stray message is left.
    """

    run: Run
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class ChangeRun:
    """Compare and set: applied only if the stored status is in `expected`, otherwise lost.

    Fields that are None stay as they are. A repeated change is lost even if the first attempt applied it; a caller that
    cannot know whether its commit was written must read the run.
    """

    run_id: RunId
    expected: frozenset[RunStatus]
    status: RunStatus
    started_at: datetime | None = None
    finished_at: datetime | None = None
    output_json: str | None = None
    error: ErrorInfo | None = None
    active_ms: int | None = None
    unclean_ends: int | None = None
    results_then: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeRoot:
    """Put the run below another root, or make it a root: `root` None."""

    run_id: RunId
    root: RunId | None


@dataclass(frozen=True, slots=True)
class Claim:
    """Require that the run is `running` for its events in this commit, which start a step: otherwise they are refused
    (`AppendEvents`).
    """

    run_id: RunId


@dataclass(frozen=True, slots=True)
class RaiseInterruption:
    """Create or replace the row of an open interruption."""

    interruption: Interruption


@dataclass(frozen=True, slots=True)
class CloseInterruption:
    """Remove the row of an interruption that is no longer open."""

    run_id: RunId
    id: InterruptionId


@dataclass(frozen=True, slots=True)
class AppendEvents:
    """Append events of one run in order. All events of the run in a commit are one row.

    They are refused if a row with the same first number exists, or if the run of a `Claim` is not running: nothing of
    the commit is written then, and it raises StorageFailed `events_refused`. The text of a message that will not change
    (`final`, or finally `interrupted`) is stored only with the message of the same commit; reading events restores it.
    """

    run_id: RunId
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class DropChunks:
    """Remove the chunks of a stream whose message is stored now."""

    run_id: RunId
    step: str
    index: int | None


@dataclass(frozen=True, slots=True)
class AppendChunk:
    """Keep a chunk of streamed text until its message is final."""

    chunk: Chunk


@dataclass(frozen=True, slots=True)
class MarkUnreadable:
    """Show the run as `error`, code `unreadable`, from now on. Its rows stay as they are."""

    run_id: RunId
    reason: str


@dataclass(frozen=True, slots=True)
class PutMemory:
    """Create or replace the memory."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class PutSetting:
    """Store a setting, as JSON text."""

    name: str
    value_json: str


@dataclass(frozen=True, slots=True)
class PutAudit:
    """Add an entry to the audit log. An existing entry of the same id stays as it is."""

    entry: AuditEntry


@dataclass(frozen=True, slots=True)
class ChangeTasks:
    """Compare and set: applied only if the workflow's tasks have this `revision`, which is then incremented.

    If this revision was last changed by the same `by`, the write counts as applied, since a commit may be repeated.
    """

    workflow_id: WorkflowId
    revision: int
    by: str
    put: tuple[Task, ...] = ()
    removed: tuple[TaskId, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowFile:
    """Give the run's file tools access to a file that the user picked."""

    run_id: RunId
    path: str


Write = (
    PutWorkflow
    | ArchiveWorkflow
    | MarkLookedAt
    | DiscardWorkflow
    | PutMessage
    | PutAttachedText
    | KeepFile
    | QueueMessage
    | OrderQueued
    | UnqueueMessage
    | Put
    | PutToolList
    | Remove
    | CreateRun
    | ChangeRun
    | ChangeRoot
    | Claim
    | RaiseInterruption
    | CloseInterruption
    | AppendEvents
    | DropChunks
    | AppendChunk
    | MarkUnreadable
    | PutMemory
    | PutSetting
    | PutAudit
    | ChangeTasks
    | AllowFile
)
