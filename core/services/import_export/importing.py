"""Import of an export: looked at first, then staged, and shown at once.

    the file is read and checked whole ──► preview
        │ each workflow that comes in is written in small commits, and hidden
        ▼
    last commit: the workflows appear, what they replace is hidden, and the rest is written

A hidden workflow is a discarded workflow. So a process that dies before the last commit leaves nothing: the
next start deletes them. After it everything is there. Nothing that is imported is ever started: runs come as history,
servers unconfirmed, and queued messages held.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.domain.agent import Agent
from core.domain.events import Event, fact_fields
from core.domain.ids import AgentId, MessageId, WorkflowId, id_from_key
from core.domain.messages import Message, QueuedMessage
from core.domain.settings import Settings
from core.domain.workflow import Workflow
from core.errors import Refused, StorageFailed
from core.ports import (
    AppendEvents,
    ArchiveWorkflow,
    ChangeTasks,
    Clock,
    CreateRun,
    DiscardWorkflow,
    KeepFile,
    MarkLookedAt,
    PutAttachedText,
    PutMemory,
    PutMessage,
    PutWorkflow,
    QueueMessage,
    Storage,
    Write,
)
from core.services.import_export.contents import (
    Contents,
    ExportedWorkflow,
    read_file,
    read_workflow,
    workflow_digest,
)
from core.services.import_export.exporting import Kind, StoreReader
from core.services.import_export.library import (
    ImportItem,
    Library,
    LibraryPlan,
    OnConflict,
    Outcome,
    plan_library,
)
from core.services.import_export.written_form import WorkflowHistory
from core.threads.long_values import is_long
from core.threads.pieces import in_thread

log = logging.getLogger(__name__)

COST_OF_COMMIT, COST_OF_LONG_VALUE = 200, 50
MEMORY_ID_CHARACTERS = 20
FILES_OF_COMMIT_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class WorkflowPlan:
    """What an import does with a workflow. `id` is its id here, `replaced` the workflow that makes room for it."""

    exported: ExportedWorkflow
    outcome: Outcome
    id: WorkflowId
    title: str
    is_conflict: bool = False
    replaced: WorkflowId | None = None

    @property
    def is_written(self) -> bool:
        return self.outcome in (Outcome.NEW, Outcome.REPLACED, Outcome.RENAMED)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import does."""

    contents: Contents
    workflows: Sequence[WorkflowPlan]
    library: LibraryPlan

    @property
    def items(self) -> list[ImportItem]:
        """Everything in the file, with what happens to it."""
        shown = [
            ImportItem(Kind.WORKFLOWS, plan.exported.title, plan.outcome, plan.is_conflict) for plan in self.workflows
        ]
        return [*shown, *self.library.items]


@dataclass(frozen=True, slots=True)
class Staged:
    """A workflow that is written and hidden."""

    workflow: Workflow
    queue: Sequence[QueuedMessage]
    replaced: WorkflowId | None


_ON_CONFLICT = {
    OnConflict.SKIP: Outcome.SKIPPED,
    OnConflict.OVERWRITE: Outcome.REPLACED,
    OnConflict.RENAME: Outcome.RENAMED,
}


class Importer:
    """Plans and stages imports. `agents` returns all agents, `is_active` whether a run of a workflow is active."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        agents: Callable[[], Sequence[Agent]],
        is_active: Callable[[WorkflowId], Awaitable[bool]],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._reader = StoreReader(storage, clock)
        self._agents = agents
        self._is_active = is_active

    async def plan(
        self, contents: Contents, on_conflict: OnConflict, kinds: Collection[Kind], current: Settings
    ) -> ImportPlan:
        """Return what an import of these kinds would do now."""
        workflows = [] if Kind.WORKFLOWS not in kinds else await self._plan_workflows(contents, on_conflict)
        stored = await self._stored(contents)
        library = await asyncio.to_thread(plan_library, contents.library, stored, current, on_conflict, kinds)
        return ImportPlan(contents, workflows, library)

    async def stage(self, path: Path, plan: ImportPlan, progress: Callable[[int, int], None]) -> list[Staged]:
        """Write the workflows of the plan, hidden. On failure or cancellation nothing of them stays."""
        wanted = [each for each in plan.workflows if each.is_written]
        staged: list[Staged] = []
        begun: list[WorkflowId] = []
        try:
            for number, each in enumerate(wanted):
                progress(number, len(wanted))
                history, attached = await read_workflow(path, each.exported, _other_ids(each))
                begun.append(history.workflow.id)
                staged.append(await self._write(each, history, attached, plan.library))
                await self._write_files(path, history)
        except BaseException:
            await self.discard(begun)
            raise
        progress(len(wanted), len(wanted))
        return staged

    async def discard(self, workflows: Sequence[WorkflowId]) -> None:
        """Delete hidden workflows. What cannot be deleted now is deleted at the next start."""
        try:
            for workflow_id in workflows:
                await self._storage.delete_workflow(workflow_id)
        except StorageFailed as error:
            log.warning("what was not imported is deleted at the next start: %s", error.message)

    def last_writes(self, plan: ImportPlan, staged: Sequence[Staged]) -> list[Write]:
        """Return the commit that shows the workflows and writes the rest."""
        now = self._clock.now()
        return [
            *(DiscardWorkflow(each.replaced, now) for each in staged if each.replaced is not None),
            *(DiscardWorkflow(each.workflow.id, None) for each in staged),
            *plan.library.writes,
        ]

    async def _plan_workflows(self, contents: Contents, on_conflict: OnConflict) -> list[WorkflowPlan]:
        here = await self._storage.workflows.all()
        by_id = {workflow.id: workflow for workflow in here}
        by_origin = {workflow.origin: workflow for workflow in here if workflow.origin is not None}
        hidden = set(await self._storage.workflows.discarded())
        taken = await self._storage.taken(frozenset[str]().union(*(each.ids for each in contents.workflows)))
        plans = []
        for exported in contents.workflows:
            title = exported.title
            match = by_id.get(exported.id) or by_origin.get(exported.id)
            is_taken = exported.id in hidden or not taken.isdisjoint(exported.ids)
            if exported.copy_id in by_id:
                plan = WorkflowPlan(exported, Outcome.SAME, exported.copy_id, title)
            elif match is None:
                plan = WorkflowPlan(exported, Outcome.NEW, exported.copy_id if is_taken else exported.id, title)
            elif await self._is_same(match, exported):
                plan = WorkflowPlan(exported, Outcome.SAME, match.id, title)
            else:
                plan = await self._conflict(exported, match, on_conflict)
            plans.append(plan)
        return plans

    async def _conflict(self, exported: ExportedWorkflow, match: Workflow, on_conflict: OnConflict) -> WorkflowPlan:
        outcome, workflow_id = _ON_CONFLICT[on_conflict], match.id
        if outcome is Outcome.REPLACED and await self._is_active(match.id):
            outcome = Outcome.BUSY
        if outcome in (Outcome.REPLACED, Outcome.RENAMED):
            workflow_id = exported.copy_id
        replaced = match.id if outcome is Outcome.REPLACED else None
        title = f"{exported.title} (2)" if outcome is Outcome.RENAMED else exported.title
        return WorkflowPlan(exported, outcome, workflow_id, title, is_conflict=True, replaced=replaced)

    async def _is_same(self, workflow: Workflow, exported: ExportedWorkflow) -> bool:
        if workflow.id != exported.id:
            return False
        history, _ = await self._reader.workflow(workflow)
        return await in_thread(workflow_digest(history)) == exported.digest

    async def _stored(self, contents: Contents) -> Library:
        given = [memory.id for memory in contents.library.memories]
        memories = [await self._storage.memories.get(memory_id, self._clock.now()) for memory_id in given]
        return Library(
            [[template] for template in await self._storage.templates.all()],
            list(self._agents()),
            list(await self._storage.prompts.all()),
            [stored.server for stored in await self._storage.servers.all()],
            [memory for memory in memories if memory is not None],
            dict(await self._storage.settings.all()),
        )

    async def _write(
        self, plan: WorkflowPlan, history: WorkflowHistory, attached: dict[str, str], library: LibraryPlan
    ) -> Staged:
        """Write a workflow, hidden from its first row on. Raises Refused if an id in it was taken meanwhile."""
        workflow = replace(history.workflow, title=plan.title)
        if plan.outcome is Outcome.REPLACED:
            workflow = replace(workflow, origin=plan.exported.id)
        if workflow.answering is not None and workflow.answering.agent is not None:
            agent = workflow.answering.agent
            here = workflow.answering.model_copy(update={"agent": AgentId(library.ids.get(agent, agent))})
            workflow = replace(workflow, answering=here)
        now = self._clock.now()
        first: list[Write] = [
            PutWorkflow(workflow),
            MarkLookedAt(workflow.id, now),
            DiscardWorkflow(workflow.id, now),
        ]
        if workflow.archived_at is not None:
            first.append(ArchiveWorkflow(workflow.id, workflow.archived_at))
        for writes in _batches([*first, *_rows(history, attached)]):
            if await self._storage.commit(writes):
                raise Refused("id_taken", f"{workflow.title!r} cannot be imported: something in it exists already")
        return Staged(workflow, history.queue, plan.replaced)

    async def _write_files(self, path: Path, history: WorkflowHistory) -> None:
        """Write the files of a workflow, a few at a time: together they may have gigabytes."""
        kept: list[KeepFile] = []
        for owner, digest in history.files:
            if (data := await read_file(path, digest)) is not None:
                kept.append(KeepFile(history.workflow.id, MessageId(owner), digest, data))
            if sum(len(file.data or b"") for file in kept) > FILES_OF_COMMIT_BYTES:
                await self._storage.commit(kept)
                kept = []
        if kept:
            await self._storage.commit(kept)


def _other_ids(plan: WorkflowPlan) -> dict[str, str]:
    """Return the ids here of everything in a workflow whose own are taken."""
    if plan.id == plan.exported.id:
        return {}
    ids: dict[str, str] = {plan.exported.id: plan.id}
    for old in plan.exported.ids:
        prefix = old.partition("_")[0]
        new = id_from_key(prefix, f"{plan.id} {old}")
        ids[old] = new[:MEMORY_ID_CHARACTERS] if prefix == "mem" else new
    return ids


def _rows(history: WorkflowHistory, attached: Mapping[str, str]) -> Iterator[Write]:
    """Yield the writes of everything in a workflow. Its memories may be listed before it is shown."""
    workflow_id = history.workflow.id
    for message in history.messages:
        yield PutMessage(message)
        yield from _texts(message, attached)
    for queued in history.queue:
        yield from _texts(queued, attached)
        yield QueueMessage(queued)
    for memory in history.memories:
        yield PutMemory(memory)
    if history.tasks:
        yield ChangeTasks(workflow_id, 0, "import", tuple(history.tasks))
    for each in history.runs:
        yield CreateRun(each.run, each.snapshot)
        for events in _in_parts(each.events):
            yield AppendEvents(each.run.id, events)


def _texts(message: Message | QueuedMessage, attached: Mapping[str, str]) -> Iterator[Write]:
    for position, about in enumerate(message.attachments):
        yield PutAttachedText(message.workflow_id, message.id, position, attached[about.hash])


def _in_parts(events: Sequence[Event]) -> Iterator[tuple[Event, ...]]:
    part: list[Event] = []
    cost = 0
    for event in events:
        part.append(event)
        cost += _cost(fact_fields(event.fact))
        if cost >= COST_OF_COMMIT:
            yield tuple(part)
            part, cost = [], 0
    if part:
        yield tuple(part)


def _batches(writes: Iterable[Write]) -> Iterator[list[Write]]:
    """Yield the writes in commits of a bounded size. The facts of a run are split only between commits."""
    batch: list[Write] = []
    size = 0
    runs: set[str] = set()
    for write in writes:
        cost = _cost_of_write(write)
        is_next_part = isinstance(write, AppendEvents) and write.run_id in runs
        if batch and (size + cost > COST_OF_COMMIT or is_next_part):
            yield batch
            batch, size, runs = [], 0, set()
        batch.append(write)
        size += cost
        if isinstance(write, AppendEvents):
            runs.add(write.run_id)
    if batch:
        yield batch


def _cost_of_write(write: Write) -> int:
    match write:
        case AppendEvents():
            return sum(_cost(fact_fields(event.fact)) for event in write.events)
        case CreateRun():
            return _cost([write.run.output_json, dict(write.snapshot.input)])
        case PutMessage() | QueueMessage():
            return _cost(write.message.text)
        case PutAttachedText():
            return _cost(write.text)
    return 1


def _cost(value: Any) -> int:
    """Return what a value adds to a commit: a long value may have megabytes."""
    return COST_OF_LONG_VALUE if is_long(value) else 1
