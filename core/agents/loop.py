"""The loop of an agent's turn: ask the model, run the tools it calls, give it their results, until it has none.

AGENTS_AND_TOOLS §3; what survives a crash, and why nothing happens twice, is ENGINE §10.
"""

import re
from asyncio import CancelledError
from contextlib import aclosing
from typing import Any

from core.agents.answers import Answer
from core.agents.calls import RoundCalls
from core.agents.context import conversation
from core.agents.ledger import Ledger
from core.agents.limits import MAX_ROUNDS, Repetitions, check_round
from core.agents.record import TurnRecord
from core.agents.recovery import take_up
from core.agents.results import as_message
from core.domain.events import UsageReported
from core.domain.json_text import read
from core.domain.step import StepStatus
from core.domain.tool import ToolInfo, cut_off_call
from core.errors import StepFailed
from core.ports.agents import AgentTurn
from core.ports.clock import Clock
from core.ports.journal import RunLog
from core.ports.model import CallDelta, CallRequest, ChatMessage, ModelClient, ModelRequest, TextDelta, Usage
from core.ports.schemas import Schemas
from core.ports.storage import PutToolCall, Storage
from core.ports.tools import ToolRunner

REPAIR = "Your answer does not fit what was asked for: {}. Answer again, with nothing but the JSON value."
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?```\s*", re.DOTALL)


class AgentLoop:
    """Runs the turns of one agent, any number at once; an `AgentRunner`."""

    def __init__(
        self,
        model: ModelClient,
        tools: ToolRunner,
        storage: Storage,
        clock: Clock,
        schemas: Schemas,
        *,
        system_prompt: str = "",
    ) -> None:
        self._model = model
        self._tools = tools
        self._storage = storage
        self._clock = clock
        self._system_prompt = system_prompt
        self._schemas = schemas

    async def run(self, turn: AgentTurn, log: RunLog) -> Any:
        try:
            messages = await conversation(self._storage, turn, self._system_prompt)
            found = await take_up(turn, log, self._storage, self._clock)
        except CancelledError:
            log.tell(writes=[PutToolCall(cut_off_call(call)) for call in turn.left_open])
            raise
        record = TurnRecord(turn, log, self._clock, found.answers)
        ledger = Ledger(turn, log, self._clock, found.calls)
        calls = RoundCalls(turn, self._tools, ledger)
        ended = StepStatus.ERROR
        try:
            output = await self._answer(turn, log, messages, record, calls)
            ended = StepStatus.COMPLETED
            return output
        except CancelledError:
            ended = StepStatus.CANCELLED
            raise
        finally:
            ledger.close()
            record.close(ended)

    async def _answer(
        self, turn: AgentTurn, log: RunLog, messages: list[ChatMessage], record: TurnRecord, calls: RoundCalls
    ) -> Any:
        """Go from answer to answer, those that were given before a crash first, to one that calls nothing."""
        max_rounds = MAX_ROUNDS if turn.max_rounds is None else turn.max_rounds
        number = rounds = 0
        is_repaired = False
        repetitions = Repetitions()
        while True:
            number += 1
            tools = self._advertised(turn)
            request = ModelRequest(tuple(messages), tools, turn.snapshot.script)
            answer = record.answer(number) or await self._ask(request, record, log)
            messages.append(answer.as_message())
            if answer.calls:
                rounds += 1
                check_round(len(answer.calls), rounds, max_rounds)
                notes = repetitions.notes(answer)
                names = frozenset(tool.name for tool in tools)
                results = await calls.carry_out(number, answer, record.offset(number), names)
                answered = zip(answer.calls, results, notes, strict=True)
                messages.extend(as_message(call.id, made, note) for call, made, note in answered)
            elif answer.status is StepStatus.COMPLETED:
                if turn.output_schema is None:
                    return answer.text
                value, problem = await self._shaped(answer.text, turn.output_schema)
                if problem is None:
                    return value
                if is_repaired:
                    raise StepFailed("bad_output", f"the answer does not fit: {problem}", failed_during="model")
                is_repaired = True
                messages.append(ChatMessage("user", REPAIR.format(problem)))

    async def _shaped(self, text: str, schema: Any) -> tuple[Any, str | None]:
        """The value that the text is, and what is wrong with it."""
        fenced = _FENCED.fullmatch(text)
        try:
            value = read((fenced[1] if fenced else text).strip())
        except ValueError as error:
            return None, f"it is not JSON: {error}"
        violations = await self._schemas.violations(schema, value)
        return value, "; ".join(f"{one.path or 'the whole'}: {one.message}" for one in violations) or None

    async def _ask(self, request: ModelRequest, record: TurnRecord, log: RunLog) -> Answer:
        """Have the model answer, and stream what it says. All that it is told is on disk before it is asked."""
        await log.room()
        await log.record()
        calls: list[CallRequest] = []
        record.begin_answer()
        async with aclosing(self._model.stream(request)) as deltas:
            async for delta in deltas:
                match delta:
                    case TextDelta(text):
                        record.say(text)
                    case CallDelta(call):
                        calls.append(call)
                    case Usage():
                        log.tell(
                            UsageReported(
                                input_tokens=delta.input_tokens, output_tokens=delta.output_tokens, cost=delta.cost
                            )
                        )
        return record.finish_answer(calls)

    def _advertised(self, turn: AgentTurn) -> tuple[ToolInfo, ...]:
        """The tools that the model may call now."""
        infos = self._tools.infos()
        return tuple(infos if turn.tools is None else (info for info in infos if info.name in turn.tools))
