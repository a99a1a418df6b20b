"""Calls of MCP clients: executed by the tools, with progress reports, and cancelled with their caller.

This module is independent of the protocol, which `core.cli.mcp` implements.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.app import Core
from core.bus import Subscription
from core.domain.events import (
    Event,
    InterruptionRaised,
    RunContinued,
    RunCreated,
    RunPaused,
    StepFinished,
    StepSkipped,
    StepStarted,
    ToolStarted,
)
from core.domain.ids import CallId, RunId, new_id
from core.domain.recording import RECORDING_TOOLS
from core.domain.run import ErrorInfo
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.domain.text.well_formed import well_formed
from core.domain.tool import CallResult, CallStatus, Runtime, ToolInfo
from core.ports import CallContext
from core.services.executions import outside_run_id
from core.services.outcome import Failed
from core.threads.long_values import is_long
from core.tools.builtin.collection import MCP_TOOLS

DEFAULT_TIMEOUT_S = 30.0
REPORT_INTERVAL_S = 0.2  # between two reports of progress
KEEPALIVE_S = 15.0  # after so long one is made though nothing has happened: the caller may give up on who is silent

ReportProgress = Callable[[float, float | None, str], Coroutine[Any, Any, None]]
"""Tells the caller how far a call is, of how much, and what happens."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON value, and the same as text."""

    value: Any
    text: str
    is_error: bool = False


class UnknownTool(Exception):  # no error of ours: the caller asked for what is not offered
    """There is no such tool."""


class CallHandler:
    """Executes calls of the offered tools of `core`. With a `recording` each call becomes a step of it, and nearly all
    tools are offered. Runs have the `mode`, by default that of the settings; clients consent to calls of tools only if
    they `may_approve`. `allow` holds the folders and origins that these runs and the recorded calls may access.
    `on_pause` is called when a run is paused, or continues, with what happened.
    """

    def __init__(
        self,
        core: Core,
        recording: RunId | None = None,
        mode: ValidationMode | None = None,
        *,
        allow: Sequence[str] = (),
        may_approve: bool = False,
    ) -> None:
        self._core = core
        self._recording = recording
        self._mode = mode
        self._allow = tuple(allow)
        self._may_approve = may_approve
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closing = False
        self.on_pause: Callable[[str], Coroutine[Any, Any, None]] | None = None
        self._pauses = core.bus.subscribe(Event, self._on_pause, (RunPaused, RunContinued))

    def detach_runs(self) -> None:
        """From now on the end of a call cancels no run: runs are left to the next process."""
        self._is_closing = True

    async def close(self) -> None:
        """Cancel active calls."""
        self._pauses.close()
        self.detach_runs()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def mode(self) -> ValidationMode:
        """The mode of the runs that clients start."""
        return self._mode or self._core.settings.current.validation_mode

    def offered(self) -> Sequence[ToolInfo]:
        """Return the tools that can be called, sorted by name."""
        infos = self._core.tools.infos()
        return [
            info for info in infos if info.name in MCP_TOOLS or (self._recording is not None and _is_recordable(info))
        ]

    def only_reads(self, name: str) -> bool:
        """Return whether calls of the tool change nothing."""
        return self._core.tools.only_reads(name)

    async def call(self, name: str, arguments: Mapping[str, Any], report: ReportProgress) -> Reply:
        """Make the call. If it is cancelled, a tool that only a recording offers stops; a run that the call started and
        awaits is cancelled, any other run continues; while this closes, no run is cancelled. Raises UnknownTool.
        """
        if name not in {info.name for info in self.offered()}:
            raise UnknownTool(name)
        context = CallContext.outside(
            CallId(new_id("call")), self.mode, allow=self._allow, may_approve=self._may_approve
        )
        awaited = _awaited_run(name, arguments, context)
        work = self._spawn(self._call(name, arguments, context), f"call {name}")
        progress = (
            self._spawn(RunProgress(self._core, awaited, report).report(), f"progress {name}") if awaited else None
        )
        try:
            # shielded: whether the work ends with its caller depends on the call
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if name not in MCP_TOOLS:
                work.cancel()
            if awaited is not None and awaited == outside_run_id(context) and not self._is_closing:
                self._spawn(self._cancel(awaited, work), f"cancel {awaited}")
            raise
        finally:
            if progress is not None:
                progress.cancel()

    async def _call(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Reply:
        result = await self._result(name, dict(arguments), context)
        return await asyncio.to_thread(_make_reply, result) if is_long(result.value) else _make_reply(result)

    async def _result(self, name: str, arguments: dict[str, Any], context: CallContext) -> CallResult:
        """Return the result of a call. A tool that is always offered acts for the user; any other obeys the rules of
        the recording.
        """

        async def stand_in(resolved: Any) -> CallResult:
            return await self._core.tools.call(
                name, resolved, context, default_timeout_s=DEFAULT_TIMEOUT_S, is_permitted=True
            )

        if self._recording is None:
            return await stand_in(arguments)
        through = stand_in if name in MCP_TOOLS else None
        made = await self._core.recording.call(self._recording, name, arguments, through, self.mode, self._allow)
        if isinstance(made, Failed):
            return CallResult(CallStatus.ERROR, error=ErrorInfo(made.code, made.message, parameters=dict(made.details)))
        return made.data

    async def _cancel(self, run_id: RunId, work: "asyncio.Task[Any]") -> None:
        """Cancel the run; a run that is still being validated is cancelled as soon as it is created."""
        created: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def told(event: Event) -> None:
            if event.run_id == run_id and not created.done():
                created.set_result(None)

        with self._core.bus.subscribe(Event, told):
            # not found yet: the run is still being validated
            if isinstance(await self._core.runs.cancel(run_id), Failed) and not work.done():
                await asyncio.wait({work, created}, return_when=asyncio.FIRST_COMPLETED)
                await self._core.runs.cancel(run_id)

    def _on_pause(self, event: Event) -> None:
        if self.on_pause is not None and isinstance(event.fact, RunPaused | RunContinued):
            self._spawn(self.on_pause(describe_pause(event.run_id, event.fact)), f"pause of {event.run_id}")

    def _spawn(self, work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class RunProgress:
    """The progress of a run: its finished steps, plus a growing part of a step for events since then, so that it only
    increases.
    """

    def __init__(self, core: Core, run_id: RunId, report: ReportProgress) -> None:
        self._core = core
        self._run_id = run_id
        self._report = report
        self._family = {run_id}
        self._total: int | None = None
        self._finished = 0
        self._since = 0
        self._text = "waits for a place"
        self._changed = asyncio.Event()

    async def report(self) -> None:
        """Report until this is cancelled."""
        with self._listen():
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(KEEPALIVE_S):
                        await self._changed.wait()
                self._changed.clear()
                self._since += 1
                # approaches the next whole step without reaching it
                part = 1 - 1 / (1 + self._since)
                total = None if self._total is None else float(max(self._total, self._finished + 1))
                await self._report(self._finished + part, total, well_formed(self._text))
                await asyncio.sleep(REPORT_INTERVAL_S)

    def _listen(self) -> Subscription:
        return self._core.bus.subscribe(Event, self._on_event)

    def _on_event(self, event: Event) -> None:
        fact = event.fact
        if isinstance(fact, RunCreated) and fact.parent_run_id in self._family:
            self._family.add(event.run_id)
        if event.run_id not in self._family:
            return
        is_own = event.run_id == self._run_id
        match fact:
            case RunCreated(steps=steps) if is_own:
                self._total, self._text = len(steps), "begins"
            case StepStarted(step=step, index=None):
                self._text = f"{step} begins"
            case StepFinished(step=step, index=None) | StepSkipped(step=step):
                if is_own:
                    self._finished, self._since = self._finished + 1, 0
                self._text = f"{step} has ended"
            case ToolStarted(tool=tool):
                self._text = f"{tool} is called"
            case InterruptionRaised(step=step):
                self._text = f"{step} waits for a person"
            case RunPaused() | RunContinued():
                self._text = describe_pause(event.run_id, fact)
            case _:
                return
        self._changed.set()


def describe_pause(run_id: RunId, fact: RunPaused | RunContinued) -> str:
    """Return what happened to a run whose events could not be stored."""
    if isinstance(fact, RunPaused):
        return f"{run_id} is paused ({fact.reason}): it continues by itself once the store can be written"
    return f"{run_id} continues"


def _is_recordable(info: ToolInfo) -> bool:
    """Return whether a call from outside can be a step: it needs no window, no user and no agent above it, and neither
    starts nor ends a recording.
    """
    needs_more = info.runtime is Runtime.CLIENT or info.asks_people or info.begins_agents
    return not needs_more and info.name not in RECORDING_TOOLS


def _awaited_run(name: str, arguments: Mapping[str, Any], context: CallContext) -> RunId | None:
    """Return the run that the call waits for, if it does."""
    if arguments.get("wait") is not True:
        return None
    named = arguments.get("run_id")
    if name.endswith("_CREATE"):
        return outside_run_id(context)
    return RunId(named) if isinstance(named, str) else None


def _make_reply(result: CallResult) -> Reply:
    is_error = result.error is not None
    value = {"error": result.error.as_dict()} if result.error is not None else result.value
    text = well_formed(json.dumps(json.loads(encode(value)), ensure_ascii=False, separators=(",", ":")))
    return Reply(json.loads(text), text, is_error)
