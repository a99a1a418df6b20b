"""An attempt at a request: the response, its stream, and periodic reports that nothing has arrived yet."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from core.domain.model import ModelChoice
from core.llm.presets import TimeLimits
from core.llm.provider.failures import AttemptFailed, connection_failure, model_error, refusal
from core.llm.provider.wire_format import AnswerAssembler, WireFormat
from core.llm.sse import EVENT_BYTES, SseParser, TooLarge
from core.network.proxies import Proxy
from core.ports import Clock, ModelDelta, WaitReason, WaitStatus
from core.threads.long_values import encode_async

# Less than the smallest no-progress limit of a run (settings: 10 s).
REPORT_INTERVAL_S = 5.0


class WaitReporter:
    """A context in which the callback is called repeatedly during every pause longer than `every_s`."""

    def __init__(
        self, clock: Clock, callback: Callable[[WaitStatus], None], every_s: float = REPORT_INTERVAL_S
    ) -> None:
        self._clock = clock
        self._callback = callback
        self._every_s = every_s
        self._timer: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._status: WaitStatus = WaitStatus("answer", 0.0, 0.0)

    def __enter__(self) -> Self:
        self._schedule(self._every_s)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def begin(self, reason: WaitReason, limit_s: float, attempt: int, message: str | None = None) -> None:
        """Set what is awaited from now on. A server that still loads has done so since the first report of it."""
        is_same = reason == self._status.reason == "loading"
        self._status = WaitStatus(reason, 0.0, limit_s, attempt, message)
        if not is_same:
            self.reset()

    @property
    def waited_s(self) -> float:
        """The seconds since the pause began."""
        return self._clock.monotonic() - self._since

    def report_now(self) -> None:
        """Report immediately."""
        self._report(self._clock.monotonic() - self._since)

    def reset(self) -> None:
        """Restart the pause: something arrived."""
        self._since = self._clock.monotonic()

    def _schedule(self, delay_s: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._check)

    def _check(self) -> None:
        waited_s = self._clock.monotonic() - self._since
        remaining_s = self._every_s - waited_s
        if remaining_s <= 0.01:
            self._report(waited_s)
            remaining_s = self._every_s
        self._schedule(remaining_s)

    def _report(self, waited_s: float) -> None:
        status = self._status
        self._callback(WaitStatus(status.reason, waited_s, status.limit_s, status.attempt, status.message))


if TYPE_CHECKING:
    import httpx

# Limits for reading the body of an error response.
REFUSAL_BYTES = 65_536
REFUSAL_S = 10.0
# After the finish reason: the usage may follow in an extra chunk, or never.
USAGE_GRACE_S = 10.0
# For the end of the body; only a response that was read to its end frees its connection for reuse.
DRAIN_S = 0.05


@dataclass(slots=True)
class PreparedRequest:
    """A request, ready to send. Its `repr` omits the headers, which contain the key."""

    choice: ModelChoice
    wire_format: WireFormat
    url: str
    headers: dict[str, str]
    body: dict[str, Any]
    limits: TimeLimits
    proxy: Proxy | None = None

    def __repr__(self) -> str:
        return f"PreparedRequest({self.url})"


async def attempt(
    client: "httpx.AsyncClient", request: PreparedRequest, answer: AnswerAssembler, waits: WaitReporter, clock: Clock
) -> AsyncGenerator[ModelDelta, None]:
    """Yield the deltas of an answer. Raises AttemptFailed if there is no answer, StepFailed for an error within it."""
    import httpx

    limits = request.limits
    # httpx does not report whether a connection was reused, but httpcore's trace shows each new connection. A failure
    # of a reused connection means little: servers close idle connections just when the next request arrives.
    connections: list[str] = []

    async def note(event: str, info: Any) -> None:
        if event == "connection.connect_tcp.started":
            connections.append(event)

    posting = client.stream(
        "POST",
        request.url,
        content=(await encode_async(request.body)).encode("ascii"),  # in a thread: pictures have megabytes
        headers=request.headers,
        timeout=httpx.Timeout(limits.silence_s, connect=limits.connect_s, pool=None),
        extensions={"trace": note},
    )
    parser = SseParser()
    try:
        async with posting as response:
            if not response.is_success:
                raise await _refusal(response, clock, request.url)
            # aiter_raw passes each piece on as it arrives; a decoder may hold back the end. Both are async generators,
            # which the annotations of httpx do not show, and must be closed before the response.
            is_plain = "content-encoding" not in response.headers
            whole: Any = response.aiter_raw() if is_plain else response.aiter_bytes()
            async with aclosing(whole) as body:
                async for piece in _pieces(body, answer):
                    waits.reset()
                    for delta in answer.take(parser.feed(piece)):
                        yield delta
                for delta in chain(answer.take(parser.close()), answer.take_other(parser.other_lines), answer.finish()):
                    yield delta
                await _drain(body)
    except TooLarge:
        message = f"the answer has a line of over {EVENT_BYTES:,} bytes"
        raise model_error("answer_too_large", message, limit=EVENT_BYTES) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise connection_failure(
            error, limits.silence_s, url=request.url, proxy=request.proxy, was_used=not connections
        ) from None


async def _pieces(body: AsyncIterator[bytes], answer: AnswerAssembler) -> AsyncIterator[bytes]:
    """Yield the bytes until the answer is done or the connection ends.

    If the connection breaks in the middle of an answer, the bytes just end, and the answer decides whether it is
    complete. Raises httpx.HTTPError before the first byte, and for silence.
    """
    import httpx

    while not answer.is_done:
        try:
            async with asyncio.timeout(USAGE_GRACE_S if answer.is_finished else None):
                piece = await anext(body)
        except (StopAsyncIteration, TimeoutError):
            return
        except httpx.HTTPError as error:
            # Many servers drop the connection instead of ending the stream, which is harmless once the answer has a
            # finish reason. Before that, a timeout is reported as such; another break becomes `truncated`.
            if answer.is_finished or (answer.has_begun and not isinstance(error, httpx.TimeoutException)):
                return
            raise
        yield piece


async def _drain(body: AsyncIterator[bytes]) -> None:
    import httpx

    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(DRAIN_S):
            async for _ in body:
                pass


async def _refusal(response: "httpx.Response", clock: Clock, url: str) -> AttemptFailed:
    """Read why there is no answer."""
    import httpx

    body = bytearray()
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(REFUSAL_S):
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) >= REFUSAL_BYTES:
                    break
    text = bytes(body[:REFUSAL_BYTES]).decode("utf-8", "replace")
    return refusal(response.status_code, text, response.headers.get("retry-after"), clock.now(), url)
