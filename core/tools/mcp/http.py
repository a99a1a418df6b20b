"""The transport over streamable HTTP, with the client that the library brings for it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from core.tools.mcp.causes import StartFailed
from core.tools.mcp.launch import Launch

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

CONNECT_S = 10.0
SILENCE_S = 3600.0
"""A stream may be silent for as long as the longest call; a call has its own limit."""

_REFUSED = 400
_UNKNOWN = 404


class HttpLink:
    """One life of a connection; as `StdioLink`. Nobody tells when the other side goes: a call finds out."""

    exit_code: int | None = None

    def __init__(self, launch: Launch, note: Callable[[str], object], on_end: Callable[[], object]) -> None:
        self._launch = launch
        self._note = note
        self.why: str | None = None
        self.status: int | None = None

    @property
    def cause(self) -> str:
        return "unreachable" if self.status is None else "refused"

    @property
    def has_lost_session(self) -> bool:
        """Whether the other side was started anew, or has forgotten the session: it says 404, or in some servers 400,
        and has done nothing. What is wrong with a call itself is told in an answer."""
        return self.status in (_UNKNOWN, _REFUSED)

    def abort(self) -> bool:
        """There is nothing to end but the connection, which the session closes."""
        return False

    @asynccontextmanager
    async def streams(self) -> "AsyncIterator[TransportStreams]":
        """The streams of a session. Raises StartFailed."""
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        launch = self._launch
        assert launch.url is not None
        try:
            client = httpx2.AsyncClient(
                headers=dict(launch.headers),
                timeout=httpx2.Timeout(CONNECT_S, read=SILENCE_S),
                event_hooks={"request": [self._ask], "response": [self._look]},
            )
        except (ValueError, UnicodeError) as error:
            raise StartFailed("unreachable", f"its headers cannot be sent: {error}") from None
        async with client, streamable_http_client(launch.url, http_client=client) as streams:
            yield streams

    async def _ask(self, request: "httpx2.Request") -> None:
        self.why = f"did not answer at {request.url.host}"

    async def _look(self, response: "httpx2.Response") -> None:
        """Remember what was wrong with the last answer: the library says no more than that there was none."""
        self.status = response.status_code
        is_refused = response.status_code >= _REFUSED and response.request.method == "POST"
        self.why = f"answered with HTTP {response.status_code} {response.reason_phrase}" if is_refused else None
        if is_refused:
            self._note(f"HTTP {response.status_code} {response.reason_phrase}")
