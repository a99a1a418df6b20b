"""Consent for the tool calls of steps: the user may have to be asked before the claim.

A step that asks holds no slot meanwhile and occupies no task. An iteration waits in its own task, since its list
continues.
"""

from dataclasses import replace

from core.domain.events import ToolEnded
from core.domain.interruption import Interruption, InterruptionKind, InterruptionStatus
from core.domain.template import ToolAction
from core.domain.tool import CallResult, Effect
from core.engine.interruptions.consent_policy import CallConsentPolicy
from core.engine.interruptions.interruptions import Interruptions
from core.engine.plan.dispatch import StepCall
from core.engine.runs.checkpoints import Checkpoints
from core.engine.runs.step_runner import StepRunner, step_call_id, tool_started
from core.errors import StepFailed
from core.ports.consent import PendingCall, PermittedCall

KINDS_SHOWING_CALL = frozenset({InterruptionKind.APPROVAL, InterruptionKind.INPUT_REVIEW, InterruptionKind.TOOL_INPUT})


class ConsentPending(Exception):  # no error: the step goes on once a person has answered
    """Raised when a step has to wait for consent to its call; the answer resumes the step."""

    def __init__(self, made: StepCall) -> None:
        super().__init__(made.step.name)
        self.call = made


class StepGate:
    """Decides whether the call of a step may be made. Only calls of tools need consent."""

    def __init__(
        self, consents: CallConsentPolicy, interruptions: Interruptions, checkpoints: Checkpoints, steps: StepRunner
    ) -> None:
        self._policy = consents
        self._interruptions = interruptions
        self._checkpoints = checkpoints
        self._steps = steps

    def find_request(self, made: StepCall) -> Interruption | None:
        """Return the newest consent request about a call that is not permitted yet, open or closed."""
        wanted = _wanted_call(made) if not made.is_permitted else None
        return self._policy.find_request(wanted) if wanted is not None else None

    def was_asked(self, made: StepCall) -> bool:
        """Return whether the user was asked about the call: then its arguments stay as they were shown."""
        wanted = _wanted_call(made)
        return wanted is not None and self._policy.find_request(wanted) is not None

    def needs_permit(self, made: StepCall, *, is_claimed: bool) -> bool:
        """Return whether `permit` has to come before the claim of the call.

        A call that a previous process had claimed was permitted by it.
        """
        wanted = _wanted_call(made)
        if wanted is None or made.is_permitted:
            return False
        if self._policy.find_request(wanted) is not None:
            return True
        if is_claimed:
            return False
        if (gate := self._approved_interrupt(made)) is not None:
            self._policy.audit_approved_step(wanted, gate)
            return False
        return self._policy.needs_examination(wanted)

    async def permit(self, made: StepCall) -> tuple[StepCall, Effect]:
        """Return the permitted call and its effect.

        Raises StepFailed `rejected`, and ConsentPending if the step has to wait for the user.
        """
        wanted = _wanted_call(made)
        assert wanted is not None
        if made.key.index is not None:
            (found,) = await self._policy([wanted])
        else:
            examined = await self._policy.examine(wanted)
            if isinstance(examined, Interruption):
                raise ConsentPending(made)
            found = examined
        permitted = self._permitted(made, found)
        return permitted, self._steps.effect(permitted.step, permitted.input)

    def permitted_call(self, made: StepCall, found: Interruption) -> StepCall | None:
        """Return the permitted call of a step whose consent was requested; None while the request is open.

        Raises StepFailed `rejected`.
        """
        wanted = _wanted_call(made)
        assert wanted is not None
        verdict = found if found.is_open else self._policy.resolve(wanted, found)
        return None if isinstance(verdict, Interruption) else self._permitted(made, verdict)

    def _approved_interrupt(self, made: StepCall) -> Interruption | None:
        """Return the interruption before the step in which the user approved exactly this call."""
        interrupt = made.step.interrupt
        if interrupt is None or interrupt.kind not in KINDS_SHOWING_CALL or made.key.index is not None:
            return None
        found = self._interruptions.find([interrupt.kind], made.step.name)
        return found if found is not None and found.status is not InterruptionStatus.EXPIRED else None

    def _permitted(self, made: StepCall, found: PermittedCall | CallResult) -> StepCall:
        """Return the call with its permitted arguments. A call that cannot be made is left to the tools to refuse.

        Raises StepFailed `rejected`, after emitting the facts of the rejected call.
        """
        if isinstance(found, PermittedCall):
            return replace(made, input=found.arguments, is_permitted=True)
        if found.error is None or found.error.code != "rejected":
            return made
        wanted = _wanted_call(made)
        assert wanted is not None
        asked = self.find_request(made)
        shown = asked.ask.arguments if asked is not None else None
        self._checkpoints.step_started(made.key)
        self._checkpoints.emit(tool_started(made, 1, shown), ToolEnded.of(wanted.call_id, found))
        message = f"{made.key} did not run, since its call was rejected: {found.error.message}"
        raise StepFailed("rejected", message, failed_during="tool_execution", tool_name=found.error.tool_name)


def _wanted_call(made: StepCall) -> PendingCall | None:
    """Return the call as the user is asked about it, or None if it is no tool call. The first attempt stands for
    all."""
    if not isinstance(made.step.action, ToolAction):
        return None
    key = made.key
    return PendingCall(step_call_id(made, 1), key.step, key.index, made.step.action.tool_name, made.input)
