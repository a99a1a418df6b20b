"""What a model is told before it answers: the conversation so far, then the prompt (AGENTS_AND_TOOLS §3).

Messages hold only the text of a turn. Which calls it made, and what came of them, is in its checkpoints and
its ledger. A call that has no result gets one that says so, so that every history is valid.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from core.agents.answers import Answer, answers_of
from core.agents.results import as_messages, result_of
from core.domain.ids import RunId, WorkflowId
from core.domain.json_text import readable
from core.domain.message import Message, MessageState, Role
from core.domain.run import Run, RunKind
from core.domain.sub_agent import is_sub_agent
from core.domain.tool import ToolCall
from core.errors import StorageFailed
from core.ports.agents import AgentTurn
from core.ports.model import ChatMessage
from core.ports.storage import PAGE_ROWS, Storage


async def conversation(storage: Storage, turn: AgentTurn, system_prompt: str) -> list[ChatMessage]:
    """The messages that the turn begins with. A template's agent step has no conversation before its prompt, and a
    sub-agent neither."""
    messages = [ChatMessage("system", system_prompt)] if system_prompt else []
    if turn.run.kind is RunKind.CHAT and turn.place.sub_agent_id is None:
        messages.extend(await _history(storage, turn.run))
    return [*messages, ChatMessage("user", turn.prompt + _shape(turn))]


def _shape(turn: AgentTurn) -> str:
    """What the model is told of the form of its answer, if that has one."""
    if turn.output_schema is None:
        return ""
    return f"\n\nAnswer with one JSON value and nothing else. It has to fit this schema: {readable(turn.output_schema)}"


async def _history(storage: Storage, run: Run) -> list[ChatMessage]:
    """What was said in the workflow before this run, turn by turn."""
    said = list(takewhile(lambda message: message.run_id != run.id, await storage.messages(run.workflow_id)))
    runs = await _runs(storage, run.workflow_id) if said else {}
    history: list[ChatMessage] = []
    for message in said:
        shown = runs.get(message.run_id) if message.run_id is not None else None
        if message.role is Role.USER:
            history.append(ChatMessage("user", message.text))
        elif message.role is Role.ASSISTANT and shown is not None and shown.kind is RunKind.CHAT:
            if message.id == shown.message_id:  # others of its are text that a crash cut off
                history.extend(await _turn(storage, message, shown.id))
        elif message.role is Role.ASSISTANT and message.text and message.state is not MessageState.OPEN:
            history.append(ChatMessage("assistant", message.text))
    return history


async def _turn(storage: Storage, message: Message, run_id: RunId) -> list[ChatMessage]:
    """The answers of an earlier turn with the results of their calls; its text where they cannot be read."""
    try:
        results = await storage.step_results(run_id)
        answers = answers_of(one for one in results if not is_sub_agent(one.key.step))
        rows = [row for row in await storage.tool_calls(run_id) if not is_sub_agent(row.step)]
    except StorageFailed as error:
        if error.code != "unreadable":
            raise
        answers, rows = [], []
    if not answers and message.text:
        return [ChatMessage("assistant", message.text)]
    return list(_answered(answers, rows))


def _answered(answers: Sequence[Answer], rows: Sequence[ToolCall]) -> Iterator[ChatMessage]:
    ledger = {(row.round, row.position): row for row in rows}
    for number, answer in enumerate(answers, 1):
        yield answer.as_message()
        results = [result_of(ledger.get((number, position))) for position in range(1, len(answer.calls) + 1)]
        yield from as_messages([call.id for call in answer.calls], results)


async def _runs(storage: Storage, workflow_id: WorkflowId) -> dict[RunId, Run]:
    """All runs of a workflow."""
    runs: dict[RunId, Run] = {}
    before: RunId | None = None
    while page := await storage.runs(workflow_id=workflow_id, limit=PAGE_ROWS, before=before):
        runs.update({run.id: run for run in page})
        before = page[-1].id
    return runs
