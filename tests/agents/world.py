"""One process around an agent's turn, as the engine sets it up."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from core.agents.loop import AgentLoop
from core.domain.events import Event, Fact, RunCreated, RunStarted, StepStarted, stream_fact
from core.domain.fold import replay
from core.domain.ids import InterruptionId, MessageId, RunId, WorkflowId
from core.domain.interruption import Answer, Interruption, InterruptionRequest, InterruptionStatus
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState, Role
from core.domain.run import Run, RunKind, RunStatus, Snapshot, StepKey, StepStatus
from core.domain.template import Template
from core.domain.tool import CallResult, ToolCall
from core.errors import StepFailed
from core.llm.offline.client import OfflineModel
from core.ports import AgentTurn, ChangeRun, CreateRun, ModelClient, PendingCall, PermittedCall, PutMessage
from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from tests.agents.cast import Spy, Tools
from tests.agents.disk import START, Disk, Journal, at_once
from tests.support.clock import FakeClock
from tests.support.progress import stored_calls, stored_results
from tests.support.roster import Roster

WORKFLOW = WorkflowId("wf_1")
STEP = "reply"

F = TypeVar("F", bound=Fact)


class World:
    """A loop with all that it needs. `next_life` is the next process on the same disk."""

    def __init__(self, *, model: ModelClient | None = None, system: str = "", before: "World | None" = None) -> None:
        self.disk: Disk = before.disk if before else Disk()
        self.clock: FakeClock = before.clock if before else FakeClock(tick_s=0.001)
        self.tools: Tools = before.tools if before else Tools()
        self.model = Spy(model or OfflineModel(self.clock, word_delay_s=0))
        schemas = JsonSchemas(WorkerPool(size=1))
        self.loop = AgentLoop(self.model, self.tools, self.disk, self.clock, schemas, Roster(), system_prompt=system)
        self.questions: list[InterruptionRequest] = []
        self.person: Answer | None = None
        self.wanted: list[list[str]] = []
        self.is_consent_open = False
        self.verdicts: dict[str, PermittedCall | CallResult] = {}
        self._log: Journal | None = None

    def next_life(self, model: ModelClient | None = None) -> "World":
        return World(model=model, before=self)

    # Carrying out a turn

    def turn(
        self, prompt: str, *script: Mapping[str, Any], kind: RunKind = RunKind.CHAT, number: int = 1, **more: Any
    ) -> AgentTurn:
        """Create the turn of a new run, the `number`th of its workflow, as the engine requests it."""
        at = START + timedelta(minutes=number)
        run_id, message_id = RunId(f"run_{number:04}"), MessageId(f"msg_{number:04}")
        run = Run(run_id, WORKFLOW, kind, "Chat", RunStatus.RUNNING, message_id, at)
        snapshot = Snapshot(Template(title="Chat", steps=[]), {}, allow=("/data",), script=script)
        said = Message(MessageId(f"said_{number:04}"), WORKFLOW, Role.USER, prompt, at, run_id=run_id)
        answer = Message(message_id, WORKFLOW, Role.ASSISTANT, "", at, MessageState.OPEN, run_id)
        at_once(self.disk.commit([CreateRun(run, snapshot), PutMessage(said), PutMessage(answer)]))
        log = Journal(run, self.disk)
        log.emit(RunCreated(kind=kind, title="Chat", message_id=message_id, steps=[STEP]))
        log.emit(RunStarted(), StepStarted(step=STEP))
        log.flush()
        return AgentTurn(run, snapshot, StepKey(STEP), prompt, ask=self.ask, consent=self.consent, **more)

    async def consent(
        self, wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
    ) -> list[PermittedCall | CallResult]:
        """Give the prepared decisions for calls of a tool; other calls pass, unless they are made to wait."""
        self.wanted.append([call.tool for call in wanted])
        if self.is_consent_open:
            await asyncio.Event().wait()
        return [self.verdicts.get(call.tool, PermittedCall(call.arguments)) for call in wanted]

    async def ask(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        """Give the same answer to every question, or wait."""
        self.questions.append(ask)
        if self.person is None:
            await asyncio.Event().wait()
        opened = Interruption(
            InterruptionId("int_1"), RunId("run_0001"), WORKFLOW, ask, InterruptionStatus.AWAITING_OUTCOME, 1, START
        )
        return opened.closed(InterruptionStatus.OUTCOME_GIVEN, self.person, START)

    @property
    def log(self) -> Journal:
        """The journal of the last turn."""
        assert self._log is not None
        return self._log

    def open_log(self, turn: AgentTurn) -> Journal:
        self._log = Journal(turn.run, self.disk)
        return self._log

    async def begin(self, turn: AgentTurn, until: Callable[[], bool]) -> "asyncio.Task[str]":
        """Start the turn, and return when `until` holds or the turn is done."""
        task = asyncio.create_task(self.loop.run(self._here(turn), self.open_log(turn)))
        for _ in range(1000):
            if until() or task.done():
                break
            await asyncio.sleep(0)
        return task

    async def run(self, turn: AgentTurn) -> str:
        """Execute the turn to the end of its run, for its text."""
        text = await self.output(turn)
        assert isinstance(text, str)
        return text

    async def output(self, turn: AgentTurn) -> Any:
        """Execute the turn to the end of its run, for its output."""
        log = self.open_log(turn)
        self.clock.advance_to(turn.run.created_at)
        status = RunStatus.ERROR
        try:
            output = await self.loop.run(self._here(turn), log)
            status = RunStatus.SUCCESS
            return output
        except asyncio.CancelledError:
            status = RunStatus.CANCELLED
            raise
        finally:
            log.flush()
            await self.disk.commit([ChangeRun(turn.run.id, frozenset({RunStatus.RUNNING}), status)])

    def _here(self, turn: AgentTurn) -> AgentTurn:
        """Return the turn, with the answers of this process."""
        return replace(turn, ask=self.ask, consent=self.consent)

    async def outcome(self, turn: AgentTurn) -> Any:
        """Execute the turn, for its output or its StepFailed."""
        try:
            return await self.output(turn)
        except StepFailed as error:
            return error

    async def failing(self, turn: AgentTurn) -> StepFailed:
        """Execute a turn that must fail."""
        outcome = await self.outcome(turn)
        assert isinstance(outcome, StepFailed)
        return outcome

    # What was told

    def told(self, kind: type[F]) -> list[F]:
        """List the facts of that kind that this process emitted."""
        return [event.fact for event in self._log.told if isinstance(event.fact, kind)] if self._log else []

    def asked(self, number: int = -1) -> list[tuple[str, str]]:
        """List the roles and texts of a request."""
        return [(message.role, message.text) for message in self.model.requests[number].messages]

    # What is on disk

    async def said(self, number: int = 1) -> tuple[str, MessageState]:
        """Return the message of the `number`th run."""
        rows = await self.disk.messages.of_workflow(WORKFLOW)
        return next((row.text, row.state) for row in rows if row.id == f"msg_{number:04}")

    async def interrupted(self) -> list[str]:
        """List the texts that were cut off, in separate messages."""
        own = {run.message_id for run in await self.disk.runs.page(workflow_id=WORKFLOW)}
        rows = await self.disk.messages.of_workflow(WORKFLOW)
        return [row.text for row in rows if row.state is MessageState.INTERRUPTED and row.id not in own]

    async def ledger(self, turn: AgentTurn) -> list[ToolCall]:
        return await stored_calls(self.disk, turn.run.id)

    async def answers(self, turn: AgentTurn) -> list[tuple[int | None, StepStatus]]:
        """List round and status of each checkpoint."""
        return [(row.key.round, row.status) for row in await stored_results(self.disk, turn.run.id)]

    async def rebuilt(self, turn: AgentTurn) -> LiveRun:
        """Rebuild a view from disk: events, then pieces of text."""
        events = await self.disk.events.of_run(turn.run.id)
        for piece in await self.disk.chunks.of_run(turn.run.id):
            fact = stream_fact(turn.run.message_id, piece.step, piece.index, piece.offset, piece.text)
            events.append(Event(turn.run.id, turn.run.workflow_id, events[-1].seq, START, fact))
        return viewed(events)

    async def watched(self, *lives: "World") -> LiveRun:
        """Return the state of a view that observed all processes from the start."""
        logs = [world.log for world in lives or (self,)]
        return viewed([*logs[0].before, *(event for log in logs for event in log.told)])


def viewed(events: Iterable[Event]) -> LiveRun:
    run = replay(events)
    assert run is not None
    run.tokens_received = 0  # counted by those who watch, and not kept
    return run
