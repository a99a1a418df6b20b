"""The store: a process owns it, commits writes to it, and reads the domain's own objects from its repositories."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.events import Event, Fact
from core.domain.ids import AuditId, MessageId, RunId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.mcp_server import StoredServer
from core.domain.messages import Message, QueuedMessage
from core.domain.prompt import Prompt
from core.domain.run import Run, RunStatus, Snapshot
from core.domain.task import TaskList
from core.domain.toast import Toast
from core.domain.workflow import Workflow
from core.ports.memories import Memories
from core.ports.writes import Chunk, StoredTemplate, Write

PAGE_ROWS = 200  # the maximum of a listing

T_co = TypeVar("T_co", covariant=True)


class Listing(Protocol[T_co]):
    """Objects that are read all at once. Unreadable objects are missing."""

    async def all(self) -> Sequence[T_co]:
        """Return the objects by name; notices by time, oldest first; queued messages in the order of each queue."""


class Documents(Listing[T_co], Protocol[T_co]):
    """Documents of a type."""

    async def get(self, document_id: str) -> T_co | None: ...


class Templates(Protocol):
    """Templates in all their versions. Unreadable versions are missing."""

    async def get(self, template_id: str, version: int | None = None) -> StoredTemplate | None:
        """Return the version, or the newest."""

    async def all(self) -> Sequence[StoredTemplate]:
        """Return the newest version of each template, by title."""


class Workflows(Protocol):
    """Workflows. Discarded workflows are missing, except where stated."""

    async def get(self, workflow_id: WorkflowId) -> Workflow | None: ...

    async def all(self) -> list[Workflow]:
        """Return workflows, last changed first."""

    async def discarded(self) -> list[WorkflowId]:
        """Return the workflows that are to be deleted, first discarded first."""

    async def archived(self) -> set[WorkflowId]:
        """Return the archived workflows, discarded ones too."""

    async def looked_at(self) -> dict[WorkflowId, datetime]:
        """Return when the user last looked at each workflow; at first that is its last change when it was written."""


class Messages(Protocol):
    """Messages of workflows, with the texts attached to them."""

    async def of_workflow(self, workflow_id: WorkflowId) -> list[Message]:
        """Return messages, oldest first; of the same time, in the order in which they were last written."""

    async def newest(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        """Return the last `limit` (at most PAGE_ROWS) messages, oldest first, without reading the others."""

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        """Return the texts of a message's attachments, in order; of a file without text, an empty text."""


class Files(Protocol):
    """Files that belong to messages and runs, by the SHA-256 of their data."""

    async def get(self, digest: str) -> bytes | None:
        """Return the data; None if there is none, or if it is damaged."""

    async def of_workflow(self, workflow_id: WorkflowId) -> list[tuple[str, str]]:
        """Return the owner (a message or a run) and the hash of each file of a workflow, sorted."""


class Runs(Protocol):
    """Runs. Listings leave out `output_json`, which may have megabytes."""

    async def get(self, run_id: RunId) -> Run | None:
        """Return the run. An unreadable run has the status `error`, code `unreadable`."""

    async def page(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        """Return root runs, newest first, at most PAGE_ROWS; `before` is the last id of the previous page.

        A run with an open interruption, of its own or of a run below, counts as `waiting` whatever its status. A run
        that is marked unreadable counts as `error`; an unmarked unreadable run is only found without a `status`.
        """

    async def unfinished(self) -> list[Run]:
        """Return enqueued, running and waiting runs, also child runs, oldest first; no unreadable or marked runs."""

    async def ended_since(self, at: datetime) -> list[RunId]:
        """Return the runs that have ended at that time or later, also child runs, in no order."""

    async def children(self, run_id: RunId) -> list[Run]:
        """Return the runs that this run started, oldest first."""


class OfRun(Protocol[T_co]):
    """Rows that belong to a run."""

    async def of_run(self, run_id: RunId) -> T_co:
        """Return the rows in order. Raises StorageFailed `unreadable`."""


class Interruptions(Protocol):
    """Open interruptions. Those that are closed are known from the events of their runs (`core.domain.progress`)."""

    async def open(self, run_id: RunId | None = None) -> list[Interruption]:
        """Return the readable open interruptions of the run, or of all runs, oldest first."""


class Events(Protocol):
    """Events of runs, whole: with the long values and texts that other rows hold.

    A value that is damaged is UNREADABLE_VALUE, and its fact marked (`core.domain.events.is_damaged`).
    """

    async def of_run(self, run_id: RunId) -> list[Event]:
        """Return the events in order. Raises StorageFailed `unreadable`."""

    async def last_seq(self, run_id: RunId) -> int:
        """Return the number of the run's last event, 0 if there is none."""

    async def of_runs(
        self, run_ids: Sequence[RunId], facts: Collection[type[Fact]] | None = None
    ) -> dict[RunId, list[Event]]:
        """Return events by run, in this order, without unreadable runs; with `facts`, only events with such facts."""


class TaskLists(Protocol):
    """Task lists of workflows."""

    async def of_workflow(self, workflow_id: WorkflowId) -> TaskList:
        """Return the readable tasks."""


class StoredSettings(Protocol):
    """Settings by name."""

    async def all(self) -> Mapping[str, Any]:
        """Return the readable values."""


class AuditLog(Protocol):
    """The audit log of consent. It survives its workflows."""

    async def page(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        """Return readable entries, newest first, at most PAGE_ROWS; `before` is the last id of the previous page."""

    async def drop(self, before: datetime) -> None:
        """Delete the entries that are older."""


class Storage(Protocol):
    """The store. Everything raises StorageFailed if the store cannot be read or written."""

    @property
    def workflows(self) -> Workflows: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def files(self) -> Files: ...
    @property
    def queued_messages(self) -> Listing[QueuedMessage]: ...
    @property
    def templates(self) -> Templates: ...
    @property
    def agents(self) -> Documents[Agent]: ...
    @property
    def prompts(self) -> Documents[Prompt]: ...
    @property
    def notices(self) -> Documents[Toast]: ...
    @property
    def servers(self) -> Listing[StoredServer]: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def snapshots(self) -> OfRun[Snapshot]: ...
    @property
    def interruptions(self) -> Interruptions: ...
    @property
    def events(self) -> Events: ...
    @property
    def chunks(self) -> OfRun[list[Chunk]]: ...
    @property
    def allowed_files(self) -> OfRun[list[str]]: ...
    @property
    def tasks(self) -> TaskLists: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def settings(self) -> StoredSettings: ...
    @property
    def audit(self) -> AuditLog: ...

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        """Write all or nothing, in order, durably when this returns.

        Returns the positions of lost writes (a comparison that failed, a run that exists); the others are stored. The
        outcome is unknown if the caller was cancelled, or if the commit failed because of the disk. It can be repeated
        then: equal rows are written again, except events, which are refused (`events_refused`) if they were written.
        """

    async def taken(self, ids: Collection[str]) -> set[str]:
        """Return which of these are the ids of runs, messages or memories, also of discarded workflows."""

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        """Delete a workflow with its messages, runs, tasks, memories and all that belongs to them.

        Works in batches, so that other commits get a turn. An interrupted deletion can be repeated.
        """

    async def close(self) -> None:
        """Release the store. It cannot be used afterwards."""
