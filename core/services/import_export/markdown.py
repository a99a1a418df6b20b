"""A conversation as Markdown, for reading: the messages, and a line for each tool call. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from core.domain.events import Event
from core.domain.fold import replay
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState, Role
from core.domain.text.json_text import readable_json
from core.domain.text.masking import masked_text
from core.services.import_export.written_form import RunHistory, WorkflowHistory
from core.threads.pieces import Pieces

ARGUMENT_CHARACTERS = 200

_HEADINGS = {Role.USER: "User", Role.ASSISTANT: "Assistant", Role.SYSTEM: "System"}


def conversation_markdown(history: WorkflowHistory) -> Pieces[str]:
    """Return the conversation, without secrets."""
    runs = {each.run.id: each for each in history.runs}
    parts = [f"# {_line(history.workflow.title)}"]
    for message in history.messages:
        run = runs.get(message.run_id) if message.run_id is not None else None
        is_answer = message.role is Role.ASSISTANT
        live = _folded(run.events) if run is not None and is_answer else None
        heading = _HEADINGS[message.role] if live is None or not live.agent else _line(live.agent)
        parts.append(f"## {heading}\n\n*{_time(message.created_at)}*")
        calls = "\n".join(_calls(live)) if live is not None else ""
        parts += [calls] if calls else []
        parts += [masked_text(message.text)] if message.text.strip() else []
        parts += [f"> {line}" for line in _notes(message, run if is_answer else None)]
        yield
    return "\n\n".join(parts) + "\n"


def _folded(events: Sequence[Event]) -> LiveRun | None:
    return replay(events)


def _calls(live: LiveRun) -> Iterator[str]:
    for call in live.calls.values():
        arguments = masked_text(readable_json(call.arguments))
        shown = arguments if len(arguments) <= ARGUMENT_CHARACTERS else f"{arguments[:ARGUMENT_CHARACTERS]}…"
        outcome = call.summary or (call.error or {}).get("message") or ""
        end = f": {_line(masked_text(str(outcome)))}" if outcome else ""
        yield f"- `{call.tool}` {_code(shown)} — {call.status}{end}"


def _notes(message: Message, run: RunHistory | None) -> Iterator[str]:
    for about in message.attachments:
        yield f"Attached: {_line(about.name)} ({about.size:,} bytes)"
    if message.state is not MessageState.FINAL:
        yield "The text was interrupted."
    if run is not None and run.run.error is not None:
        yield f"The run ended with an error: {_line(masked_text(run.run.error.message))}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _code(text: str) -> str:
    """Return the text as inline code, in a fence that nothing in it closes."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    return f"{fence} {_line(text)} {fence}" if longest else f"`{_line(text)}`"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
