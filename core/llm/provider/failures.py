"""What can fail between this client and a provider, which message it sends, and when to try again
(AGENTS_AND_TOOLS §2).
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from core.domain.model import origin_of
from core.domain.text.json_text import decode
from core.errors import StepFailed
from core.network.failures import Part, connection_problem, route_problem
from core.network.proxies import Proxy

if TYPE_CHECKING:
    import httpx


RETRIES = 3


_LOADING = re.compile(
    r"\b(is|still|being|model|server)\b.{0,20}\b(loading|starting|warming up)|loading (the )?model|not (yet )?ready",
    re.IGNORECASE,
)

# They are left out where a server rejects them. `a.b` is a field within a field.
UNASKED_FIELDS = ("stream_options", "reasoning.summary", "include")


class AttemptFailed(Exception):
    """A failed attempt.

    `is_retryable`: the same request may succeed after `retry_after_s` seconds, or later, and is sent up to `retries`
    times more. `is_stale`: a reused connection failed, probably as the server closed it. `is_vague`: the server rejects
    a field without naming it. `words` come from a refusal's `body`, and may name a part of the request.
    """

    def __init__(
        self,
        error: StepFailed,
        *,
        is_retryable: bool = False,
        retries: int = RETRIES,
        retry_after_s: float | None = None,
        is_stale: bool = False,
        is_vague: bool = False,
        body: str = "",
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.is_retryable = is_retryable
        self.retries = retries
        self.retry_after_s = retry_after_s
        self.is_stale = is_stale
        self.is_vague = is_vague
        self.body = body

    @property
    def status(self) -> object:
        """The HTTP status of the refusal, if it was a refusal."""
        return self.error.parameters.get("status")

    @property
    def is_loading(self) -> bool:
        """Whether a server on this machine means "not yet": it is busy, or still loads its model."""
        status = self.status
        return status == HTTPStatus.SERVICE_UNAVAILABLE or (
            isinstance(status, int)
            and status in (404, 409, 425, 500, 502, 504)
            and _LOADING.search(self.error.message) is not None
        )

    @property
    def words(self) -> str:
        """The message of a refusal with its code and the names of fields, without what it repeats of the request."""
        try:
            named = _names_of_fields(decode(self.body))
        except ValueError:
            named = iter(())
        return " ".join([self.error.message, *named])


def model_error(code: str, message: str, **parameters: object) -> StepFailed:
    """Build the StepFailed of a model."""
    return StepFailed(code, message, failed_during="model", **parameters)


def refusal(status: int, body: str, retry_after: str | None, now: datetime, url: str = "") -> AttemptFailed:
    """Classify an unsuccessful response of `url`."""
    if 300 <= status <= 399:
        redirect_message = f"the server answered {status} with a redirect, which was not followed"
        return AttemptFailed(model_error("provider_error", redirect_message, status=status))
    message = message_in_body(body) or f"the server answered {_phrase(status)}"
    # Google answers 400 to a wrong key, and says in the body how long to wait.
    is_wrong_key = status == HTTPStatus.UNAUTHORIZED or (status in (400, 403) and "API_KEY_INVALID" in body)
    code = "key_refused" if is_wrong_key else "provider_error"
    delay = _RETRY_DELAY.search(body)
    wait_s = parse_retry_after(retry_after or (delay[1] if delay else None), now)
    retry_after_s = {"retry_after_s": round(wait_s, 3)} if wait_s is not None else {}
    part = _refused_part(status, body)
    if part == "address" and url:
        message = f"{message} (at {url})"
    about = {"part": part, "origin": origin_of(url)} if part is not None and url else {}
    window = context_in(message, body)
    context_tokens = {"context_tokens": window} if window is not None and status in (400, 413, 422, 500) else {}
    error = model_error(code, message, status=status, **about, **retry_after_s, **context_tokens)
    is_vague = status in (400, 422) and _is_vague(message)
    return AttemptFailed(
        error, is_retryable=is_retryable_status(status), retry_after_s=wait_s, is_vague=is_vague, body=body
    )


def _refused_part(status: int, body: str) -> str | None:
    """Return which part of a request a server refuses: the key, the model or the path of the address."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "key"
    if status not in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        return None
    # A server that knows the path answers in JSON, and names the model that it does not know.
    return "model" if body.lstrip().startswith("{") and "model" in body.lower() else "address"


# As OpenAI, vLLM, OpenRouter, llama.cpp, LM Studio, Mistral, Anthropic and Google put it.
_WINDOWS = (
    re.compile(r"context (?:length|size|window)\D{0,20}?(\d[\d,]*)", re.IGNORECASE),
    re.compile(r"(\d[\d,]*) maximum\b|maximum number of tokens allowed \((\d+)\)", re.IGNORECASE),
)
_TOO_LONG = re.compile(r"context|too (long|large)|exceeds|maximum", re.IGNORECASE)
_N_CTX = re.compile(r'"n_ctx":\s*(\d+)')


def context_in(message: str, body: str = "") -> int | None:
    """Find the size of the model's window in the refusal of a request that is too long; None if it is not told."""
    if _TOO_LONG.search(message) is None:
        return None
    found = next((hit for pattern in _WINDOWS if (hit := pattern.search(message))), None) or _N_CTX.search(body)
    if found is None:
        return None
    size = int(next(filter(None, found.groups())).replace(",", ""))
    return size if 256 <= size < 2**31 else None


def unusable_route(error: ValueError, url: str) -> StepFailed:
    """Return the error of a proxy or of certificates that cannot be used, so that nothing was sent."""
    problem = route_problem(error, url)
    return model_error("connection_failed", problem.message, **problem.parameters)


def connection_failure(
    error: "httpx.HTTPError | httpx.InvalidURL",
    silence_s: float,
    *,
    url: str,
    proxy: Proxy | None = None,
    was_used: bool = False,
) -> AttemptFailed:
    """Classify a connection to `url` that was not made, or broke. `was_used`: it had served another request."""
    import httpx

    match error:
        # Not retried: the server has the request and may still be working on it, at the user's expense.
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            message = f"nothing came from {origin_of(url)} for {silence_s:g} s"
            return AttemptFailed(model_error("timeout", message, timeout_s=silence_s, origin=origin_of(url)))
        case httpx.InvalidURL():
            return AttemptFailed(model_error("connection_failed", f"the address is invalid: {error}"))
        case httpx.DecodingError() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return AttemptFailed(model_error("bad_response", f"the connection is unusable: {_reason(error)}"))
    problem = connection_problem(error, url, proxy)
    failed = model_error("connection_failed", problem.message, **problem.parameters)
    is_stale = was_used and problem.part is Part.BROKEN
    # A server on this machine that does not run will not run in a few seconds: the user is told soon.
    retries = 1 if problem.is_near else RETRIES
    return AttemptFailed(failed, is_retryable=not problem.is_final, retries=retries, is_stale=is_stale)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _names_of_fields(value: Any) -> Iterator[str]:
    """Yield what an error names as its place: `param`, `code`, `loc`, `type`."""
    if isinstance(value, list):
        for item in value[:5]:
            yield from _names_of_fields(item)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name in ("param", "code", "type", "loc", "field"):
                parts = part if isinstance(part, list) else [part]
                yield ".".join(str(place) for place in parts if isinstance(place, str | int))
            elif name in ("error", "errors", "detail"):
                yield from _names_of_fields(part)


def _is_vague(message: str) -> bool:
    """Return whether a server rejects an unnamed field."""
    words = message.lower()
    is_unknown = any(word in words for word in ("unknown", "unrecognized", "unexpected", "extra", "unsupported"))
    return is_unknown and any(word in words for word in ("field", "input", "argument", "parameter", "propert", "key"))


MESSAGE_CHARACTERS = 1000

_RETRY_DELAY = re.compile(r'"retryDelay":\s*"([0-9.]{1,12})s"')
_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)


def message_in_body(body: str) -> str:
    """Extract the message in the body of an error response; "" if there is none."""
    try:
        value = decode(body)
    except ValueError:
        return one_line(html.unescape(_MARKUP.sub(" ", body)))
    return message_in(value)


def message_in(value: Any) -> str:
    """Extract the message of an error object, whatever its fields."""
    return one_line(": ".join(dict.fromkeys(filter(None, _messages(value)))) or _as_text(value))


def error_in(chunk: dict[str, Any], choices: list[Any]) -> Any:
    """Find the error in a chunk of the stream, if any: at its top, in a choice, or the chunk itself."""
    if chunk.get("error"):
        return chunk["error"]
    for choice in choices:
        if isinstance(choice, dict) and choice.get("error"):
            return choice["error"]
    if chunk.get("object") == "error" or chunk.get("type") == "error":
        return chunk
    if "choices" not in chunk and (chunk.get("detail") or isinstance(chunk.get("message"), str)):
        return chunk
    return None


def one_line(text: str) -> str:
    """Put a text on one line of at most 1000 characters."""
    line = " ".join(text[: 20 * MESSAGE_CHARACTERS].split())
    return line if len(line) <= MESSAGE_CHARACTERS else line[:MESSAGE_CHARACTERS] + "…"


def _messages(value: Any) -> Iterator[str]:
    """Yield the message of an error, then the message that a gateway quotes from its own provider."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value[:5]:
            yield from _messages(item)
    elif isinstance(value, dict):
        for name in ("error", "errors", "message", "msg", "detail", "description"):
            if value.get(name):
                yield from _messages(value[name])
                break
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and metadata.get("raw"):
            yield from _messages(metadata["raw"])


def _as_text(value: Any) -> str:
    return "" if value in (None, {}, []) else json.dumps(value, ensure_ascii=False)


FIRST_DELAY_S = 1.0
MAX_DELAY_S = 30.0
# Retries obey `Retry-After` (RFC 9110 §10.2.3) and otherwise back off exponentially with jitter. They are for
# connection errors and for responses that may change by themselves (408, 429, 5xx), and only before the first event of
# the answer: see ProviderClient._persist (AGENTS_AND_TOOLS §2). A provider that asks for a longer wait counts as
# failed.
MAX_RETRY_AFTER_S = 600.0

_JITTER = 0.25
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def is_retryable_status(status: int) -> bool:
    """Return whether a response with that status may succeed later."""
    return status in (408, 429) or 500 <= status <= 599


def retry_delay_s(retry: int, requested_s: float | None, random: Callable[[], float]) -> float:
    """Compute the seconds before the `retry`th repetition, from 1.

    The provider's request wins; by default 1 s, doubling to 30 s. Up to a quarter is added at `random` (0 to 1), so
    that many clients do not return at once.
    """
    if requested_s is not None and requested_s > 0:
        return requested_s
    return min(FIRST_DELAY_S * 2.0 ** (retry - 1), MAX_DELAY_S) * (1 + _JITTER * random())


def parse_retry_after(retry_after: str | None, now: datetime) -> float | None:
    """Parse the seconds of a `Retry-After`, a number or a date (RFC 9110 §10.2.3).

    None if it is missing or invalid. A date in the past is 0.
    """
    text = (retry_after or "").strip()
    if not text:
        return None
    if _SECONDS.fullmatch(text):
        return float(text)
    from email.utils import parsedate_to_datetime  # late: rarely needed, and it imports much

    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    try:
        return max(0.0, (at - now).total_seconds())
    except OverflowError:
        return None
