"""The composition root: the only module that knows everything.

`open_core` opens a store and hands out the services around it; leaving it checkpoints what is at work
and closes the store.
"""

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

from core.agents.loop import AgentLoop
from core.bus import Bus
from core.domain.settings import Settings
from core.engine.engine import Engine
from core.engine.steps import StepRunner
from core.engine.validation import Validator
from core.llm.offline import OfflineModel
from core.ports.clock import Clock, SystemClock
from core.ports.storage import Storage
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox
from core.sandbox.schemas import JsonSchemas
from core.services.chat import ChatService
from core.services.runs import RunService
from core.services.templates import TemplateService
from core.tools.builtin import builtin_tools
from core.tools.invocation import ToolInvoker
from core.tools.registry import Registry, Tool

APP = "metier"


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are kept: `store` is the database, `logs` the log files."""

    store: Path
    logs: Path

    @classmethod
    def choose(cls, data: str | None) -> Self:
        """`data` if given, else METIER_DATA, else the system's own places. Nothing is created."""
        chosen = data or os.environ.get("METIER_DATA")
        if chosen:
            root = Path(chosen).absolute()
            return cls(root / "store", root / "logs")
        return cls(
            Path(platformdirs.user_data_dir(APP, appauthor=False)) / "store",
            Path(platformdirs.user_log_dir(APP, appauthor=False)),
        )


class Toolbox:
    """Everything that works without a store: tools, sandbox, validation. An async context manager."""

    def __init__(self, clock: Clock, more_tools: Iterable[Tool] = ()) -> None:
        self._code_workers = WorkerPool()
        self._schema_workers = WorkerPool(size=1)  # its own, so that no check waits behind a code step
        self.sandbox = QuickJsSandbox(self._code_workers)
        self.schemas = JsonSchemas(self._schema_workers)
        self.registry = Registry(self.schemas)
        for tool in (*builtin_tools(self.sandbox, clock), *more_tools):
            self.registry.register(tool)
        self.invoker = ToolInvoker(self.registry, self.schemas, clock)
        self.validator = Validator(self.invoker, self.sandbox, self.schemas)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.invoker.close()
        await self._code_workers.close()
        await self._schema_workers.close()


@dataclass(frozen=True, slots=True)
class Core:
    """The app without a window."""

    bus: Bus
    engine: Engine
    storage: Storage
    runs: RunService
    chat: ChatService
    templates: TemplateService


@asynccontextmanager
async def open_core(folders: Folders) -> AsyncIterator[Core]:
    """Open the store and start the engine. Recovers nothing by itself.

    Raises StorageFailed (`in_use`, `store_doubtful`, `storage_not_writable`, `storage_full`).
    """
    from core.persistence.surreal import SurrealStorage  # late: the driver takes its time to load

    storage = await SurrealStorage.open(folders.store)
    try:
        async with run_core(storage) as core:
            yield core
    finally:
        await storage.close()


@asynccontextmanager
async def run_core(
    storage: Storage, clock: Clock | None = None, more_tools: Iterable[Tool] = ()
) -> AsyncIterator[Core]:
    """The core on a store that somebody else opened and closes, with `more_tools` beside the built-in ones."""
    clock = clock or SystemClock()
    settings = Settings.model_validate(await storage.settings())
    bus = Bus()
    async with Toolbox(clock, more_tools) as box:
        agents = AgentLoop(OfflineModel(clock), box.invoker, storage, clock)
        steps = StepRunner(box.invoker, box.sandbox, agents)
        async with Engine(storage, bus, clock, steps, box.validator, box.schemas, lambda: settings) as engine:
            yield Core(
                bus,
                engine,
                storage,
                RunService(engine, storage, clock),
                ChatService(engine, storage, clock),
                TemplateService(storage, box.validator),
            )
