"""A whole core on a store in memory, with tools that tests can look into."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from core.app import Core
from core.domain.events import Event, Fact
from core.domain.ids import RunId, WorkflowId, new_id
from core.domain.interruption import Action, Answer
from core.domain.run import Run, RunKind
from core.domain.template import Template
from core.domain.tool import ToolInfo
from core.domain.workflow import Workflow
from core.engine.runs.start_request import StartRequest
from core.errors import ToolFailed
from core.ports import CallContext, Clock, FilePicker, Storage
from core.services.outcome import Ok
from core.threads.system_clock import SystemClock
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Tool
from core.wiring import run_core
from tests.support.clock import loop_clock
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage


@dataclass
class Tools:
    """`echo` gives back its arguments; `note` leaves a trace in `notes`; `mark` too, and may be repeated; `hold`
    waits until `release` is set; `fail` fails; `hang` never ends."""

    notes: list[Any] = field(default_factory=list)
    echoes: list[Any] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    in_flight: int = 0
    most_in_flight: int = 0

    def all(self) -> list[Tool]:
        return [
            self._tool("echo", self._echo, read_only=True),
            self._tool("note", self._note),
            self._tool("mark", self._note, idempotent=True),
            self._tool("hold", self._hold, read_only=True),
            self._tool("fail", self._fail, read_only=True),
            self._tool("hang", self._hang),
        ]

    def _tool(self, name: str, handler: Any, **traits: Any) -> Tool:
        return Tool(ToolInfo(name, name, name, {"type": "object"}), server=handler, timeout_s=60, **traits)

    async def _echo(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self.echoes.append(dict(arguments))
        await asyncio.sleep(arguments.get("seconds", 0))
        return dict(arguments)

    async def _note(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self.notes.append(arguments.get("text"))
        await asyncio.sleep(0)
        return {"text": arguments.get("text")}

    async def _hold(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.release.wait()
        finally:
            self.in_flight -= 1
        return {}

    async def _fail(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        await asyncio.sleep(arguments.get("seconds", 0))
        raise ToolFailed("failed", "it did not work")

    async def _hang(self, arguments: Mapping[str, Any], context: CallContext) -> Any:
        self.notes.append(arguments.get("text"))
        await asyncio.Event().wait()


_FIELDS = ("maxParallel", "inputSchema", "title", "timeoutMs")


class World:
    """A core at work, and what it told."""

    def __init__(self, core: Core, storage: Storage, tools: Tools) -> None:
        self.core = core
        self.storage = storage
        self.tools = tools
        self.events: list[Event] = []
        core.bus.subscribe(Event, self.events.append)

    async def start(self, *steps: dict[str, Any], given: Mapping[str, Any] | None = None, **options: Any) -> Run:
        """Start a template of these steps. `options`: fields of the template, and those of StartRequest."""
        fields = {name: options.pop(name) for name in list(options) if name in _FIELDS}
        now = SystemClock().now()
        workflow = options.pop("workflow", None) or Workflow(WorkflowId(new_id("wf")), "W", "offline", now, now)
        request = StartRequest(
            workflow,
            Template.model_validate(template(*steps, **fields)),
            given or {},
            options.pop("kind", RunKind.WORKFLOW),
            **options,
        )
        return await self.core.engine.start(request)

    async def run(self, *steps: dict[str, Any], given: Mapping[str, Any] | None = None, **options: Any) -> Any:
        """Start, wait for the end, and describe the run."""
        run = await self.start(*steps, given=given, **options)
        await self.core.engine.wait(run.id)
        return await self.describe(run.id)

    async def answer(
        self, run: Run, action: str, value: Any = None, *, step: str | None = None, reason: str | None = None
    ) -> Any:
        """Answer what the run waits for, and describe it once it has ended or waits again."""
        await self.core.engine.answer(run.id, Answer(Action(action), value, reason), step=step)
        return await self.settled(run.id)

    async def heard(self, kind: type[Fact]) -> None:
        """Come back when such a fact has been told."""
        heard = asyncio.Event()
        subscription = self.core.bus.subscribe(
            Event, lambda event: heard.set() if isinstance(event.fact, kind) else None
        )
        if not any(isinstance(event.fact, kind) for event in self.events):
            await heard.wait()
        subscription.close()

    async def settled(self, run_id: RunId) -> Any:
        """The run, once it has ended or only waits for a person."""
        await self.core.engine.wait(run_id)
        return await self.describe(run_id)

    async def describe(self, run_id: RunId) -> Any:
        described = await self.core.runs.describe(run_id)
        assert isinstance(described, Ok)
        return described.data


@asynccontextmanager
async def a_world(
    storage: Storage | None = None,
    more_tools: Iterable[Tool] = (),
    clock: Clock | None = None,
    picker: FilePicker | None = None,
    own: OwnPlaces = NO_PLACES,
) -> AsyncIterator[World]:
    """A world on `storage`, or on an empty one; with a window's `picker`, somebody is there to allow places."""
    storage = storage or InMemoryStorage()
    tools = Tools()
    clock = clock or loop_clock()
    async with run_core(storage, clock, more_tools=[*tools.all(), *more_tools], picker=picker, own=own) as core:
        yield World(core, storage, tools)


def a_step(name: str, *after: str, **fields: Any) -> dict[str, Any]:
    """A step that gives back its input, after others."""
    return {"name": name, "action": {"set": True}, "dependsOn": list(after), **fields}


def tool_step(name: str, tool: str, *after: str, **arguments: Any) -> dict[str, Any]:
    """A step that calls a tool, after others."""
    return {"name": name, "action": {"toolName": tool}, "dependsOn": list(after), "input": arguments}
