"""The store: what is written in one commit, and what can be read back.

One process owns it. Writes are data, so that one writer can put those of many runs into one
transaction; reads return the domain's own rows.

However the writes of a commit are listed, they take effect in this order, and each kind in the order given:
workflows, archived and discarded ones, messages, attached texts, queued messages, their order, those that are queued no
longer, templates, removed templates, agents, removed agents, prompts, removed prompts, notices, removed notices, new
runs · changes of runs · changes of roots · released claims · claims · step results · tool calls · raised interruptions
· closed interruptions · events · pieces of text · marks · settings · the audit log · tasks · allowed files. So no step
is claimed after the change that ends its run, and a result wins over a claim of the same key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.events import Event
from core.domain.ids import (
    AgentId,
    AuditId,
    InterruptionId,
    MessageId,
    PromptId,
    RunId,
    ServerId,
    TaskId,
    TemplateId,
    WorkflowId,
)
from core.domain.interruption import Answer, Interruption, InterruptionStatus
from core.domain.mcp_server import McpServer, StoredServer
from core.domain.messages import Message, QueuedMessage
from core.domain.prompt import Prompt
from core.domain.run import ErrorInfo, Run, RunStatus, Snapshot, StepKey, StepResult
from core.domain.task import Task, TaskList
from core.domain.toast import Toast, ToastId
from core.domain.tool import ToolCall
from core.domain.workflow import Workflow
from core.ports.memories import Memories

PAGE_ROWS = 200  # the most that one listing gives


@dataclass(frozen=True, slots=True)
class PutWorkflow:
    """Create the workflow or replace its row. Whether it is archived or discarded stays as it is."""

    workflow: Workflow


@dataclass(frozen=True, slots=True)
class ArchiveWorkflow:
    """Put the workflow away `at` this time, or bring it back: None. Without effect where there is none."""

    workflow_id: WorkflowId
    at: datetime | None


@dataclass(frozen=True, slots=True)
class DiscardWorkflow:
    """Hide the workflow from every reading but `discarded_workflows` until it is deleted, or bring it back: `at` None.

    Without effect where there is none.
    """

    workflow_id: WorkflowId
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PutMessage:
    """Create the message or replace its row."""

    message: Message


@dataclass(frozen=True, slots=True)
class PutAttachedText:
    """Keep the text of an attachment of a message, queued or said, at its `position` among them (from 0)."""

    workflow_id: WorkflowId
    message_id: MessageId
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """Keep a message that waits, behind those of its workflow. Written once: a second time nothing changes."""

    message: QueuedMessage


@dataclass(frozen=True, slots=True)
class OrderQueued:
    """From now on the messages of the workflow that wait do so in this order; those that are gone are left out."""

    workflow_id: WorkflowId
    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class UnqueueMessage:
    """A message does not wait any more, be it said or taken back; `with_texts`: the texts of its attachments go too."""

    workflow_id: WorkflowId
    message_id: MessageId
    with_texts: bool = False


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A version of a template, as text: a draft may be invalid."""

    id: TemplateId
    version: int
    title: str
    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PutTemplate:
    """Save the version, or replace it. The newest of an id is the one with the highest number."""

    template: StoredTemplate


@dataclass(frozen=True, slots=True)
class RemoveTemplate:
    """Remove every version of a template, if there is one. Runs have snapshots of their own."""

    template_id: TemplateId


@dataclass(frozen=True, slots=True)
class PutAgent:
    """Create the agent or replace its row."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class RemoveAgent:
    """Remove the row of an agent, if there is one."""

    agent_id: AgentId


@dataclass(frozen=True, slots=True)
class PutPrompt:
    """Create the prompt or replace its row."""

    prompt: Prompt


@dataclass(frozen=True, slots=True)
class RemovePrompt:
    """Remove the row of a prompt, if there is one."""

    prompt_id: PromptId


@dataclass(frozen=True, slots=True)
class PutNotice:
    """Create the notice or replace its row."""

    notice: Toast


@dataclass(frozen=True, slots=True)
class RemoveNotice:
    """Remove the row of a notice, if there is one."""

    notice_id: ToastId


@dataclass(frozen=True, slots=True)
class PutServer:
    """Create the MCP server or replace its row; the list of its tools stays."""

    server: McpServer


@dataclass(frozen=True, slots=True)
class PutToolList:
    """Keep what an MCP server offered when it was last asked, as JSON text."""

    server_id: ServerId
    tools_json: str


@dataclass(frozen=True, slots=True)
class RemoveServer:
    """Remove the row of an MCP server with the list of its tools, if there is one."""

    server_id: ServerId


@dataclass(frozen=True, slots=True)
class CreateRun:
    """Create a run with its snapshot. Lost if a run of that id exists: the same key, a second time.

    With it the messages and events of that run in the same commit are lost, so that nothing of the run that
    exists is overwritten and no stray message is left.
    """

    run: Run
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class ChangeRun:
    """Compare and set: applied only while the stored status is one of `expected`, else lost.

    Fields that are None are left as they are. A second time it is lost, though it was the first that changed
    the row: whoever cannot know whether a commit was done looks at the run.
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
    """Put the run below another root, or make it one of its own: `root` None."""

    run_id: RunId
    root: RunId | None


@dataclass(frozen=True, slots=True)
class Claim:
    """Say that a step begins: its `running` row. Lost if the row exists or the run is not `running`.

    A row that equals this one in every field counts as ours: it is how a commit that is repeated, because its
    outcome was not known, finds out that it had been done.
    """

    result: StepResult


@dataclass(frozen=True, slots=True)
class PutStepResult:
    """How a step ended; replaces its claim if there is one."""

    result: StepResult


@dataclass(frozen=True, slots=True)
class ReleaseClaim:
    """Forget a `running` row that a dead process left behind. A result that has been taken stays."""

    run_id: RunId
    key: StepKey


@dataclass(frozen=True, slots=True)
class PutToolCall:
    """Write the ledger row of a call, or replace it. Its arguments are those that it was first written with."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class RaiseInterruption:
    """Write that a person is asked. Lost if there is a row of that id, unless it was raised just so."""

    interruption: Interruption


@dataclass(frozen=True, slots=True)
class CloseInterruption:
    """Compare and set: applied only while the stored status is an open one, else lost.

    One that stands closed exactly so counts as closed by this write: a commit may be repeated.
    """

    run_id: RunId
    id: InterruptionId
    status: InterruptionStatus
    closed_at: datetime
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class AppendEvents:
    """Events of one run in order, as one row.

    What a row of the same commit keeps is not kept twice: the output of a step, where its completed result is
    put; the text of a message, where that is put with the same text and will not change (`final`, or one that is
    `interrupted` for good). `Storage.events` fills them in.
    """

    run_id: RunId
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of streamed text, at most 4 KiB as UTF-8, at `offset` characters of its stream."""

    run_id: RunId
    step: str
    index: int | None
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class AppendChunk:
    """Keep a piece of streamed text until its message is final."""

    chunk: Chunk


@dataclass(frozen=True, slots=True)
class DropChunks:
    """Remove the pieces of one stream: their message is kept now."""

    run_id: RunId
    step: str
    index: int | None


@dataclass(frozen=True, slots=True)
class MarkUnreadable:
    """Show the run as `error`, code `unreadable`, from now on; its rows stay as they are."""

    run_id: RunId
    reason: str


@dataclass(frozen=True, slots=True)
class PutSetting:
    """Keep one setting, as JSON text."""

    name: str
    value_json: str


@dataclass(frozen=True, slots=True)
class PutAudit:
    """Add an entry to the audit log. One of that id that stands there already stays as it is."""

    entry: AuditEntry


@dataclass(frozen=True, slots=True)
class AllowFile:
    """The file tools of the run may reach this file from now on, beside its folders: a person picked it."""

    run_id: RunId
    path: str


@dataclass(frozen=True, slots=True)
class ChangeTasks:
    """Compare and set: applied only while the tasks of the workflow have that `revision`, which is one more then.

    One by the same `by` that was the last to change this revision counts as applied: a commit may be repeated.
    """

    workflow_id: WorkflowId
    revision: int
    by: str
    put: tuple[Task, ...] = ()
    removed: tuple[TaskId, ...] = ()


Write = (
    PutWorkflow
    | ArchiveWorkflow
    | DiscardWorkflow
    | PutMessage
    | PutAttachedText
    | QueueMessage
    | OrderQueued
    | UnqueueMessage
    | PutTemplate
    | RemoveTemplate
    | PutAgent
    | RemoveAgent
    | PutPrompt
    | RemovePrompt
    | PutNotice
    | RemoveNotice
    | PutServer
    | PutToolList
    | RemoveServer
    | CreateRun
    | ChangeRun
    | ChangeRoot
    | Claim
    | PutStepResult
    | ReleaseClaim
    | PutToolCall
    | RaiseInterruption
    | CloseInterruption
    | AppendEvents
    | AppendChunk
    | DropChunks
    | MarkUnreadable
    | PutSetting
    | PutAudit
    | ChangeTasks
    | AllowFile
)


class Storage(Protocol):
    """Everything raises StorageFailed when the store cannot be read or written."""

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        """Write all or nothing, in order, on disk when this returns.

        Returns the positions of the writes that were lost (a claim somebody has, a compare that did not
        hold, a run that exists); the others are kept. Repeating a commit whose outcome is not known does no
        harm: equal rows are written again, and a claim that already stands exactly as written is won. The
        outcome is not known if the caller was cancelled, or if it failed while the disk was full.
        """
        ...

    async def workflow(self, workflow_id: WorkflowId) -> Workflow | None:
        """None too for a discarded one."""
        ...

    async def workflows(self) -> list[Workflow]:
        """All but discarded ones, last changed first."""
        ...

    async def discarded_workflows(self) -> list[WorkflowId]:
        """Those that are to be deleted, the one discarded first first."""
        ...

    async def archived_workflows(self) -> set[WorkflowId]:
        """The ids of those that are archived, discarded ones too."""
        ...

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        """Remove a workflow with its messages, runs, tasks and memories and all that belongs to them.

        In pieces, so that others can write meanwhile; cut short, it can be done again.
        """
        ...

    async def messages(self, workflow_id: WorkflowId) -> list[Message]:
        """Oldest first; of the same time, in the order in which they were last put."""
        ...

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """The texts of the attachments of a message, in their order."""
        ...

    async def queued_messages(self) -> list[QueuedMessage]:
        """Those of all workflows that can be read, in the order in which they wait."""
        ...

    async def newest_messages(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        """The last ones of `messages`, in that order; at most PAGE_ROWS. Costs what they do, however many there are."""
        ...

    async def template(self, template_id: TemplateId, version: int | None = None) -> StoredTemplate | None:
        """That version, or the newest."""
        ...

    async def templates(self) -> list[StoredTemplate]:
        """The newest version of each, by title."""
        ...

    async def agent(self, agent_id: AgentId) -> Agent | None:
        """None too for one that cannot be read."""
        ...

    async def agents(self) -> list[Agent]:
        """All that can be read, by name."""
        ...

    async def prompts(self) -> list[Prompt]:
        """All that can be read, by name."""
        ...

    async def notices(self) -> list[Toast]:
        """All that can be read, the oldest first."""
        ...

    async def servers(self) -> list[StoredServer]:
        """All MCP servers that can be read, by name, each with the list of its tools."""
        ...

    async def run(self, run_id: RunId) -> Run | None:
        """A row that cannot be read comes back as an `error` run, code `unreadable`."""
        ...

    async def runs(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        """Runs that have no root, newest first, at most PAGE_ROWS; `before` is the last id of the page before.

        Those with an open interruption, of their own or of a run below, are found as `waiting` whatever they do.

        `output_json` is left out of a listing: it may be megabytes, `run` has it. Runs that are marked unreadable
        are found as `error`; one that cannot be read and is not marked yet is found where no `status` is asked for.
        """
        ...

    async def run_of_message(self, message_id: MessageId) -> Run | None:
        """The newest run without a parent that shows in the message, as `run` gives it."""
        ...

    async def unfinished_runs(self) -> list[Run]:
        """Every enqueued, running or waiting run that can be read and is not marked unreadable, oldest first,
        children among them.

        A listing, as `runs`: without outputs.
        """
        ...

    async def children(self, run_id: RunId) -> list[Run]:
        """The runs that this one began, oldest first: a listing, as `runs`."""
        ...

    async def interruptions(self, run_id: RunId) -> list[Interruption]:
        """Every interruption of the run itself, in the order of asking. Raises `unreadable` as below."""
        ...

    async def open_interruptions(self) -> list[Interruption]:
        """Those of all runs, oldest first; what cannot be read is left out."""
        ...

    async def snapshot(self, run_id: RunId) -> Snapshot:
        """Raises StorageFailed `unreadable` if there is none that can be read."""
        ...

    async def step_results(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        """Checkpoints of a run, those of whole steps first, then by step, iteration and round.

        Without `iterations`, those of whole steps alone: neither iterations nor rounds. Raises `unreadable` as above.
        """
        ...

    async def tool_calls(self, run_id: RunId) -> list[ToolCall]:
        """The ledger, in the order of rounds and positions. Raises `unreadable` as above."""
        ...

    async def events(self, run_id: RunId) -> list[Event]:
        """In order, with the outputs and texts that are kept elsewhere filled in. Raises `unreadable` as above."""
        ...

    async def events_of(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        """Those of several runs at once, by run, in this order; a run whose events cannot be read is left out."""
        ...

    async def chunks(self, run_id: RunId) -> list[Chunk]:
        """By stream and offset."""
        ...

    async def allowed_files(self, run_id: RunId) -> list[str]:
        """The paths of the files that were picked for the run, sorted."""
        ...

    async def tasks(self, workflow_id: WorkflowId) -> TaskList:
        """Of a workflow; those that cannot be read are left out."""
        ...

    @property
    def memories(self) -> Memories:
        """What agents remember."""
        ...

    async def settings(self) -> Mapping[str, Any]:
        """Name → value; one that cannot be read is left out."""
        ...

    async def audit(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        """The audit log, newest first, at most PAGE_ROWS; `before` is the last id of the page before. What cannot be
        read is left out. It stays when a workflow is deleted."""
        ...

    async def drop_audit(self, before: datetime) -> None:
        """Delete the entries that are older, for good."""
        ...

    async def close(self) -> None:
        """Give the store back. Nothing may be called afterwards."""
        ...
