"""Requests for access: the user is asked for a place that a call lacks, before the call fails (ENGINE §8).

There is one request about a call, with all that it lacks. Once it is answered, the call is made or fails: where its
path leads elsewhere meanwhile, it finds that not allowed, as any other call does.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from core.domain.access import Place, RunAccess, places_of
from core.domain.consent import ConsentTerms
from core.domain.interruption import (
    Action,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.tool import CallResult, CallStatus
from core.engine.interruptions.interruptions import Interruptions
from core.ports import CallContext, PendingCall, ToolRunner
from core.threads.long_values import masked_async

ACCESS_KIND = InterruptionKind.ACCESS


class AccessRequests:
    """Asks for what calls of a run lack. `access` is what the run may access."""

    def __init__(
        self, run: Run, snapshot: Snapshot, tools: ToolRunner, interruptions: Interruptions, access: RunAccess
    ) -> None:
        self._run = run
        self._snapshot = snapshot
        self._tools = tools
        self._interruptions = interruptions
        self._access = access

    def may_ask(self, call: PendingCall) -> bool:
        """Return whether the call has to be examined before it is made."""
        return self._tools.asks_for_access and self._tools.has_places(call.tool)

    async def examine(
        self, call: PendingCall, terms: ConsentTerms, advertised: Collection[str] | None
    ) -> Interruption | CallResult | None:
        """Return the request for what the call lacks, or its result where it cannot be made; None if it lacks nothing
        that the user could allow.
        """
        if not self.may_ask(call) or not isinstance(call.arguments, dict):
            return None
        places = await self._tools.lacking(call.tool, call.arguments, self._context(call))
        if not places:
            return None
        refusal = await self._tools.refusal(call.tool, call.arguments, self._run.workflow_id, advertised)
        if refusal is not None:
            return refusal
        if self._was_rejected(places):
            return not_allowed_result(call.tool, places, "the user did not allow it before")
        return self._interruptions.raise_(self._ask(call, places, terms, await masked_async(call.arguments)))

    def resolve(self, call: PendingCall, closed: Interruption) -> CallResult | Interruption:
        """Return what a request means that was not granted: the result of the call, or the request that follows."""
        answer = closed.answer
        is_expired = closed.status is InterruptionStatus.EXPIRED
        if is_expired and answer is not None and answer.action is Action.SKIP:
            return self._interruptions.raise_(replace(closed.ask, unmasked=call.arguments))
        self._interruptions.take_arguments(closed)
        why = "the user did not allow it in time" if is_expired else "the user did not allow it"
        if answer is not None and answer.reason:
            why = f"{why}: {answer.reason}"
        return not_allowed_result(call.tool, places_of(closed.ask.options), why)

    def _was_rejected(self, places: Sequence[Place]) -> bool:
        """Return whether the user said no to this in the run already: a model that insists must not wear him down."""
        rejected = [
            known
            for known in self._interruptions.all
            if known.ask.kind is ACCESS_KIND and known.status is InterruptionStatus.REJECTED
        ]
        return any(set(places_of(known.ask.options)) <= set(places) for known in rejected)

    def _context(self, call: PendingCall) -> CallContext:
        snapshot, access = self._snapshot, self._access.of_call(call.call_id)
        return CallContext(
            self._run.id,
            self._run.workflow_id,
            call.call_id,
            snapshot.mode,
            access.folders,
            snapshot.base,
            origins=access.origins,
            read_only=access.read_only,
        )

    def _ask(self, call: PendingCall, places: Sequence[Place], terms: ConsentTerms, shown: Any) -> InterruptionRequest:
        return InterruptionRequest(
            ACCESS_KIND,
            call.step,
            call.index,
            options={"places": [place.as_dict() for place in places]},
            tool=call.tool,
            arguments=shown,
            call_id=call.call_id,
            timeout_ms=terms.timeout_ms,
            # silence allows nothing, whatever the settings say of calls
            default_action=Action.SKIP if terms.on_timeout is Action.SKIP else Action.REJECT,
            unmasked=call.arguments,
        )


def not_allowed_result(tool: str, places: Sequence[Place], why: str) -> CallResult:
    """Return the result of a call that lacks a place."""
    names = ", ".join(place.name for place in places)
    message = f"{tool} may not access {names}: {why}"
    parameters = {"places": [place.as_dict() for place in places]}
    error = ErrorInfo("not_allowed", message, failed_during="tool_execution", tool_name=tool, parameters=parameters)
    return CallResult(CallStatus.ERROR, error=error)
