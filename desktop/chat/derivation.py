"""Derive the turns of the transcript from stored messages and the live states of their runs.

Pure, and called for every frame of a streaming answer: `TurnCache` derives again only the turns of runs that have not
ended.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from core.domain.changed_files import ShownChange, changed_files
from core.domain.ids import MessageId
from core.domain.live_run import LiveRun
from core.domain.messages import Attachment, AttachmentKind, Message, MessageState, Role
from core.domain.model import is_retryable
from core.domain.run import RunKind, RunStatus
from core.domain.tool import CallStatus
from core.stores.activity_items import target_of
from desktop.chat.run_parts import error_text, is_summary, output_parts, text_parts
from desktop.chat.turn_parts import (
    Activity,
    AttachedText,
    Boundary,
    Changes,
    CutOff,
    Failure,
    FileLine,
    Part,
    Phase,
    Picture,
    Pictures,
    Text,
    Thought,
    Turn,
)

_PHASES = {RunStatus.ENQUEUED: Phase.QUEUED, RunStatus.WAITING: Phase.WAITING, RunStatus.PAUSED: Phase.PAUSED}
_WAITS = {"loading": Phase.LOADING, "retry": Phase.RETRYING}
# Warnings that the transcript has a text for.
ANSWER_WARNINGS = frozenset(
    {
        "length",
        "content_filter",
        "skipped_data",
        "empty_answer",
        "unknown_agent",
        "unknown_server",
        "without_tools",
        "fewer_tools",
        "without_part",
    }
)


_Loaded = tuple[Sequence[str], Sequence[ShownChange]]


class TurnCache:
    """Derives the turns of one conversation after the other, and reuses the turns of runs that have ended."""

    def __init__(self) -> None:
        self._cached: dict[MessageId, tuple[Message, LiveRun | None, _Loaded, Turn]] = {}

    def of(
        self,
        messages: Sequence[Message],
        run_of: Callable[[MessageId], LiveRun | None],
        texts_of: Callable[[MessageId], Sequence[str]] = lambda message_id: (),
        changes_of: Callable[[MessageId], Sequence[ShownChange]] = lambda message_id: (),
    ) -> list[Turn]:
        """Return the turns of the conversation, as `derive_turns` does; a cached turn is the same object as before.
        `texts_of` returns the attached texts of a message, and `changes_of` the changed files of its run, as far as
        they have been loaded.
        """
        before, self._cached = self._cached, {}

        def derive(message: Message, run: LiveRun | None) -> Turn:
            texts = texts_of(message.id) if message.attachments else ()
            changes = changes_of(message.id) if run is not None and run.file_changes else ()
            # a live run changes in place, so that its identity does not show whether the turn is current
            if run is not None and not run.status.is_final:
                return derive_turn(message, run, texts, changes)
            cached = before.get(message.id)
            # a run by identity, since it may be large; a message by value, since stores replace it
            if cached is None or cached[1] is not run or (cached[0], cached[2]) != (message, (texts, changes)):
                cached = message, run, (texts, changes), derive_turn(message, run, texts, changes)
            self._cached[message.id] = cached
            return cached[3]

        return derive_turns(messages, run_of, derive)


def derive_turns(
    messages: Sequence[Message],
    run_of: Callable[[MessageId], LiveRun | None],
    derive: Callable[[Message, LiveRun | None], Turn] | None = None,
) -> list[Turn]:
    """Return the turns of the conversation, oldest first. `derive` makes a turn, as `derive_turn` does.

    Text that a crash interrupted stands before the turn that continued it: it is taken from the run if the run has it,
    else from its own message, never from both.
    """
    runs = {message.id: run for message in messages if (run := run_of(message.id)) is not None}
    has_own_text = {run.run_id for run in runs.values() if run.interrupted_texts}
    turns = []
    for message in messages:
        run = runs.get(message.id)
        if run is None and message.state is MessageState.INTERRUPTED and message.run_id in has_own_text:
            continue
        turns.append((derive or derive_turn)(message, run))
    edges = context_boundaries(messages, runs)
    return [replace(turn, boundary=edges[turn.id]) if turn.id in edges else turn for turn in turns] if edges else turns


def derive_turn(
    message: Message, run: LiveRun | None, texts: Sequence[str] = (), changes: Sequence[ShownChange] = ()
) -> Turn:
    """Return a message as a turn. `run` is the run that is shown in it, if it is loaded; `texts` are the attached
    texts, `changes` the changed files with their differences.
    """
    turn = Turn(message.id, message.role, None, message.created_at, message.state, ())
    if run is None or message.role is not Role.ASSISTANT:
        attached = _attached_parts(message.attachments, texts)
        parts: Iterable[Part] = chain(text_parts(message.text, message.state), attached, _cut_off_parts(message, None))
        return replace(turn, parts=tuple(parts))
    is_template = run.kind is not RunKind.CHAT and not is_summary(run)
    return replace(
        turn,
        parts=tuple(_run_parts(message, run, changes)),
        author=run.workflow_name if is_template else run.agent,
        model=None if is_template else run.model,
        is_answer=run.prompt_id is not None,
    )


def _attached_parts(attachments: Sequence[Attachment], texts: Sequence[str]) -> Iterable[Part]:
    """Yield the pictures together, then the other files."""
    pictures = [about for about in attachments if about.kind is AttachmentKind.PICTURE]
    if pictures:
        yield Pictures(tuple(map(Picture.of, pictures)))
    for number, about in enumerate(attachments):
        if about.kind is not AttachmentKind.PICTURE:
            text = "" if about.kind is AttachmentKind.OTHER else texts[number] if number < len(texts) else None
            yield AttachedText(about.name, about.size, text, about.hash if about.has_data else "")


def _run_parts(message: Message, run: LiveRun, changes: Sequence[ShownChange]) -> Iterable[Part]:
    for text in run.interrupted_texts:
        yield from text_parts(text)
        yield CutOff(is_stopped=False)
    output = list(output_parts(message, run))
    yield from output
    yield from _cut_off_parts(message, run)
    yield from _warning_parts(run)
    if run.status.is_final and (files := changed_files(run.file_changes)):
        shown = {(change.file.path, change.file.before): change for change in changes}
        yield Changes(tuple(FileLine(file, shown.get((file.path, file.before))) for file in files))
    if (activity := _activity(run, output[-1] if output else None)) is not None:
        yield activity
    if run.error is not None:
        yield _failure(run)


def _cut_off_parts(message: Message, run: LiveRun | None) -> Iterable[CutOff]:
    if message.role is Role.ASSISTANT and message.state is MessageState.INTERRUPTED:
        is_stopped = run is not None and run.status is RunStatus.CANCELLED
        yield CutOff(is_stopped, can_retry=is_stopped and run is not None and run.prompt_id is not None)


def _warning_parts(run: LiveRun) -> Iterable[CutOff]:
    """Yield the warnings about the run's answers, each once. Warnings of sub-agents concern no text that is shown
    here.
    """
    own = [warning for warning in run.warnings if warning.get("sub_agent_id") is None]
    warnings = {(str(warning["code"]), str(warning.get("details"))): warning for warning in own}
    for (code, _), warning in warnings.items():
        details = warning.get("details") or {}
        if code in ANSWER_WARNINGS and "calls" not in details:  # their lines say so, and the answer goes on
            yield CutOff(is_stopped=False, warning=code, details=details)


def _activity(run: LiveRun, last: Part | None) -> Activity | None:
    """Return what the run is doing, or None if it has ended or the last part already shows it."""
    if run.status.is_final:
        return None
    began = run.started_at or run.created_at
    if run.status is not RunStatus.RUNNING:
        return Activity(_PHASES[run.status], run.paused_at or began if run.status is RunStatus.PAUSED else began)
    if run.kind is not RunKind.CHAT and not is_summary(run):
        return None
    own = [call for call in run.calls.values() if call.sub_agent_id is None]
    calling = [call for call in own if call.status is CallStatus.RUNNING]
    if calling:
        call = calling[-1]
        return Activity(Phase.CALLING, call.started_at, call.tool, target_of(call.tool, call.arguments))
    if run.wait is not None and run.wait.reason in _WAITS:
        return Activity(_WAITS[run.wait.reason], run.waiting_since or began, target=run.wait.message or "")
    if isinstance(last, Text) or (isinstance(last, Thought) and last.seconds is None):
        return None  # text that streams in shows that the run is active
    return Activity(Phase.THINKING, max((call.started_at for call in own), default=began))


def _failure(run: LiveRun) -> Failure:
    """Return the failure part. The step is given for templates only: the single step of a chat turn has no name that a
    user knows.
    """
    error = run.error or {}
    may_succeed = error.get("failed_during") != "model" or is_retryable(str(error.get("code")), error.get("status"))
    message, failed_step = str(error.get("message", "")), run.steps.get(str(error.get("failed_step")))
    known = {"code", "message", "failed_step", "failed_during", "tool_name"}
    return Failure(
        str(error.get("code", "")),
        message,
        error.get("failed_step") if run.kind is not RunKind.CHAT else None,
        error.get("failed_during"),
        error.get("tool_name"),
        {key: value for key, value in error.items() if key not in known},
        can_retry=run.prompt_id is not None and may_succeed,
        can_edit=run.prompt_id is not None,
        at=run.completed_at,
        is_at_step=run.kind is RunKind.WORKFLOW
        and failed_step is not None
        and error_text(failed_step.error) == message,
    )


def context_boundaries(messages: Sequence[Message], runs: Mapping[MessageId, LiveRun]) -> dict[MessageId, Boundary]:
    """Return by message where the model's context begins: at the newest summary, and at the first message that the last
    request still had room for.
    """
    edges: dict[MessageId, Boundary] = {}
    has_last_request = False
    for message in reversed(messages):
        run = runs.get(message.id)
        if run is None or run.message_id != message.id:
            continue
        if is_summary(run):
            if run.status is RunStatus.SUCCESS and message.text:
                edges[message.id] = Boundary.SUMMARY
                break
        elif run.kind is RunKind.CHAT and run.last_request is not None and not has_last_request:
            has_last_request = True
            first = run.last_request.oldest or run.prompt_id
            if run.last_request.dropped and first is not None:
                edges[first] = Boundary.CONTEXT_LIMIT
    return edges
