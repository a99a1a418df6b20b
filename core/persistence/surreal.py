"""The store in the embedded database."""

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Self

from core.domain.ids import WorkflowId
from core.persistence.audit import AuditRepository
from core.persistence.batch import Batch
from core.persistence.codec import OrderKeys
from core.persistence.connection import Connection
from core.persistence.documents import (
    AGENTS,
    NOTICES,
    PROMPTS,
    DocumentRepository,
    ServerRepository,
    SettingRepository,
    TemplateRepository,
)
from core.persistence.events import EventRepository
from core.persistence.interruptions import InterruptionRepository
from core.persistence.memories import MemoryRepository
from core.persistence.messages import ChunkRepository, MessageRepository
from core.persistence.queued_messages import QueuedMessageRepository
from core.persistence.runs import RunRepository
from core.persistence.schema import migrate
from core.persistence.snapshots import AllowedFileRepository, SnapshotRepository
from core.persistence.statements import Statement
from core.persistence.step_results import StepResultRepository
from core.persistence.tasks import TaskRepository
from core.persistence.tool_calls import ToolCallRepository
from core.persistence.workflows import WorkflowRepository, delete_workflow
from core.ports.writes import (
    AllowFile,
    ArchiveWorkflow,
    ChangeRoot,
    ChangeRun,
    ChangeTasks,
    Claim,
    CloseInterruption,
    DiscardWorkflow,
    MarkUnreadable,
    OrderQueued,
    PutAttachedText,
    PutAudit,
    PutSetting,
    PutStepResult,
    PutToolCall,
    PutToolList,
    PutWorkflow,
    QueueMessage,
    RaiseInterruption,
    ReleaseClaim,
    UnqueueMessage,
    Write,
)


class SurrealStorage:
    """Implements `core.ports.storage.Storage`: the repositories of a connection."""

    def __init__(self, connection: Connection) -> None:
        order_keys = OrderKeys()
        self._connection = connection
        self.workflows = WorkflowRepository(connection, order_keys)
        self.messages = MessageRepository(connection, order_keys)
        self.queued_messages = QueuedMessageRepository(connection, order_keys)
        self.templates = TemplateRepository(connection)
        self.agents = DocumentRepository(connection, AGENTS)
        self.prompts = DocumentRepository(connection, PROMPTS)
        self.notices = DocumentRepository(connection, NOTICES)
        self.servers = ServerRepository(connection)
        self.runs = RunRepository(connection, order_keys, self.messages)
        self.snapshots = SnapshotRepository(connection)
        self.step_results = StepResultRepository(connection)
        self.tool_calls = ToolCallRepository(connection)
        self.interruptions = InterruptionRepository(connection, order_keys)
        self.events = EventRepository(connection, self.step_results, self.messages)
        self.chunks = ChunkRepository(connection)
        self.settings = SettingRepository(connection)
        self.audit = AuditRepository(connection, order_keys)
        self.tasks = TaskRepository(connection)
        self.allowed_files = AllowedFileRepository(connection)
        self.memories = MemoryRepository(connection, order_keys)

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open the store in the folder `path`, created if missing, and bring it to the current version.

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
        lost = batch.duplicates()
        statements = self._statements(batch)
        if statements:
            results = await self._connection.commit(statements)
            for statement, result in zip(statements, results, strict=True):
                lost.update(statement.lost(result))
        return frozenset(lost - await self._already_written(batch, lost))

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        await self.memories.forget(workflow_id)
        await delete_workflow(self._connection, workflow_id)

    async def close(self) -> None:
        await self._connection.close()

    # A commit may be repeated because its outcome was not known: the caller was cancelled, or the disk failed after the
    # write. The repetition finds its own rows and would take them for another's. So the rows behind lost claims and
    # interruptions are compared: a row that equals the write in every field is its own, and the write is not lost.
    # Changes of runs have no such check, as an equal row does not prove who changed it (see ChangeRun).
    async def _already_written(self, batch: Batch, lost: Set[int]) -> set[int]:
        """Return the lost positions whose rows are stored exactly as written."""
        claims = [placed for placed in batch.placed(Claim) if placed[0] in lost]
        raises = [placed for placed in batch.placed(RaiseInterruption) if placed[0] in lost]
        closes = [placed for placed in batch.placed(CloseInterruption) if placed[0] in lost]
        return await self.step_results.ours(claims) | await self.interruptions.ours(raises, closes)

    def _statements(self, batch: Batch) -> list[Statement]:
        """Return the statements of the batch in the order of `Write`."""
        documents = (self.templates, self.agents, self.prompts, self.notices, self.servers)
        return [
            *self.workflows.put(write.workflow for write in batch.of(PutWorkflow)),
            *self.workflows.archive(batch.of(ArchiveWorkflow)),
            *self.workflows.discard(batch.of(DiscardWorkflow)),
            *self.messages.put(batch.messages()),
            *self.messages.put_texts(batch.of(PutAttachedText)),
            *self.queued_messages.put(write.message for write in batch.of(QueueMessage)),
            *self.queued_messages.order(batch.of(OrderQueued)),
            *self.queued_messages.remove(batch.of(UnqueueMessage)),
            *(put for repository in documents for put in repository.put(batch)),
            *self.servers.put_tools(batch.of(PutToolList)),
            *(removal for repository in documents for removal in repository.remove(batch)),
            *self.runs.create(batch.creations()),
            *self.runs.change(batch.placed(ChangeRun)),
            *self.runs.change_roots(batch.of(ChangeRoot)),
            *self.step_results.release(batch.of(ReleaseClaim)),
            *self.step_results.claim(batch.placed(Claim)),
            *self.step_results.put(write.result for write in batch.of(PutStepResult)),
            *self.tool_calls.put(write.call for write in batch.of(PutToolCall)),
            *self.interruptions.put(batch.placed(RaiseInterruption)),
            *self.interruptions.close(batch.placed(CloseInterruption)),
            *self.events.put(batch.event_rows()),
            *self.chunks.put(*batch.chunks()),
            *self.runs.mark(batch.of(MarkUnreadable)),
            *self.settings.put(batch.of(PutSetting)),
            *self.audit.put(batch.of(PutAudit)),
            *self.tasks.change(batch.placed(ChangeTasks)),
            *self.allowed_files.put(batch.of(AllowFile)),
        ]
