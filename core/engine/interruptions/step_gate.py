"""Consent for the tool calls of steps: the user may have to be asked before the claim.

A step that asks holds no slot meanwhile and occupies no task. An iteration waits in its own task, since its list
continues.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.domain.access import is_granted
from core.domain.events import StepStarted, ToolEnded
from core.domain.interruption import CONSENTING_KINDS, Interruption, InterruptionStatus
from core.domain.template import Step
from core.domain.text.masking import masked
from core.domain.tool import CallResult, Effect
from core.engine.interruptions.consent_policy import CallConsentPolicy
from core.engine.interruptions.interruptions import Interruptions
from core.engine.log.run_journal import RunJournal
from core.engine.plan.dispatch import StepCall
from core.errors import StepFailed, ToolFailed
from core.ports import PendingCall, PermittedCall


class ConsentPending(Exception):  # no error: it suspends the step
    """Raised when a step has to wait for consent to its call; the answer resumes the step."""

    def __init__(self, call: StepCall) -> None:
        super().__init__(call.step.name)
        self.call = call


class StepGate:
    """Decides whether the call of a step may be made. Only calls of tools need consent.

    `effect` returns the effect of a step with these arguments.
    """

    def __init__(
        self,
        policy: CallConsentPolicy,
        interruptions: Interruptions,
        log: RunJournal,
        effect: Callable[[Step, Any], Effect],
    ) -> None:
        self._policy = policy
        self._interruptions = interruptions
        self._log = log
        self._effect = effect

    def find_request(self, call: StepCall) -> Interruption | None:
        """Return the newest request about a call that is not permitted yet, open or closed; None after a request for
        access that was granted: the call is examined again.
        """
        request = self._request(call) if not call.is_permitted else None
        return None if request is not None and is_granted(request) else request

    def was_asked(self, call: StepCall) -> bool:
        """Return whether the user was asked about the call: then its arguments stay as they were shown."""
        return self._request(call) is not None

    def needs_permit(self, call: StepCall, *, is_claimed: bool) -> bool:
        """Return whether `permit` has to come before the claim of the call.

        A call that a previous process had claimed was permitted by it.
        """
        if call.tool_name is None or call.is_permitted:
            return False
        pending = _pending(call)
        if self._policy.find_request(pending) is not None:
            return True
        if is_claimed:
            return False
        if (approved := self._approved_interrupt(call)) is not None:
            self._policy.audit_approved_step(pending, approved)
            return self._policy.may_lack_access(pending)
        return self._policy.needs_examination(pending)

    async def permit(self, call: StepCall) -> tuple[StepCall, Effect]:
        """Return the permitted call and its effect.

        Raises StepFailed `rejected` or `not_allowed`, and ConsentPending if the step has to wait for the user.
        """
        decision: PermittedCall | CallResult
        if call.key.index is not None:
            (decision,) = await self._policy([_pending(call)])
        else:
            is_approved = self._approved_interrupt(call) is not None
            examined = await self._policy.examine(_pending(call), is_approved=is_approved)
            if isinstance(examined, Interruption):
                raise ConsentPending(call)
            decision = examined
        permitted = self._permitted(call, decision)
        return permitted, self._effect(permitted.step, permitted.input)

    def permitted_call(self, call: StepCall, request: Interruption) -> StepCall | None:
        """Return the permitted call of a step whose consent was requested; None while the request is open.

        Raises StepFailed `rejected` or `not_allowed`.
        """
        decision = request if request.is_open else self._policy.resolve(_pending(call), request)
        return None if isinstance(decision, Interruption) else self._permitted(call, decision)

    def _request(self, call: StepCall) -> Interruption | None:
        return self._policy.find_request(_pending(call)) if call.tool_name is not None else None

    def _approved_interrupt(self, call: StepCall) -> Interruption | None:
        """Return the interruption before the step in which the user approved exactly this call."""
        interrupt = call.step.interrupt
        if interrupt is None or interrupt.kind not in CONSENTING_KINDS or call.key.index is not None:
            return None
        raised = self._interruptions.find([interrupt.kind], call.step.name)
        # an expiry may approve the step, but it is no consent to the call
        return raised if raised is not None and raised.status is not InterruptionStatus.EXPIRED else None

    def _permitted(self, call: StepCall, decision: PermittedCall | CallResult) -> StepCall:
        """Return the call with its permitted arguments. A call that cannot be made is left to the tools to refuse.

        Raises StepFailed `rejected` or `not_allowed`, after emitting the facts of the rejected call.
        """
        if isinstance(decision, PermittedCall):
            return replace(call, input=decision.arguments, is_permitted=True)
        error = decision.error
        if error is None or error.code not in ("rejected", "not_allowed"):
            return call
        request = self.find_request(call)
        shown = request.ask.arguments if request is not None else masked(call.input)
        self._log.emit(
            StepStarted(step=call.key.step, index=call.key.index),
            call.tool_started(1, shown),
            ToolEnded.of(call.tool_call_id(1), decision),
        )
        if error.code == "not_allowed":
            raise ToolFailed(error.code, error.message, **{"tool_name": error.tool_name, **error.parameters})
        message = f"{call.key} did not run, since its call was rejected: {error.message}"
        raise StepFailed("rejected", message, failed_during="tool_execution", tool_name=error.tool_name)


def _pending(call: StepCall) -> PendingCall:
    """Return the tool call as the user is asked about it. The first attempt stands for all."""
    assert call.tool_name is not None
    return PendingCall(call.tool_call_id(1), call.key.step, call.key.index, call.tool_name, call.input)
