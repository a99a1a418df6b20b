"""What the transcript shows: turns, and the parts that stand in them. Without Qt.

Values compare by what they hold, so that a turn that did not change is not drawn again.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.domain.ids import CallId, MessageId, SubAgentId
from core.domain.messages import MessageState, Role
from core.domain.run import RunStatus, StepStatus
from core.domain.tool import CallStatus


@dataclass(frozen=True, slots=True)
class Text:
    """Something said. Open: more may come at its end."""

    text: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class AttachedText:
    """A text that went along with a message. `text` is None before somebody wanted to see it, `size` its bytes."""

    name: str
    size: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Thought:
    """What a model thought aloud; `seconds` is how long, None while it goes on."""

    text: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CutOff:
    """What stands before this is not whole: a person stopped it, or else it was interrupted; or it is what the answer's
    `warning` says, a code of `AnswerWarned`. `can_retry`: it answered a message, which can be sent again."""

    is_stopped: bool
    warning: str | None = None
    can_retry: bool = False


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A tool call. `target` is what it is about, on one line, or empty; `summary` says what came out of it.
    `is_waiting`: a person has been asked, and it goes on with the answer."""

    id: CallId
    tool: str
    status: CallStatus
    target: str
    arguments: Any
    started_at: datetime
    duration_ms: int | None = None
    summary: str | None = None
    error: str | None = None
    is_waiting: bool = False


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """Calls with nothing said between them."""

    lines: tuple[ToolLine, ...]


@dataclass(frozen=True, slots=True)
class SubAgentLine:
    """A sub-agent; `parts` are what it said and called. `agent` is the stored agent that does its task, if one does.

    `elapsed_s` is None before it has ended: until then the time runs since `started_at`.
    """

    id: SubAgentId
    name: str
    status: StepStatus
    prompt: str
    started_at: datetime
    elapsed_s: float | None = None
    tokens: int = 0
    agent: str | None = None
    parts: tuple[Text | ToolCalls, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SubAgents:
    """Those that one call has begun."""

    lines: tuple[SubAgentLine, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a forEach is."""

    done: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of a template's run. `skipped_value` is what its condition looked at; `text` what its agent says.

    `elapsed_s` is None before it has ended: until then the time runs since `started_at`. `tools` are its last
    calls, after `earlier_calls` that are not shown; those that began `sub_agents` are not among them.
    """

    name: str
    status: StepStatus
    is_skipped: bool = False
    skipped_value: Any = None
    started_at: datetime | None = None
    elapsed_s: float | None = None
    attempts: int = 0
    progress: Progress | None = None
    output: Any = None
    text: str = ""
    error: str | None = None
    tools: tuple[ToolLine, ...] = ()
    earlier_calls: int = 0
    sub_agents: tuple[SubAgentLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """The run of a template, a line a step in template order."""

    status: RunStatus
    lines: tuple[StepLine, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What a template's run gave back: Markdown, or JSON text."""

    text: str


class Phase(StrEnum):
    """What an active run does while it says nothing."""

    QUEUED = "queued"
    THINKING = "thinking"
    CALLING = "calling"
    WAITING = "waiting"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Activity:
    """A run that is at work without a word to show. `tool` is what it is calling."""

    phase: Phase
    since: datetime
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run failed, and when. `code` is for translators, `message` is English, `details` complete them.

    `can_edit`: the run answered a message, which can be written anew; `can_retry`: as it is it may be answered too.
    """

    code: str
    message: str
    step: str | None = None
    during: str | None = None
    tool: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    can_retry: bool = True
    can_edit: bool = False
    at: datetime | None = None


Part = Text | AttachedText | Thought | CutOff | ToolCalls | SubAgents | Steps | Output | Activity | Failure


class Boundary(StrEnum):
    """Why what stands above a turn is not sent to the model any more: it does not fit, or a summary stands for it."""

    ROOM = "room"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation. `author` is an agent or a template; None is whoever plays the role. `model` is
    the language model that speaks, if one does. `boundary`: what is sent to the model begins here.
    `is_answer`: it answers a message, which can be sent again."""

    id: MessageId
    role: Role
    author: str | None
    at: datetime
    state: MessageState
    parts: tuple[Part, ...]
    model: str | None = None
    boundary: Boundary | None = None
    is_answer: bool = False
