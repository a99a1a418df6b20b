"""What a model reads before it answers: the system prompt, the conversation so far, the prompt (AGENTS_AND_TOOLS §2,
§3).

Message rows hold only the text of a turn; its calls and their results are in its checkpoints and its ledger. A call
without a result gets an error as its result, so that every history is valid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from core.agents.answers import ModelAnswer, stored_answers
from core.agents.results import stored_result, tool_messages
from core.domain.access import RunAccess
from core.domain.ids import CallId, MessageId, RunId, WorkflowId
from core.domain.messages import AttachedText, Message, MessageState, Role, from_input, with_attachments
from core.domain.progress import progress_of
from core.domain.run import SUMMARY_TEMPLATE, Run, RunKind, RunStatus
from core.domain.sub_agent import is_sub_agent
from core.domain.text.json_text import readable_json
from core.domain.tool import ToolCall
from core.errors import StorageFailed
from core.ports import PAGE_ROWS, AgentTurn, ChatMessage, Storage

SUMMARY_PROMPT = "What was said in this conversation before, as a summary:\n\n{}"


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """A message of the history, and the stored message that it comes from."""

    source: MessageId
    message: ChatMessage


@dataclass(frozen=True, slots=True)
class Conversation:
    """The start of a turn: `system` messages, the history oldest first, and the prompt."""

    system: Sequence[ChatMessage]
    history: Sequence[HistoryMessage]
    prompt: ChatMessage

    @property
    def messages(self) -> list[ChatMessage]:
        """All messages, in order."""
        return [*self.system, *(entry.message for entry in self.history), self.prompt]

    def oldest_sent(self, dropped: int) -> MessageId | None:
        """Find the stored message at which the history begins if the first `dropped` messages are left out.

        None if none is left out, or all are.
        """
        return self.history[dropped].source if 0 < dropped < len(self.history) else None


async def load_conversation(storage: Storage, turn: AgentTurn, system_prompt: str) -> Conversation:
    """Load the start of the turn. Template steps and sub-agents have no history before their prompt.

    For a language model, the newest summary replaces everything before it.
    """
    system = [ChatMessage("system", system_prompt)] if system_prompt else []
    history: list[HistoryMessage] = []
    prompt = turn.prompt
    if turn.run.kind is RunKind.CHAT and turn.location.sub_agent_id is None:
        summary, history = await load_history(
            storage, turn.run.workflow_id, turn.run.id, with_summary=turn.snapshot.model is not None
        )
        system += [ChatMessage("system", SUMMARY_PROMPT.format(summary))] if summary is not None else []
        prompt = with_attachments(prompt, from_input(turn.snapshot.input))
    return Conversation(system, history, ChatMessage("user", prompt + _shape(turn)))


async def _with_texts(storage: Storage, message: Message, text: str) -> str:
    """Append the attachments of a user message."""
    if not message.attachments:
        return text
    texts = await storage.messages.attached_texts(message.workflow_id, message.id)
    return with_attachments(text, [AttachedText(*pair) for pair in zip(message.attachments, texts, strict=False)])


def _shape(turn: AgentTurn) -> str:
    """Describe the form of the answer, if the turn requires one."""
    if turn.output_schema is None:
        return ""
    schema = readable_json(turn.output_schema)
    return f"\n\nAnswer with one JSON value and nothing else. It has to fit this schema: {schema}"


async def load_history(
    storage: Storage, workflow_id: WorkflowId, before: RunId | None = None, *, with_summary: bool = True
) -> tuple[str | None, list[HistoryMessage]]:
    """Load the history of a workflow before that run, or until now: the newest summary, and the messages after it.

    Without `with_summary`, all messages are returned and summaries are left out.
    """
    messages = list(
        takewhile(lambda message: message.run_id != before, await storage.messages.of_workflow(workflow_id))
    )
    runs = await _runs(storage, workflow_id) if messages else {}
    summary: str | None = None
    history: list[HistoryMessage] = []
    for message in messages:
        run = runs.get(message.run_id) if message.run_id is not None else None
        if run is not None and run.template_id == SUMMARY_TEMPLATE:
            if with_summary and run.status is RunStatus.SUCCESS and message.id == run.message_id and message.text:
                summary = message.text
                history.clear()
        elif message.role is Role.USER:
            text = await _with_texts(storage, message, message.text)
            history.append(HistoryMessage(message.id, ChatMessage("user", text)))
        elif message.role is Role.ASSISTANT and run is not None and run.kind is RunKind.CHAT:
            if message.id == run.message_id:  # its other messages are text that a crash cut off
                history += [
                    HistoryMessage(message.id, answer_message)
                    for answer_message in await _turn(storage, message, run.id)
                ]
        elif message.role is Role.ASSISTANT and message.text and message.state is not MessageState.OPEN:
            history.append(HistoryMessage(message.id, ChatMessage("assistant", message.text)))
    return summary, history


async def _turn(storage: Storage, message: Message, run_id: RunId) -> list[ChatMessage]:
    """Load the answers of an earlier turn with their call results; only its text if its rows cannot be read."""
    try:
        progress = progress_of(run_id, await storage.events.of_run(run_id))
        answers = stored_answers(result for result in progress.results if not is_sub_agent(result.key.step))
        rows = [call for call in progress.calls if not is_sub_agent(call.step)]
    except StorageFailed as error:
        if error.code != "unreadable":
            raise
        answers, rows = [], []
    if not answers and message.text:
        return [ChatMessage("assistant", message.text)]
    return await _answered(answers, rows)


async def _answered(answers: Sequence[ModelAnswer], rows: Sequence[ToolCall]) -> list[ChatMessage]:
    messages: list[ChatMessage] = []
    ledger = {(row.round, row.position): row for row in rows}
    for number, answer in enumerate(answers, 1):
        messages.append(answer.as_message())
        results = [await stored_result(ledger.get((number, position))) for position in range(1, len(answer.calls) + 1)]
        messages.extend(await tool_messages([call.id for call in answer.calls], results))
    return messages


async def _runs(storage: Storage, workflow_id: WorkflowId) -> dict[RunId, Run]:
    """Load all runs of a workflow."""
    runs: dict[RunId, Run] = {}
    before: RunId | None = None
    while page := await storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS, before=before):
        runs.update({run.id: run for run in page})
        before = page[-1].id
    return runs


_INTRODUCTION = """\
You are an assistant in Metier, an app that runs AI workflows on a person's own machine. Today is {date}.
Use the tools you are given where they help, and only those. Say plainly what you could not do."""
_SUB_AGENT_TASK = """\
Another agent has given you a task. It reads your last answer and nothing else: say there all that it has to
know."""
_FOLDERS = "File tools reach these folders and files{}; relative paths start at the first: {}."
_ONLY = ", and nothing else"
_READ_ONLY = "Of these, they may only read: {}."
_NO_FOLDERS = "No folder is open to the file tools in this run."
_ASKED = " If you need more, call a tool with the absolute path or the address: the user is asked to allow it."
_ORIGINS = "Of addresses that are not public, http_fetch reaches these: {}."


def build_system_prompt(turn: AgentTurn, now: datetime, *, asks_for_access: bool = False) -> str:
    """Build the system prompt of a turn: its surroundings, then the agent's own instructions. Built for each turn.

    `asks_for_access`: the user is asked for what a call may not access.
    """
    access = (turn.access or RunAccess(turn.snapshot.allow)).of_call(CallId(""))
    allow, origins = access.folders, access.origins
    folders = _FOLDERS.format("" if asks_for_access else _ONLY, ", ".join(allow)) if allow else _NO_FOLDERS
    if read_only := [folder for folder in allow if folder in access.read_only]:
        folders += f" {_READ_ONLY.format(', '.join(read_only))}"
    folders += _ASKED if asks_for_access else ""
    private = f" {_ORIGINS.format(', '.join(origins))}" if origins else ""
    profile = turn.snapshot.profile
    instructions = f"\n\n{profile.system_prompt}" if profile is not None and profile.system_prompt.strip() else ""
    recording = f"\n{turn.recorder.guide}" if turn.recorder.guide else ""
    task = f"\n{_SUB_AGENT_TASK}" if turn.location.sub_agent_id is not None else ""
    return f"{_INTRODUCTION.format(date=f'{now:%A, %d %B %Y}')}{task}\n{folders}{private}{recording}{instructions}"
