"""The offline agent, a model client without a key or a network, and the router between it and the providers.

The offline agent is not a language model, and states that. It plays the script of the request, else follows the
commands of the user's message. Its tool calls are real, made by the same loop as for any model (AGENTS_AND_TOOLS §2).
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from core.errors import StepFailed
from core.llm.offline import commands, script
from core.llm.offline.plan import PlannedAnswer, PlannedText
from core.ports import (
    CallDelta,
    CallRequest,
    ChatMessage,
    Clock,
    ModelClient,
    ModelDelta,
    ModelRequest,
    TextDelta,
    Usage,
)


class OfflineModel:
    """The offline agent. Deterministic: equal requests get equal answers.

    `word_delay_s` is the default pace, in seconds between words; a script can override it.
    """

    def __init__(self, clock: Clock, *, word_delay_s: float = 0.02) -> None:
        self._clock = clock
        self._word_delay_s = word_delay_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer word by word, then its calls, then its size in words. Costs nothing."""
        answer = _answer(request)
        count = 0
        for word, delay_s in answer.words():
            if count:
                await self._wait(self._word_delay_s if delay_s is None else delay_s)
            count += 1
            yield TextDelta(word)
        if answer.failure is not None:
            raise StepFailed("model_failed", answer.failure, failed_during="model")
        place = sum(message.role == "assistant" for message in request.messages)
        for position, call in enumerate(answer.calls, 1):
            yield CallDelta(CallRequest(f"call_{place}_{position}", call.tool, call.arguments, call.arguments_text))
            count += len(call.arguments_text.split())
        yield Usage(sum(len(message.text.split()) for message in request.messages), count, 0.0)

    async def _wait(self, delay_s: float) -> None:
        """Pause between two words. Without a delay, still yield to the event loop."""
        if delay_s > 0:
            await self._clock.sleep(delay_s)
        else:
            await asyncio.sleep(0)


def _answer(request: ModelRequest) -> PlannedAnswer:
    """Choose the next answer of the conversation."""
    turn = max((at for at, message in enumerate(request.messages) if message.role == "user"), default=0)
    before, since = request.messages[:turn], request.messages[turn:]
    results = _results(since)
    if script.next_answer(request.script, before) is not None:
        following = script.next_answer(request.script, request.messages)
        if following is not None:
            has_failed = following.if_failed and any(commands.is_failure(text) for _, text in results)
            return PlannedAnswer((PlannedText(following.if_failed, 0.02),)) if has_failed else following
        if results:  # the script ended with a call; report its result
            return _with_report(results, PlannedAnswer())
    commanded = commands.parse_commands(since[0].text if since else "", request.tools)
    rounds = sum(bool(message.calls) for message in since)
    return _with_report(results, commanded[rounds] if rounds < len(commanded) else PlannedAnswer())


def _with_report(results: Sequence[tuple[str, str]], following: PlannedAnswer) -> PlannedAnswer:
    """Report the results before the planned answer."""
    if not results:
        return following
    report = commands.results_text(results) + ("\n\n" if following.texts else "")
    return PlannedAnswer((PlannedText(report), *following.texts), following.calls, following.failure)


def _results(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    """Collect the results at the end of the conversation, each with the name of its tool."""
    names: dict[str | None, str] = {}
    results: list[tuple[str, str]] = []
    for message in messages:
        if message.role == "tool":
            results.append((names.get(message.call_id, "tool"), message.text))
        else:
            names = {call.id: call.tool for call in message.calls}
            results.clear()
    return results


class Router:
    """A `ModelClient` for all requests: requests without a model go to the offline agent."""

    def __init__(self, offline: ModelClient, providers: ModelClient) -> None:
        self._offline = offline
        self._providers = providers

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Return the stream of the client in charge."""
        client = self._offline if request.choice is None else self._providers
        return client.stream(request)
