"""The audit log of consent: who allowed or rejected which call, when and why (AGENTS_AND_TOOLS §6).

There is one entry per closed request for consent, and one per call that needed none because of an earlier decision of
the user. Entries never change; they are deleted after the configured number of days.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.events import iso_time
from core.domain.ids import AuditId, CallId, InterruptionId, RunId, WorkflowId, id_from_key
from core.domain.interruption import Action, Interruption, InterruptionKind, InterruptionStatus, approval_scope
from core.domain.risk import Risk
from core.domain.sub_agent import location_of
from core.domain.text.json_text import decode, encode
from core.domain.text.masking import masked, masked_text

ARGUMENTS_CHARACTERS = 16_000


class Decision(StrEnum):
    """The outcome of a request. `edited`: approved with other arguments. `cancelled`: the run ended before an answer.
    `asked_again`: the request timed out and another followed.
    """

    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    ASKED_AGAIN = "asked_again"


class Decider(StrEnum):
    """What decided: the user, a timeout, an approval for the whole run, a stored exception, or the end of the run."""

    PERSON = "person"
    TIME = "time"
    RUN = "run"
    EXCEPTION = "exception"
    END = "end"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A decision. `title` is that of the run. `scope`: what the user approved it for, `once`, `run` or `always`.

    `arguments_json` is masked, and truncated if long.
    """

    id: AuditId
    at: datetime
    workflow_id: WorkflowId
    run_id: RunId
    title: str
    step: str
    index: int | None
    call_id: CallId | None
    tool: str
    risk: Risk | None
    decision: Decision
    decider: Decider
    arguments_json: str
    scope: str | None = None
    reason: str | None = None
    asked_at: datetime | None = None

    def as_dict(self) -> dict[str, Any]:
        """Convert to the exported form. Truncated arguments are exported as text."""
        try:
            arguments = decode(self.arguments_json)
        except ValueError:
            arguments = self.arguments_json
        return {
            "id": self.id,
            "at": iso_time(self.at),
            "asked_at": iso_time(self.asked_at) if self.asked_at is not None else None,
            "workflow_id": self.workflow_id,
            "run_id": self.run_id,
            "title": self.title,
            "step": self.step,
            "index": self.index,
            "call_id": self.call_id,
            "tool": self.tool,
            "risk": self.risk,
            "decision": self.decision,
            "decider": self.decider,
            "scope": self.scope,
            "reason": self.reason,
            "arguments": arguments,
        }


# Derived, not random: recovery may write the entry of a decision a second time, which then replaces the first.
def audit_id(run_id: RunId, of: CallId | InterruptionId) -> AuditId:
    """Derive the id of the entry for a request, or for a call without a request. It is the same after a crash."""
    return AuditId(id_from_key("aud", f"{run_id} {of}"))


def stored_arguments(arguments: Any) -> str:
    """Encode arguments for the log: masked, and truncated if long."""
    text = encode(arguments)
    if len(text) <= ARGUMENTS_CHARACTERS:
        masked_arguments = masked(arguments)
        return text if masked_arguments is arguments else encode(masked_arguments)
    return f"{masked_text(text[:ARGUMENTS_CHARACTERS])}… ({len(text):,} characters)"


def audit_entry(closed: Interruption, title: str) -> AuditEntry:
    """Build the entry of a closed request for consent."""
    ask, answer = closed.ask, closed.answer
    assert closed.closed_at is not None
    assert ask.tool is not None
    decision, decider = _decision_of(closed)
    location = location_of(ask.step, ask.index)
    is_approved = decision is Decision.APPROVED and decider is Decider.PERSON
    return AuditEntry(
        audit_id(closed.run_id, closed.id),
        closed.closed_at,
        closed.workflow_id,
        closed.run_id,
        title,
        location.step,
        location.index,
        ask.call_id,
        ask.tool,
        ask.risk,
        decision,
        decider,
        stored_arguments(_decided_about(closed, decision)),
        scope=approval_scope(answer) if is_approved else None,
        reason=answer.reason if answer is not None else None,
        asked_at=closed.created_at,
    )


def _decided_about(closed: Interruption, decision: Decision) -> Any:
    """Return the arguments of the call, or the places that it was to access."""
    if closed.ask.kind is InterruptionKind.ACCESS:
        return closed.ask.options
    return closed.answer.value if decision is Decision.EDITED and closed.answer is not None else closed.ask.arguments


_DECISIONS = {
    Action.APPROVE: Decision.APPROVED,
    Action.SUBMIT: Decision.EDITED,
    Action.REJECT: Decision.REJECTED,
    Action.SKIP: Decision.ASKED_AGAIN,
}


def _decision_of(closed: Interruption) -> tuple[Decision, Decider]:
    answer = closed.answer
    if closed.status is InterruptionStatus.CANCELLED or answer is None:
        return Decision.CANCELLED, Decider.END
    decider = Decider.TIME if closed.status is InterruptionStatus.EXPIRED else Decider.PERSON
    return _DECISIONS[answer.action], decider
