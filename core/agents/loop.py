"""The agent loop: ask the model, run the tools that it calls, return their results, until it calls none.

The rules are in AGENTS_AND_TOOLS §3; recovery after a crash is ENGINE §10.
"""

import re
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, assert_never

from core.agents.advertised_tools import ToolAdvertiser, Windows
from core.agents.answers import ModelAnswer
from core.agents.calls import RoundCalls
from core.agents.context import Conversation, access_of, build_system_prompt, load_conversation
from core.agents.files import FileBudget, files_to_send, with_files
from core.agents.ledger import Ledger
from core.agents.limits import MAX_CUT_OFF_ANSWERS, MAX_ROUNDS, Repetitions, check_calls, cut_off, round_limit
from core.agents.recovery import recover_turn
from core.agents.results import tool_messages
from core.agents.spending import keep_to_limits
from core.agents.sub_agents import TurnSubAgents
from core.agents.turn_record import TurnRecord
from core.agents.window import fit_context
from core.domain.ids import CallId
from core.domain.interruption import Action, InterruptionKind, InterruptionRequest
from core.domain.model import TEXTS_TAKEN, FilesTaken, ModelChoice
from core.domain.result_pictures import pictures_in
from core.domain.run import StepStatus
from core.domain.text.json_text import parse
from core.domain.tool import ToolInfo
from core.errors import StepFailed
from core.ports import (
    AgentDirectory,
    AgentTurn,
    CallDelta,
    CallRequest,
    ChatMessage,
    Clock,
    CutOffReason,
    FolderGuide,
    ModelClient,
    ModelRequest,
    ModelWarning,
    NoSpendingLimits,
    ReasoningDelta,
    Replay,
    ReplayDelta,
    RunLog,
    Schemas,
    SpendingLimits,
    Storage,
    TextDelta,
    TextWasReasoning,
    ToolRunner,
    Usage,
)

REPAIR = "Your answer does not fit what was asked for: {}. Answer again with nothing but the JSON value."
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?```\s*", re.DOTALL)


# Reads what the `AGENTS.md` of folders say.
ReadGuides = Callable[[Sequence[str]], Awaitable[Sequence[FolderGuide]]]


class AgentLoop:
    """Runs any number of turns concurrently. Implements `AgentRunner`."""

    def __init__(
        self,
        model: ModelClient,
        tools: ToolRunner,
        storage: Storage,
        clock: Clock,
        schemas: Schemas,
        directory: AgentDirectory,
        *,
        system_prompt: str = "",
        asks_for_rounds: Callable[[], bool] = lambda: False,
        files_taken: Callable[[ModelChoice], FilesTaken] = lambda _: TEXTS_TAKEN,
        read_guides: ReadGuides | None = None,
        spending: SpendingLimits | None = None,
    ) -> None:
        self._spending = spending or NoSpendingLimits()
        self._read_guides = read_guides
        self._model = model
        self._tools = tools
        self._storage = storage
        self._clock = clock
        self._system_prompt = system_prompt
        self._schemas = schemas
        self._directory = directory
        self._asks_for_rounds = asks_for_rounds
        self._files_taken = files_taken
        self._windows: Windows = {}

    def sub_agents(self, parent: AgentTurn, log: RunLog, tools: Collection[str]) -> TurnSubAgents:
        """Implement `core.ports.agents.AgentRunner.sub_agents`."""
        allowed = [name for name in tools if not self._begins_agents(name)]
        return TurnSubAgents(self.run, self._directory, parent, log, self._clock, allowed)

    async def run(self, turn: AgentTurn, log: RunLog) -> Any:
        """Implement `core.ports.agents.AgentRunner.run`."""
        # Until the record and the ledger exist, a cancellation has to close by itself what a previous process left
        # open; afterwards their `close` does it. Both parts only emit and never wait, since a cancelled task must end
        # promptly.
        try:
            await turn.recorder.open()
            taken = self._taken_by(turn)
            start = await load_conversation(self._storage, turn, await self._prompt_of(turn), taken)
            recovered = await recover_turn(turn, log, self._storage, self._clock)
        except CancelledError:
            facts, writes = turn.interrupted_work.closed(turn.run, turn.key, self._clock.now())
            log.emit(*facts, writes=writes)
            raise
        record = TurnRecord(turn, log, self._clock, recovered.answers)
        ledger = Ledger(turn, log, self._clock, recovered.calls)
        offer = ToolAdvertiser(turn, self._tools, self._windows)
        tool_names = [tool.name for tool in offer.allowed]
        sub_agents = self.sub_agents(turn, log, tool_names) if turn.location.sub_agent_id is None else None
        calls = RoundCalls(turn, self._tools, ledger, sub_agents)
        status = StepStatus.ERROR
        try:
            output = await self._answer(turn, log, start, record, calls, offer, taken)
            status = StepStatus.COMPLETED
            return output
        except CancelledError:
            status = StepStatus.CANCELLED
            raise
        finally:
            if sub_agents is not None:
                sub_agents.close()
            ledger.close()
            record.close(status)

    async def _answer(
        self,
        turn: AgentTurn,
        log: RunLog,
        start: Conversation,
        record: TurnRecord,
        calls: RoundCalls,
        offer: ToolAdvertiser,
        taken: FilesTaken,
    ) -> Any:
        """Ask for answers until one has no calls. Stored answers of a previous process are replayed first."""
        # Replaying and asking share this loop on purpose. A stored answer takes the same path as a new answer, through
        # the same limits, repetition counts and ledger, so a resumed turn ends in the state that an uninterrupted turn
        # would have reached, and a limit cannot be evaded by a crash. An answer that broke off has neither calls nor
        # the status `completed`: it stays in the history as the model's own words, and the loop asks again.
        max_rounds = _max_rounds(turn)
        number = rounds = cut_off_in_a_row = 0
        is_repaired = False
        messages = start.messages
        prompt_at = len(messages) - 1
        repetitions = Repetitions()
        while True:
            number += 1
            offered = await offer.current(messages, prompt_at)
            answer = record.answer(number)
            if answer is None:
                if number == 1:
                    self._warn_of_missing_servers(turn, record)
                await keep_to_limits(turn, self._spending)
                while answer is None:  # again, with what fits, if the server names a smaller window than is known
                    offered = await offer.current(messages, prompt_at)
                    fitted = fit_context(messages, prompt_at, offered.tokens, offer.room)
                    record.ask(fitted, start.oldest_sent(fitted.dropped), offer.room)
                    request = self._build_request(turn, fitted.messages, offered.tools, record)
                    try:
                        answer = await self._request_answer(request, record, log)
                    except StepFailed as error:
                        if not offer.learn_window(error.parameters.get("context_tokens")):
                            raise
            messages.append(answer.as_message())
            cut_off_in_a_row = cut_off_in_a_row + 1 if answer.cut_off is not None else 0
            if answer.cut_off is not None and (
                cut_off_in_a_row == MAX_CUT_OFF_ANSWERS or not (answer.calls or answer.text.strip())
            ):
                raise cut_off(answer.cut_off)
            if answer.calls:
                rounds += 1
                check_calls(len(answer.calls))
                if rounds > max_rounds:
                    if record.answer(number + 1) is None:  # else the turn went on in a previous process
                        await self._ask_for_rounds(turn, number, max_rounds)
                    max_rounds += _max_rounds(turn)
                notes = repetitions.notes(answer)
                names = frozenset(tool.name for tool in offered.tools)
                results = await calls.run_calls(number, answer, record.offset(number), names)
                told = await tool_messages([call.id for call in answer.calls], results, notes)
                files = [files_to_send(pictures_in(result.value), taken) for result in results]
                budget = FileBudget()
                messages += [await with_files(self._storage, *pair, budget) for pair in zip(told, files, strict=True)]
            elif answer.status is StepStatus.COMPLETED:
                if turn.output_schema is None:
                    return answer.output
                value, problem = await self._parse_output(answer, turn.output_schema)
                if problem is None:
                    return value
                if is_repaired and answer.cut_off is not None:
                    raise cut_off(answer.cut_off)
                if is_repaired:
                    raise StepFailed("bad_output", f"the answer does not fit: {problem}", failed_during="model")
                is_repaired = True
                messages.append(ChatMessage("user", REPAIR.format(problem)))

    async def _ask_for_rounds(self, turn: AgentTurn, number: int, max_rounds: int) -> None:
        """Ask the user for as many rounds again as the turn had at first.

        Raises StepFailed `round_limit` if the user refuses, or if the setting is not to ask.
        """
        if not self._asks_for_rounds():
            raise round_limit(max_rounds)
        ask = InterruptionRequest(
            InterruptionKind.ROUNDS,
            turn.key.step,
            turn.key.index,
            options={"used": max_rounds, "more": _max_rounds(turn)},
            call_id=CallId(f"{turn.key}.{number}"),  # where the round's calls belong, so that a crash finds the answer
        )
        answer = (await turn.ask(ask, anew=False)).answer
        if answer is None or answer.action is not Action.APPROVE:
            raise round_limit(max_rounds)

    async def _parse_output(self, answer: ModelAnswer, schema: Any) -> tuple[Any, str | None]:
        """Parse the JSON value of the answer. Return what is wrong with it, too."""
        fenced = _FENCED.fullmatch(answer.text)
        try:
            value = parse((fenced[1] if fenced else answer.text).strip())
        except ValueError as error:
            return None, f"it is not JSON: {error}" if answer.cut_off is None else "it is too long, and was cut off"
        violations = await self._schemas.violations(schema, value)
        return value, "; ".join(
            f"{violation.path or 'the whole'}: {violation.message}" for violation in violations
        ) or None

    async def _request_answer(self, request: ModelRequest, record: TurnRecord, log: RunLog) -> ModelAnswer:
        """Request an answer and stream its text. Everything that the model reads is on disk before the request."""
        await log.drain()
        await log.commit()
        calls: list[CallRequest] = []
        replay: Replay | None = None
        cut_off_by: CutOffReason | None = None
        cut_off_message = ""
        is_blank = True
        record.begin_answer()
        async with aclosing(self._model.stream(request)) as deltas:
            async for delta in deltas:
                match delta:
                    case TextDelta(text):
                        is_blank = is_blank and not text.strip()
                        record.stream_text(text)
                    case ReasoningDelta(text):
                        record.show_reasoning(text)
                    case TextWasReasoning(text):
                        is_blank = True
                        record.make_reasoning(text)
                    case CallDelta(call):
                        calls.append(call)
                    case ModelWarning(code, message, details):
                        if code in ("length", "content_filter"):
                            cut_off_by, cut_off_message = code, message
                            continue
                        if code == "skipped_data":
                            is_blank = False  # the warning already explains an empty answer
                        record.warn(code, message, details)
                    case Usage():
                        record.report_usage(delta)
                    case ReplayDelta(replay):
                        pass
                    case _:
                        assert_never(delta)
        if cut_off_by is not None:  # with the number of calls, which the model is asked to make again
            record.warn(cut_off_by, cut_off_message, {"calls": len(calls)} if calls else None)
            calls = [replace(call, arguments=None, cut_off=cut_off_by) for call in calls]
        elif is_blank and not calls:
            record.warn("empty_answer", "the model returned an empty answer")
        return record.finish_answer(calls, replay, cut_off_by)

    def _build_request(
        self, turn: AgentTurn, messages: tuple[ChatMessage, ...], tools: tuple[ToolInfo, ...], record: TurnRecord
    ) -> ModelRequest:
        choice = turn.snapshot.model
        if choice is None:
            return ModelRequest(messages, tools, turn.snapshot.script)
        return ModelRequest(messages, tools, choice=choice, on_wait=record.report_wait)

    def _taken_by(self, turn: AgentTurn) -> FilesTaken:
        """Return the files that the model of the turn takes; the offline agent reads texts."""
        choice = turn.snapshot.model
        return TEXTS_TAKEN if choice is None else self._files_taken(choice)

    async def _prompt_of(self, turn: AgentTurn) -> str:
        """Return the system prompt."""
        if self._system_prompt or turn.snapshot.model is None:
            return self._system_prompt
        guides = await self._read_guides(access_of(turn).folders) if self._read_guides is not None else ()
        return build_system_prompt(turn, self._clock.now(), guides, asks_for_access=self._tools.asks_for_access)

    def _warn_of_missing_servers(self, turn: AgentTurn, record: TurnRecord) -> None:
        """Warn of missing MCP servers of the agent. Sub-agents of a turn do not repeat the warning."""
        profile = turn.snapshot.profile
        if profile is None or turn.location.sub_agent_id is not None:
            return
        for server in self._directory.missing_servers(profile):
            message = f"{profile.name} is limited to MCP servers, of which {server!r} no longer exists"
            record.warn("unknown_server", message)

    def _begins_agents(self, tool: str) -> bool:
        info = self._tools.info(tool)
        return info is not None and info.begins_agents


def _max_rounds(turn: AgentTurn) -> int:
    """Return the limit of the step, else that of the agent."""
    if turn.max_rounds is not None:
        return turn.max_rounds
    return MAX_ROUNDS if turn.snapshot.profile is None else turn.snapshot.profile.max_tool_rounds
