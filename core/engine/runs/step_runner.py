"""What code steps wrote to their consoles: told with the step, whatever became of it (AGENTS_AND_TOOLS §8)."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from core.domain.events import AnswerWarned, ConsoleWritten, ToolEnded, ToolEndedLate, ToolStarted
from core.domain.ids import CallId
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
from core.domain.tool import CallStatus, Effect
from core.engine.plan.dispatch import StepCall
from core.engine.runs.checkpoints import RawResult
from core.engine.runs.limits import PausableTimeout
from core.errors import CodeFailed, StepFailed, ToolFailed
from core.ports.agents import AgentRunner, AgentTurn
from core.ports.consent import Asker, Consent
from core.ports.interrupted_work import NO_INTERRUPTED_WORK, InterruptedWork
from core.ports.journal import RunLog
from core.ports.recording import NO_RECORDER, CallRecorder
from core.ports.sandbox import CONSOLE_BYTES, CONSOLE_LINE_BYTES, CodeLimits, Console, Sandbox, Schemas
from core.ports.sub_agents import RunSubAgents, SubAgents
from core.ports.tools import CallContext, ToolRunner
from core.threads.long_values import decode_async, masked_async


class ConsoleBudget:
    """Of one life of a run. All that a step writes there, its iterations and attempts together, is bounded as what one
    of them may write is: a long list cannot fill the store."""

    def __init__(self) -> None:
        self._room: dict[str, int] = defaultdict(lambda: CONSOLE_BYTES)

    def fact(self, key: StepKey, attempt: int, console: Console) -> ConsoleWritten | None:
        """What is to be told of this console, None if that is nothing."""
        room = self._room[key.step]
        if room <= 0:
            return None
        lines, is_cut = [], console.is_cut
        for line in console.as_list():
            room -= len(line["text"].encode("utf-8", "replace")) + CONSOLE_LINE_BYTES
            if room < 0:
                is_cut = True
                break
            lines.append(line)
        self._room[key.step] = 0 if is_cut else room
        if not lines and not is_cut:
            return None
        return ConsoleWritten(step=key.step, index=key.index, attempt=attempt, lines=lines, cut=is_cut or None)


TOOL_STEP_TIMEOUT_S = 30.0

RunChild = Callable[[StepCall, int, WorkflowCall], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class StepContext:
    """The run that a step is carried out in. `is_fresh`: it has no earlier life that an agent could go on from.

    `ask` puts a question to a person and comes back with its end; `consent` lets the calls of agents pass; `run_child`
    runs another template. `left_open` is what an earlier life left in the middle, by the steps of agents and their
    iterations. `recorder` makes steps of the calls of agents while a recording is open. `crew` are the run's
    sub-agents.
    """

    run: Run
    snapshot: Snapshot
    log: RunLog
    is_fresh: bool
    ask: Asker
    consent: Consent
    run_child: RunChild
    left_open: Mapping[StepKey, InterruptedWork] = field(default_factory=dict)
    consoles: ConsoleBudget = field(default_factory=ConsoleBudget)
    recorder: CallRecorder = NO_RECORDER
    crew: RunSubAgents = field(default_factory=RunSubAgents)


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Knows what each action may leave behind, and does it."""

    tools: ToolRunner
    sandbox: Sandbox
    agents: AgentRunner
    schemas: Schemas

    def effect(self, step: Step, arguments: Any) -> Effect:
        """What the call may leave behind (ENGINE §10). An agent's calls are in its ledger, and a child has its own
        results, so both can go on after a crash; but they leave the process: IDEMPOTENT."""
        match step.action:
            case SetAction() | ReturnAction() | CodeAction():
                return Effect.NONE
            case AgentAction() | WorkflowAction():
                return Effect.IDEMPOTENT
            case ToolAction(tool_name=name):
                effect = self.tools.effect(name, arguments if isinstance(arguments, dict) else {})
                return Effect.IDEMPOTENT if step.config.idempotent and effect is Effect.ONCE else effect
            case _:
                assert_never(step.action)

    def has_time_limit(self, step: Step) -> bool:
        """Whether an attempt ends by itself (ENGINE §2)."""
        if isinstance(step.action, ToolAction) and self.asks_people(step.action.tool_name):
            return False
        if self.begins_agents(step):
            return step.config.timeout_ms is not None
        return step.config.timeout_ms is not None or isinstance(step.action, ToolAction | CodeAction)

    def asks_people(self, tool: str) -> bool:
        """Whether calls of the tool wait for a person."""
        info = self.tools.info(tool)
        return info is not None and info.asks_people

    def begins_agents(self, step: Step) -> bool:
        """Whether the step calls a tool whose work is that of sub-agents."""
        info = self.tools.info(step.action.tool_name) if isinstance(step.action, ToolAction) else None
        return info is not None and info.begins_agents

    async def run(self, call: StepCall, attempt: int, effect: Effect, setting: StepContext, raw: RawResult) -> Any:
        """The step's output, a JSON value that fits its `outputSchema`.

        Where `raw` is kept, the call was made before, and its transform alone is left. A `timeoutMs` of the step holds
        for the call and for its transform, each. Raises StepFailed; tells of the tool calls and the text on its way.
        """
        step = call.step
        limit_s = step.config.timeout_ms / 1000 if step.config.timeout_ms is not None else None
        match step.action:
            case SetAction() | ReturnAction():
                output = call.input
            case CodeAction(code=code):
                output = await self._run_code(code, encode(call.input), call, attempt, limit_s, setting)
            case ToolAction(transform_code=str() as transform):
                if not raw.is_kept:
                    await self._use_tool(call, attempt, effect, limit_s, setting, raw)
                assert raw.text is not None
                try:
                    output = await self._run_code(transform, raw.text, call, attempt, limit_s, setting)
                except CodeFailed as error:
                    raise CodeFailed(error.code, f"transformCode: {error.message}", **error.parameters) from error
            case ToolAction():
                output = await self._use_tool(call, attempt, effect, limit_s, setting)
            case AgentAction():
                limit = PausableTimeout(limit_s, "the agent")
                if attempt == 1 and setting.is_fresh:
                    _emit_missing_agents(call, setting)
                output = await limit.over(self.agents.run(_agent_turn(call, attempt, setting, limit), setting.log))
            case WorkflowAction(workflow=workflow):
                output = await PausableTimeout(limit_s, "the child run").over(
                    setting.run_child(call, attempt, workflow)
                )
            case _:
                assert_never(step.action)
        await self._require(step, output)
        return output

    async def _require(self, step: Step, output: Any) -> None:
        if step.output_schema is None:
            return
        violations = await self.schemas.violations(step.output_schema, output)
        if violations:
            told = "; ".join(f"{one.path or 'the output'}: {one.message}" for one in violations)
            listed = [{"path": one.path, "message": one.message} for one in violations]
            raise StepFailed("bad_output", f"the output does not fit: {told}", violations=listed)

    async def _run_code(
        self, code: str, input_json: str, call: StepCall, attempt: int, limit_s: float | None, setting: StepContext
    ) -> Any:
        """What the code returns. What it wrote to its console is told, however it ends."""
        limits = CodeLimits() if limit_s is None else CodeLimits(timeout_s=limit_s)
        console = Console()
        try:
            return await decode_async(await self.sandbox.run(code, input_json, limits, console, owner=setting.run.id))
        finally:
            if (fact := setting.consoles.fact(call.key, attempt, console)) is not None:
                setting.log.tell(fact)

    async def _use_tool(
        self,
        call: StepCall,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        setting: StepContext,
        raw: RawResult | None = None,
    ) -> Any:
        """What the tool gives; where there is a transform, it is in `raw` and on disk then. The work of some tools is
        that of sub-agents, which may have every tool there is."""
        if not self.begins_agents(call.step):
            return await self._call_tool(call, attempt, effect, limit_s, setting, raw)
        limit = PausableTimeout(limit_s, "the sub-agents")
        tools = [info.name for info in self.tools.infos()]
        sub_agents = self.agents.sub_agents(_parent_turn(call, attempt, setting, limit), setting.log, tools)
        try:
            return await limit.over(self._call_tool(call, attempt, effect, None, setting, raw, sub_agents))
        finally:
            sub_agents.close()

    async def _call_tool(
        self,
        call: StepCall,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        setting: StepContext,
        raw: RawResult | None = None,
        sub_agents: SubAgents | None = None,
    ) -> Any:
        assert isinstance(call.step.action, ToolAction)
        name, log = call.step.action.tool_name, setting.log
        log.tell(tool_started(call, attempt, await masked_async(call.input)))
        own_id = step_call_id(call, attempt)
        context = CallContext.of(
            setting.run, setting.snapshot, own_id, call.key, setting.ask, log.tell, sub_agents=sub_agents
        )
        result = await self.tools.call(
            name,
            call.input,
            context,
            default_timeout_s=TOOL_STEP_TIMEOUT_S,
            timeout_s=limit_s,
            late=lambda ended: log.record(ToolEndedLate.of(context.call_id, ended)),
            is_permitted=call.is_permitted,
        )
        is_unknown = effect is Effect.ONCE and result.error is not None and _is_uncertain(result.error)
        ended = ToolEnded.of(context.call_id, result, CallStatus.UNKNOWN if is_unknown else None)
        if raw is not None and result.status is CallStatus.COMPLETED:
            try:
                return await raw.keep(result.value, ended, attempt)
            except StepFailed:
                log.record(ended)
                raise
        if effect is Effect.NONE:
            log.tell(ended)
        else:
            log.record(ended)
        if result.status is CallStatus.COMPLETED:
            return result.value
        if is_unknown:
            assert result.error is not None
            raise StepFailed("outcome_unknown", result.error.message, tool_name=name)
        error = result.error or ErrorInfo("failed", f"{name} gave no result")
        raise ToolFailed(error.code, error.message, **{"tool_name": name, **error.parameters})


def _is_uncertain(error: ErrorInfo) -> bool:
    """Whether the call may have had its effect before it failed."""
    return error.code == "timeout" or bool(error.parameters.get("uncertain"))


def step_call_id(call: StepCall, attempt: int) -> CallId:
    """The id of a step's call: the same after a crash, and another for each attempt."""
    return CallId(str(call.key) if attempt == 1 else f"{call.key} attempt {attempt}")


def tool_started(call: StepCall, attempt: int, shown: Any) -> ToolStarted:
    """`shown`: its arguments without secrets."""
    assert isinstance(call.step.action, ToolAction)
    key = call.key
    return ToolStarted(
        call_id=step_call_id(call, attempt),
        tool=call.step.action.tool_name,
        arguments=shown,
        step=key.step,
        index=key.index,
    )


def _emit_missing_agents(call: StepCall, setting: StepContext) -> None:
    """Tell which agent or model the step names that there is not: of a forEach once."""
    one = setting.snapshot.cast.get(call.step.name) if call.key.index in (None, 0) else None
    for words in one.missing if one is not None else ():
        setting.log.tell(AnswerWarned(code="unknown_agent", message=words, step=call.key.step, index=call.key.index))


def _agent_turn(call: StepCall, attempt: int, setting: StepContext, limit: PausableTimeout) -> AgentTurn:
    """What the agent is asked for."""
    assert isinstance(call.step.action, AgentAction)
    agent = call.step.action.agent
    return replace(
        _parent_turn(call, attempt, setting, limit),
        prompt=call.whole_prompt,
        tools=tuple(agent.tools) if agent.tools is not None else None,
        max_rounds=agent.max_tool_rounds,
        output_schema=call.step.output_schema,
    )


def _parent_turn(call: StepCall, attempt: int, setting: StepContext, limit: PausableTimeout) -> AgentTurn:
    """The step, as agents that it begins see it. While they wait for a person, its time limit stands still."""
    return AgentTurn(
        setting.run,
        setting.snapshot.at(call.step.name),
        call.key,
        "",
        fresh=setting.is_fresh and attempt == 1,
        left_open=setting.left_open.get(call.key, NO_INTERRUPTED_WORK),
        ask=limit.standing_still(setting.ask),
        consent=limit.standing_still(setting.consent),
        recorder=setting.recorder,
        crew=setting.crew,
    )
