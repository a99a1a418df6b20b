"""Sub-agents: the same loop, in a key space of their own within the run of their parent (AGENTS_AND_TOOLS §5).

A sub-agent has no run, because the parent's run provides everything: journal, ledger, slot, cancellation, deadline,
questions to the user, and the counts of tokens, rounds and calls. It stores its answers, calls and streamed text under
its own id (`core.domain.sub_agent`), so after a crash it resumes like any agent, from its last finished answer. Its
facts describe it and how it ended; a sub-agent that has ended never runs again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from core.domain.agent import ASSISTANT, Agent
from core.domain.events import Fact, SubAgentStarted
from core.domain.ids import CallId, SubAgentId
from core.domain.model import ModelChoice
from core.domain.names import NAME_CHARACTERS, one_line
from core.domain.run import ErrorInfo, StepKey, StepResult, StepStatus
from core.domain.sub_agent import MAX_SUB_AGENTS, SubAgentRecord, sub_agent_id
from core.domain.text.graphemes import ellipsize
from core.domain.text.hidden import without_hidden
from core.domain.text.masking import masked_text
from core.errors import NotFound, StepFailed, StorageFailed, ToolFailed
from core.ports import (
    NO_INTERRUPTED_WORK,
    NO_RECORDER,
    AgentDirectory,
    AgentTurn,
    Clock,
    InterruptedWork,
    RunLog,
    SubAgentReport,
    SubAgentTask,
    Write,
    sub_agent_finished,
)
from core.threads.long_values import masked_async

# Between attempts to read from the store.
STORE_RETRY_S = 5.0

SHORT_NAME_CHARACTERS = 40

_log = logging.getLogger(__name__)

RunTurn = Callable[[AgentTurn, RunLog], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """The agent that works on a task. `row` is its row from a previous process; None: it has not started yet."""

    record: SubAgentRecord
    profile: Agent
    model: ModelChoice | None
    tools: tuple[str, ...] | None
    row: StepResult | None


class TurnSubAgents:
    """Starts the sub-agents of a turn or step, `parent`. `tools` are the tools that they may use; `run` executes a
    turn.
    """

    def __init__(
        self,
        run: RunTurn,
        directory: AgentDirectory,
        parent: AgentTurn,
        log: RunLog,
        clock: Clock,
        tools: Sequence[str],
    ) -> None:
        self._run_turn = run
        self._directory = directory
        self._parent = parent
        self._log = log
        self._clock = clock
        self._tools = tuple(tools)
        self._interrupted: dict[StepKey, InterruptedWork] = dict(parent.interrupted_work.below)

    async def run(self, call_id: CallId, tasks: Sequence[SubAgentTask]) -> list[SubAgentReport]:
        """Implement `core.ports.agents.SubAgents`."""
        ids = [sub_agent_id(call_id, number) for number in range(1, len(tasks) + 1)]
        running: dict[SubAgentId, asyncio.Task[SubAgentReport]] = {}
        reports: dict[SubAgentId, SubAgentReport] = {}
        masked_prompts = [await masked_async(task.prompt) for task in tasks]
        try:
            # No await between the checks and the tasks: a concurrent step could take the last free sub-agent of the
            # run.
            async with asyncio.TaskGroup() as group:
                for own_id, task, prompt in zip(ids, tasks, masked_prompts, strict=True):
                    try:
                        assignment = self._assign(own_id, task)
                    except StepFailed as error:
                        reports[own_id] = SubAgentReport(task.name or default_name(task.prompt), error=error)
                        continue
                    if assignment.row is not None and _is_done(assignment.row):
                        reports[own_id] = _report(assignment.row)
                        continue
                    self._begin(own_id, prompt, assignment)
                    work = self._carry_out(own_id, self._turn(own_id, task, assignment))
                    running[own_id] = group.create_task(work, name=f"{self._parent.run.id} {own_id}")
        finally:
            for own_id in running:
                self._close(own_id)
        return [reports[own_id] if own_id in reports else running[own_id].result() for own_id in ids]

    def close(self) -> None:
        """Close the sub-agents that a previous process left open and this turn did not reach."""
        for key, work in self._interrupted.items():
            facts, writes = work.closed(self._parent.run, key, self._clock.now())
            self._log.emit(*facts, writes=writes)
        self._interrupted.clear()

    def _assign(self, own_id: SubAgentId, task: SubAgentTask) -> _Assignment:
        """Choose the agent for the task; after a crash, the same agent. Raises ToolFailed if there is none."""
        row = self._parent.sub_agents.rows.get(own_id)
        if row is not None:
            record = SubAgentRecord.from_json(row.output_json)
            if record.agent is not None:
                model = None if record.model is None else ModelChoice.model_validate(record.model)
                return _Assignment(record, Agent.model_validate(record.agent), model, None, row)
            return _Assignment(
                record, self._new_agent(task, record.name), self._parent.snapshot.model, self._allowed_tools(task), row
            )
        if not task.prompt.strip():
            raise ToolFailed("invalid_arguments", "the prompt of a sub-agent is empty: say what it is to do")
        if task.agent is not None:
            assignment = self._assign_stored(task.agent, task)
        else:
            profile, tools = self._new_agent(task, task.name or default_name(task.prompt)), self._allowed_tools(task)
            if missing := [name for name in task.tools or () if name not in self._tools]:
                raise self._not_allowed(missing)
            assignment = _Assignment(SubAgentRecord(profile.name), profile, self._parent.snapshot.model, tools, None)
        if not self._parent.sub_agents.may_start(own_id):
            message = f"a run has at most {MAX_SUB_AGENTS} sub-agents, and this run has used them all"
            raise ToolFailed("limit_reached", message, limit=MAX_SUB_AGENTS)
        return assignment

    def _assign_stored(self, name: str, task: SubAgentTask) -> _Assignment:
        try:
            agent, model = self._directory.find(name, self._parent.snapshot.model)
        except NotFound as error:
            raise ToolFailed("not_found", error.message, agent=name) from None
        record = SubAgentRecord(
            _mask_name(task.name) if task.name is not None else agent.name,
            agent.model_dump(mode="json", exclude_none=True),
            None if model is None else model.model_dump(mode="json", exclude_none=True),
        )
        return _Assignment(record, agent, model, None, None)

    def _new_agent(self, task: SubAgentTask, name: str) -> Agent:
        """Create an agent that inherits the parent's configuration except for what the task sets."""
        parent = self._parent.snapshot.profile or ASSISTANT
        overrides = {"name": _mask_name(name), "system_prompt": task.system_prompt, "tools": None}
        try:
            return Agent.model_validate({**parent.model_dump(), **overrides})
        except ValidationError as error:
            first = error.errors(include_input=False, include_context=False, include_url=False)[0]
            raise ToolFailed("invalid_arguments", f"{first['loc'][0]}: {first['msg']}") from None

    def _allowed_tools(self, task: SubAgentTask) -> tuple[str, ...]:
        """Return the tools of a new agent, at most those of its parent."""
        return self._tools if task.tools is None else tuple(name for name in task.tools if name in self._tools)

    def _not_allowed(self, names: Sequence[str]) -> ToolFailed:
        listing = ", ".join(names)
        hint = f"it can have some of yours: {', '.join(self._tools)}" if self._tools else "you have none to give"
        return ToolFailed("not_allowed", f"a sub-agent cannot have {listing}; {hint}", tools=list(names))

    def _begin(self, own_id: SubAgentId, prompt: str, assignment: _Assignment) -> None:
        """Emit the start of a sub-agent. It is on disk before its model is asked. `prompt` is masked."""
        location = self._parent.location
        self._parent.sub_agents.begin(location.step, location.index, own_id)
        # A resumed sub-agent has its row, and its start was emitted by the previous process.
        if assignment.row is not None and assignment.row.status is StepStatus.RUNNING:
            return
        row = StepResult(
            self._parent.run.id,
            StepKey(own_id),
            StepStatus.RUNNING,
            output_json=assignment.record.as_json(),
            started_at=self._clock.now(),
        )
        self._parent.sub_agents.rows[own_id] = row
        started = SubAgentStarted(
            sub_agent_id=own_id,
            name=assignment.record.name,
            prompt=prompt,
            call_id=_call_of(own_id),
            step=location.step,
            index=location.index,
            agent=assignment.profile.name if assignment.record.agent is not None else None,
            model=None if assignment.model is None else assignment.model.label,
            profile=assignment.record.agent,
            choice=assignment.record.model,
        )
        self._log.emit(started)

    def _turn(self, own_id: SubAgentId, task: SubAgentTask, assignment: _Assignment) -> AgentTurn:
        parent = self._parent
        return replace(
            parent,
            snapshot=replace(parent.snapshot, profile=assignment.profile, model=assignment.model, script=()),
            key=StepKey(own_id),
            prompt=task.prompt,
            tools=assignment.tools,
            max_rounds=None,
            output_schema=None,
            recorder=NO_RECORDER,  # a recording has the call that started it as one step
            is_fresh=parent.is_fresh and assignment.row is None,
            interrupted_work=self._interrupted.get(StepKey(own_id), NO_INTERRUPTED_WORK),
        )

    async def _carry_out(self, own_id: SubAgentId, turn: AgentTurn) -> SubAgentReport:
        self._interrupted.pop(turn.key, None)
        error: StepFailed | None = None
        text = ""
        try:
            text = await self._answer(turn)
        except StepFailed as failed:
            error = failed
        except Exception as broke:  # noqa: BLE001  # a bug fails this sub-agent and must not cancel the others
            _log.exception("sub-agent %s of run %s broke", own_id, turn.run.id)
            error = StepFailed("internal", f"{type(broke).__name__}; see the log")
        row = self._parent.sub_agents.rows[own_id]
        record = replace(SubAgentRecord.from_json(row.output_json), text=text)
        info = None if error is None else _error_of(error).masked()
        status = StepStatus.COMPLETED if error is None else StepStatus.ERROR
        row = self._end(replace(row, status=status, output_json=record.as_json(), error=info))
        return _report(row)

    async def _answer(self, turn: AgentTurn) -> str:
        """Run the turn to its last text. If the store cannot be read, wait as the parent would."""
        while True:
            try:
                return str(await self._run_turn(turn, self._log))
            except StorageFailed as error:
                if error.code == "unreadable":
                    raise StepFailed(error.code, error.message, failed_during="storage") from error
                _log.warning("a sub-agent of run %s waits for the store: %s", turn.run.id, error.message)
                await self._clock.sleep(STORE_RETRY_S)
                turn = replace(turn, is_fresh=False)

    def _end(self, row: StepResult, more: Sequence[Fact] = (), writes: Sequence[Write] = ()) -> StepResult:
        """Emit the end of a sub-agent. It is on disk before the parent uses the report."""
        own_id, location = SubAgentId(row.key.step), self._parent.location
        row = replace(row, finished_at=self._clock.now())
        self._parent.sub_agents.rows[own_id] = row
        self._log.emit(*more, sub_agent_finished(row), writes=writes)
        self._parent.sub_agents.end(location.step, location.index, own_id)
        return row

    def _close(self, own_id: SubAgentId) -> None:
        """End a sub-agent that was cancelled, possibly before it did anything."""
        row = self._parent.sub_agents.rows[own_id]
        if row.status.is_final:
            return
        work = replace(self._interrupted.pop(row.key, NO_INTERRUPTED_WORK), row=None)
        facts, writes = work.closed(self._parent.run, row.key, self._clock.now())
        self._end(replace(row, status=StepStatus.CANCELLED), facts, writes)


def default_name(prompt: str) -> str:
    """Shorten the task of a sub-agent to its default name."""
    line = " ".join(without_hidden(prompt[: NAME_CHARACTERS * 4]).split())
    return ellipsize(line, SHORT_NAME_CHARACTERS) or "…"


def _mask_name(name: str) -> str:
    """Mask and validate a name. Raises ToolFailed."""
    try:
        return one_line(masked_text(name))
    except ValueError as error:
        raise ToolFailed("invalid_arguments", f"name: {error}") from None


def _call_of(sub_agent: SubAgentId) -> CallId:
    return CallId(sub_agent.rpartition("/")[0])


def _is_done(row: StepResult) -> bool:
    """Return whether it ended by itself. A stopped sub-agent resumes."""
    return row.status in (StepStatus.COMPLETED, StepStatus.ERROR)


def _error_of(error: StepFailed) -> ErrorInfo:
    parameters = dict(error.parameters)
    during, tool = parameters.pop("failed_during", None), parameters.pop("tool_name", None)
    return ErrorInfo(error.code, error.message, failed_during=during or "model", tool_name=tool, parameters=parameters)


def _report(row: StepResult) -> SubAgentReport:
    record = SubAgentRecord.from_json(row.output_json)
    error = None if row.error is None else StepFailed(row.error.code, row.error.message)
    return SubAgentReport(record.name, record.text, error, record.input_tokens, record.output_tokens)
