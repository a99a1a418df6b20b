"""Consent to the tool calls of a run (AGENTS_AND_TOOLS §6, ENGINE §8).

wanted call ──► asked before? ──► its answer
             │ no
             ├── free, excepted, or approved for the whole run ──► permitted
             ├── impossible (not registered, invalid, …) ──► its result
             └── the user is asked ──► permitted (unchanged or edited) | rejected | asked again
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from core.domain.audit import AuditEntry, Decider, Decision, audit_id, stored_arguments
from core.domain.consent import ConsentTerms, Ruling
from core.domain.interruption import (
    Action,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
    approval_scope,
)
from core.domain.run import ErrorInfo, Run, Snapshot
from core.domain.sub_agent import location_of
from core.domain.text.masking import restore_secrets
from core.domain.tool import CallResult, CallStatus
from core.engine.interruptions.interruptions import Interruptions
from core.engine.log.journal import RETRY_S
from core.engine.log.run_journal import RunJournal
from core.errors import StorageFailed
from core.ports.clock import Clock
from core.ports.consent import PendingCall, PermittedCall
from core.ports.tools import ToolRunner
from core.ports.writes import PutAudit
from core.threads.long_values import masked_async

log = logging.getLogger(__name__)

CONSENT_KIND = InterruptionKind.TOOL_APPROVAL

AncestorInterruptions = Callable[[], Awaitable[Sequence[Interruption]]]


class CallConsentPolicy:
    """A `core.ports.consent.Consent`. `asked_above` returns the interruptions of the ancestor runs."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        log: RunJournal,
        clock: Clock,
        tools: ToolRunner,
        interruptions: Interruptions,
        asked_above: AncestorInterruptions,
    ) -> None:
        self._run = run
        self._mode = snapshot.mode
        self._origins = snapshot.origins
        self._log = log
        self._clock = clock
        self._tools = tools
        self._interruptions = interruptions
        self._asked_above = asked_above

    async def __call__(
        self, wanted: Sequence[PendingCall], advertised: Collection[str] | None = None
    ) -> list[PermittedCall | CallResult]:
        found = [await self.examine(one, advertised) for one in wanted]
        return list(await asyncio.gather(*(self._settle(*pair) for pair in zip(wanted, found, strict=True))))

    def needs_examination(self, wanted: PendingCall) -> bool:
        """Return whether the call has to pass `examine` before it is made. A call that an exception permits is
        audited.
        """
        if self.find_request(wanted) is not None or self._is_scoped(wanted):
            return True
        return not self._is_permitted(wanted, self._terms(wanted))

    def find_request(self, wanted: PendingCall) -> Interruption | None:
        """Return the newest consent request about the call, open or closed."""
        return self._interruptions.find([CONSENT_KIND], wanted.step, wanted.index, call_id=wanted.call_id)

    async def examine(
        self, wanted: PendingCall, advertised: Collection[str] | None = None
    ) -> Interruption | PermittedCall | CallResult:
        """Return a permission, a refusal, or the consent request about the call, which is raised if there is none
        yet."""
        if (found := self.find_request(wanted)) is not None:
            return found
        terms = self._terms(wanted, reaches_out=await self._reaches_out(wanted))
        if self._is_permitted(wanted, terms):
            return PermittedCall(wanted.arguments)
        if await self._is_approved_for_run(wanted.tool):
            self._audit(wanted, terms, Decider.RUN)
            return PermittedCall(wanted.arguments)
        refusal = await self._tools.refusal(wanted.tool, wanted.arguments, self._run.workflow_id, advertised)
        if refusal is not None:
            return refusal
        shown = await masked_async(wanted.arguments)
        return self._interruptions.raise_(self._ask(wanted, shown))

    def resolve(self, wanted: PendingCall, closed: Interruption) -> PermittedCall | CallResult | Interruption:
        """Return what a closed request means for the call; an Interruption if the user is asked again."""
        answer = closed.answer
        is_expired = closed.status is InterruptionStatus.EXPIRED
        if answer is None:
            return rejected_result(wanted.tool, "the run ended before anybody had agreed to it")
        match answer.action:
            case Action.APPROVE:
                return PermittedCall(wanted.arguments)
            case Action.SUBMIT:
                return PermittedCall(restore_secrets(answer.value, closed.ask.arguments, wanted.arguments))
            case Action.SKIP if is_expired:
                return self._interruptions.raise_(self._ask(wanted, closed.ask.arguments))
            case _:
                why = answer.reason or ("nobody agreed to it in time" if is_expired else "a person rejected this call")
                return rejected_result(wanted.tool, why)

    def audit_approved_step(self, wanted: PendingCall, gate: Interruption) -> None:
        """Audit that the user approved the step that makes exactly this call: that is consent to the call."""
        terms = self._terms(wanted)
        if terms.ruling is not Ruling.FREE:
            self._audit(wanted, terms, Decider.PERSON, gate)

    async def _settle(
        self, wanted: PendingCall, found: Interruption | PermittedCall | CallResult
    ) -> PermittedCall | CallResult:
        while isinstance(found, Interruption):
            closed = found if not found.is_open else await self._interruptions.ask(found.ask)
            found = self.resolve(wanted, closed)
        return found

    def _is_permitted(self, wanted: PendingCall, terms: ConsentTerms) -> bool:
        """Return whether the terms permit the call without asking. A call that an exception permits is audited."""
        if terms.ruling is Ruling.EXCEPTED:
            self._audit(wanted, terms, Decider.EXCEPTION)
        return terms.ruling is not Ruling.ASK

    def _terms(self, wanted: PendingCall, *, reaches_out: bool = False) -> ConsentTerms:
        return self._tools.terms(
            wanted.tool, _argument_object(wanted), self._mode, self._origins, reaches_out=reaches_out
        )

    def _is_scoped(self, wanted: PendingCall) -> bool:
        info = self._tools.info(wanted.tool)
        return info is not None and info.is_scoped

    async def _reaches_out(self, wanted: PendingCall) -> bool:
        """Return whether the call reaches beyond the workflow of this run: then the user is asked (AGENTS_AND_TOOLS
        §5).
        """
        if not self._is_scoped(wanted):
            return False
        return await self._tools.reaches_out(wanted.tool, _argument_object(wanted), self._run.workflow_id)

    def _ask(self, wanted: PendingCall, shown: Any) -> InterruptionRequest:
        terms, info = self._terms(wanted), self._tools.info(wanted.tool)
        return InterruptionRequest(
            CONSENT_KIND,
            wanted.step,
            wanted.index,
            schema=info.input_schema if info is not None else None,
            tool=wanted.tool,
            arguments=shown,
            risk=terms.risk,
            call_id=wanted.call_id,
            timeout_ms=terms.timeout_ms,
            default_action=terms.on_timeout,
        )

    async def _is_approved_for_run(self, tool: str) -> bool:
        """Return whether the user approved every call of the tool in this run or in an ancestor."""
        if any(_approves_whole_run(one, tool) for one in self._interruptions.all):
            return True
        while True:
            try:
                return any(_approves_whole_run(one, tool) for one in await self._asked_above())
            except StorageFailed as error:
                if error.code == "unreadable":  # what cannot be read covers nothing
                    return False
                log.warning("run %s waits for the store: %s", self._run.id, error.message)
                await self._clock.sleep(RETRY_S)

    def _audit(
        self, wanted: PendingCall, terms: ConsentTerms, decider: Decider, gate: Interruption | None = None
    ) -> None:
        """Emit an audit entry for the permitted call. It is on disk before an effect of the call."""
        place = location_of(wanted.step, wanted.index)
        entry = AuditEntry(
            audit_id(self._run.id, wanted.call_id),
            self._clock.now(),
            self._run.workflow_id,
            self._run.id,
            self._run.title,
            place.step,
            place.index,
            wanted.call_id,
            wanted.tool,
            terms.risk,
            Decision.APPROVED,
            decider,
            stored_arguments(wanted.arguments),
            scope="once" if gate is not None else None,
            asked_at=gate.created_at if gate is not None else None,
        )
        self._log.emit(writes=[PutAudit(entry)])


def rejected_result(tool: str, why: str) -> CallResult:
    """Return the result of a rejected call; the model reads the reason."""
    error = ErrorInfo("rejected", why, failed_during="tool_execution", tool_name=tool)
    return CallResult(CallStatus.ERROR, error=error)


def _argument_object(wanted: PendingCall) -> Mapping[str, Any]:
    return wanted.arguments if isinstance(wanted.arguments, dict) else {}


def _approves_whole_run(one: Interruption, tool: str) -> bool:
    is_approved = one.status is InterruptionStatus.APPROVED and one.ask.kind is CONSENT_KIND and one.ask.tool == tool
    return is_approved and approval_scope(one.answer) == "run"
