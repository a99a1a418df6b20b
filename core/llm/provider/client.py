"""A model client for all providers, in each one's wire format (AGENTS_AND_TOOLS §2).

    request ──► attempt ──► first event ──► deltas ──► the end of the answer
       ▲            │ no answer, or 408, 429, 5xx   │ an error, a broken stream: final
       └── a wait ◄─┘                               ▼
                                                StepFailed

Nothing is retried after the first event, since the user may have read the beginning of the answer.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace

from core.domain.model import ModelChoice, WireFormatName, is_loopback
from core.errors import StepFailed
from core.llm.http import HttpClients
from core.llm.key_masking import MaskedDeltas, Masker, Secret
from core.llm.presets import Quirks, TimeLimits, limits_of, wire_format_of
from core.llm.provider.attempt import REPORT_INTERVAL_S, PreparedRequest, WaitReporter, attempt
from core.llm.provider.failures import (
    MAX_RETRY_AFTER_S,
    AttemptFailed,
    model_error,
    retry_delay_s,
    unusable_route,
)
from core.llm.provider.shaping import RequestShaper
from core.llm.provider.wire_format import WireFormat
from core.llm.quirks import quirks_of
from core.llm.tool_names import resolve_tool_name, tools_by_name
from core.llm.wire_formats import WIRE_FORMATS
from core.ports import CallDelta, Clock, ModelDelta, ModelRequest, ModelWarning

log = logging.getLogger(__name__)

FindKey = Callable[[ModelChoice], Awaitable[Secret | None]]


# Between two questions whether a server on this machine is ready.
LOADING_DELAY_S = 2.0

_Server = tuple[str, str | None, WireFormatName]


class ProviderClient:
    """A `ModelClient`. `find_key` returns the key of a choice, if there is one.

    `limits` override those of the preset; `random` returns 0 to 1.
    """

    def __init__(
        self,
        clients: HttpClients,
        clock: Clock,
        find_key: FindKey,
        *,
        limits: TimeLimits | None = None,
        waits_every_s: float = REPORT_INTERVAL_S,
        random: Callable[[], float] = random.random,
        wire_formats: Mapping[WireFormatName, WireFormat] = WIRE_FORMATS,
    ) -> None:
        self._wire_formats = wire_formats
        self._clients = clients
        self._clock = clock
        self._find_key = find_key
        self._limits = limits
        self._waits_every_s = waits_every_s
        self._random = random
        self._lessons: dict[_Server, Quirks] = {}
        self._warned: set[tuple[_Server, str]] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer.

        Raises StepFailed, with the provider's message and never with the key: `key_missing`, `key_unusable`,
        `connection_failed`, `timeout`, `provider_error`, `key_refused`, `bad_response`, `truncated`,
        `answer_too_large`.
        """
        choice = request.choice
        assert choice is not None
        key = await self._key(choice)
        masker = Masker(key)
        masked = MaskedDeltas(masker)
        names = tools_by_name(tool.name for tool in request.tools)
        prepared = self._prepare(request, choice, key)
        server = (choice.base_url, choice.model, wire_format_of(choice))
        arguments = (prepared, request, self._lessons.get(server) or quirks_of(choice))
        has_files = any(message.files for message in request.messages)  # of megabytes
        shaping = await asyncio.to_thread(RequestShaper, *arguments) if has_files else RequestShaper(*arguments)
        with WaitReporter(self._clock, request.on_wait, self._waits_every_s) as waits:
            try:
                async with aclosing(self._stream_with_retries(shaping, waits, masker)) as deltas:
                    async for delta in deltas:
                        for warning in self._learn(server, shaping):
                            yield replace(warning, message=masker.text(warning.message))
                        visible = masked.feed(_restore_tool_name(delta, names))
                        if visible is not None:
                            yield visible
            except StepFailed as error:
                for rest in masked.flush():
                    yield rest
                raise StepFailed(error.code, masker.text(error.message), **masker.values(error.parameters)) from None
            for rest in masked.flush():
                yield rest

    async def _key(self, choice: ModelChoice) -> Secret | None:
        """Look up the key. Raises StepFailed if a required key is missing, or if it cannot be sent."""
        key = await self._find_key(choice)
        if key is None and choice.needs_key:
            raise model_error("key_missing", f"there is no key for {choice.origin}", origin=choice.origin)
        if key is not None and not (key.reveal().isascii() and key.reveal().isprintable()):
            raise model_error("key_unusable", "the key has characters that cannot be sent", origin=choice.origin)
        return key

    def _prepare(self, request: ModelRequest, choice: ModelChoice, key: Secret | None) -> PreparedRequest:
        wire_format = self._wire_formats[wire_format_of(choice)]
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            **wire_format.headers(key),
        }
        limits = self._limits or limits_of(choice)
        return PreparedRequest(choice, wire_format, wire_format.url(choice), headers, {}, limits)

    def _learn(self, server: _Server, shaping: RequestShaper) -> Iterator[ModelWarning]:
        """Remember what an answered request was sent without, and yield the warnings that are new."""
        if shaping.has_learnt:
            self._lessons[server] = shaping.quirks
        warnings, shaping.warnings, shaping.has_learnt = shaping.warnings, [], False
        for warning in warnings:
            if (server, warning.message) not in self._warned:
                self._warned.add((server, warning.message))
                yield warning

    async def _stream_with_retries(
        self, shaping: RequestShaper, waits: WaitReporter, masker: Masker
    ) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer of the first attempt that succeeds."""
        prepared = shaping.prepared
        try:
            client, prepared.proxy = await self._clients.client_for(prepared.url)
        except ValueError as error:
            raise unusable_route(error, prepared.url) from None
        # Each attempt has its own Assembler. Once an attempt has yielded something, its failure is final: repeating the
        # request would produce another answer, whose beginning contradicts the text that the user has already read.
        # Two failures do not count as attempts, because the request was never considered: a part of it that the server
        # does not take (asked again without it, which is remembered for the model once it answers), and a kept-alive
        # connection that the server closed at the same moment (asked again at once, on a new connection, once).
        #
        # A server on this machine that is not ready is waited for as long as for an answer: it loads its model, and
        # may even start anew meanwhile, so that its connections are refused.
        retry, is_reconnected, is_loading = 0, False, False
        while True:
            answer = prepared.wire_format.assembler(prepared.choice)
            if not is_loading:
                waits.begin("answer", prepared.limits.silence_s, retry + 1)
            try:
                async with aclosing(attempt(client, prepared, answer, waits, self._clock)) as deltas:
                    async for delta in deltas:
                        if is_loading:
                            is_loading = False
                            waits.begin("answer", prepared.limits.silence_s, retry + 1)
                        yield delta
                return
            except AttemptFailed as failed:
                if not answer.has_begun and shaping.leave_out(failed):
                    continue
                if failed.is_stale and not answer.has_begun and not is_reconnected:
                    is_reconnected = True
                    continue
                message = masker.text(failed.error.message)
                if not answer.has_begun and _is_loading(prepared, failed, was_loading=is_loading):
                    is_loading = True
                    wait_s = min(failed.retry_after_s or LOADING_DELAY_S, prepared.limits.silence_s)
                    waits.begin("loading", prepared.limits.silence_s, retry + 1, message)
                    if waits.waited_s + wait_s > prepared.limits.silence_s:
                        raise failed.error from None
                    waits.report_now()
                    await self._clock.sleep(wait_s)
                    continue
                wait_s = retry_delay_s(retry + 1, failed.retry_after_s, self._random)
                if answer.has_begun or not failed.is_retryable or retry >= failed.retries or wait_s > MAX_RETRY_AFTER_S:
                    raise failed.error from None
            is_loading = False
            retry += 1
            log.info("%s: %s; again in %.1f s", prepared.choice.origin, message, wait_s)
            waits.begin("retry", wait_s, retry + 1, message)
            waits.report_now()
            await self._clock.sleep(wait_s)


def _is_loading(prepared: PreparedRequest, failed: AttemptFailed, *, was_loading: bool) -> bool:
    """Return whether a server on this machine is not ready yet."""
    is_refused = failed.error.code == "connection_failed" and failed.is_retryable
    return is_loopback(prepared.url) and (failed.is_loading or (was_loading and is_refused))


def _restore_tool_name(delta: ModelDelta, names: Mapping[str, str]) -> ModelDelta:
    """Restore the tool's own name in a call."""
    if isinstance(delta, CallDelta) and (tool := resolve_tool_name(delta.call.tool, names)) != delta.call.tool:
        return CallDelta(replace(delta.call, tool=tool))
    return delta
