"""The storage's in-memory twin: the same results, at once, without a disk.

Simulations run on it, since the engine's own `mem://` loses updates under concurrency. A commit takes effect when its
coroutine first runs, so it is never half done; committed rows survive the engine, and `copy` returns what a crash would
leave at that moment.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Self, TypeVar, cast

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.ids import AuditId, MessageId, RunId, TemplateId, WorkflowId
from core.domain.mcp_server import McpServer, StoredServer
from core.domain.messages import Message, QueuedMessage
from core.domain.names import by_name
from core.domain.prompt import Prompt
from core.domain.task import TaskList
from core.domain.text.json_text import decode
from core.domain.toast import Toast
from core.domain.workflow import Workflow
from core.persistence.keys import by_stream, by_time, by_title
from core.ports import PAGE_ROWS, StoredTemplate, Write
from tests.support.in_memory.memories import InMemoryMemories
from tests.support.in_memory.runs import (
    InMemoryEvents,
    InMemoryInterruptions,
    InMemoryOfRun,
    InMemoryRuns,
    InMemorySnapshots,
    Repository,
    TablesOf,
    order_key,
)
from tests.support.in_memory.tables import Tables

D = TypeVar("D", bound=Agent | Prompt | Toast | McpServer)


class InMemoryStorage:
    """A storage, empty unless it is given `tables`. Its rows survive `close`, for another engine."""

    def __init__(self, tables: Tables | None = None) -> None:
        self._tables = tables or Tables()

        def current() -> Tables:
            return self._tables

        self.workflows = InMemoryWorkflows(current)
        self.messages = InMemoryMessages(current)
        self.files = InMemoryFiles(current)
        self.queued_messages = InMemoryQueuedMessages(current)
        self.templates = InMemoryTemplates(current)
        self.agents = InMemoryDocuments(current, Agent, by_name)
        self.prompts = InMemoryDocuments(current, Prompt, by_name)
        self.notices = InMemoryDocuments(current, Toast, by_time)
        self.servers = InMemoryServers(current)
        self.runs = InMemoryRuns(current)
        self.snapshots = InMemorySnapshots(current)
        self.interruptions = InMemoryInterruptions(current)
        self.events = InMemoryEvents(current)
        self.chunks = InMemoryOfRun(
            current, lambda rows, run_id: sorted(rows.chunks.get(run_id, {}).values(), key=by_stream)
        )
        self.allowed_files = InMemoryOfRun(current, lambda rows, run_id: sorted(rows.allowed_files.get(run_id, {})))
        self.tasks = InMemoryTaskLists(current)
        self.memories = InMemoryMemories(current)
        self.settings = InMemorySettings(current)
        self.audit = InMemoryAuditLog(current)

    def copy(self) -> Self:
        """Return a separate storage with all that is committed now."""
        return type(self)(self._tables.copy())

    def spoil(self, rows: str, run_id: RunId) -> None:
        """Make rows of the run unreadable: its "row", "snapshot", "events" or "interruptions"."""
        self._tables.broken.add((rows, run_id))

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        return self._tables.apply(writes)

    async def taken(self, ids: Collection[str]) -> set[str]:
        rows = self._tables
        return {each for each in ids if each in rows.runs or each in rows.messages or each in rows.memories}

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        self._tables.delete_workflow(workflow_id)

    async def close(self) -> None:
        """Keep the rows; there is nothing to release."""


class InMemoryWorkflows(Repository):
    async def get(self, workflow_id: WorkflowId) -> Workflow | None:
        row = self._tables.workflows.get(workflow_id)
        return row[1] if row and workflow_id not in self._tables.discarded else None

    async def all(self) -> list[Workflow]:
        rows = sorted(self._tables.workflows.values(), key=order_key, reverse=True)
        return [workflow for _, workflow in rows if workflow.id not in self._tables.discarded]

    async def discarded(self) -> list[WorkflowId]:
        return sorted(self._tables.discarded, key=self._tables.discarded.__getitem__)

    async def archived(self) -> set[WorkflowId]:
        return {workflow.id for _, workflow in self._tables.workflows.values() if workflow.is_archived}

    async def looked_at(self) -> dict[WorkflowId, datetime]:
        return dict(self._tables.looked_at)


class InMemoryMessages(Repository):
    async def of_workflow(self, workflow_id: WorkflowId) -> list[Message]:
        rows = (row for row in self._tables.messages.values() if row[1].workflow_id == workflow_id)
        return [message for _, message in sorted(rows, key=order_key)]

    async def newest(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        return (await InMemoryMessages.of_workflow(self, workflow_id))[-limit:]

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        of_message = (workflow_id, message_id)
        rows = sorted((key, text) for key, text in self._tables.attached.items() if key[:2] == of_message)
        return [text for _, text in rows]


class InMemoryFiles(Repository):
    async def get(self, digest: str) -> bytes | None:
        return self._tables.files.get(digest)

    async def of_workflow(self, workflow_id: WorkflowId) -> list[tuple[str, str]]:
        return sorted((owner, digest) for workflow, owner, digest in self._tables.file_uses if workflow == workflow_id)


class InMemoryQueuedMessages(Repository):
    async def all(self) -> list[QueuedMessage]:
        rows = sorted(self._tables.queued.values(), key=lambda row: (row[1].workflow_id, row[0]))
        return [message for _, message in rows]


class InMemoryDocuments(Repository, Generic[D]):
    def __init__(self, tables: TablesOf, kind: type[D], order: Callable[[D], Any]) -> None:
        super().__init__(tables)
        self._kind = kind
        self._order = order

    async def get(self, document_id: str) -> D | None:
        return cast("D | None", self._tables.documents[self._kind].get(document_id))

    async def all(self) -> list[D]:
        return sorted(cast("list[D]", [*self._tables.documents[self._kind].values()]), key=self._order)


class InMemoryServers(Repository):
    async def all(self) -> list[StoredServer]:
        servers = await InMemoryDocuments(self._tables_of, McpServer, by_name).all()
        return [StoredServer(server, self._tables.tool_lists.get(server.id)) for server in servers]


class InMemoryTemplates(Repository):
    async def get(self, template_id: str, version: int | None = None) -> StoredTemplate | None:
        versions = self._tables.templates.get(TemplateId(template_id), {})
        return versions.get(max(versions, default=0) if version is None else version)

    async def all(self) -> list[StoredTemplate]:
        return sorted((versions[max(versions)] for versions in self._tables.templates.values()), key=by_title)


class InMemoryTaskLists(Repository):
    async def of_workflow(self, workflow_id: WorkflowId) -> TaskList:
        return self._tables.tasks.get(workflow_id, TaskList({}))


class InMemorySettings(Repository):
    async def all(self) -> Mapping[str, Any]:
        values = {}
        for name, text in self._tables.settings.items():
            try:
                values[name] = decode(text)
            except ValueError:
                continue
        return values


class InMemoryAuditLog(Repository):
    async def page(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        rows = sorted(self._tables.audit.values(), key=order_key, reverse=True)
        if before is not None:
            end = self._tables.audit.get(before)
            rows = [row for row in rows if end is not None and order_key(row) < order_key(end)]
        return [entry for _, entry in rows[: max(0, min(limit, PAGE_ROWS))]]

    async def drop(self, before: datetime) -> None:
        self._tables.audit = {name: row for name, row in self._tables.audit.items() if row[1].at >= before}
