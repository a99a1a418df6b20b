"""Signing in to HTTP servers by OAuth, with the official client (AGENTS_AND_TOOLS §7).

    needs a sign-in ──sign in──▶ the browser asks the user ──code──▶ tokens, kept apart ──▶ connected
                                                                       └── refreshed as they expire

A session uses the tokens that are kept, and refreshes them. It never opens a browser: where they do not suffice, it
fails with the cause `sign_in`, and the user signs in. The browser returns to this machine, to a port that is open only
meanwhile.
"""

import asyncio
import html
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qs, urlsplit

from core.errors import ToolFailed
from core.network.failures import connection_problem, route_problem
from core.network.proxies import Proxy
from core.network.routes import Network
from core.tools.mcp.http_client import routed_transport

if TYPE_CHECKING:
    import httpx2
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import AuthorizationCodeResult

SIGN_IN_S = 300.0
"""How long the browser may take."""

RETURN_PORT = 41823
"""Where the browser returns to, for servers that know only registered addresses; another one if it is taken."""

_REQUEST_BYTES = 16_384
_REQUEST_S = 10.0
_HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "metier", "version": "0.1.0"},
    },
}
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>Metier</title>"
    "<body style='font:16px sans-serif;margin:4em'><h1>{title}</h1><p>You can close this page.</p>"
)


class Credentials(Protocol):
    """Keeps what a sign-in gave, as text, for one server at one origin."""

    @property
    def text(self) -> str | None: ...

    async def save(self, text: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class ClientId:
    """The client that a provider has registered by hand."""

    id: str
    secret: str | None = None


class SignInNeeded(Exception):
    """The kept tokens do not suffice."""


async def _ask_nobody(_url: str) -> None:
    raise SignInNeeded


async def _no_answer() -> "AuthorizationCodeResult":
    raise SignInNeeded


def authenticator(
    url: str,
    credentials: Credentials,
    ask: Callable[[str], Awaitable[None]] = _ask_nobody,
    answer: "Callable[[], Awaitable[AuthorizationCodeResult]]" = _no_answer,
    return_url: str = f"http://127.0.0.1:{RETURN_PORT}/callback",
) -> "OAuthClientProvider":
    """Return what adds the token to each request and refreshes it; `ask` shows the user the page of the provider."""
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken
    from pydantic import AnyUrl

    class Kept:
        """What was kept, by its parts: `tokens`, `expires_at`, `client`, `metadata`."""

        def __init__(self) -> None:
            self.parts: dict[str, Any] = json.loads(credentials.text or "{}")

        async def get_tokens(self) -> OAuthToken | None:
            kept = self.parts.get("tokens")
            return OAuthToken.model_validate(kept) if kept is not None else None

        async def set_tokens(self, tokens: OAuthToken) -> None:
            metadata = provider.context.oauth_metadata
            self.parts["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
            self.parts["expires_at"] = time.time() + tokens.expires_in if tokens.expires_in is not None else None
            if metadata is not None:
                self.parts["metadata"] = metadata.model_dump(mode="json", exclude_none=True)
            await credentials.save(json.dumps(self.parts))

        async def get_client_info(self) -> OAuthClientInformationFull | None:
            kept = self.parts.get("client")
            return OAuthClientInformationFull.model_validate(kept) if kept is not None else None

        async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
            self.parts["client"] = client_info.model_dump(mode="json", exclude_none=True)

    kept = Kept()

    class Remembering(OAuthClientProvider):
        async def _initialize(self) -> None:
            """Load what was kept, also when the token expires and where it is refreshed, which the library forgets."""
            await super()._initialize()
            self.context.token_expiry_time = kept.parts.get("expires_at")
            if (metadata := kept.parts.get("metadata")) is not None:
                self.context.oauth_metadata = OAuthMetadata.model_validate(metadata)

    provider = Remembering(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="Metier",
            redirect_uris=[AnyUrl(return_url)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",  # no password
        ),
        storage=kept,
        redirect_handler=ask,
        callback_handler=answer,
    )
    return provider


async def sign_in(
    url: str,
    credentials: Credentials,
    network: Network,
    open_page: Callable[[str], object],
    client: ClientId | None = None,
    limit_s: float = SIGN_IN_S,
) -> None:
    """Let the user sign in at the page that `open_page` opens, and keep the tokens.

    Raises ToolFailed `sign_in_failed`, with the reason; what was kept stays.
    """
    import httpx2

    problems: list[tuple[str, dict[str, Any]]] = []

    def note(error: Exception, request: "httpx2.Request", proxy: Proxy | None) -> None:
        is_route = isinstance(error, ValueError)
        about = str(request.url)
        problem = route_problem(error, about) if is_route else connection_problem(error, about, proxy)  # type: ignore[arg-type]
        problems.append((problem.message, problem.parameters))

    async with _ReturnPort() as port:
        fresh = _Fresh(credentials, client, port.url)
        provider = authenticator(url, fresh, port.ask(open_page), port.answer, port.url)
        transport = routed_transport(network, note, is_private=True)
        headers = {"Accept": "application/json, text/event-stream"}
        try:
            async with (
                asyncio.timeout(limit_s),
                httpx2.AsyncClient(transport=transport, trust_env=False, auth=provider, headers=headers) as http,
                http.stream("POST", url, json=_HANDSHAKE) as response,
            ):
                status = response.status_code
        except TimeoutError:
            raise _failed(f"the browser did not come back within {limit_s:g} s", reason="slow") from None
        except httpx2.TransportError as error:
            message, parameters = problems[-1] if problems else (str(error), {})
            raise _failed(message, **parameters) from None
        except _refusals() as error:
            reason = {"reason": "refused"} if port.was_refused else {}
            raise _failed(str(error) or type(error).__name__, **reason) from None
    if not fresh.was_saved:
        why = "it asks for no sign-in" if status < 400 else f"it answered with HTTP {status} and names no sign-in"
        raise _failed(why, reason="no_sign_in", http_status=status)


def _refusals() -> tuple[type[Exception], ...]:
    from mcp.client.auth import OAuthFlowError
    from pydantic import ValidationError

    return OAuthFlowError, ValidationError, ValueError


def _failed(why: str, **parameters: Any) -> ToolFailed:
    return ToolFailed("sign_in_failed", f"the sign-in failed: {why}", why=why, **parameters)


class _Fresh:
    """Credentials of a new sign-in: no tokens, and a client if it was registered by hand."""

    def __init__(self, kept: Credentials, client: ClientId | None, return_url: str) -> None:
        self._kept = kept
        self.was_saved = False
        by_hand = json.loads(kept.text or "{}").get("by_hand") if client is None else None
        if client is not None:
            by_hand = {"client_id": client.id, "redirect_uris": [return_url]}
            if client.secret is not None:
                by_hand |= {"client_secret": client.secret, "token_endpoint_auth_method": "client_secret_post"}
        self._by_hand = by_hand

    @property
    def text(self) -> str:
        return json.dumps({} if self._by_hand is None else {"client": self._by_hand, "by_hand": self._by_hand})

    async def save(self, text: str | None) -> None:
        self.was_saved = True
        await self._kept.save(text)


class _ReturnPort:
    """The port of this machine that the browser returns to with a code. An async context manager."""

    def __init__(self) -> None:
        self._state = ""
        self._result: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self.url = ""
        self.was_refused = False

    async def __aenter__(self) -> "_ReturnPort":
        try:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", RETURN_PORT)
        except OSError:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/callback"
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._server.close()
        self._result.cancel()

    def ask(self, open_page: Callable[[str], object]) -> Callable[[str], Awaitable[None]]:
        async def ask(url: str) -> None:
            parts = urlsplit(url)
            # A server decides on this address: nothing but a page may be opened.
            if parts.scheme not in ("http", "https"):
                raise ValueError("the page of the sign-in is no address of the web")
            self._state = parse_qs(parts.query).get("state", [""])[0]
            open_page(url)

        return ask

    async def answer(self) -> "AuthorizationCodeResult":
        return await self._result

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_S):
                line = (await reader.readline())[:_REQUEST_BYTES].decode("latin-1")
                status, title = self._take(line)
                page = _PAGE.format(title=html.escape(title)).encode()
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(page)}"
                writer.write(f"{head}\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n".encode() + page)
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            pass
        finally:
            writer.close()

    def _take(self, line: str) -> tuple[str, str]:
        """Take the request of the browser, and return the answer. Others may call this port: the state tells."""
        from mcp.client.auth import OAuthFlowError
        from mcp.shared.auth import AuthorizationCodeResult

        target = urlsplit(line.split(" ")[1] if line.count(" ") > 1 else "")
        values = {name: found[0] for name, found in parse_qs(target.query).items()}
        if target.path != "/callback" or not self._state or values.get("state") != self._state:
            return "404 Not Found", "This page belongs to no sign-in"
        if not self._result.done():
            if "code" in values:
                self._result.set_result(
                    AuthorizationCodeResult(code=values["code"], state=values["state"], iss=values.get("iss"))
                )
            else:
                self.was_refused = True
                why = values.get("error_description") or values.get("error") or "there is no code"
                self._result.set_exception(OAuthFlowError(f"it was refused: {why[:200]}"))
        return "200 OK", "You are signed in" if "code" in values else "You are not signed in"
