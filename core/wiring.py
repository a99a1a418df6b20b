"""The composition root: the only module that depends on all others.

`open_core` opens a store and yields the services around it; leaving it checkpoints active runs and closes the store.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from core.agents.loop import AgentLoop
from core.app import APP, Core, Folders, OnRepairProgress, OnRestoreProgress, Stores
from core.bus import Bus, SaveState, SaveStateChanged
from core.domain.backup import BackupReason
from core.domain.doubt import Repair, Repaired
from core.domain.events import Event, RunFinished
from core.domain.ids import WorkflowId
from core.engine.log.journal import Journal
from core.engine.plan.validation import Validator
from core.engine.runs.child_runs import ChildStartRequests
from core.engine.runs.engine import Engine
from core.engine.runs.step_runner import StepRunner
from core.errors import StorageFailed
from core.llm.catalogue import Catalogue
from core.llm.http import HttpClients
from core.llm.key_store import KeyFile, KeyStore
from core.llm.offline.client import OfflineModel, Router
from core.llm.presets import files_taken
from core.llm.provider.client import ProviderClient
from core.llm.system_keyring import SystemKeyring
from core.network.routes import Network
from core.ports import Backups, Clock, ConsentRules, FilePicker, Sandbox, SearchIndex, Storage, Upkeep
from core.recording import export
from core.recording.recordings import RecordingRegistry
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.sandbox.schemas import JsonSchemas
from core.services.activity import ActivityService
from core.services.agents import AgentService
from core.services.attachments import AttachmentService
from core.services.backups import BackupService
from core.services.call_requests import CallRequestService
from core.services.changed_files import ChangedFilesService
from core.services.chat import ChatService
from core.services.consent import ConsentService
from core.services.demo import DemoService
from core.services.executions import ExecutionService
from core.services.file_changes import FileChanges
from core.services.folders import FolderService
from core.services.import_export.service import ImportExportService
from core.services.key_check import KeyCheck
from core.services.look_marks import LookMarks
from core.services.mcp_offers import OfferService
from core.services.mcp_runtime import register_stored_tools
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryExpiry, MemoryService
from core.services.message_queue import QueueService
from core.services.notices import NoticeService
from core.services.prompts import PromptService, SlashService
from core.services.recording import RecordingService
from core.services.runs import RunService
from core.services.search import SearchService
from core.services.settings import ProviderService, SettingsService, parse_settings
from core.services.spending import SpendingService
from core.services.summaries import SummaryService
from core.services.templates import TemplateBookService, TemplateService
from core.services.trash import Trash
from core.services.upkeep import UpkeepService
from core.services.workflows import WorkflowService
from core.threads.system_clock import SystemClock
from core.tools.builtin import builtin_tools, collection_tools, recording_tools, storing_tools
from core.tools.command.confinement import Confinement
from core.tools.file_copies import FileCopies
from core.tools.folder_guides import FolderGuides
from core.tools.invocation import ToolInvoker
from core.tools.mcp.hub import Hub
from core.tools.mcp.sampling import Sampling
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Registry, Tool
from core.tools.result_pictures import ResultPictures
from core.tools.text_files import SeenFiles


class Toolbox:
    """Tools, sandbox and validation. An async context manager.

    `storage` is where tools store data. `picker` asks the user for a file, in the window. No tool reaches the app's
    `own` folders.
    """

    def __init__(
        self,
        clock: Clock,
        storage: Storage,
        more_tools: Iterable[Tool] = (),
        is_viewed: Callable[[WorkflowId], bool] = lambda workflow_id: False,
        consent: ConsentRules | None = None,
        sandbox: Sandbox | None = None,
        picker: FilePicker | None = None,
        own: OwnPlaces = NO_PLACES,
        copies: FileCopies | None = None,
        network: Network | None = None,
    ) -> None:
        self._code_workers = WorkerPool()
        self._schema_workers = WorkerPool(size=1)  # their own, so that no check waits behind code that runs
        self.sandbox = sandbox or QuickJsSandbox(self._code_workers, checks=self._schema_workers)
        self.schemas = JsonSchemas(self._schema_workers)
        self.registry = Registry(self.schemas)
        self.seen_files = SeenFiles()
        self.confinement = Confinement(own)
        storing = storing_tools(storage, clock, self.seen_files, picker, own, copies, self.confinement)
        for tool in (*builtin_tools(self.sandbox, clock, own, network), *storing):
            self.registry.register(tool, is_checked=True)
        for tool in more_tools:
            self.registry.register(tool)
        self.pictures = ResultPictures(storage.commit)
        self.invoker = ToolInvoker(
            self.registry, clock, is_viewed, consent, asks_for_access=picker is not None, pictures=self.pictures
        )
        self.validator = Validator(self.invoker, self.sandbox, self.schemas)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.invoker.close()
        await self._code_workers.close()
        await self._schema_workers.close()


async def load_stored_tools(box: Toolbox, folders: Folders) -> None:
    """Register the stored tools of MCP servers; calling them fails.

    Without a store, or with a store that another process has open, nothing is registered.
    """
    if not folders.store.exists():
        return
    from core.persistence.surreal import SurrealStorage  # late: the driver takes its time to load

    try:
        storage = await SurrealStorage.open(folders.store)
    except StorageFailed:
        return
    try:
        register_stored_tools(box.registry, await storage.servers.all())
    except StorageFailed:
        return
    finally:
        await storage.close()


@asynccontextmanager
async def open_core(folders: Folders, picker: FilePicker | None = None) -> AsyncIterator[Core]:
    """Open the store and start the engine. Does not recover runs. `picker` asks the user for a file, in the window.

    Raises StorageFailed (`in_use`, `store_doubtful`, `storage_not_writable`, `storage_full`).
    """
    from core.backups.repair import with_backup  # late: SQLite and the driver take their time to load
    from core.backups.store_backups import StoreBackups
    from core.persistence.connection import Connection
    from core.persistence.search.index import FileSearchIndex
    from core.persistence.surreal import SurrealStorage
    from core.persistence.upkeep import StoreUpkeep

    async def back_up(connection: Connection) -> None:
        await StoreBackups(connection, folders.store).keep(BackupReason.UPDATE, SystemClock().now())

    index = FileSearchIndex(folders.search)
    try:
        storage = await SurrealStorage.open(folders.store, index, back_up)
    except StorageFailed as error:
        raise await with_backup(error, folders.store) from error
    backups, upkeep = StoreBackups(storage.connection, folders.store), StoreUpkeep(storage.connection)
    try:
        async with run_core(
            storage,
            key_file=folders.keys,
            picker=picker,
            index=index,
            own=folders.own,
            copies=FileCopies(folders.copies),
            demo_folder=folders.demo,
            backups=backups,
            upkeep=upkeep,
        ) as core:
            if storage.unwritable_code is not None:
                core.bus.publish(SaveStateChanged(SaveState.FAILED, storage.unwritable_code))
            yield core
    finally:
        await storage.close()


async def doubt_about_store(folders: Folders) -> StorageFailed | None:
    """Return why the store is in doubt, or None. Raises StorageFailed for everything else that keeps it closed."""
    from core.backups.repair import doubt_about  # late: the driver takes its time to load

    return await doubt_about(folders.store)


async def repair_store(folders: Folders, choice: Repair, on_progress: OnRepairProgress | None = None) -> Repaired:
    """Do what the user has chosen for a store in doubt. Raises Refused `bad_choice`, and StorageFailed."""
    from core.backups.repair import repair  # late: the driver takes its time to load

    return await repair(folders.store, choice, on_progress)


async def restore_store(folders: Folders, file: Path, on_progress: OnRestoreProgress) -> None:
    """Put the backup in the place of the store, which is not open. Raises Refused `bad_backup` and StorageFailed."""
    from core.backups.closed_store import restore  # late: the driver takes its time to load

    await restore(folders.store, file, on_progress)


@asynccontextmanager
async def temporary_storage() -> AsyncIterator[Storage]:
    """Open an empty store that is deleted at the end."""
    from core.persistence.surreal import SurrealStorage  # late: the driver takes its time to load

    with TemporaryDirectory(prefix=f"{APP}-", ignore_cleanup_errors=True) as folder:
        storage = await SurrealStorage.open(Path(folder) / "store")
        try:
            yield storage
        finally:
            await storage.close()


def _temporary_index() -> SearchIndex:
    from core.persistence.search.index import FileSearchIndex  # late: SQLite takes its time to load

    return FileSearchIndex()


class Models:
    """Everything that answers an agent: the offline agent and the providers. An async context manager."""

    def __init__(self, clock: Clock, settings: SettingsService, key_file: Path | None, network: Network) -> None:
        self._clients = HttpClients(network)
        self.keys = KeyStore(KeyFile(key_file), SystemKeyring(), os.environ, lambda: settings.current.key_places)
        self.catalogue = Catalogue(self._clients, clock)
        self.client = Router(OfflineModel(clock), ProviderClient(self._clients, clock, self.keys.find))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._clients.close()


@asynccontextmanager
async def run_core(
    storage: Storage,
    clock: Clock | None = None,
    more_tools: Iterable[Tool] = (),
    key_file: Path | None = None,
    sandbox: Sandbox | None = None,
    picker: FilePicker | None = None,
    index: SearchIndex | None = None,
    own: OwnPlaces = NO_PLACES,
    copies: FileCopies | None = None,
    backups: Backups | None = None,
    upkeep: Upkeep | None = None,
    demo_folder: Path | None = None,
) -> AsyncIterator[Core]:
    """Run the core on a store that the caller opens and closes, with `more_tools` beside the built-in tools. Code runs
    in worker processes, or in the `sandbox` given. No tool reaches the `own` places; what tools change of files is kept
    in `copies`.

    Without a `key_file` API keys are stored in the system's keyring or not at all; without an `index` the full-text
    index is temporary, as is the folder of the demo without a `demo_folder`.
    """
    clock, bus = clock or SystemClock(), Bus()
    copies = copies or FileCopies()
    stored = await storage.settings.all()
    settings = SettingsService(parse_settings(stored), storage, bus)
    consent = ConsentService(stored, settings, storage, clock)
    network = Network(lambda: settings.current.authorities_file)
    # What is entered later is left first: runs end before the tools that they call, the tools before their servers.
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        stores = stack.enter_context(closing(Stores(bus, clock, settings)))
        is_viewed = stores.background.is_viewed
        box = await enter(
            Toolbox(clock, storage, more_tools, is_viewed, consent, sandbox, picker, own, copies, network)
        )
        bus.subscribe(Event, lambda event: box.seen_files.forget(event.run_id), (RunFinished,))
        models = await enter(Models(clock, settings, key_file, network))
        tools, validator = box.invoker, box.validator
        consent.use_tools(tools.infos)

        servers = McpServerService(storage, models.keys, consent, own)
        sampling = Sampling(models.client, consent, lambda: settings.current.models)
        hub = Hub(
            box.registry,
            box.schemas,
            clock,
            sampling,
            servers.launch_of,
            servers.save_state,
            servers.emit_changed,
            network,
        )
        await enter(hub)
        await servers.open(hub)

        agents = AgentService(
            await storage.agents.all(), storage, settings.read, box.registry.infos, lambda: servers.configs
        )
        templates = TemplateService(storage, validator)
        book = TemplateBookService(storage, validator, clock)
        spending = await enter(SpendingService(storage, bus, clock, settings.read, asks=picker is not None))
        loop = AgentLoop(
            models.client,
            tools,
            storage,
            clock,
            box.schemas,
            agents,
            asks_for_rounds=lambda: settings.current.ask_at_round_limit,
            files_taken=files_taken,
            read_guides=FolderGuides(own).read,
            spending=spending,
        )
        steps = StepRunner(tools, box.sandbox, loop, box.schemas)
        journal = Journal(storage, bus, clock, text_interval_s=settings.current.stream_write_interval_s)
        registry = RecordingRegistry(storage, journal, clock)
        children = ChildStartRequests(storage, templates, settings.read, agents.for_steps)
        gate = stores.background
        engine = Engine(storage, bus, clock, journal, steps, validator, children, registry, settings.read, gate)
        spending.answer_with(engine.answer)
        recordings = export.Recordings(engine, registry, storage, validator, book, tools, clock)
        await enter(engine)
        await enter(MemoryExpiry(storage.memories, clock))
        changed_files = await enter(ChangedFilesService(copies, storage, bus, own))
        trash = await enter(Trash(engine, storage, bus, clock))
        notices = await enter(NoticeService(storage, stores.toasts, bus))
        await enter(LookMarks(storage, stores.background, stores.workflows, clock))

        keys = KeyCheck(models.keys, storage)
        workflows = WorkflowService(engine, storage, bus, clock, keys, agents, own)
        runs = RunService(engine, storage, clock, keys, agents, workflows.add_folders)
        chat = ChatService(engine, registry, storage, clock, keys, agents)
        prompts = PromptService(await storage.prompts.all(), storage)
        offers = OfferService(hub)
        executions = ExecutionService(engine, runs, templates, storage)
        for tool in (*recording_tools(recordings), *collection_tools(executions, book)):
            box.registry.register(tool, is_checked=True)
        queue = await enter(QueueService(chat, engine, storage, bus, clock, settings))
        stack.enter_context(consent)
        search = await enter(SearchService(index or _temporary_index(), storage, bus, clock))
        memories = MemoryService(storage.memories, storage.workflows.get, bus, clock)
        memories.changed.connect(search.purge_soon)
        yield Core(
            bus=bus,
            clock=clock,
            engine=engine,
            storage=storage,
            stores=stores,
            runs=runs,
            chat=chat,
            templates=templates,
            workflows=workflows,
            folders=FolderService(storage, bus, settings),
            trash=trash,
            settings=settings,
            consent=consent,
            call_requests=CallRequestService(engine, FileChanges(box.seen_files, own), box.confinement.works),
            changed_files=changed_files,
            demo=DemoService(chat, runs, templates, workflows, storage, demo_folder),
            providers=ProviderService(models.catalogue, models.keys, settings),
            agents=agents,
            tools=tools,
            summaries=SummaryService(chat, engine, storage, keys, agents),
            recording=RecordingService(recordings),
            servers=servers,
            prompts=prompts,
            memories=memories,
            slash=SlashService(book, templates, prompts, offers),
            offers=offers,
            notices=notices,
            attachments=AttachmentService(storage, own, offers.read, box.pictures),
            queue=queue,
            search=search,
            import_export=ImportExportService(
                storage, engine, bus, clock, agents, prompts, servers, settings, queue, memories, search
            ),
            activity=ActivityService(storage, clock),
            backups=await enter(BackupService(backups, clock, lambda: engine.is_at_work)),
            upkeep=await enter(UpkeepService(upkeep, clock, lambda: engine.is_at_work)),
        )
