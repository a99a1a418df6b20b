"""Taking up a turn that was cut off, by a crash, a stop or a failed attempt (ENGINE §10).

Finished answers and ended calls stand. Text of an answer that was cut off is kept as an interrupted message of
its own, and the answer is asked for again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.agents.answers import ModelAnswer, stored_answers, turn_text
from core.agents.turn_record import answer_key, drop_chunks, final_text
from core.domain.events import Fact
from core.domain.ids import MessageId, new_id
from core.domain.messages import MessageState
from core.domain.run import StepResult, StepStatus
from core.domain.text.stream import TextStream
from core.domain.tool import ToolCall
from core.ports.agents import AgentTurn
from core.ports.clock import Clock
from core.ports.journal import RunLog
from core.ports.storage import Storage
from core.ports.writes import Chunk, PutStepResult, Write


@dataclass(frozen=True, slots=True)
class RecoveredTurn:
    """What an earlier life of a turn has left: the answers to go on from, and the ledger's rows."""

    answers: Sequence[ModelAnswer] = ()
    calls: Sequence[ToolCall] = ()


async def recover_turn(turn: AgentTurn, log: RunLog, storage: Storage, clock: Clock) -> RecoveredTurn:
    """What there is to go on from; the stream stands at the end of its answers.

    On return, text that was cut off is on disk as an interrupted message: once, whatever happens next.
    """
    if turn.fresh:
        return RecoveredTurn()
    run, place = turn.run, (turn.key.step, turn.key.index)
    results = await storage.step_results.of_run(run.id)
    ended = stored_answers(result for result in results if (result.key.step, result.key.index) == place)
    rows = [row for row in await storage.tool_calls.of_run(run.id) if (row.step, row.index) == place]
    chunks = [chunk for chunk in await storage.chunks.of_run(run.id) if (chunk.step, chunk.index) == place]
    answers = [answer for answer in ended if answer.status is not StepStatus.CANCELLED]
    text = turn_text(answers)
    streamed = _streamed(chunks, text)
    cut_off = turn_text(ended)[len(text) :] or streamed[len(text) :]
    if cut_off or streamed != text:
        facts, writes = _apart(turn, text, cut_off, clock)
        if len(answers) < len(ended):  # a stop has closed the last one; it is open again
            again = StepResult(run.id, answer_key(turn, len(ended)), StepStatus.RUNNING)
            writes.append(PutStepResult(again))
        await log.commit(*facts, writes=writes)
    log.resume_stream(turn.key.step, turn.key.index, len(text))
    return RecoveredTurn(answers, rows)


def _streamed(chunks: Iterable[Chunk], text: str) -> str:
    """What the turn has said as it was streamed. A message that stood for the beginning has replaced its pieces."""
    stream: TextStream | None = None
    for chunk in chunks:
        stream = TextStream(text[: chunk.offset]) if stream is None else stream
        stream.append(chunk.offset, chunk.text)
    return "" if stream is None else str(stream)


def _apart(turn: AgentTurn, text: str, cut_off: str, clock: Clock) -> tuple[list[Fact], list[Write]]:
    """What finished answers said, and what was cut off, each as a message that stands for the streamed pieces."""
    facts: list[Fact] = []
    writes: list[Write] = [drop_chunks(turn)]
    if cut_off:
        own_id = MessageId(new_id("msg"))
        fact, rows = final_text(turn, cut_off, MessageState.INTERRUPTED, clock, own_id=own_id)
        facts.append(fact)
        writes.extend(rows)
    fact, rows = final_text(turn, text, MessageState.OPEN, clock)
    return [*facts, fact], [*writes, *rows]
