"""Leave for the steps of a run to make the calls of their tools: a person may have to be asked before the claim.

A step that asks holds no place meanwhile and is in no task; an iteration waits where it is, since its list goes on.
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
    """A person is asked about the call that a step is about to make."""

    def __init__(self, made: StepCall) -> None:
        super().__init__(made.step.name)
        self.made = made


class StepGate:
    """Calls of other actions than tools need none."""

    def __init__(
        self, consents: CallConsentPolicy, interruptions: Interruptions, checkpoints: Checkpoints, steps: StepRunner
    ) -> None:
        self._consents = consents
        self._interruptions = interruptions
        self._checkpoints = checkpoints
        self._steps = steps

    def request(self, made: StepCall) -> Interruption | None:
        """The newest request about a call that is not permitted yet, open or closed."""
        wanted = _wanted_call(made) if not made.is_permitted else None
        return self._consents.found(wanted) if wanted is not None else None

    def was_asked(self, made: StepCall) -> bool:
        """Whether a person was asked about the call: then it stays as they saw it."""
        wanted = _wanted_call(made)
        return wanted is not None and self._consents.found(wanted) is not None

    def must_look(self, made: StepCall, *, is_claimed: bool) -> bool:
        """Whether the call may have to be asked about, so that `permit` comes before its claim. One that an earlier
        life has claimed was permitted then."""
        wanted = _wanted_call(made)
        if wanted is None or made.is_permitted:
            return False
        if self._consents.found(wanted) is not None:
            return True
        if is_claimed:
            return False
        if (gate := self._gate(made)) is not None:
            self._consents.log_gate(wanted, gate)
            return False
        return self._consents.needs_look(wanted)

    async def permit(self, made: StepCall) -> tuple[StepCall, Effect]:
        """The call as it may be made, and its effect. Raises StepFailed `rejected`, and Asks where the step has to wait
        for a person."""
        wanted = _wanted_call(made)
        assert wanted is not None
        if made.key.index is not None:
            (found,) = await self._consents([wanted])
        else:
            examined = await self._consents.examine(wanted)
            if isinstance(examined, Interruption):
                raise ConsentPending(made)
            found = examined
        permitted = self._permitted(made, found)
        return permitted, self._steps.effect(permitted.step, permitted.input)

    def after(self, made: StepCall, found: Interruption) -> StepCall | None:
        """The call of a step that was asked about, as it may be made; None while a person is asked. Raises StepFailed
        `rejected`."""
        wanted = _wanted_call(made)
        assert wanted is not None
        verdict = found if found.is_open else self._consents.verdict(wanted, found)
        return None if isinstance(verdict, Interruption) else self._permitted(made, verdict)

    def _gate(self, made: StepCall) -> Interruption | None:
        """The request before the step, if a person has let pass there the very call that is made now."""
        interrupt = made.step.interrupt
        if interrupt is None or interrupt.kind not in KINDS_SHOWING_CALL or made.key.index is not None:
            return None
        found = self._interruptions.find([interrupt.kind], made.step.name)
        return found if found is not None and found.status is not InterruptionStatus.EXPIRED else None

    def _permitted(self, made: StepCall, found: PermittedCall | CallResult) -> StepCall:
        """The call with the arguments that it may have. One that cannot be made at all is left to the tools to refuse.

        Raises StepFailed `rejected`, and has told of the call then.
        """
        if isinstance(found, PermittedCall):
            return replace(made, input=found.arguments, is_permitted=True)
        if found.error is None or found.error.code != "rejected":
            return made
        wanted = _wanted_call(made)
        assert wanted is not None
        asked = self.request(made)
        shown = asked.ask.arguments if asked is not None else None
        self._checkpoints.step_started(made.key)
        self._checkpoints.tell(tool_started(made, 1, shown), ToolEnded.of(wanted.call_id, found))
        message = f"{made.key} did not run, since its call was rejected: {found.error.message}"
        raise StepFailed("rejected", message, failed_during="tool_execution", tool_name=found.error.tool_name)


def _wanted_call(made: StepCall) -> PendingCall | None:
    """The call as people are asked about it: its first attempt stands for all. None if it is no tool's."""
    if not isinstance(made.step.action, ToolAction):
        return None
    key = made.key
    return PendingCall(step_call_id(made, 1), key.step, key.index, made.step.action.tool_name, made.input)
