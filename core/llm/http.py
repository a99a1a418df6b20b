"""HTTP connections to providers, configured so that a key reaches nothing but its origin.

Redirects are not followed. Proxies and certificates are those of `core.network`; what is not encrypted goes through no
proxy, since it could read the key and the conversation.
"""

import asyncio
import logging
from typing import TYPE_CHECKING

from core.network.proxies import Proxy
from core.network.routes import Network, Route

if TYPE_CHECKING:  # imported where needed: loading it takes longer than a frame
    import httpx

for _name in ("httpx", "httpcore"):  # INFO logs a line per request, DEBUG the headers with the key
    logging.getLogger(_name).setLevel(logging.WARNING)


# How many turns of the loop it takes to close the generators of a response that was not read to its end.
_TURNS = 4


class HttpClients:
    """A client per route, created on first use. Lives on one event loop, until `close`."""

    def __init__(self, network: Network | None = None) -> None:
        self._network = network or Network()
        self._clients: dict[Route, httpx.AsyncClient] = {}
        self._making = asyncio.Lock()

    async def client_for(self, url: str) -> "tuple[httpx.AsyncClient, Proxy | None]":
        """Return the client for that address, and the proxy that it goes through. Raises ValueError if the proxy or the
        certificates are unusable.
        """
        route = await self._network.route(url, is_private=True)
        if route not in self._clients:
            async with self._making:
                if route not in self._clients:
                    self._clients[route] = await asyncio.to_thread(_client, route)
        return self._clients[route], route.proxy

    async def close(self) -> None:
        """Close all clients and their connections."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()
        # httpcore closes the generators of abandoned responses in their own tasks; without these turns asyncio warns of
        # generators that were never closed.
        for _ in range(_TURNS if clients else 0):
            await asyncio.sleep(0)


def _client(route: Route) -> "httpx.AsyncClient":
    """Create a client. Takes a tenth of a second the first time."""
    import anyio  # noqa: F401  # otherwise loaded by the first request, on the loop
    import httpx

    return httpx.AsyncClient(
        verify=route.tls or False,
        proxy=httpx.Proxy(route.proxy.url, ssl_context=route.proxy_tls) if route.proxy is not None else None,
        trust_env=False,
        follow_redirects=False,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30.0),
        headers={"User-Agent": "Metier", "Accept-Encoding": "identity"},
    )
