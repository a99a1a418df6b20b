"""`http_fetch`: an HTTP request that follows redirects (AGENTS_AND_TOOLS §5).

Each hop is checked as the first was. Headers that may carry secrets go only to the origin that they were given for;
other origins receive only harmless headers. A body never goes to another origin: then the redirect itself is the
result.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.access import Access, Place
from core.domain.risk import Risk
from core.domain.text.json_text import encode
from core.domain.text.web_address import MAX_URL_CHARACTERS, WebAddress, parse_address
from core.domain.tool import ToolInfo
from core.errors import NetworkFailed, StepFailed, ToolFailed
from core.network.failures import route_problem
from core.network.routes import Network, Route
from core.ports import CallContext
from core.threads.long_values import decode_async
from core.tools import schema
from core.tools.measure import RESULT_BYTES, format_size, json_bytes
from core.tools.registry import Arguments, Tool
from core.tools.web.body import CannotDecompress, body_text, read_body
from core.tools.web.connection import (
    CONNECT_S,
    Request,
    Resolver,
    open_response,
    permitted_addresses,
    system_resolver,
)

MAX_REDIRECTS = 5
TIMEOUT_S = 60.0
BODY_CHARACTERS = 1_000_000
MAX_HEADERS = 50
HEADER_CHARACTERS = 8_192
JSON_CHARACTERS = 4_000_000

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_READING = ("GET", "HEAD")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
# Set by the connection itself: a caller's own value could smuggle in another request.
_RESERVED = frozenset(
    {
        *("host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer"),
        *("expect", "accept-encoding", "proxy-authorization", "proxy-connection"),
    }
)
# Headers that carry no secret, and may follow a redirect to another origin.
_HARMLESS = frozenset({"accept", "accept-language", "user-agent", "cache-control", "range", "if-modified-since"})
_DEFAULT_HEADERS = {"user-agent": "Metier", "accept": "*/*", "accept-encoding": "gzip, deflate"}
_JSON = re.compile(r"(?:application|text)/(?:[\w.-]+\+)?json\b")

_INFO = ToolInfo(
    name="http_fetch",
    title="Fetch",
    description=(
        "Makes an HTTP request and returns {url, status, headers, text, json?}: url is where redirects led, header "
        "names are in lower case, json is there where the body is JSON. Any status is a result, even an error. text is "
        "cut off at 10 MB, with truncated: true; a body that is not text is left out, with binary: {bytes, "
        "content_type}. At most 5 redirects are followed. Addresses outside the public internet can be reached only "
        "where the user has allowed their origin."
    ),
    input_schema=schema.of_object(
        {"url": schema.text("It begins with http:// or https:// and holds no password.", MAX_URL_CHARACTERS)},
        {
            "method": schema.choice("GET if absent.", METHODS, default="GET"),
            "headers": {
                "type": "object",
                "maxProperties": MAX_HEADERS,
                "additionalProperties": {"type": "string", "maxLength": HEADER_CHARACTERS},
                "description": "Additional headers by name.",
            },
            "body": {
                "type": ["string", "object", "array"],
                "maxLength": BODY_CHARACTERS,
                "description": "A text sent as it is, or JSON. Not with GET and HEAD.",
            },
        },
    ),
    risk=Risk.HIGH,
)


def tool(resolve: Resolver = system_resolver, network: Network | None = None) -> Tool:
    """Return the tool. GET and HEAD are read-only, PUT and DELETE idempotent. A call that is not read-only is high risk
    where its origin is not allowed in the run; DELETE always is.

    Errors: `invalid_arguments`, `not_allowed`, `too_many_redirects`, `not_text` for a body that cannot be decompressed,
    and network errors, `failed`.
    """
    network = network or Network()

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        request = _request(arguments)
        return await _Fetch(request, _origins(request, context), resolve, network, context.progressed).run()

    async def lacking(arguments: Arguments, context: CallContext) -> Sequence[Place]:
        try:
            request = _request(arguments)
            async with asyncio.timeout(CONNECT_S):
                route = await _route(network, request.address)
                await permitted_addresses(request.address, _origins(request, context), resolve, route.proxy)
        except (StepFailed, LookupError, AttributeError, TypeError, TimeoutError) as error:
            origin = error.parameters.get("origin") if isinstance(error, ToolFailed) else None
            access = Access.READ if _method(arguments) in _READING else Access.WRITE
            return [Place(origin, access)] if isinstance(origin, str) else []
        return []

    return Tool(
        _INFO,
        server=call,
        read_only=lambda arguments: _method(arguments) in _READING,
        idempotent=lambda arguments: _method(arguments) in ("PUT", "DELETE"),
        is_dangerous=lambda arguments: _method(arguments) == "DELETE",
        leaves=_leaves,
        timeout_s=TIMEOUT_S,
        summary=_summary,
        lacking=lacking,
    )


@dataclass(slots=True)
class _Fetch:
    """A single call. `was_connected`: an earlier hop was made, so that a failure now comes after its effect."""

    request: Request
    origins: Collection[str]
    resolve: Resolver
    network: Network
    progressed: Callable[[], object]
    was_connected: bool = False

    async def run(self) -> dict[str, Any]:
        for _ in range(MAX_REDIRECTS + 1):
            try:
                result = await self._hop()
            except NetworkFailed as error:
                was_connected = error.was_connected or self.was_connected
                raise NetworkFailed(error.message, was_connected=was_connected, **error.parameters) from error
            if result is not None:
                return result
            self.was_connected = True
        raise ToolFailed(
            "too_many_redirects",
            f"it redirects more than {MAX_REDIRECTS} times, at last to {self.request.address.origin}",
            limit=MAX_REDIRECTS,
        )

    async def _hop(self) -> dict[str, Any] | None:
        """Return the result, or None after a redirect: then `request` is the next request."""
        request, address = self.request, self.request.address
        route = await _route(self.network, address)
        targets = await permitted_addresses(address, self.origins, self.resolve, route.proxy)
        async with open_response(request, targets, route) as response:
            headers = _headers_of(response.headers)
            location = headers.get("location")
            if response.status in _REDIRECTS and location is not None:
                redirected = _redirected(request, response.status, location)
                if redirected is not None:
                    self.request = redirected
                    return None
            try:
                body = await read_body(response.aiter_stream(), headers.get("content-encoding", ""), self.progressed)
            except CannotDecompress as error:
                raise ToolFailed("not_text", f"the body from {address.origin} cannot be read: {error}") from error
            result = {"url": address.url, "status": response.status, "headers": headers}
        content_type = headers.get("content-type", "")
        # In a thread: decoding and measuring 10 MB would stall the loop.
        decoded = await asyncio.to_thread(body_text, body, content_type)
        if decoded is None:
            binary = {"bytes": len(body.data), "content_type": content_type.partition(";")[0].strip() or None}
            return {**result, "text": "", "binary": binary} | _cut(body.truncated)
        text, is_cut = decoded
        return {**result, "text": text} | _cut(is_cut) | (await _json(text, content_type) if not is_cut else {})


async def _route(network: Network, address: WebAddress) -> Route:
    """Return the way to an address. Raises NetworkFailed for a proxy or certificates that cannot be used."""
    try:
        return await network.route(address.origin, is_private=False)
    except ValueError as error:
        problem = route_problem(error, address.origin)
        raise NetworkFailed(problem.message, was_connected=False, **problem.parameters) from error


def _request(arguments: Arguments) -> Request:
    """Return the request of the arguments. Raises ToolFailed `invalid_arguments`."""
    try:
        address = parse_address(arguments["url"])
    except ValueError as error:
        raise _invalid("/url", f"this URL cannot be fetched: {error}") from error
    method = arguments.get("method", "GET")
    headers = {**_DEFAULT_HEADERS, **_checked_headers(arguments.get("headers", {}))}
    body = arguments.get("body")
    if body is None:
        # An empty body rather than none, so that its length is sent: some servers reject these methods without it.
        return Request(method, address, headers, b"" if method in ("POST", "PUT", "PATCH") else None)
    if method in _READING:
        raise _invalid("/body", f"{method} has no body")
    if isinstance(body, str):
        headers.setdefault("content-type", "text/plain; charset=utf-8")
        return Request(method, address, headers, body.encode("utf-8", "replace"))
    headers.setdefault("content-type", "application/json")
    text = encode(body)
    if len(text) > BODY_CHARACTERS:
        raise _invalid("/body", f"the body is longer than {BODY_CHARACTERS:,} characters as JSON")
    return Request(method, address, headers, text.encode())


def _origins(request: Request, context: CallContext) -> Collection[str]:
    """Return the allowed origins that such a request may go to."""
    return context.origins if request.method in _READING else context.writable_origins


def _checked_headers(unchecked: Mapping[str, str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in unchecked.items():
        lower = name.lower()
        if not _TOKEN.fullmatch(name):
            raise _invalid("/headers", f"{name[:60]!r} is not a valid header name")
        if lower in _RESERVED or lower in headers:
            why = "is given twice" if lower in headers else "cannot be set: every request has its own"
            raise _invalid(f"/headers/{name}", f"the header {name} {why}")
        if not (value.isprintable() and value.isascii()):
            raise _invalid(f"/headers/{name}", f"the value of {name} holds characters that a header cannot")
        headers[lower] = value.strip()
    return headers


def _redirected(request: Request, status: int, location: str) -> Request | None:
    """Return the request that a redirect asks for, as browsers make it; None where it would send a body to another
    origin.
    """
    try:
        address = request.address.joined(location)
    except ValueError as error:
        message = f"{request.address.origin} redirects to an address that cannot be fetched: {error}"
        raise ToolFailed("not_allowed", message) from error
    # 303 always, and 301 and 302 after a POST, change the method to GET: the standard allows it, and browsers do it.
    becomes_get = status == 303 or (status in (301, 302) and request.method == "POST")
    method = request.method if not becomes_get or request.method == "HEAD" else "GET"
    is_same = address.origin == request.address.origin
    if not is_same and method not in _READING:
        return None
    body = request.body if method == request.method else None
    # Authorization, cookies and the caller's own headers stay with the origin that they were given for.
    headers = {
        name: value
        for name, value in request.headers.items()
        if (is_same or name in _HARMLESS or name in _DEFAULT_HEADERS) and (body is not None or name != "content-type")
    }
    return Request(method, address, headers, body)


def _headers_of(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by lower-case name. Repeated headers are joined with commas, as HTTP allows."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("utf-8", "replace")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _cut(truncated: bool) -> dict[str, Any]:
    return {"truncated": True} if truncated else {}


async def _json(text: str, content_type: str) -> dict[str, Any]:
    """Return the parsed body, if its content type is JSON, it parses, and it fits beside the text."""
    if len(text) > JSON_CHARACTERS or not _JSON.match(content_type.strip().lower()):
        return {}
    try:
        value = await decode_async(text)
        if await json_bytes(value) + await json_bytes(text) > RESULT_BYTES:
            return {}
    except (ValueError, StepFailed):
        return {}
    return {"json": value}


def _invalid(path: str, message: str) -> ToolFailed:
    return schema.violations_error("invalid_arguments", message, [(path, message)])


def _method(arguments: Arguments) -> object:
    return arguments.get("method", "GET")


def _leaves(arguments: Arguments, origins: Collection[str]) -> bool:
    return _origin(arguments.get("url")) not in origins


def _origin(url: object) -> str | None:
    try:
        return parse_address(url).origin if isinstance(url, str) else None
    except ValueError:
        return None


def _summary(arguments: Arguments, value: Any) -> str:
    binary = value.get("binary")
    amount = binary["bytes"] if binary is not None else len(value["text"].encode("utf-8", "replace"))
    return f"{value['status']}, {format_size(amount)}{' and more' if value.get('truncated') else ''}"
