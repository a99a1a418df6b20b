"""Records the text of a turn: streams it, stores it answer by answer, and closes it on every way out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from core.agents.answers import PARAGRAPH, ModelAnswer, turn_text
from core.agents.thoughts import ThoughtRecorder
from core.agents.window import FittedContext
from core.domain.events import (
    AnswerSaved,
    AnswerWarned,
    Fact,
    MessageAdded,
    ModelAsked,
    ModelWaited,
    SubAgentText,
    UsageReported,
)
from core.domain.ids import MessageId
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunKind, StepStatus
from core.domain.sub_agent import SubAgentRecord
from core.domain.tokens import estimate_tokens
from core.ports import (
    AgentTurn,
    CallRequest,
    Clock,
    CutOffReason,
    DropChunks,
    PutMessage,
    Replay,
    RunLog,
    Usage,
    WaitStatus,
    Write,
)


class TurnRecord:
    """The text of a turn with its answers. `answers` come from a previous process."""

    def __init__(self, turn: AgentTurn, log: RunLog, clock: Clock, answers: Iterable[ModelAnswer]) -> None:
        self._turn = turn
        self._log = log
        self._clock = clock
        self._answers = list(answers)
        self._length = len(turn_text(self._answers))
        self._pieces: list[str] | None = None
        self._first_piece_at: float | None = None
        self._thoughts = ThoughtRecorder(turn, log, clock, lambda: self._length)

    def answer(self, number: int) -> ModelAnswer | None:
        """Return the answer of that number, from 1, if it is finished."""
        return self._answers[number - 1] if number <= len(self._answers) else None

    def offset(self, number: int) -> int:
        """Count the characters of the turn up to the end of that answer."""
        return len(turn_text(self._answers[:number]))

    def ask(self, fitted: FittedContext, oldest: MessageId | None, room_tokens: int | None) -> None:
        """Emit the request that the model is about to receive."""
        is_chat = self._turn.run.kind is RunKind.CHAT
        self._log.emit(
            ModelAsked(
                **asdict(self._turn.location),
                tokens=fitted.tokens if is_chat else None,
                fixed_tokens=fitted.fixed if is_chat else None,
                room_tokens=room_tokens if is_chat else None,
                dropped=fitted.dropped,
                oldest=oldest,
            )
        )

    def begin_answer(self) -> None:
        """Start an answer."""
        self._pieces = []
        self._first_piece_at = None

    @property
    def _elapsed_ms(self) -> int | None:
        """The time since the first piece of the answer; None before it."""
        return None if self._first_piece_at is None else round((self._clock.monotonic() - self._first_piece_at) * 1000)

    def stream_text(self, text: str) -> None:
        """Stream a piece of the current answer. Each answer begins a paragraph."""
        assert self._pieces is not None
        if not text:
            return
        self._thoughts.end()
        self._mark_first_piece()
        streamed = PARAGRAPH + text if self._length and not self._pieces else text
        self._pieces.append(text)
        self._length += len(streamed)
        self._log.stream(self._turn.key.step, self._turn.key.index, streamed)

    def show_reasoning(self, text: str) -> None:
        """Show a piece of the model's reasoning."""
        if text:
            self._mark_first_piece()
            self._thoughts.add(text)

    def make_reasoning(self, text: str) -> None:
        """Take the text of the current answer back, since it turned out to be this reasoning."""
        self._pieces = []
        before = turn_text(self._answers)
        self._length = len(before)
        fact, writes = final_text(self._turn, before, MessageState.OPEN, self._clock)
        self._log.emit(fact, writes=[*writes, drop_chunks(self._turn)])
        self._log.resume_stream(self._turn.key.step, self._turn.key.index, self._length)
        self.show_reasoning(text)

    def _mark_first_piece(self) -> None:
        if self._first_piece_at is None:
            self._first_piece_at = self._clock.monotonic()

    def warn(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        """Emit a warning about the answer."""
        location = asdict(self._turn.location)
        self._log.emit(AnswerWarned(code=code, message=message, details=details and dict(details), **location))

    def report_usage(self, usage: Usage) -> None:
        """Emit the token usage of the answer. For a sub-agent, its record counts it too."""
        input_tokens, output_tokens, cost = usage.input_tokens, usage.output_tokens, usage.cost
        sub_agent_id = self._turn.location.sub_agent_id
        if sub_agent_id is not None and (row := self._turn.sub_agents.rows.get(sub_agent_id)) is not None:
            row = replace(
                row,
                output_json=SubAgentRecord.from_json(row.output_json)
                .with_usage(input_tokens, output_tokens, cost)
                .as_json(),
            )
            self._turn.sub_agents.rows[sub_agent_id] = row
        self._log.emit(
            UsageReported(
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cost=cost,
                elapsed_ms=self._elapsed_ms,
                said_tokens=estimate_tokens("".join(self._pieces or ())),
                sub_agent_id=sub_agent_id,
                cached_tokens=usage.cached_tokens,
                cache_write_tokens=usage.cache_write_tokens,
            )
        )

    def report_wait(self, waiting: WaitStatus) -> None:
        """Emit that nothing has arrived for a while."""
        self._thoughts.save()
        self._log.emit(
            ModelWaited(
                **asdict(self._turn.location),
                reason=waiting.reason,
                waited_s=round(waiting.waited_s, 3),
                limit_s=round(waiting.limit_s, 3),
                attempt=waiting.attempt,
                message=waiting.message,
            )
        )

    def finish_answer(
        self, calls: Sequence[CallRequest], replay: Replay | None = None, cut_off: CutOffReason | None = None
    ) -> ModelAnswer:
        """Finish the answer. It is on disk before anything that follows leaves the process."""
        self._thoughts.end()
        return self._store_answer(calls, StepStatus.COMPLETED, replay, cut_off)

    def close(self, status: StepStatus) -> None:
        """Store the text at any end of the turn: an unfinished answer as cut off, and the text as a whole.

        Does not wait; the commit of the step's end takes it to disk.
        """
        self._thoughts.end()
        if self._pieces is not None and (self._pieces or status is StepStatus.ERROR):
            self._store_answer((), status)
        state = MessageState.INTERRUPTED if status is StepStatus.CANCELLED else MessageState.FINAL
        fact, writes = final_text(self._turn, turn_text(self._answers), state, self._clock)
        self._log.emit(fact, writes=[*writes, drop_chunks(self._turn)])

    def _store_answer(
        self,
        calls: Sequence[CallRequest],
        status: StepStatus,
        replay: Replay | None = None,
        cut_off: CutOffReason | None = None,
    ) -> ModelAnswer:
        answer = ModelAnswer("".join(self._pieces or ()), tuple(calls), status, replay=replay, cut_off=cut_off)
        self._pieces = None
        self._answers.append(answer)
        self._log.emit(answer_fact(self._turn, len(self._answers), status, answer.as_dict()))
        return answer


def answer_fact(turn: AgentTurn, number: int, status: StepStatus, content: dict[str, Any] | None = None) -> AnswerSaved:
    """Return the fact that the answer of that number, from 1, has ended so; `running`: it is asked for again."""
    return AnswerSaved(**asdict(turn.location), round=number, status=status, content=content)


def drop_chunks(turn: AgentTurn) -> DropChunks:
    """Return the removal of the streamed chunks of the turn."""
    return DropChunks(turn.run.id, turn.key.step, turn.key.index)


def final_text(
    turn: AgentTurn,
    text: str,
    state: MessageState,
    clock: Clock,
    *,
    separate_id: MessageId | None = None,
) -> tuple[Fact, list[Write]]:
    """Build the fact that replaces the streamed text, and the rows to store.

    In a chat run that is the run's message, or with `separate_id` a separate message. The text of a template's agent
    step or of a sub-agent is not a message of the conversation: it has no row, and only the fact stores it.
    """
    run, key = turn.run, turn.key
    if (sub_agent_id := turn.location.sub_agent_id) is not None:
        return SubAgentText(sub_agent_id=sub_agent_id, text=text, interrupted=separate_id is not None), []
    message_id = run.message_id if separate_id is None else separate_id
    fact = MessageAdded(
        role=Role.ASSISTANT,
        text=text,
        message_id=message_id,
        step=key.step,
        index=key.index,
        interrupted=separate_id is not None,
    )
    if run.kind is not RunKind.CHAT:
        return fact, []
    row = Message(message_id, run.workflow_id, Role.ASSISTANT, text, clock.now(), state, run.id)
    return fact, [PutMessage(row)]
