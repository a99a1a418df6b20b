"""The interruptions of a run: raised, awaited, answered, expired, cancelled (ENGINE §8).

An interruption is on disk before it is published, and the first answer wins. An open interruption has a row beside its
facts. A step that asks before it runs occupies no task
meanwhile; a call that asks in the middle of its work awaits the answer in its own task.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from core.domain.access import Allowance, RunAccess, allowances_of, covered_requests
from core.domain.audit import audit_entry
from core.domain.checkpoint_items import answer_fields, asked_fields
from core.domain.command_rules import OfferedRule
from core.domain.consent import Permission, exception_setting
from core.domain.events import InterruptionClosed, InterruptionRaised, access_facts, iso_time
from core.domain.ids import CallId, InterruptionId, new_id
from core.domain.interruption import (
    CALL_KINDS,
    CLOSED_STATUS,
    OPEN_STATUS,
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
    approval_scope,
    exact_call,
)
from core.domain.run import Run
from core.domain.text.json_text import encode
from core.domain.text.masking import masked_edit
from core.engine.interruptions.answers import already_answered
from core.engine.log.run_journal import RunJournal
from core.ports import Clock, CloseInterruption, PutAudit, PutSetting, RaiseInterruption, Write

_AskKey = tuple[str, int | None, CallId | None]
_Place = tuple[str, int | None]

_RUN = ""  # in the place of the step: what concerns the whole run is asked once, whoever comes to it first

MAX_EXPIRY_WAIT_S = 10.0  # the wall clock may jump, and monotonic time stands still while the machine sleeps


class Interruptions:
    """The interruptions of a run.

    Callbacks: `on_changed` when a call starts waiting, or stops without an answer; `on_closed`, at once, with each
    interruption that is closed by an answer or by expiry; `on_always` with a tool that the user has approved for good,
    once that is on disk; `on_allowed` with the places that the user allowed from now on. `sub_agent_name` returns the
    name of the sub-agent whose id stands in the place of a step's name. What is allowed is added to `access`.
    """

    def __init__(
        self,
        run: Run,
        log: RunJournal,
        clock: Clock,
        known: Iterable[Interruption],
        on_changed: Callable[[], None] = lambda: None,
        on_closed: Callable[[Interruption], None] = lambda closed: None,
        on_always: Callable[[str, Permission], None] = lambda tool, permission: None,
        sub_agent_name: Callable[[str], str | None] = lambda step: None,
        access: RunAccess | None = None,
        on_allowed: Callable[[Sequence[Allowance]], None] = lambda allowed: None,
    ) -> None:
        self._run = run
        self._log = log
        self._clock = clock
        self._on_changed = on_changed
        self._on_closed = on_closed
        self._on_always = on_always
        self._sub_agent_name = sub_agent_name
        self._access = access or RunAccess()
        self._on_allowed = on_allowed
        self._all: dict[InterruptionId, Interruption] = {}
        self._by_key: dict[_AskKey, list[InterruptionId]] = {}
        for interruption in known:
            self._add(interruption)
        self._unmasked: dict[InterruptionId, Any] = {}
        self._arguments_known: dict[InterruptionId, asyncio.Future[None]] = {}
        self._waiting: dict[InterruptionId, dict[_Place, asyncio.Future[Interruption]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        log.on_call_ended = self._on_call_ended

    @property
    def all(self) -> list[Interruption]:
        """All interruptions, in the order in which they were raised."""
        return list(self._all.values())

    @property
    def open(self) -> list[Interruption]:
        """The unanswered interruptions, in the order in which they were raised."""
        return [interruption for interruption in self._all.values() if interruption.is_open]

    @property
    def waiting_calls(self) -> set[tuple[str, int | None]]:
        """Step and iteration of the calls that wait for an answer in the middle of their work."""
        return {place for waiters in self._waiting.values() for place in waiters}

    def find(
        self,
        kinds: Iterable[InterruptionKind],
        step: str,
        index: int | None = None,
        *,
        attempt: int | None = None,
        call_id: CallId | None = None,
    ) -> Interruption | None:
        """Return the newest interruption of these kinds at that step, iteration and call, open or closed."""
        for known_id in reversed(self._by_key.get((step, index, call_id), ())):
            interruption = self._all[known_id]
            if interruption.ask.kind in kinds and attempt in (None, interruption.ask.attempt):
                return interruption
        return None

    def _add(self, interruption: Interruption) -> None:
        ask = interruption.ask
        self._all[interruption.id] = interruption
        self._by_key.setdefault((*_asking_place(ask), ask.call_id), []).append(interruption.id)

    def keep_arguments(self, interruption: Interruption, arguments: Any) -> None:
        """Keep the arguments that the interruption asks about, unmasked, as long as it is open. Later arguments for the
        same interruption change nothing: what was shown is what runs.
        """
        if interruption.is_open and arguments is not None:
            self._unmasked.setdefault(interruption.id, arguments)
            self._end_wait_for_arguments(interruption)

    async def wait_for_arguments(self, interruption: Interruption) -> Any:
        """Return the arguments that the interruption asks about, unmasked. After a restart, wait until the call has
        come to its request again; None if the request is closed before.
        """
        if interruption.id not in self._unmasked and self._all[interruption.id].is_open:
            known = self._arguments_known.setdefault(interruption.id, asyncio.get_running_loop().create_future())
            await asyncio.shield(known)
        return self._unmasked.get(interruption.id)

    def _end_wait_for_arguments(self, interruption: Interruption) -> None:
        known = self._arguments_known.pop(interruption.id, None)
        if known is not None and not known.done():
            known.set_result(None)

    def arguments_of(self, interruption: Interruption) -> Any:
        """Return the arguments that the interruption asks about, unmasked; None if they are not known here."""
        return self._unmasked.get(interruption.id)

    def take_arguments(self, interruption: Interruption) -> Any:
        """Return the same, and keep them no longer."""
        return self._unmasked.pop(interruption.id, None)

    def require_open(self, interruption: Interruption) -> None:
        """Raise Refused `already_answered` unless the interruption is open."""
        if not self._all[interruption.id].is_open:
            raise already_answered(self._all[interruption.id])

    def raise_(self, ask: InterruptionRequest) -> Interruption:
        """Commit a new interruption; it is published once it is on disk."""
        unmasked, ask = ask.unmasked, replace(ask, sub_agent_name=self._sub_agent_name(ask.step), unmasked=None)
        now = self._clock.now()
        expires_at = now + timedelta(milliseconds=ask.timeout_ms) if ask.timeout_ms is not None else None
        raised = Interruption(
            InterruptionId(new_id("int")),
            self._run.id,
            self._run.workflow_id,
            ask,
            OPEN_STATUS[ask.kind],
            self._log.next_seq,
            now,
            expires_at,
        )
        self._add(raised)
        self.keep_arguments(raised, unmasked)
        expiry = {"expires_at": iso_time(expires_at), "default_action": raised.default_action} if expires_at else {}
        shown = raised.fields()
        fact = InterruptionRaised(**shown, **expiry, asked=asked_fields(ask, shown))
        self._log.commit(fact, writes=[RaiseInterruption(raised)])
        self.schedule_expiry()
        return raised

    async def ask(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        """Raise the interruption and wait until it is closed (`core.ports.agents.Asker`).

        An interruption that was raised before for the same call is used again; with `anew` only while it is open.
        """
        interruption = self.find([ask.kind], *_asking_place(ask), attempt=ask.attempt, call_id=ask.call_id)
        if interruption is None or (anew and not interruption.is_open):
            interruption = self.raise_(ask)
        self.keep_arguments(interruption, ask.unmasked)
        if not interruption.is_open:
            return interruption
        place = ask.step, ask.index
        waiters = self._waiting.setdefault(interruption.id, {})
        future = waiters.setdefault(place, asyncio.get_running_loop().create_future())
        self._on_changed()
        try:
            return await future
        finally:
            waiters.pop(place, None)

    def answer(self, interruption: Interruption, answer: Answer) -> None:
        """Close the interruption with an answer that its kind accepts. Raises Refused `already_answered`."""
        self.require_open(interruption)
        self._close(interruption, CLOSED_STATUS[interruption.ask.kind][answer.action], answer)

    def expire(self) -> None:
        """Close the expired interruptions with their default action."""
        now = self._clock.now()
        for interruption in self.open:
            if interruption.expires_at is not None and interruption.expires_at <= now:
                self._close(interruption, InterruptionStatus.EXPIRED, Answer(interruption.default_action))
        self.schedule_expiry()

    def cancel_open(self) -> None:
        """Cancel what is open, because the run is over. Calls that wait in the run are not resumed."""
        self.close()
        for interruption in self.open:
            self._close(interruption, InterruptionStatus.CANCELLED, None)

    def _on_call_ended(self, call_id: CallId) -> None:
        """Cancel what was asked in the middle of the call: nothing reads an answer any more.

        The run may have been waiting for that alone, so the change is reported.
        """
        for interruption in self.open:
            if interruption.ask.call_id is not None and interruption.ask.call_id.startswith(f"{call_id} "):
                self._close(interruption, InterruptionStatus.CANCELLED, None)
                self._on_changed()

    def schedule_expiry(self) -> None:
        """Schedule the next expiry check: at the next expiry, or earlier, since the wall clock may jump."""
        self.close()
        due = min(
            (interruption.expires_at for interruption in self.open if interruption.expires_at is not None), default=None
        )
        if due is not None:
            self._timer = asyncio.get_running_loop().call_later(self._delay_to(due), self.expire)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _delay_to(self, due: datetime) -> float:
        return min(MAX_EXPIRY_WAIT_S, max(0.0, (due - self._clock.now()).total_seconds()))

    def _close(self, interruption: Interruption, status: InterruptionStatus, answer: Answer | None) -> None:
        now = self._clock.now()
        closed = interruption.closed(status, answer, now)
        self._all[interruption.id] = closed
        self._end_wait_for_arguments(closed)
        self._commit_closed(closed)
        self._allow(closed)
        if status is InterruptionStatus.CANCELLED:  # the waiting call is cancelled with its task, and reads no answer
            self._unmasked.pop(interruption.id, None)
            return
        for waiting in self._waiting.pop(interruption.id, {}).values():
            if not waiting.done():
                waiting.set_result(closed)
        self._on_closed(closed)

    def _allow(self, closed: Interruption) -> None:
        """Apply what the answer allows, to this run and those below, and to the other requests that ask for it."""
        allowed = allowances_of(closed)
        self._access.add(allowed)
        if lasting := [allowance for allowance in allowed if allowance.call_id is None]:
            self._on_allowed(lasting)
            self.settle_covered(lasting)

    def settle_covered(self, allowed: Sequence[Allowance]) -> None:
        """Grant the open requests for access that ask for nothing more than what was allowed from now on."""
        for request in covered_requests(self.open, allowed):
            if self._all[request.id].is_open:  # the grant of another may have closed it
                self._close(request, InterruptionStatus.APPROVED, Answer(Action.APPROVE))

    def _commit_closed(self, closed: Interruption) -> None:
        """Commit how the interruption was closed: a consent request without secrets, with its audit entry and
        exception.
        """
        ask, answer = closed.ask, closed.answer
        is_consent = ask.kind in CALL_KINDS
        if is_consent and answer is not None:
            answer = replace(answer, value=masked_edit(answer.value, self.arguments_of(closed)))
        writes: list[Write] = [CloseInterruption(self._run.id, closed.id)]
        is_approval = ask.kind is InterruptionKind.TOOL_APPROVAL
        always = _exception_name(ask, approval_scope(answer)) if is_approval else None
        if is_consent:
            writes.append(PutAudit(audit_entry(closed, self._run.title)))
        if always is not None:
            writes.append(PutSetting(exception_setting(always), encode(Permission.of(ask).stored())))
        fact = InterruptionClosed(
            id=closed.id,
            kind=ask.kind,
            status=closed.status,
            answer=None if answer is None else answer_fields(answer),
        )
        written = self._log.commit(fact, *access_facts(allowances_of(closed), closed.id), writes=writes)
        if always is not None:
            written.add_done_callback(lambda _: self._on_always(always, Permission.of(ask)))


def _asking_place(ask: InterruptionRequest) -> _Place:
    """Return where an interruption of that kind is found again."""
    return (_RUN, None) if ask.kind is InterruptionKind.SPENDING else (ask.step, ask.index)


def _exception_name(ask: InterruptionRequest, scope: str | None) -> str | None:
    """Return the name of the exception that an approval of this scope makes, or None if it makes none."""
    if exact_call(ask) is None:
        return ask.tool if scope == "always" else None
    rule = OfferedRule.parse(ask.options)
    return rule.name(scope) if rule is not None else None
