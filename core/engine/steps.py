"""Carrying out one step: its action, by the port that knows how."""

from dataclasses import dataclass
from typing import Any, assert_never

from core.domain.events import ToolEnded, ToolStarted
from core.domain.ids import CallId
from core.domain.json_text import decode, encode
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.template import (
    AgentAction,
    CodeAction,
    ReturnAction,
    SetAction,
    Step,
    ToolAction,
    WorkflowAction,
)
from core.domain.tool import CallStatus, Effect
from core.engine.dispatch import Call
from core.errors import StepFailed, ToolFailed
from core.ports.agents import AgentRunner, AgentTurn
from core.ports.journal import RunLog
from core.ports.sandbox import Sandbox
from core.ports.tools import CallContext, ToolRunner

TOOL_STEP_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Knows what each action may leave behind, and does it."""

    tools: ToolRunner
    sandbox: Sandbox
    agents: AgentRunner

    def effect(self, step: Step, arguments: Any) -> Effect:
        """What the call may leave behind (ENGINE §10). An agent's calls are in its ledger, so it can go on after a
        crash; but it asks a model, which leaves the process: IDEMPOTENT."""
        match step.action:
            case SetAction() | ReturnAction() | CodeAction():
                return Effect.NONE
            case AgentAction():
                return Effect.IDEMPOTENT
            case ToolAction(tool_name=name):
                effect = self.tools.effect(name, arguments if isinstance(arguments, dict) else {})
                return Effect.IDEMPOTENT if step.config.idempotent and effect is Effect.ONCE else effect
            case WorkflowAction():
                return Effect.ONCE
            case _:
                assert_never(step.action)

    async def run(self, call: Call, run: Run, snapshot: Snapshot, log: RunLog, *, is_fresh: bool) -> Any:
        """The step's output, a JSON value. Raises StepFailed; tells of the tool calls and the text on its way.

        `is_fresh`: the run has no earlier life that an agent could go on from.
        """
        match call.step.action:
            case SetAction() | ReturnAction():
                return call.input
            case CodeAction(code=code):
                return decode((await self.sandbox.run(code, encode(call.input))).output_json)
            case ToolAction():
                return await self._call_tool(call, run, snapshot, log)
            case AgentAction(agent=agent):
                turn = AgentTurn(
                    run,
                    snapshot,
                    call.key,
                    call.prompt,
                    tools=tuple(agent.tools) if agent.tools is not None else None,
                    max_rounds=agent.max_tool_rounds,
                    fresh=is_fresh,
                )
                return await self.agents.run(turn, log)
            case WorkflowAction():
                raise StepFailed("unsupported", "a step that runs another template cannot be carried out")
            case _:
                assert_never(call.step.action)

    async def _call_tool(self, call: Call, run: Run, snapshot: Snapshot, log: RunLog) -> Any:
        assert isinstance(call.step.action, ToolAction)
        name, call_id = call.step.action.tool_name, CallId(str(call.key))
        log.tell(
            ToolStarted(call_id=call_id, tool=name, arguments=call.input, step=call.key.step, index=call.key.index)
        )
        context = CallContext(run.id, run.workflow_id, call_id, snapshot.mode, snapshot.allow, snapshot.base)
        result = await self.tools.call(name, call.input, context, default_timeout_s=TOOL_STEP_TIMEOUT_S)
        ended = ToolEnded(
            call_id=call_id,
            status=result.status,
            duration_ms=result.duration_ms,
            summary=result.summary,
            error=result.error.as_dict() if result.error else None,
        )
        if self.effect(call.step, call.input) is Effect.NONE:
            log.tell(ended)
        else:
            log.record(ended)
        if result.status is CallStatus.COMPLETED:
            return result.value
        error = result.error or ErrorInfo("failed", f"{name} gave no result")
        if error.code == "timeout" and self.effect(call.step, call.input) is Effect.ONCE:
            raise outcome_unknown(str(call.key), name, "it did not answer in time")
        raise ToolFailed(error.code, error.message, **{"tool_name": name, **error.parameters})


def outcome_unknown(step: str, tool: str | None, why: str) -> StepFailed:
    """An effect may have happened, and nobody knows: the run ends here and names the step (ENGINE §10)."""
    what = f"{tool} in step {step}" if tool else f"step {step}"
    return StepFailed("outcome_unknown", f"{what} may or may not have had its effect: {why}", tool_name=tool)
