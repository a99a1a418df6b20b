"""The store in the embedded database."""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Self

from core.domain.ids import WorkflowId
from core.errors import StorageFailed
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
from core.persistence.dump import create_store
from core.persistence.events import EventRepository
from core.persistence.facts_migration import migrate_to_facts
from core.persistence.failures import os_failure
from core.persistence.files import FileRepository
from core.persistence.folder import prepare_folder
from core.persistence.interruptions import InterruptionRepository
from core.persistence.keys import record_id, text_key
from core.persistence.memories import MemoryRepository
from core.persistence.messages import ChunkRepository, MessageRepository
from core.persistence.open_store import lock_folder
from core.persistence.queued_messages import QueuedMessageRepository
from core.persistence.reading import NOT_WRITABLE, ReadingConnection, open_for_reading
from core.persistence.rebuild import OnProgress, rebuild
from core.persistence.replacement import building_folder, replace
from core.persistence.runs import RunRepository
from core.persistence.schema import FACTS_VERSION, VERSION, BeforeMigration, migrate, version
from core.persistence.search.index import FileSearchIndex
from core.persistence.snapshots import AllowedFileRepository, SnapshotRepository
from core.persistence.statements import Statement, batched
from core.persistence.store_check import checked
from core.persistence.store_files import engine_files
from core.persistence.store_place import FolderLock
from core.persistence.store_watch import adopt
from core.persistence.tasks import TaskRepository
from core.persistence.workflows import WorkflowRepository, delete_workflow
from core.ports import writes as kinds

log = logging.getLogger(__name__)


class SurrealStorage:
    """Implements `core.ports.storage.Storage`: the repositories of a connection, and the index of its memories."""

    def __init__(self, connection: Connection, index: FileSearchIndex | None = None) -> None:
        self._index = index or FileSearchIndex()
        order_keys = OrderKeys()
        self.connection = connection
        self.workflows = WorkflowRepository(connection, order_keys)
        self.messages = MessageRepository(connection, order_keys)
        self.files = FileRepository(connection)
        self.queued_messages = QueuedMessageRepository(connection, order_keys)
        self.templates = TemplateRepository(connection)
        self.agents = DocumentRepository(connection, AGENTS)
        self.prompts = DocumentRepository(connection, PROMPTS)
        self.notices = DocumentRepository(connection, NOTICES)
        self.servers = ServerRepository(connection)
        self.runs = RunRepository(connection, order_keys, self.messages)
        self.snapshots = SnapshotRepository(connection)
        self.interruptions = InterruptionRepository(connection, order_keys)
        self.events = EventRepository(connection, self.messages)
        self.chunks = ChunkRepository(connection)
        self.settings = SettingRepository(connection)
        self.audit = AuditRepository(connection, order_keys)
        self.tasks = TaskRepository(connection)
        self.allowed_files = AllowedFileRepository(connection)
        self.memories = MemoryRepository(connection, order_keys, self._index)
        self._builders = self._all_builders()

    @classmethod
    async def open(
        cls, path: Path, index: FileSearchIndex | None = None, before_migration: BeforeMigration | None = None
    ) -> Self:
        """Open the store in the folder `path`, created if missing, and bring it to the current version.

        `before_migration` is awaited if there are rows to be brought there; if it fails, nothing is changed.
        Memories are searched in `index`, by default in a temporary one; `close` closes it.
        Raises StorageFailed: `in_use`, `store_doubtful`, `storage_not_writable`, `storage_full`, `storage_failed`.
        """
        try:
            return cls(await _open_connection(path, before_migration), index)
        except StorageFailed as error:
            if error.code not in NOT_WRITABLE:
                raise
            return cls(await _open_copy(path, before_migration, error), index)

    @property
    def unwritable_code(self) -> str | None:
        """The failure because of which the store was opened for reading only, None if it was opened for writing."""
        return self.connection.code if isinstance(self.connection, ReadingConnection) else None

    async def commit(self, writes: Sequence[kinds.Write]) -> frozenset[int]:
        batch = Batch(writes)
        lost = batch.duplicates()
        statements = self._statements(batch)
        if statements:
            results = await self.connection.commit(statements)
            for statement, result in zip(statements, results, strict=True):
                lost.update(statement.lost(result))
        if batch.of(kinds.PutMemory):
            self.memories.note_put()
        return frozenset(lost)

    async def taken(self, ids: Collection[str]) -> set[str]:
        found: set[str] = set()
        for table in ("run", "message", "memory"):
            for some in batched([record_id(table, text_key(each)) for each in ids]):
                found.update(await self.connection.read("SELECT VALUE record::id(id) FROM $ids", {"ids": some}))
        return found

    async def delete_workflow(self, workflow_id: WorkflowId) -> None:
        await self.memories.forget(workflow_id)
        await delete_workflow(self.connection, workflow_id)

    async def rebuild(self, on_progress: OnProgress | None = None) -> None:
        """Rebuild the store, so that nothing deleted is left in its files (see `rebuild`). Raises StorageFailed."""
        await rebuild(self.connection, on_progress)

    async def close(self) -> None:
        await self._index.close()
        await self.connection.close()

    def _statements(self, batch: Batch) -> list[Statement]:
        """Return the statements of the batch in the order of `Write`."""
        # most commits hold one or two kinds of writes, and the others are not even asked for
        return [statement for wanted, build in self._builders if batch.has(wanted) for statement in build(batch)]

    def _all_builders(self) -> list[tuple[tuple[type[kinds.Write], ...], Callable[[Batch], list[Statement]]]]:
        """Return what builds the statements, with the kinds of writes that it reads, in the order of `Write`."""
        documents = (self.templates, self.agents, self.prompts, self.notices, self.servers)
        return [
            ((kinds.PutWorkflow,), lambda b: self.workflows.put(write.workflow for write in b.of(kinds.PutWorkflow))),
            ((kinds.ArchiveWorkflow,), lambda b: self.workflows.archive(b.of(kinds.ArchiveWorkflow))),
            ((kinds.MarkLookedAt,), lambda b: self.workflows.mark_looked_at(b.of(kinds.MarkLookedAt))),
            ((kinds.DiscardWorkflow,), lambda b: self.workflows.discard(b.of(kinds.DiscardWorkflow))),
            ((kinds.PutMessage,), lambda b: self.messages.put(b.messages())),
            ((kinds.PutAttachedText,), lambda b: self.messages.put_texts(b.of(kinds.PutAttachedText))),
            ((kinds.KeepFile,), lambda b: self.files.put(b.of(kinds.KeepFile))),
            (
                (kinds.QueueMessage,),
                lambda b: self.queued_messages.put(write.message for write in b.of(kinds.QueueMessage)),
            ),
            ((kinds.OrderQueued,), lambda b: self.queued_messages.order(b.of(kinds.OrderQueued))),
            ((kinds.UnqueueMessage,), lambda b: self.queued_messages.remove(b.of(kinds.UnqueueMessage))),
            ((kinds.Put,), lambda b: [put for repository in documents for put in repository.put(b)]),
            ((kinds.PutToolList,), lambda b: self.servers.put_tools(b.of(kinds.PutToolList))),
            ((kinds.Remove,), lambda b: [removal for repository in documents for removal in repository.remove(b)]),
            ((kinds.CreateRun,), lambda b: self.runs.create(b.creations())),
            ((kinds.ChangeRun,), lambda b: self.runs.change(b.with_positions(kinds.ChangeRun))),
            ((kinds.ChangeRoot,), lambda b: self.runs.change_roots(b.of(kinds.ChangeRoot))),
            (
                (kinds.RaiseInterruption, kinds.CloseInterruption),
                lambda b: self.interruptions.put(b.of(kinds.RaiseInterruption), b.of(kinds.CloseInterruption)),
            ),
            (
                (kinds.AppendEvents, kinds.Claim),
                lambda b: self.events.put(b.event_rows(), [claim.run_id for claim in b.of(kinds.Claim)]),
            ),
            ((kinds.DropChunks, kinds.AppendChunk), lambda b: self.chunks.put(*b.chunks())),
            ((kinds.MarkUnreadable,), lambda b: self.runs.mark(b.of(kinds.MarkUnreadable))),
            ((kinds.PutMemory,), lambda b: self.memories.put(write.memory for write in b.of(kinds.PutMemory))),
            ((kinds.PutSetting,), lambda b: self.settings.put(b.of(kinds.PutSetting))),
            ((kinds.PutAudit,), lambda b: self.audit.put(b.of(kinds.PutAudit))),
            ((kinds.ChangeTasks,), lambda b: self.tasks.change(b.with_positions(kinds.ChangeTasks))),
            ((kinds.AllowFile,), lambda b: self.allowed_files.put(b.of(kinds.AllowFile))),
        ]


async def _rewrite(connection: Connection, path: Path) -> None:
    """Put a store of this version in place of the open store of an earlier version, and close both.

    Killed at any point, the next opening finds the old or the new. Raises StorageFailed: the old store is in its place.
    """
    target = await create_store(building_folder(path))
    try:
        await migrate_to_facts(connection, target)
    finally:
        await target.close()
    await connection.close()
    try:
        await asyncio.to_thread(_replace, path)
    except OSError as error:
        raise os_failure(error) from error


def _replace(path: Path) -> None:
    """Put the store that was built in place. Raises OSError, StorageFailed `in_use`."""
    lock = FolderLock.acquire(path)  # if another process was quicker, it has deleted what was built
    try:
        replace(path, adopt)
    finally:
        lock.release()


async def _open_connection(path: Path, before_migration: BeforeMigration | None = None) -> Connection:
    """Check and open the store, and bring it to the current version. Raises StorageFailed."""
    lock = await lock_folder(path, adopt)
    try:
        watch = await checked(path)
        await asyncio.to_thread(prepare_folder, path)
        await asyncio.to_thread(watch.begin)
    except BaseException as error:
        lock.release()
        if isinstance(error, OSError):
            raise os_failure(error) from error
        raise
    connection = await Connection.open(path, watch=watch, lock=lock)
    try:
        if 0 < await version(connection) < FACTS_VERSION:
            if before_migration is not None:
                await before_migration(connection)
            await _rewrite(connection, path)
            return await _open_connection(path)
        await migrate(connection, before=before_migration)
        watch.schema = VERSION  # not before: killed until here, it is a store of the earlier version
        if watch.is_outdated:
            await connection.record()
    except BaseException:
        await connection.close()
        raise
    return connection


async def _open_copy(path: Path, before_migration: BeforeMigration | None, error: StorageFailed) -> Connection:
    """Open a copy of a store that cannot be written. Raises `error` if there is nothing to be read."""
    try:
        if not await asyncio.to_thread(engine_files, path):
            raise error
        await checked(path)
        connection = await open_for_reading(path, lambda: _open_connection(path, before_migration), error.code)
    except OSError:
        raise error from None
    except StorageFailed as reason:
        raise reason if reason.code == "store_doubtful" else error from None
    if await version(connection) != VERSION:  # tables that this release reads may be missing
        await connection.close()
        raise error
    log.warning("the store can only be read: %s", error)
    return connection
