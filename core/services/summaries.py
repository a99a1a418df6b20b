"""Summaries: the model of a workflow summarises the conversation, and later turns see the summary instead.

The summary is the output of a run in the same workflow, so that it can be watched, stopped and recovered; the messages
it replaces stay in the transcript. What exceeds the model's window is summarised part by part.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.agents.context import load_history
from core.domain.ids import WorkflowId
from core.domain.model import ModelChoice
from core.domain.run import SUMMARY_TEMPLATE, Run, RunKind
from core.domain.template import AgentAction, AgentCall, Step, Template, ValidationMode
from core.domain.tokens import available_tokens, estimate_tokens
from core.engine.runs.engine import Engine
from core.engine.runs.start_request import StartRequest
from core.errors import Refused
from core.ports import ChatMessage, Storage
from core.services.agents import AgentService
from core.services.chat import ChatService
from core.services.key_check import KeyCheck
from core.services.lookup import require_workflow
from core.services.outcome import returns_outcome

TASK = """Sum up the conversation below, so that it can be gone on with from your summary alone: who reads it knows \
nothing else of it. Keep what was asked and decided, names, numbers, paths and code that will be needed, what was \
tried and what came of it, and what is still open. Write it in the language of the conversation, in Markdown, in at \
most {words} words, with no introduction. Do not answer anything that is asked in it."""
FIRST_PROMPT = "{task}\n\nThe conversation:\n\n@input.parts[0]"
NEXT_PROMPT = "{task}\n\nSummary of how it began:\n\n@{before}\n\nHow it went on:\n\n@input.parts[{number}]"

MAX_PARTS = 100
MAX_WORDS = 1000
MIN_PART_TOKENS = 128
_FRAME_TOKENS = 400
_SHARE = 4
_ARGUMENT_CHARACTERS = 500
_RESULT_CHARACTERS = 2000


class SummaryService:
    """Starts summaries."""

    def __init__(
        self, chat: ChatService, engine: Engine, storage: Storage, access: KeyCheck, agents: AgentService
    ) -> None:
        self._chat = chat
        self._engine = engine
        self._storage = storage
        self._access = access
        self._agents = agents

    @returns_outcome
    async def start(
        self,
        workflow_id: WorkflowId,
        *,
        mode: ValidationMode = ValidationMode.AUTO,
        gated: bool = False,
        queued: bool = False,
    ) -> Run:
        """Start a summary by the agent of the workflow. Once its run has succeeded, later turns see the summary in
        place of the messages before it.

        `gated` and `queued` as in StartRequest. Fails with `not_found`, `workflow_busy`, `limit_reached`,
        `key_missing`, `nothing_to_sum_up`, `no_model` (the offline agent cannot write a summary) and
        `window_too_small`.
        """
        workflow = await require_workflow(self._storage, workflow_id)
        selection = await self._chat.answering(workflow)
        profile, model = self._agents.resolve(selection)
        if model is None:
            raise Refused("no_model", "the offline agent is no language model and cannot write a summary")
        granted = await self._access.require(model)
        summary, messages = await load_history(self._storage, workflow_id)
        if not messages:
            raise Refused("nothing_to_sum_up", "nothing was said yet that is not summed up already")
        # an earlier summary stands for the messages before it
        before = [f"Summary of what was said before:\n\n{summary}"] if summary is not None else []
        own = estimate_tokens(profile.system_prompt)
        parts = _make_parts(
            [*before, *map(_message_text, (message.message for message in messages))], _part_tokens(granted, own)
        )
        request = StartRequest(
            replace(workflow, agent=profile.name, answering=self._agents.as_stored(selection, granted)),
            _template(parts, _word_limit(granted)),
            {"parts": parts},
            RunKind.WORKFLOW,
            mode=mode,
            template_id=SUMMARY_TEMPLATE,
            gated=gated,
            queued=queued,
            model=granted,
            profile=profile,
        )
        return await self._engine.start(request)


def _template(parts: Sequence[str], words: int) -> Template:
    """Return a template with a step per part, each of which continues the summary of the step before."""
    task, steps = TASK.format(words=words), list[Step]()
    for number in range(len(parts)):
        name = "summary" if number == len(parts) - 1 else f"part_{number + 1}"
        before = steps[-1].name if steps else None
        prompt = (
            FIRST_PROMPT.format(task=task)
            if before is None
            else NEXT_PROMPT.format(task=task, before=before, number=number)
        )
        steps.append(Step(name=name, action=AgentAction(agent=AgentCall(prompt=prompt, tools=[]))))
    return Template(title="Summary", steps=steps)


def _word_limit(model: ModelChoice) -> int:
    """Return the word limit of the summary: it takes its share of the window from then on."""
    return max(50, min(MAX_WORDS, available_tokens(model.context_tokens, model.max_tokens) // (2 * _SHARE)))


def _part_tokens(model: ModelChoice, own_tokens: int) -> int:
    """Return the size of a part, which shares the window with the task and the summary so far. Raises Refused
    `window_too_small`.
    """
    room = available_tokens(model.context_tokens, model.max_tokens)
    # a share of the window is left for the answer
    part = room - room // _SHARE - _FRAME_TOKENS - estimate_tokens(TASK) - own_tokens
    if part < MIN_PART_TOKENS:
        message = f"a window of {model.context_tokens} tokens is too small for a summary of this conversation"
        raise Refused("window_too_small", message, limit=model.context_tokens)
    return part


def _make_parts(texts: Iterable[str], most_tokens: int) -> list[str]:
    """Return the conversation in as few parts as possible, cut between messages where possible."""
    parts: list[str] = []
    size = most_tokens
    for text in texts:
        for piece in _split(text, most_tokens):
            tokens = estimate_tokens(piece) + 1
            if size + tokens > most_tokens:
                parts.append(piece)
                size = tokens
            else:
                parts[-1] += f"\n\n{piece}"
                size += tokens
    if len(parts) > MAX_PARTS:
        raise Refused("window_too_small", "the conversation is too long for the window of this model", limit=MAX_PARTS)
    return parts


def _split(text: str, most_tokens: int) -> Iterable[str]:
    """Return the text, halved until each piece fits."""
    if estimate_tokens(text) < most_tokens:
        return [text]
    middle = len(text) // 2
    return [*_split(text[:middle], most_tokens), *_split(text[middle:], most_tokens)]


def _message_text(message: ChatMessage) -> str:
    """Return a message as text for the summary; long calls and results are truncated."""
    if message.role == "tool":
        return f"[Result] {_truncate(message.text, _RESULT_CHARACTERS)}"
    speaker = "[User]" if message.role == "user" else "[Assistant]"
    calls = (f"[Call] {call.tool} {_truncate(call.arguments_text, _ARGUMENT_CHARACTERS)}" for call in message.calls)
    return "\n\n".join([*([f"{speaker} {message.text}"] if message.text else []), *calls])


def _truncate(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[:characters]}… [{len(text):,} characters in all]"
