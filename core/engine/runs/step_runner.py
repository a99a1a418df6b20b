"""Carries out the action of a step through the port for its kind, within the limits on console output."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from core.domain.access import RunAccess
from core.domain.console import CONSOLE_BYTES, CONSOLE_LINE_BYTES
from core.domain.events import AnswerWarned, ConsoleWritten, ToolEnded, ToolEndedLate
from core.domain.run import ErrorInfo, Run, Snapshot, StepKey
from core.domain.template import (
    AgentAction,
    CodeAction,
    ReturnAction,
    SetAction,
    Step,
    ToolAction,
    WorkflowAction,
    WorkflowCall,
)
from core.domain.text.json_text import encode
from core.domain.tool import CallStatus, Effect, ToolInfo
from core.engine.plan.dispatch import StepCall
from core.engine.runs.checkpoints import RawResult
from core.engine.runs.limits import PausableTimeout
from core.errors import CodeFailed, StepFailed, ToolFailed
from core.ports import (
    NO_INTERRUPTED_WORK,
    NO_RECORDER,
    AgentRunner,
    AgentTurn,
    Asker,
    CallContext,
    CallRecorder,
    CodeLimits,
    Consent,
    Console,
    InterruptedWork,
    RunLog,
    RunSubAgents,
    Sandbox,
    Schemas,
    SubAgents,
    ToolRunner,
    describe_violations,
)
from core.threads.long_values import decode_async, masked_async


class ConsoleBudget:
    """Limits the console output of a run's steps (AGENTS_AND_TOOLS §8).

    All iterations and attempts of a step share the budget of a single call, so that a long list cannot fill the store.
    """

    def __init__(self) -> None:
        self._bytes_left: dict[str, int] = defaultdict(lambda: CONSOLE_BYTES)

    def fact(self, key: StepKey, attempt: int, console: Console) -> ConsoleWritten | None:
        """Return the fact for this console output; None if there is nothing to publish or the budget is used up."""
        bytes_left = self._bytes_left[key.step]
        if bytes_left <= 0:
            return None
        lines, is_cut = [], console.is_cut
        for line in console.as_list():
            bytes_left -= len(line["text"].encode("utf-8", "replace")) + CONSOLE_LINE_BYTES
            if bytes_left < 0:
                is_cut = True
                break
            lines.append(line)
        self._bytes_left[key.step] = 0 if is_cut else bytes_left
        if not lines and not is_cut:
            return None
        return ConsoleWritten(step=key.step, index=key.index, attempt=attempt, lines=lines, cut=is_cut or None)


TOOL_STEP_TIMEOUT_S = 30.0

RunChild = Callable[[StepCall, int, WorkflowCall], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class StepContext:
    """The run in which a step is carried out. `is_fresh`: no previous process began it.

    `ask` raises an interruption and waits for its end; `consent` decides about the calls of agents; `run_child` runs
    another template. `interrupted_work` is that of agents, by step and iteration. `recorder` records the calls
    of agents while a recording is open. `sub_agents` are the sub-agents of the run. `access` is what the user lets it
    access; None: what its snapshot allows.
    """

    run: Run
    snapshot: Snapshot
    log: RunLog
    is_fresh: bool
    ask: Asker
    consent: Consent
    run_child: RunChild
    interrupted_work: Mapping[StepKey, InterruptedWork] = field(default_factory=dict)
    console_budget: ConsoleBudget = field(default_factory=ConsoleBudget)
    recorder: CallRecorder = NO_RECORDER
    sub_agents: RunSubAgents = field(default_factory=RunSubAgents)
    access: RunAccess | None = None


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Runs the actions of steps, and returns their effects and limits."""

    tools: ToolRunner
    sandbox: Sandbox
    agents: AgentRunner
    schemas: Schemas

    def effect(self, step: Step, arguments: Any) -> Effect:
        """Return the effect that the call may have (ENGINE §10).

        Calls of an agent are in its ledger, and a child run has its own results, so both can continue after a crash;
        but they leave the process. Hence both are IDEMPOTENT.
        """
        match step.action:
            case ToolAction(tool_name=name):
                effect = self.tools.effect(name, arguments if isinstance(arguments, dict) else {})
                return Effect.IDEMPOTENT if step.config.idempotent and effect is Effect.ONCE else effect
            case SetAction() | ReturnAction() | CodeAction():
                return Effect.NONE
            case AgentAction() | WorkflowAction():
                return Effect.IDEMPOTENT
            case _:
                assert_never(step.action)

    def has_time_limit(self, step: Step) -> bool:
        """Return whether an attempt ends by itself (ENGINE §2)."""
        info = self._tool_of(step)
        if info is not None and info.asks_people:
            return False
        is_short = isinstance(step.action, ToolAction | CodeAction) and (info is None or info.has_time_limit)
        return is_short or step.config.timeout_ms is not None

    def tool_has_time_limit(self, name: str) -> bool:
        """Return whether each call of the tool ends by itself."""
        info = self.tools.info(name)
        return info is None or info.has_time_limit

    def starts_agents(self, step: Step) -> bool:
        """Return whether the step calls a tool that starts sub-agents."""
        info = self._tool_of(step)
        return info is not None and info.begins_agents

    def _tool_of(self, step: Step) -> ToolInfo | None:
        name = step.tool_name
        return self.tools.info(name) if name is not None else None

    async def run(self, call: StepCall, attempt: int, effect: Effect, context: StepContext, raw: RawResult) -> Any:
        """Return the step's output, a JSON value that fits its `outputSchema`.

        If `raw` is kept, the call was made before and only its transform is run. The step's `timeoutMs` applies to the
        call and to its transform separately. Raises StepFailed; emits tool calls and text on the way.
        """
        step = call.step
        limit_s = step.config.timeout_ms / 1000 if step.config.timeout_ms is not None else None
        match step.action:
            case ToolAction(transform_code=str() as transform):
                if not raw.is_kept:  # otherwise the call was made before, and must not be repeated
                    await self._use_tool(call, attempt, effect, limit_s, context, raw)
                assert raw.text is not None
                try:
                    output = await self._run_code(transform, raw.text, call, attempt, limit_s, context)
                except CodeFailed as error:
                    raise CodeFailed(error.code, f"transformCode: {error.message}", **error.parameters) from error
            case ToolAction():
                output = await self._use_tool(call, attempt, effect, limit_s, context)
            case SetAction() | ReturnAction():
                output = call.input
            case CodeAction(code=code):
                output = await self._run_code(code, encode(call.input), call, attempt, limit_s, context)
            case AgentAction():
                limit = PausableTimeout(limit_s, "the agent")
                if attempt == 1 and context.is_fresh:
                    _emit_missing_agents(call, context)
                output = await limit.run(self.agents.run(_agent_turn(call, attempt, context, limit), context.log))
            case WorkflowAction(workflow=workflow):
                output = await PausableTimeout(limit_s, "the child run").run(context.run_child(call, attempt, workflow))
            case _:
                assert_never(step.action)
        if step.output_schema is not None:
            await self._require(step.output_schema, output)
        return output

    async def _require(self, schema: Any, output: Any) -> None:
        if violations := await self.schemas.violations(schema, output):
            text, listed = describe_violations(violations, "the output")
            raise StepFailed("bad_output", f"the output does not fit: {text}", violations=listed)

    async def _run_code(
        self, code: str, input_json: str, call: StepCall, attempt: int, limit_s: float | None, context: StepContext
    ) -> Any:
        """Return the result of the code. Its console output is emitted however it ends."""
        limits = CodeLimits() if limit_s is None else CodeLimits(timeout_s=limit_s)
        console = Console()
        try:
            return await decode_async(await self.sandbox.run(code, input_json, limits, console, owner=context.run.id))
        finally:
            if (fact := context.console_budget.fact(call.key, attempt, console)) is not None:
                context.log.emit(fact)

    async def _use_tool(
        self,
        call: StepCall,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        context: StepContext,
        raw: RawResult | None = None,
    ) -> Any:
        """Return the result of the tool; for a tool with a transform it is in `raw` and on disk then.

        A tool that starts sub-agents gets them here; they may use every tool.
        """
        if not self.starts_agents(call.step):
            return await self._call_tool(call, attempt, effect, limit_s, context, raw)
        limit = PausableTimeout(limit_s, "the sub-agents")
        tools = [info.name for info in self.tools.infos()]
        sub_agents = self.agents.sub_agents(_parent_turn(call, attempt, context, limit), context.log, tools)
        try:
            return await limit.run(self._call_tool(call, attempt, effect, None, context, raw, sub_agents))
        finally:
            sub_agents.close()

    async def _call_tool(
        self,
        call: StepCall,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        context: StepContext,
        raw: RawResult | None = None,
        sub_agents: SubAgents | None = None,
    ) -> Any:
        assert call.tool_name is not None
        name, log, call_id = call.tool_name, context.log, call.tool_call_id(attempt)
        log.emit(call.tool_started(attempt, await masked_async(call.input)))
        result = await self.tools.call(
            name,
            call.input,
            CallContext.of(
                context.run,
                context.snapshot,
                call_id,
                call.key,
                context.ask,
                log.emit,
                access=context.access,
                sub_agents=sub_agents,
            ),
            default_timeout_s=TOOL_STEP_TIMEOUT_S,
            timeout_s=limit_s,
            late=lambda ended: log.commit(ToolEndedLate.of(call_id, ended)),
            is_permitted=call.is_permitted,
        )
        is_unknown = effect is Effect.ONCE and result.error is not None and _is_uncertain(result.error)
        ended = ToolEnded.of(call_id, result, CallStatus.UNKNOWN if is_unknown else None)
        if raw is not None and result.status is CallStatus.COMPLETED:
            try:
                return await raw.keep(result.value, ended, attempt)
            except StepFailed:  # too large to be kept, but the call has ended all the same
                log.commit(ended)
                raise
        if effect is Effect.NONE:
            log.emit(ended)
        else:
            log.commit(ended)
        if result.status is CallStatus.COMPLETED:
            return result.value
        if is_unknown:
            assert result.error is not None
            raise StepFailed("outcome_unknown", result.error.message, tool_name=name)
        error = result.error or ErrorInfo("failed", f"{name} gave no result")
        raise ToolFailed(error.code, error.message, **{"tool_name": name, **error.parameters})


def _is_uncertain(error: ErrorInfo) -> bool:
    """Return whether the call may have had its effect before it failed."""
    return error.code == "timeout" or bool(error.parameters.get("uncertain"))


def _emit_missing_agents(call: StepCall, context: StepContext) -> None:
    """Emit warnings about agents or models that the step names and that do not exist; once per forEach."""
    key = call.key
    agent = context.snapshot.cast.get(key.step) if key.index in (None, 0) else None
    for message in agent.missing if agent is not None else ():
        context.log.emit(AnswerWarned(code="unknown_agent", message=message, step=key.step, index=key.index))


def _agent_turn(call: StepCall, attempt: int, context: StepContext, limit: PausableTimeout) -> AgentTurn:
    """Return the agent's turn."""
    assert isinstance(call.step.action, AgentAction)
    agent = call.step.action.agent
    return replace(
        _parent_turn(call, attempt, context, limit),
        prompt=call.whole_prompt,
        tools=tuple(agent.tools) if agent.tools is not None else None,
        max_rounds=agent.max_tool_rounds,
        output_schema=call.step.output_schema,
    )


def _parent_turn(call: StepCall, attempt: int, context: StepContext, limit: PausableTimeout) -> AgentTurn:
    """Return the step as the agents see it that it starts. Its time limit pauses while they wait for the user."""
    return AgentTurn(
        context.run,
        context.snapshot.for_step(call.step.name),
        call.key,
        "",
        is_fresh=context.is_fresh and attempt == 1,
        interrupted_work=context.interrupted_work.get(call.key, NO_INTERRUPTED_WORK),
        ask=limit.pausing(context.ask),
        consent=limit.pausing(context.consent),
        recorder=context.recorder,
        sub_agents=context.sub_agents,
        access=context.access,
    )
