"""Consent to the tool calls of a run (AGENTS_AND_TOOLS §6, ENGINE §8).

call call ──► asked before? ──► its answer
             │ no
             ├── it lacks a place ──► the user is asked ──► the same again, or `not_allowed`
             ├── free, excepted, or approved for the whole run ──► permitted
             ├── impossible (not registered, invalid, …) ──► its result
             └── the user is asked ──► permitted (unchanged or edited) | rejected | asked again
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from core.domain.access import RunAccess, is_granted
from core.domain.audit import AuditEntry, Decider, Decision, audit_id, stored_arguments
from core.domain.consent import ConsentTerms, Ruling, bound_definition
from core.domain.definition import definition_changes
from core.domain.interruption import (
    CALL_KINDS,
    Action,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
    approval_scope,
    exact_call,
)
from core.domain.risk import Risk
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.sub_agent import location_of
from core.domain.text.json_text import encode
from core.domain.text.masking import restore_secrets
from core.domain.tool import CallResult, CallStatus, Category, arguments_digest
from core.engine.interruptions.access_requests import ACCESS_KIND, AccessRequests
from core.engine.interruptions.interruptions import Interruptions
from core.engine.log.journal import RETRY_S
from core.engine.log.run_journal import RunJournal
from core.errors import StorageFailed
from core.ports import Clock, PendingCall, PermittedCall, PutAudit, ToolRunner
from core.threads.long_values import masked_async

log = logging.getLogger(__name__)

CONSENT_KIND = InterruptionKind.TOOL_APPROVAL

AncestorInterruptions = Callable[[], Awaitable[Sequence[Interruption]]]


class CallConsentPolicy:
    """A `core.ports.consent.Consent`. `ancestors` returns the interruptions of the ancestor runs."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        log: RunJournal,
        clock: Clock,
        tools: ToolRunner,
        interruptions: Interruptions,
        ancestors: AncestorInterruptions,
        access: RunAccess,
    ) -> None:
        self._run = run
        self._mode = snapshot.mode
        self._access = access
        self._access_requests = AccessRequests(run, snapshot, tools, interruptions, access)
        self._log = log
        self._clock = clock
        self._tools = tools
        self._interruptions = interruptions
        self._ancestors = ancestors

    async def __call__(
        self, wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
    ) -> list[PermittedCall | CallResult]:
        # all calls of a round are examined first, so that their requests are raised together
        examined = [await self.examine(call, advertised) for call in wanted]
        settling = (self._settle(call, decision, advertised) for call, decision in zip(wanted, examined, strict=True))
        return list(await asyncio.gather(*settling))

    def needs_examination(self, call: PendingCall) -> bool:
        """Return whether a call about which nobody was asked has to pass `examine` before it is made. A call that an
        exception permits is audited.
        """
        if self._access_requests.may_ask(call) or self._is_scoped(call):
            return True
        return not self._is_permitted(call, self._terms(call))

    def may_lack_access(self, call: PendingCall) -> bool:
        """Return whether the user may have to be asked for what the call accesses, whatever else he agreed to."""
        return self._access_requests.may_ask(call)

    def find_request(self, call: PendingCall) -> Interruption | None:
        """Return the newest request about the call, for consent or access, open or closed."""
        request = self._interruptions.find(CALL_KINDS, call.step, call.index, call_id=call.call_id)
        if request is not None:  # after a restart the request is known without its arguments
            self._interruptions.keep_arguments(request, call.arguments)
        return request

    async def examine(
        self, call: PendingCall, advertised: Collection[str] | None = None, *, is_approved: bool = False
    ) -> Interruption | PermittedCall | CallResult:
        """Return a permission, a refusal, or the request about the call, which is raised if there is none yet.

        `is_approved`: the user has agreed to the call already; he is asked only for what it lacks.
        """
        request = self.find_request(call)
        if request is not None and not is_granted(request):
            return request
        await self._tools.prepare(call.tool)
        terms = self._terms(call, reaches_out=await self._reaches_out(call))
        if request is None:
            lacking = await self._access_requests.examine(call, terms, advertised)
            if lacking is not None:
                return lacking
        else:
            self._interruptions.take_arguments(request)
        if is_approved or self._is_permitted(call, terms):
            return PermittedCall(call.arguments)
        approved = await self._approval_for_run(call)
        if approved is not None and self._covers(approved, call.tool, terms.risk):
            self._audit(call, terms, Decider.RUN)
            return PermittedCall(call.arguments)
        refusal = await self._tools.refusal(call.tool, call.arguments, self._run.workflow_id, advertised)
        if refusal is not None:
            return refusal
        shown = await masked_async(call.arguments)
        return self._interruptions.raise_(self._ask(call, shown, approved))

    def resolve(self, call: PendingCall, closed: Interruption) -> PermittedCall | CallResult | Interruption:
        """Return what a closed request means for the call; an Interruption if the user is asked again. After a granted
        request for access the call is examined again instead.
        """
        if closed.ask.kind is ACCESS_KIND:
            return self._access_requests.resolve(call, closed)
        answer = closed.answer
        is_expired = closed.status is InterruptionStatus.EXPIRED
        shown = self._interruptions.take_arguments(closed)
        arguments = call.arguments if shown is None else shown  # the very value that the user saw
        if answer is None:
            return rejected_result(call.tool, "the run ended before the user had agreed to it")
        if answer.action in (Action.APPROVE, Action.SUBMIT) and not self._is_as_defined(closed):
            # The user agreed to a tool that is another by now.
            return self._interruptions.raise_(self._ask(call, closed.ask.arguments, closed))
        match answer.action:
            case Action.APPROVE:
                return PermittedCall(arguments)
            case Action.SUBMIT:
                return PermittedCall(restore_secrets(answer.value, closed.ask.arguments, arguments))
            case Action.SKIP if is_expired:  # the default action `skip` is to ask again
                return self._interruptions.raise_(self._ask(call, closed.ask.arguments))
            case _:
                reason = answer.reason or (
                    "the user did not agree to it in time" if is_expired else "the user rejected this call"
                )
                return rejected_result(call.tool, reason)

    def audit_approved_step(self, call: PendingCall, approved: Interruption) -> None:
        """Audit that the user approved the step that makes exactly this call: that is consent to the call."""
        terms = self._terms(call)
        if terms.ruling is not Ruling.FREE:
            self._audit(call, terms, Decider.PERSON, approved)

    async def _settle(
        self,
        call: PendingCall,
        decision: Interruption | PermittedCall | CallResult,
        advertised: Collection[str] | None,
    ) -> PermittedCall | CallResult:
        while isinstance(decision, Interruption):
            closed = decision if not decision.is_open else await self._interruptions.ask(decision.ask)
            decision = await self.examine(call, advertised) if is_granted(closed) else self.resolve(call, closed)
        return decision

    def _is_permitted(self, call: PendingCall, terms: ConsentTerms) -> bool:
        """Return whether the terms permit the call without asking. A call that an exception permits is audited."""
        if terms.ruling is Ruling.EXCEPTED:
            self._audit(call, terms, Decider.EXCEPTION)
        return terms.ruling is not Ruling.ASK

    def _terms(self, call: PendingCall, *, reaches_out: bool = False) -> ConsentTerms:
        access = self._access.of_call(call.call_id)
        origins = [origin for origin in access.origins if origin not in access.read_only]
        return self._tools.terms(call.tool, _argument_object(call), self._mode, origins, reaches_out=reaches_out)

    def _is_scoped(self, call: PendingCall) -> bool:
        info = self._tools.info(call.tool)
        return info is not None and info.is_scoped

    async def _reaches_out(self, call: PendingCall) -> bool:
        """Return whether the call reaches beyond the workflow of this run: then the user is asked (AGENTS_AND_TOOLS
        §5).
        """
        if not self._is_scoped(call):
            return False
        return await self._tools.reaches_out(call.tool, _argument_object(call), self._run.workflow_id)

    def _covers(self, approved: Interruption, tool: str, risk: Risk) -> bool:
        """Return whether the approval of all calls in the run covers a call of this risk, of the tool as it is now."""
        return self._is_as_defined(approved) and (risk is not Risk.HIGH or approved.ask.risk is Risk.HIGH)

    def _is_as_defined(self, answered: Interruption) -> bool:
        """Return whether the tool is defined as it was when the user was asked. Tools of the app always are."""
        info = self._tools.info(answered.ask.tool or "")
        return info is None or info.definition is None or info.definition == bound_definition(answered.ask)

    def _ask(self, call: PendingCall, shown: Any, void: Interruption | None = None) -> InterruptionRequest:
        """Return the request for consent to the call. `void` is an approval that does not cover it any more."""
        terms, info = self._terms(call), self._tools.info(call.tool)
        definition = info.definition if info is not None else None
        options: dict[str, Any] | None = None
        if (exact := self._exact(call)) is not None:
            offered = terms.command if shown == call.arguments else None  # no secret of a line gets into a rule
            options = {"exact": exact, **({"command": offered.as_dict()} if offered is not None else {})}
        elif definition is not None:
            changes = terms.changes if void is None else definition_changes(bound_definition(void.ask), definition)
            options = {"definition": definition, **({"changed": list(changes)} if changes else {})}
        return InterruptionRequest(
            CONSENT_KIND,
            call.step,
            call.index,
            schema=info.input_schema if info is not None else None,
            options=options,
            tool=call.tool,
            arguments=shown,
            risk=terms.risk,
            call_id=call.call_id,
            timeout_ms=terms.timeout_ms,
            default_action=terms.on_timeout,
            unmasked=call.arguments,
        )

    def _exact(self, call: PendingCall) -> str | None:
        """Return the digest of the arguments, where an approval holds for no others: for commands of the system."""
        info = self._tools.info(call.tool)
        if info is None or info.category is not Category.SYSTEM:
            return None
        return arguments_digest(encode(call.arguments))

    async def _approval_for_run(self, call: PendingCall) -> Interruption | None:
        """Return the newest approval that covers the run, given in it or in an ancestor."""
        tool, exact = call.tool, self._exact(call)
        if (own := _whole_run_approval(self._interruptions.all, tool, exact)) is not None:
            return own
        while True:
            try:
                return _whole_run_approval(await self._ancestors(), tool, exact)
            except StorageFailed as error:
                if error.code == "unreadable":  # an approval that cannot be read does not count
                    return None
                log.warning("run %s waits for the store: %s", self._run.id, error.message)
                await self._clock.sleep(RETRY_S)

    def _audit(
        self, call: PendingCall, terms: ConsentTerms, decider: Decider, approved: Interruption | None = None
    ) -> None:
        """Emit an audit entry for the permitted call. It is on disk before an effect of the call."""
        location = location_of(call.step, call.index)
        entry = AuditEntry(
            audit_id(self._run.id, call.call_id),
            self._clock.now(),
            self._run.workflow_id,
            self._run.id,
            self._run.title,
            location.step,
            location.index,
            call.call_id,
            call.tool,
            terms.risk,
            Decision.APPROVED,
            decider,
            stored_arguments(call.arguments),
            scope="once" if approved is not None else None,
            asked_at=approved.created_at if approved is not None else None,
        )
        self._log.emit(writes=[PutAudit(entry)])


def rejected_result(tool: str, why: str) -> CallResult:
    """Return the result of a rejected call; the model reads the reason."""
    error = ErrorInfo("rejected", why, failed_during="tool_execution", tool_name=tool)
    return CallResult(CallStatus.ERROR, error=error)


def _argument_object(call: PendingCall) -> Mapping[str, Any]:
    return call.arguments if isinstance(call.arguments, dict) else {}


def _approves_whole_run(interruption: Interruption, tool: str, exact: str | None) -> bool:
    is_approved = (
        interruption.status is InterruptionStatus.APPROVED
        and interruption.ask.kind is CONSENT_KIND
        and interruption.ask.tool == tool
    )
    if not is_approved or approval_scope(interruption.answer) != "run":
        return False
    return exact_call(interruption.ask) == exact


def _whole_run_approval(interruptions: Iterable[Interruption], tool: str, exact: str | None) -> Interruption | None:
    return max(
        (interruption for interruption in interruptions if _approves_whole_run(interruption, tool, exact)),
        key=lambda interruption: interruption.created_at,
        default=None,
    )
