"""The parts of the running app: its folders, its stores, and the core that `core.wiring` assembles."""

import asyncio
import gc
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

import platformdirs

from core.bus import Bus
from core.engine.runs.engine import Engine
from core.ports import Clock, FilePicker, Storage, ToolRunner
from core.services.activity import ActivityService
from core.services.agents import AgentService
from core.services.attachments import AttachmentService
from core.services.chat import ChatService
from core.services.consent import ConsentService
from core.services.demo import DemoService
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
    trash: Trash
    settings: SettingsService
    consent: ConsentService
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
    notices: NoticeService
    attachments: AttachmentService
    queue: QueueService
    activity: ActivityService
    search: SearchService


OpenCore = Callable[[Folders, FilePicker], AbstractAsyncContextManager[Core]]
"""Opens the store in the folders and runs the core on it, such as `core.wiring.open_core`. Raises StorageFailed."""


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
