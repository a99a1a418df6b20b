"""The work that a process left unfinished in an agent's step, and how it is closed where no process continues it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.domain.events import Fact, MessageAdded, SubAgentFinished, SubAgentText
from core.domain.ids import SubAgentId
from core.domain.messages import Message, MessageState, Role
from core.domain.run import Run, RunKind, StepKey, StepResult, StepStatus
from core.domain.sub_agent import SubAgentRecord, location_of
from core.domain.tool import ToolCall, interrupted_call
from core.ports.writes import DropChunks, PutMessage, PutStepResult, PutToolCall, Write


@dataclass(frozen=True, slots=True)
class InterruptedWork:
    """Calls that were in progress, and the text streamed so far; None if no piece of it is stored.

    For a sub-agent, also its `row`; `below` is the interrupted work of its own sub-agents.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str | None = None
    row: StepResult | None = None
    below: Mapping[StepKey, "InterruptedWork"] = field(default_factory=dict)

    def closed(self, run: Run, key: StepKey, now: datetime) -> tuple[list[Fact], list[Write]]:
        """Return the facts and rows that cancel the calls and keep the text as it is (ENGINE §10, AGENTS_AND_TOOLS
        §3).
        """
        facts: list[Fact] = []
        writes: list[Write] = []
        for its_key, left in self.below.items():
            its_facts, its_writes = left.closed(run, its_key, now)
            facts += its_facts
            writes += its_writes
        writes += [PutToolCall(interrupted_call(call)) for call in self.calls]
        sub_agent_id = location_of(key.step).sub_agent_id
        if self.text is not None and sub_agent_id is not None:
            facts.append(SubAgentText(sub_agent_id=sub_agent_id, text=self.text))
            writes.append(DropChunks(run.id, key.step, key.index))
        elif self.text is not None:
            facts.append(
                MessageAdded(
                    role=Role.ASSISTANT, text=self.text, message_id=run.message_id, step=key.step, index=key.index
                )
            )
            writes.append(DropChunks(run.id, key.step, key.index))
            if run.kind is RunKind.CHAT:
                state = MessageState.INTERRUPTED
                row = Message(run.message_id, run.workflow_id, Role.ASSISTANT, self.text, now, state, run.id)
                writes.append(PutMessage(row))
        if self.row is not None and sub_agent_id is not None:
            ended = replace(self.row, status=StepStatus.CANCELLED, finished_at=now)
            facts.append(sub_agent_finished(ended))
            writes.append(PutStepResult(ended))
        return facts, writes


NO_INTERRUPTED_WORK = InterruptedWork()


def sub_agent_finished(row: StepResult) -> SubAgentFinished:
    """Return the fact that a sub-agent has ended as its row states."""
    note = SubAgentRecord.from_json(row.output_json)
    took = row.finished_at - row.started_at if row.finished_at is not None and row.started_at is not None else None
    return SubAgentFinished(
        sub_agent_id=SubAgentId(row.key.step),
        status=row.status,
        duration_ms=0 if took is None else max(0, round(took.total_seconds() * 1000)),
        input_tokens=note.input_tokens,
        output_tokens=note.output_tokens,
        cost=note.cost,
        error=row.error.as_dict() if row.error is not None else None,
    )
