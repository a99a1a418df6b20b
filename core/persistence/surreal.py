"""The store on the embedded database: one transaction a commit, pages of rows, nothing lost once acknowledged."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from core.domain.agent import Agent
from core.domain.audit import AuditEntry
from core.domain.events import Event
from core.domain.ids import AgentId, AuditId, MessageId, RunId, TemplateId, WorkflowId
from core.domain.interruption import Interruption
from core.domain.mcp_server import StoredServer
from core.domain.messages import Message, QueuedMessage
from core.domain.prompt import Prompt
from core.domain.run import Run, RunStatus, Snapshot, StepResult
from core.domain.task import TaskList
from core.domain.toast import Toast
from core.domain.tool import ToolCall
from core.domain.workflow import Workflow
from core.persistence.agents import Agents
from core.persistence.audit import AuditRepository
from core.persistence.batch import Batch
from core.persistence.codec import OrderKeys
from core.persistence.connection import Connection
from core.persistence.events import EventRepository
from core.persistence.interruptions import InterruptionRepository
from core.persistence.mcp_servers import McpServers
from core.persistence.memories import MemoryRepository
from core.persistence.messages import ChunkRepository, MessageRepository
from core.persistence.notices import Notices
from core.persistence.prompts import Prompts
from core.persistence.queued_messages import QueuedMessageRepository
from core.persistence.runs import RunRepository
from core.persistence.schema import migrate
from core.persistence.settings import SettingRepository
from core.persistence.snapshots import AllowedFileRepository, SnapshotRepository
from core.persistence.statements import Statement
from core.persistence.step_results import StepResultRepository
from core.persistence.tasks import TaskRepository
from core.persistence.templates import Templates
from core.persistence.tool_calls import ToolCallRepository
from core.persistence.workflows import WorkflowRepository, delete_workflow
from core.ports.storage import (
    PAGE_ROWS,
    AllowFile,
    ArchiveWorkflow,
    ChangeRoot,
    ChangeRun,
    ChangeTasks,
    Chunk,
    Claim,
    CloseInterruption,
    DiscardWorkflow,
    MarkUnreadable,
    OrderQueued,
    PutAgent,
    PutAttachedText,
    PutAudit,
    PutNotice,
    PutPrompt,
    PutServer,
    PutSetting,
    PutStepResult,
    PutTemplate,
    PutToolCall,
    PutToolList,
    PutWorkflow,
    QueueMessage,
    RaiseInterruption,
    ReleaseClaim,
    RemoveAgent,
    RemoveNotice,
    RemovePrompt,
    RemoveServer,
    RemoveTemplate,
    StoredTemplate,
    UnqueueMessage,
    Write,
)


class SurrealStorage:
    """`core.ports.storage.Storage` by repositories of one connection."""

    def __init__(self, connection: Connection) -> None:
        places = OrderKeys()
        self._connection = connection
        self._workflows = WorkflowRepository(connection, places)
        self._messages = MessageRepository(connection, places)
        self._queued = QueuedMessageRepository(connection, places)
        self._templates = Templates(connection)
        self._agents = Agents(connection)
        self._prompts = Prompts(connection)
        self._notices = Notices(connection)
        self._servers = McpServers(connection)
        self._runs = RunRepository(connection, places, self._messages)
        self._snapshots = SnapshotRepository(connection)
        self._results = StepResultRepository(connection)
        self._calls = ToolCallRepository(connection)
        self._interruptions = InterruptionRepository(connection, places)
        self._events = EventRepository(connection, self._results, self._messages)
        self._chunks = ChunkRepository(connection)
        self._settings = SettingRepository(connection)
        self._audit = AuditRepository(connection, places)
        self._tasks = TaskRepository(connection)
        self._allowed_files = AllowedFileRepository(connection)
        self._memories = MemoryRepository(connection, places)

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open the store in the folder `path`, which is made where it is missing, with its tables up to date.

        Raises StorageFailed: `in_use`, `store_doubtful`, `storage_not_writable`, `storage_full`, `storage_failed`.
        """
        connection = await Connection.open(path)
        try:
            await migrate(connection)
        except BaseException:
            await connection.close()
            raise
        return cls(connection)

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        batch = Batch(writes)
        lost = batch.doubled()
        statements = self._statements(batch)
        if statements:
            results = await self._connection.commit(statements)
            for statement, result in zip(statements, results, strict=True):
                lost.update(statement.lost(result))
        return frozenset(lost - await self._ours(batch, lost))

    async def _ours(self, batch: Batch, lost: Set[int]) -> set[int]:
        """Of the positions that were lost, those whose rows stand as written: a commit may be repeated."""
        claims = [one for one in batch.placed(Claim) if one[0] in lost]
        raises = [one for one in batch.placed(RaiseInterruption) if one[0] in lost]
        closes = [one for one in batch.placed(CloseInterruption) if one[0] in lost]
        return await self._results.ours(claims) | await self._interruptions.ours(raises, closes)

    def _statements(self, batch: Batch) -> list[Statement]:
        """In the order that the port promises."""
        return [
            *self._workflows.put(write.workflow for write in batch.of(PutWorkflow)),
            *self._workflows.archive(batch.of(ArchiveWorkflow)),
            *self._workflows.discard(batch.of(DiscardWorkflow)),
            *self._messages.put(batch.messages()),
            *self._queued.put_texts(batch.of(PutAttachedText)),
            *self._queued.put(write.message for write in batch.of(QueueMessage)),
            *self._queued.order(batch.of(OrderQueued)),
            *self._queued.remove(batch.of(UnqueueMessage)),
            *self._templates.put(write.template for write in batch.of(PutTemplate)),
            *self._templates.remove(write.template_id for write in batch.of(RemoveTemplate)),
            *self._agents.put(write.agent for write in batch.of(PutAgent)),
            *self._agents.remove(write.agent_id for write in batch.of(RemoveAgent)),
            *self._prompts.put(write.prompt for write in batch.of(PutPrompt)),
            *self._prompts.remove(write.prompt_id for write in batch.of(RemovePrompt)),
            *self._notices.put(write.notice for write in batch.of(PutNotice)),
            *self._notices.remove(write.notice_id for write in batch.of(RemoveNotice)),
            *self._servers.put(write.server for write in batch.of(PutServer)),
            *self._servers.put_tools(batch.of(PutToolList)),
            *self._servers.remove(write.server_id for write in batch.of(RemoveServer)),
            *self._runs.create(batch.creations()),
            *self._runs.change(batch.placed(ChangeRun)),
            *self._runs.change_roots(batch.of(ChangeRoot)),
            *self._results.release(batch.of(ReleaseClaim)),
            *self._results.claim(batch.placed(Claim)),
            *self._results.put(write.result for write in batch.of(PutStepResult)),
            *self._calls.put(write.call for write in batch.of(PutToolCall)),
            *self._interruptions.put(batch.placed(RaiseInterruption)),
            *self._interruptions.close(batch.placed(CloseInterruption)),
            *self._events.put(batch.event_rows()),
            *self._chunks.put(*batch.chunks()),
            *self._runs.mark(batch.of(MarkUnreadable)),
            *self._settings.put(batch.of(PutSetting)),
            *self._audit.put(batch.of(PutAudit)),
            *self._tasks.change(batch.placed(ChangeTasks)),
            *self._allowed_files.put(batch.of(AllowFile)),
        ]

    async def workflow(self, workflow_id: WorkflowId) -> Workflow | None:
        return await self._workflows.get(workflow_id)

    async def workflows(self) -> list[Workflow]:
        return await self._workflows.all()

    async def discarded_workflows(self) -> list[WorkflowId]:
        return await self._workflows.discarded()

    async def archived_workflows(self) -> set[WorkflowId]:
        return await self._workflows.archived()

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        await self._memories.forget(workflow_id)
        await delete_workflow(self._connection, workflow_id)

    async def messages(self, workflow_id: WorkflowId) -> list[Message]:
        return await self._messages.of_workflow(workflow_id)

    async def attached_texts(self, workflow_id: WorkflowId, message_id: MessageId) -> list[str]:
        return await self._queued.texts_of(workflow_id, message_id)

    async def queued_messages(self) -> list[QueuedMessage]:
        return await self._queued.all()

    async def newest_messages(self, workflow_id: WorkflowId, limit: int) -> list[Message]:
        return await self._messages.newest(workflow_id, limit)

    async def template(self, template_id: TemplateId, version: int | None = None) -> StoredTemplate | None:
        return await self._templates.get(template_id, version)

    async def templates(self) -> list[StoredTemplate]:
        return await self._templates.newest()

    async def agent(self, agent_id: AgentId) -> Agent | None:
        return await self._agents.get(agent_id)

    async def agents(self) -> list[Agent]:
        return await self._agents.all()

    async def prompts(self) -> list[Prompt]:
        return await self._prompts.all()

    async def notices(self) -> list[Toast]:
        return await self._notices.all()

    async def servers(self) -> list[StoredServer]:
        return await self._servers.all()

    async def run(self, run_id: RunId) -> Run | None:
        return await self._runs.get(run_id)

    async def runs(
        self,
        *,
        status: RunStatus | None = None,
        workflow_id: WorkflowId | None = None,
        limit: int = 50,
        before: RunId | None = None,
    ) -> list[Run]:
        return await self._runs.page(status, workflow_id, limit, before)

    async def run_of_message(self, message_id: MessageId) -> Run | None:
        return await self._runs.of_message(message_id)

    async def unfinished_runs(self) -> list[Run]:
        return await self._runs.unfinished()

    async def children(self, run_id: RunId) -> list[Run]:
        return await self._runs.children(run_id)

    async def interruptions(self, run_id: RunId) -> list[Interruption]:
        return await self._interruptions.of_run(run_id)

    async def open_interruptions(self) -> list[Interruption]:
        return await self._interruptions.open()

    async def snapshot(self, run_id: RunId) -> Snapshot:
        return await self._snapshots.of_run(run_id)

    async def step_results(self, run_id: RunId, *, iterations: bool = True) -> list[StepResult]:
        return await self._results.of_run(run_id, iterations=iterations)

    async def tool_calls(self, run_id: RunId) -> list[ToolCall]:
        return await self._calls.of_run(run_id)

    async def events(self, run_id: RunId) -> list[Event]:
        return await self._events.of_run(run_id)

    async def events_of(self, run_ids: Sequence[RunId]) -> dict[RunId, list[Event]]:
        return await self._events.of_runs(run_ids)

    async def chunks(self, run_id: RunId) -> list[Chunk]:
        return await self._chunks.of_run(run_id)

    async def allowed_files(self, run_id: RunId) -> list[str]:
        return await self._allowed_files.of_run(run_id)

    async def tasks(self, workflow_id: WorkflowId) -> TaskList:
        return await self._tasks.of_workflow(workflow_id)

    @property
    def memories(self) -> MemoryRepository:
        return self._memories

    async def settings(self) -> Mapping[str, Any]:
        return await self._settings.all()

    async def audit(self, *, limit: int = PAGE_ROWS, before: AuditId | None = None) -> list[AuditEntry]:
        return await self._audit.page(limit, before)

    async def drop_audit(self, before: datetime) -> None:
        await self._audit.drop(before)

    async def close(self) -> None:
        await self._connection.close()
