"""Resumes a turn that was interrupted by a crash, a stop or a failed attempt (ENGINE §10).

Finished answers and calls are reused. The text of an unfinished answer becomes a separate interrupted message, and the
answer is requested again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.agents.answers import ModelAnswer, stored_answers, turn_text
from core.agents.turn_record import answer_fact, drop_chunks, final_text
from core.domain.events import Fact
from core.domain.ids import MessageId, new_id
from core.domain.messages import MessageState
from core.domain.progress import progress_of
from core.domain.run import StepStatus
from core.domain.text.stream import TextStream
from core.domain.tool import ToolCall
from core.ports import AgentTurn, Chunk, Clock, RunLog, Storage, Write


@dataclass(frozen=True, slots=True)
class RecoveredTurn:
    """What is left of an interrupted turn: the finished answers and the calls of the ledger."""

    answers: Sequence[ModelAnswer] = ()
    calls: Sequence[ToolCall] = ()


async def recover_turn(turn: AgentTurn, log: RunLog, storage: Storage, clock: Clock) -> RecoveredTurn:
    """Recover what the turn can resume from. Its stream continues at the end of the finished answers.

    On return, text that was cut off is on disk as an interrupted message: exactly once, whatever happens next.
    """
    if turn.is_fresh:
        return RecoveredTurn()
    # Three sources describe the turn, each written at another moment: the facts of its answers and of its calls, and
    # chunks of the text as it was streamed. The answers decide. Text beyond them was on the user's
    # screen, so it is not thrown away: it becomes an interrupted message, and the model is asked again after the last
    # answer. A `cancelled` answer is what a stop left of it; its text is treated like such a rest.
    #
    # Everything goes into one commit together with the removal of the chunks. A crash before the commit leaves the
    # sources as they were, and a crash after it leaves nothing beyond the answers, so recovering twice changes
    # nothing (ENGINE §10).
    run, step_key = turn.run, (turn.key.step, turn.key.index)
    progress = progress_of(run.id, await storage.events.of_run(run.id))
    finished = stored_answers(result for result in progress.results if (result.key.step, result.key.index) == step_key)
    rows = [call for call in progress.calls if (call.step, call.index) == step_key]
    chunks = [chunk for chunk in await storage.chunks.of_run(run.id) if (chunk.step, chunk.index) == step_key]
    answers = [answer for answer in finished if answer.status is not StepStatus.CANCELLED]
    text = turn_text(answers)
    streamed = _streamed(chunks, text)
    rest = turn_text(finished)[len(text) :] or streamed[len(text) :]
    if rest or streamed != text:
        facts, writes = _split_messages(turn, text, rest, clock)
        if len(answers) < len(finished):  # a stop closed the last answer, which is asked for again
            facts.append(answer_fact(turn, len(finished), StepStatus.RUNNING))
        await log.commit(*facts, writes=writes)
    log.resume_stream(turn.key.step, turn.key.index, len(text))
    return RecoveredTurn(answers, rows)


def _streamed(chunks: Iterable[Chunk], text: str) -> str:
    """Join the streamed text of the turn. If a message has replaced the first pieces, `text` stands in for them."""
    stream: TextStream | None = None
    for chunk in chunks:
        stream = TextStream(text[: chunk.offset]) if stream is None else stream
        stream.append(chunk.offset, chunk.text)
    return "" if stream is None else str(stream)


def _split_messages(turn: AgentTurn, text: str, rest: str, clock: Clock) -> tuple[list[Fact], list[Write]]:
    """Make messages of the finished text and of the text that was cut off, which replace the streamed pieces."""
    facts: list[Fact] = []
    writes: list[Write] = [drop_chunks(turn)]
    if rest:
        message_id = MessageId(new_id("msg"))
        fact, rows = final_text(turn, rest, MessageState.INTERRUPTED, clock, separate_id=message_id)
        facts.append(fact)
        writes.extend(rows)
    fact, rows = final_text(turn, text, MessageState.OPEN, clock)
    return [*facts, fact], [*writes, *rows]
