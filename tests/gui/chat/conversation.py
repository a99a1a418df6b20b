"""Builders of turns, messages and runs for tests of the chat."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from core.domain import events as facts
from core.domain.events import Event, Fact
from core.domain.fold import replay
from core.domain.ids import CallId, MessageId, RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunKind
from core.domain.tool import CallStatus
from desktop.chat.turn_parts import Part, Text, ToolLine, Turn

NOW = datetime(2026, 11, 27, 14, 2, 40, tzinfo=UTC)
WORKFLOW = WorkflowId("wf_1")


def asked(name: str, text: str) -> Turn:
    """Return a message of the user."""
    return Turn(MessageId(name), Role.USER, None, NOW, MessageState.FINAL, (Text(text),))


def answered(name: str, *parts: str | Part, state: MessageState = MessageState.FINAL) -> Turn:
    """Return an answer of an agent with these parts."""
    made = tuple(Text(part, state is MessageState.OPEN) if isinstance(part, str) else part for part in parts)
    return Turn(MessageId(name), Role.ASSISTANT, "Code agent", NOW, state, made)


def writing(name: str, *parts: str | Part) -> Turn:
    """Return an answer that is still streaming."""
    return answered(name, *parts, state=MessageState.OPEN)


def talk(turns: int, *, of: str = "Some words.") -> list[Turn]:
    """Return a conversation of so many turns, user and agent alternating."""
    return [answered(f"m{n}", f"{of} {n}") if n % 2 else asked(f"m{n}", f"Question {n}") for n in range(turns)]


def call(name: str, tool: str = "read_file", **with_what: Any) -> ToolLine:
    """Return a tool call, completed by default."""
    known: dict[str, Any] = {
        "status": CallStatus.COMPLETED,
        "target": f"{name}.txt",
        "arguments": {"path": f"{name}.txt"},
    }
    return ToolLine(CallId(name), tool, started_at=NOW, **{**known, **with_what})


def run_of(*told: Fact, kind: RunKind = RunKind.CHAT, steps: Sequence[str] = ("answer",)) -> LiveRun:
    """Return the state of a run after these events, a second apart."""
    created = facts.RunCreated(
        kind=kind, title="A title", message_id=MessageId("msg_a"), steps=list(steps), agent="offline"
    )
    seq, events = 0, []
    for number, fact in enumerate((created, facts.RunStarted(), *told)):
        seq += fact.stored
        events.append(Event(RunId("run_1"), WORKFLOW, seq, NOW + timedelta(seconds=number), fact))
    run = replay(events)
    assert run is not None
    return run


def token(text: str, offset: int = 0, step: str = "answer") -> Fact:
    return facts.TokenReceived(text=text, message_id=MessageId("msg_a"), offset=offset, step=step)


def called(name: str, offset: int | None, tool: str = "read_file", step: str = "answer", **arguments: Any) -> Fact:
    return facts.ToolStarted(call_id=CallId(name), tool=tool, arguments=arguments, step=step, round=1, offset=offset)


def ended(name: str, **how: Any) -> Fact:
    known: dict[str, Any] = {"status": CallStatus.COMPLETED, "duration_ms": 5}
    return facts.ToolEnded(call_id=CallId(name), **{**known, **how})


def message_of(run: LiveRun, state: MessageState = MessageState.OPEN) -> Message:
    """Return the run's own message, as the view cache makes it."""
    return Message(run.message_id, WORKFLOW, Role.ASSISTANT, run.content, NOW, state, run.run_id)
