"""The parts of the running app: its folders, its stores, and the core that `core.wiring` assembles."""

import asyncio
import gc
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import platformdirs

from core.bus import Bus
from core.domain.doubt import Repair, Repaired
from core.engine.runs.engine import Engine
from core.ports import Clock, FilePicker, Storage, ToolRunner
from core.services.activity import ActivityService
from core.services.agents import AgentService
from core.services.attachments import AttachmentService
from core.services.backups import BackupService
from core.services.call_requests import CallRequestService
from core.services.changed_files import ChangedFilesService
from core.services.chat import ChatService
from core.services.consent import ConsentService
from core.services.demo import DemoService
from core.services.folders import FolderService
from core.services.import_export.service import ImportExportService
from core.services.mcp_offers import OfferService
from core.services.mcp_servers import McpServerService
from core.services.memories import MemoryService
from core.services.message_queue import QueueService
from core.services.notices import NoticeService
from core.services.prompts import PromptService, SlashService
from core.services.recording import RecordingService
from core.services.runs import RunService
from core.services.search import SearchService
from core.services.settings import ProviderService, SettingsService
from core.services.summaries import SummaryService
from core.services.templates import TemplateService
from core.services.trash import Trash
from core.services.upkeep import UpkeepService
from core.services.workflows import WorkflowService
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Store
from core.stores.inbox import Inbox
from core.stores.indicators import Queues, Recordings, SaveIndicator
from core.stores.notifications import Notifications
from core.stores.question_reminders import Reminders, ReminderToast
from core.stores.questions import Questions
from core.stores.toast_feed import ToastFeed
from core.stores.toasts import Toasts
from core.stores.usage import Usage
from core.stores.view_cache import ViewCache
from core.stores.workflows import Workflows
from core.threads.files import make_private_folder, restrict_to_owner
from core.tools.own_places import OwnPlaces

APP = "metier"
KEY_FILE = "keys.json"
SEARCH_FILE = "search.db"

StoreT = TypeVar("StoreT", bound=Store)


@dataclass(frozen=True, slots=True)
class Folders:
    """Where data is stored: `store` is the database, `logs` the log files, `keys` the file for API keys if the system
    has no keyring, `search` the file of the full-text index, which can be rebuilt (None: a temporary file).
    """

    store: Path
    logs: Path
    keys: Path
    search: Path | None = None

    @property
    def by_purpose(self) -> dict[str, Path]:
        """The files and folders that grow: store, backups, copies of changed files, search, logs."""
        search = {} if self.search is None else {"search": self.search}
        backups = self.store.with_name("backups")
        return {"store": self.store, "backups": backups, "copies": self.copies, **search, "logs": self.logs}

    @property
    def demo(self) -> Path:
        """Where the demo works."""
        return self.store.with_name("demo")

    @property
    def copies(self) -> Path:
        """Where copies of changed files are kept."""
        return self.store.with_name("copies")

    @classmethod
    def choose(cls, data: str | None) -> Self:
        """Return the folders under `data`, else under METIER_DATA, else in the system's places. Creates nothing."""
        chosen = data or os.environ.get("METIER_DATA")
        if chosen:
            root = Path(chosen).absolute()
            return cls(root / "store", root / "logs", root / KEY_FILE, root / "cache" / SEARCH_FILE)
        return cls(
            Path(platformdirs.user_data_dir(APP, appauthor=False)) / "store",
            Path(platformdirs.user_log_dir(APP, appauthor=False)),
            Path(platformdirs.user_config_dir(APP, appauthor=False)) / KEY_FILE,
            Path(platformdirs.user_cache_dir(APP, appauthor=False)) / SEARCH_FILE,
        )

    @property
    def own(self) -> OwnPlaces:
        """What no tool reaches: these folders, the program, and the files of the system's keyring."""
        return OwnPlaces([*self._roots, *_keyring_folders()], _program_folders(), self.demo)

    def create(self) -> None:
        """Create the folders for their owner alone, and take existing folders from group and others.

        A folder that cannot be made private is left to whoever writes to it, who reports the reason. Blocks on the
        disk.
        """
        for folder in self._roots:
            with suppress(OSError):
                is_new = not folder.exists()
                make_private_folder(folder)
                # A data folder that the user chose and that holds no store yet may be anything, even their home: what
                # is ours in it is private on its own.
                if is_new or (self.store.exists() and folder != Path.home()):
                    restrict_to_owner(folder)

    @property
    def _roots(self) -> Sequence[Path]:
        files = (self.store, self.keys, self.search)
        return list(dict.fromkeys([*(file.parent for file in files if file is not None), self.logs]))


def _program_folders() -> list[Path]:
    if getattr(sys, "frozen", False):
        return [Path(sys.executable).parent]
    root = Path(__file__).parent.parent
    packages = [root / name for name in ("core", "desktop", "resources", "i18n")]
    return [*packages, Path(sys.prefix)] if sys.prefix != sys.base_prefix else packages


def _keyring_folders() -> list[Path]:
    """Return where keyrings store their files: Secret Service, KWallet, the keyring library, macOS, Windows."""
    home = Path.home()
    shares = [home / ".local/share" / name for name in ("keyrings", "python_keyring", "kwalletd")]
    windows = [home / "AppData" / kind / "Microsoft" for kind in ("Roaming", "Local")]
    return [
        *shares,
        home / ".config/python_keyring",
        home / "Library/Keychains",
        *(folder / name for folder in windows for name in ("Credentials", "Protect", "Vault")),
    ]


class Stores:
    """What a window shows, folded from the bus; it needs no window. Lives on the running loop."""

    def __init__(self, bus: Bus, clock: Clock, settings: SettingsService) -> None:
        self._stack = ExitStack()
        call_later = asyncio.get_running_loop().call_later
        # first: the others read from it what an event has changed
        self.background = self._open(BackgroundWorkflows(bus, clock, call_later, settings.current))
        self.view = self._open(ViewCache(self.background))
        self.questions = self._open(Questions(self.background))
        self.toasts = self._open(Toasts(clock, call_later))
        self.usage = self._open(Usage(bus, self.background, clock))
        self.workflows = self._open(Workflows(bus))
        self.inbox = self._open(Inbox(bus, self.toasts))
        self.recordings = self._open(Recordings(bus))
        self.saving = self._open(SaveIndicator(bus, clock, call_later))
        self.notifications = self._open(
            Notifications(bus, self.background, self.questions, self.toasts, settings.read, clock, call_later)
        )
        self.queues = self._open(Queues(bus))
        feed = self._open(ToastFeed(bus, self.background, self.questions, self.toasts))
        # it has nothing to close
        toast = ReminderToast(self.background, self.toasts)
        self.reminders = self._open(
            Reminders(bus, self.questions, feed, toast, self.notifications, settings.read, clock, call_later)
        )

    def close(self) -> None:
        """Close all stores, last opened first: no subscription and no timer is left."""
        self._stack.close()

    def _open(self, store: StoreT) -> StoreT:
        self._stack.callback(store.close)
        return store


@dataclass(frozen=True, slots=True)
class Core:
    """The app without a window."""

    bus: Bus
    clock: Clock
    engine: Engine
    storage: Storage
    stores: Stores
    runs: RunService
    chat: ChatService
    templates: TemplateService
    workflows: WorkflowService
    folders: FolderService
    trash: Trash
    settings: SettingsService
    consent: ConsentService
    call_requests: CallRequestService
    changed_files: ChangedFilesService
    demo: DemoService
    providers: ProviderService
    agents: AgentService
    tools: ToolRunner
    summaries: SummaryService
    recording: RecordingService
    servers: McpServerService
    prompts: PromptService
    memories: MemoryService
    slash: SlashService
    offers: OfferService
    notices: NoticeService
    attachments: AttachmentService
    queue: QueueService
    activity: ActivityService
    backups: BackupService
    upkeep: UpkeepService
    search: SearchService
    import_export: ImportExportService


OpenCore = Callable[[Folders, FilePicker], AbstractAsyncContextManager[Core]]
"""Opens the store in the folders and runs the core on it, such as `core.wiring.open_core`. Raises StorageFailed."""

OnRepairProgress = Callable[[dict[str, Any]], object]
"""Receives `{"rows", "of"?}` now and then while a store is being repaired."""

RepairStore = Callable[[Folders, Repair, OnRepairProgress], Awaitable[Repaired]]
"""Does what the user has chosen for a store in doubt, such as `core.wiring.repair_store`. Raises StorageFailed."""

OnRestoreProgress = Callable[[dict[str, Any]], object]
"""Receives {rows, of} now and then while a backup is being restored."""

RestoreStore = Callable[[Folders, Path, OnRestoreProgress], Coroutine[Any, Any, None]]
"""Puts a backup in the place of the store, which is not open, such as `core.wiring.restore_store`.

Raises Refused `bad_backup` and StorageFailed; then nothing has changed.
"""


def tune_gc() -> None:
    """Exclude everything loaded so far, which lives as long as the process, from garbage collection.

    Otherwise the collector would traverse it again and again while runs create objects: a fifth of the engine's time,
    and stalls of the window. Few new objects are examined at once, since results of megabytes are hundreds of thousands
    of objects: 50 000 take 16 ms, 400 000 took 110; full collections are rare. For a process whose only work is a
    single core, after its modules are loaded; the collector may be disabled until then.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(5_000, 10, 1_000)
