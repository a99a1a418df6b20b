"""What a dead process left in the middle of an agent's step, and how it is closed where nobody goes on with it."""

from dataclasses import dataclass
from datetime import datetime

from core.domain.events import Fact, MessageAdded
from core.domain.message import Message, MessageState, Role
from core.domain.run import Run, RunKind
from core.domain.step import StepKey
from core.domain.tool import ToolCall, cut_off_call
from core.ports.storage import DropChunks, PutMessage, PutToolCall, Write


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Calls that were at work, and the text that was streamed so far; None if no piece of it is left."""

    calls: tuple[ToolCall, ...] = ()
    text: str | None = None

    def closed(self, run: Run, key: StepKey, now: datetime) -> tuple[list[Fact], list[Write]]:
        """The calls as cancelled, and the text as it stood, whole (ENGINE §10, AGENTS_AND_TOOLS §3)."""
        facts: list[Fact] = []
        writes: list[Write] = [PutToolCall(cut_off_call(call)) for call in self.calls]
        if self.text is not None:
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
        return facts, writes


NOTHING = LeftOpen()
