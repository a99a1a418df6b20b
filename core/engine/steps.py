"""Carrying out one step: its action, by the port that knows how."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from core.domain.events import AnswerWarned, ToolEnded, ToolEndedLate, ToolStarted
from core.domain.ids import CallId
from core.domain.json_text import encode
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.step import StepKey
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
from core.domain.tool import CallStatus, Effect
from core.engine.consoles import Consoles
from core.engine.dispatch import Call
from core.engine.raw_results import RawResult
from core.engine.time_limit import TimeLimit
from core.errors import CodeFailed, StepFailed, ToolFailed
from core.ports.agents import AgentRunner, AgentTurn
from core.ports.consent import Asker, Consent
from core.ports.journal import RunLog
from core.ports.left_open import NOTHING, LeftOpen
from core.ports.recording import NO_RECORDER, CallRecorder
from core.ports.sandbox import CodeLimits, Console, Sandbox
from core.ports.schemas import Schemas
from core.ports.sub_agents import Crew, SubAgents
from core.ports.tools import CallContext, ToolRunner
from core.threads.long_json import value_of
from core.threads.long_masking import masked_value

TOOL_STEP_TIMEOUT_S = 30.0

RunChild = Callable[[Call, int, WorkflowCall], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Setting:
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
    left_open: Mapping[StepKey, LeftOpen] = field(default_factory=dict)
    consoles: Consoles = field(default_factory=Consoles)
    recorder: CallRecorder = NO_RECORDER
    crew: Crew = field(default_factory=Crew)


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

    async def run(self, call: Call, attempt: int, effect: Effect, setting: Setting, raw: RawResult) -> Any:
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
                limit = TimeLimit(limit_s, "the agent")
                if attempt == 1 and setting.is_fresh:
                    _tell_missing(call, setting)
                output = await limit.over(self.agents.run(_turn(call, attempt, setting, limit), setting.log))
            case WorkflowAction(workflow=workflow):
                output = await TimeLimit(limit_s, "the child run").over(setting.run_child(call, attempt, workflow))
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
        self, code: str, input_json: str, call: Call, attempt: int, limit_s: float | None, setting: Setting
    ) -> Any:
        """What the code returns. What it wrote to its console is told, however it ends."""
        limits = CodeLimits() if limit_s is None else CodeLimits(timeout_s=limit_s)
        console = Console()
        try:
            return await value_of(await self.sandbox.run(code, input_json, limits, console, owner=setting.run.id))
        finally:
            if (fact := setting.consoles.fact(call.key, attempt, console)) is not None:
                setting.log.tell(fact)

    async def _use_tool(
        self,
        call: Call,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        setting: Setting,
        raw: RawResult | None = None,
    ) -> Any:
        """What the tool gives; where there is a transform, it is in `raw` and on disk then. The work of some tools is
        that of sub-agents, which may have every tool there is."""
        if not self.begins_agents(call.step):
            return await self._call_tool(call, attempt, effect, limit_s, setting, raw)
        limit = TimeLimit(limit_s, "the sub-agents")
        tools = [info.name for info in self.tools.infos()]
        sub_agents = self.agents.sub_agents(_parent(call, attempt, setting, limit), setting.log, tools)
        try:
            return await limit.over(self._call_tool(call, attempt, effect, None, setting, raw, sub_agents))
        finally:
            sub_agents.close()

    async def _call_tool(
        self,
        call: Call,
        attempt: int,
        effect: Effect,
        limit_s: float | None,
        setting: Setting,
        raw: RawResult | None = None,
        sub_agents: SubAgents | None = None,
    ) -> Any:
        assert isinstance(call.step.action, ToolAction)
        name, log = call.step.action.tool_name, setting.log
        log.tell(call_started(call, attempt, await masked_value(call.input)))
        own_id = call_id(call, attempt)
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


def call_id(call: Call, attempt: int) -> CallId:
    """The id of a step's call: the same after a crash, and another for each attempt."""
    return CallId(str(call.key) if attempt == 1 else f"{call.key} attempt {attempt}")


def call_started(call: Call, attempt: int, shown: Any) -> ToolStarted:
    """`shown`: its arguments without secrets."""
    assert isinstance(call.step.action, ToolAction)
    key = call.key
    return ToolStarted(
        call_id=call_id(call, attempt),
        tool=call.step.action.tool_name,
        arguments=shown,
        step=key.step,
        index=key.index,
    )


def _tell_missing(call: Call, setting: Setting) -> None:
    """Tell which agent or model the step names that there is not: of a forEach once."""
    one = setting.snapshot.cast.get(call.step.name) if call.key.index in (None, 0) else None
    for words in one.missing if one is not None else ():
        setting.log.tell(AnswerWarned(code="unknown_agent", message=words, step=call.key.step, index=call.key.index))


def _turn(call: Call, attempt: int, setting: Setting, limit: TimeLimit) -> AgentTurn:
    """What the agent is asked for."""
    assert isinstance(call.step.action, AgentAction)
    agent = call.step.action.agent
    return replace(
        _parent(call, attempt, setting, limit),
        prompt=call.whole_prompt,
        tools=tuple(agent.tools) if agent.tools is not None else None,
        max_rounds=agent.max_tool_rounds,
        output_schema=call.step.output_schema,
    )


def _parent(call: Call, attempt: int, setting: Setting, limit: TimeLimit) -> AgentTurn:
    """The step, as agents that it begins see it. While they wait for a person, its time limit stands still."""
    return AgentTurn(
        setting.run,
        setting.snapshot.at(call.step.name),
        call.key,
        "",
        fresh=setting.is_fresh and attempt == 1,
        left_open=setting.left_open.get(call.key, NOTHING),
        ask=limit.standing_still(setting.ask),
        consent=limit.standing_still(setting.consent),
        recorder=setting.recorder,
        crew=setting.crew,
    )
