"""Export and import, for the window and the command line (AGENTS_AND_TOOLS §9)."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.bus import Bus, WorkflowChanged, WorkflowDeleted
from core.domain.agent import Agent
from core.domain.ids import WorkflowId
from core.domain.mcp_server import McpServer
from core.domain.model import ModelChoice
from core.domain.names import name_key
from core.domain.prompt import Prompt
from core.domain.run import ACTIVE_STATUSES
from core.domain.workflow import Workflow
from core.engine.runs.engine import Engine
from core.errors import NotFound, Refused, StorageFailed
from core.ports import Clock, Storage
from core.services.agents import AgentService
from core.services.import_export.contents import Contents, read_contents
from core.services.import_export.export_target import not_written
from core.services.import_export.exporting import Exported, Exporter, Kind, StoreReader
from core.services.import_export.file import looks_like_export
from core.services.import_export.importing import Importer, ImportPlan, Staged
from core.services.import_export.library import ImportItem, OnConflict, Outcome
from core.services.import_export.markdown import conversation_markdown
from core.services.lookup import require_workflow
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryService
from core.services.message_queue import QueueService
from core.services.outcome import returns_outcome
from core.services.prompts import PromptService
from core.services.search import SearchService
from core.services.settings import SettingsService
from core.threads.files import replace_private
from core.threads.pieces import in_thread

Progress = Callable[[int, int], None]
"""Gets how many of how many workflows are done."""

ALL_KINDS = frozenset(Kind)


def _no_progress(done: int, total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do. `missing` are the names of values that no export holds, by server: they have to be
    entered again. `key_origins` are the addresses of models that need a key. `unfinished` counts the runs that will
    be shown as cancelled, because they had not ended.
    """

    path: Path
    contents: Contents
    plan: ImportPlan

    @property
    def items(self) -> Sequence[ImportItem]:
        return self.plan.items

    @property
    def conflicts(self) -> int:
        return sum(item.is_conflict for item in self.items)

    @property
    def counts(self) -> Mapping[Kind, Mapping[Outcome, int]]:
        """How many things of each kind have which outcome."""
        return counted(self.items)

    @property
    def missing(self) -> Mapping[str, Sequence[str]]:
        return {server.name: sorted(server.secrets) for server in self.plan.library.of(McpServer) if server.secrets}

    @property
    def key_origins(self) -> Sequence[str]:
        models = [agent.model for agent in self.plan.library.of(Agent) if agent.model is not None]
        if "models" in self.plan.library.settings:
            models += [ModelChoice.model_validate(model) for model in self.contents.library.settings["models"]]
        return sorted({model.origin for model in models if model.needs_key})

    @property
    def unfinished(self) -> int:
        return sum(each.exported.unfinished for each in self.plan.workflows if each.is_written)

    def as_dict(self) -> dict[str, Any]:
        return {
            "counts": self.counts,
            "conflicts": [item.as_dict() for item in self.items if item.is_conflict],
            "to_enter_again": {"servers": self.missing, "keys": self.key_origins},
            "unfinished_runs": self.unfinished,
        }


def counted(items: Sequence[ImportItem]) -> Mapping[Kind, Mapping[Outcome, int]]:
    """Return how many things of each kind have which outcome."""
    counts: dict[Kind, Counter[Outcome]] = {}
    for item in items:
        counts.setdefault(item.kind, Counter())[item.outcome] += 1
    return counts


class ImportExportService:
    """Writes exports, and imports them. One import at a time."""

    def __init__(
        self,
        storage: Storage,
        engine: Engine,
        bus: Bus,
        clock: Clock,
        agents: AgentService,
        prompts: PromptService,
        servers: McpServerService,
        settings: SettingsService,
        queue: QueueService,
        memories: MemoryService,
        search: SearchService,
    ) -> None:
        self._storage = storage
        self._engine = engine
        self._bus = bus
        self._agents = agents
        self._prompts = prompts
        self._servers = servers
        self._settings = settings
        self._queue = queue
        self._memories = memories
        self._search = search
        self._exporter = Exporter(storage, clock)
        self._reader = StoreReader(storage, clock)
        self._importer = Importer(storage, clock, lambda: agents.current, self._is_active)
        self._lock = asyncio.Lock()

    # Export

    async def find_workflow(self, name: str) -> Workflow:
        """Return the workflow of that id, else of exactly that title, else of that title ignoring case.

        Raises NotFound, and Refused `ambiguous` if several have the title.
        """
        workflows = await self._storage.workflows.all()
        matching = [each for each in workflows if each.id == name]
        matching = matching or [each for each in workflows if each.title == name]
        matching = matching or [each for each in workflows if name_key(each.title) == name_key(name)]
        if not matching:
            raise NotFound("workflow", name)
        if len(matching) > 1:
            ids = [each.id for each in matching]
            raise Refused("ambiguous", f"{len(ids)} workflows are called {name!r}: name one by its id", ids=ids)
        return matching[0]

    @returns_outcome
    async def export(
        self,
        path: Path,
        workflows: Sequence[WorkflowId] | None = None,
        kinds: Collection[Kind] = (),
        progress: Progress = _no_progress,
    ) -> Exported:
        """Write these workflows, and everything of these kinds, to a file: a zip if there are attachments, or much.

        Nothing in it is secret: keys are left out, as are the values of the environment and the headers of MCP
        servers, and texts that look like secrets are masked. Fails with `not_found` and `not_written`.
        """
        chosen = [await require_workflow(self._storage, workflow_id) for workflow_id in workflows or ()]
        if Kind.WORKFLOWS in kinds:
            chosen = await self._storage.workflows.all()
        return await self._exporter.write(path, chosen, kinds, progress)

    @returns_outcome
    async def markdown(self, workflow_id: WorkflowId) -> str:
        """Return a conversation as Markdown, without secrets. Fails with `not_found`."""
        history, _ = await self._reader.workflow(await require_workflow(self._storage, workflow_id))
        return await in_thread(conversation_markdown(history))

    @returns_outcome
    async def export_markdown(self, workflow_id: WorkflowId, path: Path) -> None:
        """Write a conversation as Markdown. Fails with `not_found` and `not_written`."""
        history, _ = await self._reader.workflow(await require_workflow(self._storage, workflow_id))
        text = await in_thread(conversation_markdown(history))
        try:
            await asyncio.to_thread(replace_private, path, text.encode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            raise not_written(path, error) from None

    # Import

    async def is_export(self, path: Path) -> bool:
        """Return whether the file looks like an export, whatever its version; an unreadable file does not."""
        return await asyncio.to_thread(looks_like_export, path)

    @returns_outcome
    async def preview(
        self, path: Path, on_conflict: OnConflict = OnConflict.SKIP, kinds: Collection[Kind] = ALL_KINDS
    ) -> ImportPreview:
        """Read and check the whole file, and return what its import would do. Fails with `bad_export`, which names the
        place of the problem, `newer_export` or `bad_input`.
        """
        return await self._planned(path, await read_contents(path), on_conflict, kinds)

    @returns_outcome
    async def replan(
        self, preview: ImportPreview, on_conflict: OnConflict, kinds: Collection[Kind] = ALL_KINDS
    ) -> ImportPreview:
        """Return the preview of another choice, without reading the file again."""
        return await self._planned(preview.path, preview.contents, on_conflict, kinds)

    @returns_outcome
    async def import_file(
        self,
        path: Path,
        on_conflict: OnConflict = OnConflict.SKIP,
        kinds: Collection[Kind] = ALL_KINDS,
        progress: Progress = _no_progress,
    ) -> ImportPreview:
        """Import a file, all or nothing, and return what was done. Fails as `preview` does, and changes nothing then.

        Nothing that comes in is started: runs are history, servers have to be confirmed, queued messages are held.
        """
        async with self._lock:
            preview = await self._planned(path, await read_contents(path), on_conflict, kinds)
            try:
                staged = await self._importer.stage(path, preview.plan, progress)
            except BaseException:
                self._search.catch_up()  # it may have indexed a part of what is deleted again
                raise
            # shielded: a commit whose outcome is not awaited would leave the catalogues behind the store
            showing = asyncio.ensure_future(self._show(preview, staged, on_conflict, kinds))
            try:
                await asyncio.shield(showing)
            except asyncio.CancelledError:
                await showing
                raise
            return preview

    async def _planned(
        self, path: Path, contents: Contents, on_conflict: OnConflict, kinds: Collection[Kind]
    ) -> ImportPreview:
        plan = await self._importer.plan(contents, on_conflict, kinds, self._settings.current)
        return ImportPreview(path, contents, plan)

    async def _show(
        self, preview: ImportPreview, staged: Sequence[Staged], on_conflict: OnConflict, kinds: Collection[Kind]
    ) -> None:
        """Write the last commit, and make everything follow it. Raises Refused if the plan does not hold any more."""
        plan = preview.plan
        async with AsyncExitStack() as locks:
            for service in (self._agents, self._prompts, self._servers, self._settings):
                await locks.enter_async_context(service.lock)
            try:
                await self._require_unchanged(preview, on_conflict, kinds)
            except BaseException:
                await self._importer.discard([each.workflow.id for each in staged])
                raise
            try:
                await self._storage.commit(self._importer.last_writes(plan, staged))
            except StorageFailed:
                if not await self._was_written(preview, staged, on_conflict, kinds):
                    await self._importer.discard([each.workflow.id for each in staged])
                    raise
            self._agents.adopt(plan.library.of(Agent))
            self._prompts.adopt(plan.library.of(Prompt))
            self._servers.adopt(plan.library.of(McpServer))
            self._settings.adopt(plan.library.settings)
        await self._follow(plan, staged)

    async def _require_unchanged(
        self, preview: ImportPreview, on_conflict: OnConflict, kinds: Collection[Kind]
    ) -> None:
        """Raise Refused if something was changed since the plan was made, while workflows were written."""
        others = set(kinds) - {Kind.WORKFLOWS}
        now = await self._importer.plan(preview.contents, on_conflict, others, self._settings.current)
        if now.library.writes != preview.plan.library.writes:
            raise Refused("changed_meanwhile", "something was changed during the import: import the file again")

    async def _was_written(
        self, preview: ImportPreview, staged: Sequence[Staged], on_conflict: OnConflict, kinds: Collection[Kind]
    ) -> bool:
        """Return whether the last commit was written although it failed, as a disk can leave it.

        Raises StorageFailed if that cannot be read; what is hidden is deleted at the next start then.
        """
        if staged:
            return staged[0].workflow.id not in await self._storage.workflows.discarded()
        try:
            await self._require_unchanged(preview, on_conflict, kinds)
        except Refused:
            return True
        return False

    async def _follow(self, plan: ImportPlan, staged: Sequence[Staged]) -> None:
        replaced = [each.replaced for each in staged if each.replaced is not None]
        for workflow_id in replaced:
            self._bus.publish(WorkflowDeleted(workflow_id))
        for each in staged:
            newest = await self._engine.newest(each.workflow.id)
            self._bus.publish(WorkflowChanged(each.workflow, None if newest is None else newest.status))
            self._queue.adopt(each.queue)
        self._memories.note_import()
        self._search.catch_up()
        await self._importer.discard(replaced)

    async def _is_active(self, workflow_id: WorkflowId) -> bool:
        newest = await self._engine.newest(workflow_id)
        return newest is not None and newest.status in ACTIVE_STATUSES
