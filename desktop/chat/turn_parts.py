"""What the transcript shows: turns and their parts, as values without Qt.

They compare by content, so that an unchanged turn is not laid out again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from core.domain.changed_files import ChangedFile, ShownChange
from core.domain.ids import CallId, MessageId, SubAgentId
from core.domain.messages import Attachment, MessageState, Role
from core.domain.run import RunStatus, StepStatus
from core.domain.tool import CallStatus


@dataclass(frozen=True, slots=True)
class Text:
    """Text of a message. `is_open`: it may still grow."""

    text: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class AttachedText:
    """A text attached to a message, or a file that is neither text nor picture, which has the `hash` of its data.

    `text` is None until it is loaded, empty if the file has none; `size` is in bytes.
    """

    name: str
    size: int
    text: str | None = None
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A stored picture. `width` and `height` are those of its header, 0 if they are not known."""

    name: str
    mime: str
    size: int
    hash: str
    width: int = 0
    height: int = 0

    @classmethod
    def of(cls, about: Attachment) -> Self:
        """Return a stored picture as it is shown."""
        return cls(about.name, about.mime, about.size, about.hash, about.width or 0, about.height or 0)


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures that are shown together."""

    items: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning of a model; `seconds` is its duration, None while it continues."""

    text: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CutOff:
    """A notice that the text before it is incomplete: stopped by the user, interrupted, or with a `warning`, a code of
    `AnswerWarned` with its `details`. `can_retry`: it answers a message that can be sent again.
    """

    is_stopped: bool
    warning: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    can_retry: bool = False


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A tool call. `target` is its main argument on one line, or empty; `summary` describes its result, and `pictures`
    are those that it returned. `is_waiting`: it continues when the user has answered a request.
    """

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
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """Calls with no text between them."""

    lines: tuple[ToolLine, ...]


@dataclass(frozen=True, slots=True)
class SubAgentLine:
    """A sub-agent with its texts and calls as `parts`. `agent` is the stored agent that it runs, if any.

    `elapsed_s` is None until it ends; until then the time counts from `started_at`.
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
    """The sub-agents that a call has started."""

    lines: tuple[SubAgentLine, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a forEach."""

    done: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of a template's run. `skipped_value` is the value that its condition evaluated; `text` is the output of
    its agent.

    `elapsed_s` is None until the step ends; until then the time counts from `started_at`. `tools` are its last calls,
    after `earlier_calls` that are not shown; calls that started `sub_agents` are not among them.
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
    """A template's run, with a line per step in the order of the template."""

    status: RunStatus
    lines: tuple[StepLine, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """The result of a template's run: Markdown, or JSON text."""

    text: str


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file that the run has changed. `shown` has its differences, once they are loaded."""

    file: ChangedFile
    shown: ShownChange | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that a run has changed."""

    lines: tuple[FileLine, ...]


class Phase(StrEnum):
    """What an active run does while it produces no text."""

    QUEUED = "queued"
    THINKING = "thinking"
    CALLING = "calling"
    WAITING = "waiting"
    PAUSED = "paused"
    LOADING = "loading"
    RETRYING = "retrying"


@dataclass(frozen=True, slots=True)
class Activity:
    """Indicates that a run is active while it produces no text. `tool` is the tool it calls, `target` its main argument
    on one line; or `target` has the words of a server that loads, or refused a request that is sent again.
    """

    phase: Phase
    since: datetime
    tool: str | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why and when a run failed. `code` selects the translation, `message` is English, `details` are the remaining
    fields of the error.

    `can_edit`: the run answered a message, which can be edited and sent again; `can_retry`: the message can also be
    sent again unchanged. `is_at_step`: the message stands at the step that failed already.
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
    is_at_step: bool = False


Part = (
    Text
    | AttachedText
    | Pictures
    | Thought
    | CutOff
    | ToolCalls
    | SubAgents
    | Steps
    | Output
    | Changes
    | Activity
    | Failure
)


class Boundary(StrEnum):
    """Why the turns above are no longer sent to the model: they do not fit its context, or a summary replaces them."""

    CONTEXT_LIMIT = "context_limit"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the conversation. `author` is an agent or a template, None for the default of the role; `model` the
    language model that answers. `boundary`: the model's context begins here. `is_answer`: it answers a message, which
    can be sent again.
    """

    id: MessageId
    role: Role
    author: str | None
    at: datetime
    state: MessageState
    parts: tuple[Part, ...]
    model: str | None = None
    boundary: Boundary | None = None
    is_answer: bool = False
