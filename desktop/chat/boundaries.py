"""Where in a conversation begins what is sent to the model. Pure."""

from collections.abc import Mapping, Sequence

from core.domain.ids import MessageId
from core.domain.live_run import LiveRun
from core.domain.message import Message
from core.domain.run import RunKind, RunStatus
from core.domain.summary import SUMMARY_TEMPLATE
from desktop.chat.values import Boundary


def boundaries(messages: Sequence[Message], runs: Mapping[MessageId, LiveRun]) -> dict[MessageId, Boundary]:
    """By message: at the newest summary, and after it where the last request began."""
    edges: dict[MessageId, Boundary] = {}
    is_found = False
    for message in reversed(messages):
        run = runs.get(message.id)
        if run is None or run.message_id != message.id:
            continue
        if is_summary(run):
            if run.status is RunStatus.SUCCESS and message.text:
                edges[message.id] = Boundary.SUMMARY
                break
        elif run.kind is RunKind.CHAT and run.last_asked is not None and not is_found:
            is_found = True
            first = run.last_asked.oldest or run.prompt_id
            if run.last_asked.dropped and first is not None:
                edges[first] = Boundary.ROOM
    return edges


def is_summary(run: LiveRun) -> bool:
    """Whether it writes a summary of the conversation."""
    return run.template_id == SUMMARY_TEMPLATE
