"""HTTP connections to providers, configured so that a key reaches nothing but its origin.

Redirects are not followed. A proxy is used only for https, whose content it cannot read, and only if the environment
names it; this machine is reached directly. Other environment variables are ignored.
"""

import asyncio
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.domain.model import is_loopback

if TYPE_CHECKING:  # imported where needed: loading them takes longer than a frame
    import ssl

    import httpx

for _name in ("httpx", "httpcore"):  # INFO logs a line per request, DEBUG the headers with the key
    logging.getLogger(_name).setLevel(logging.WARNING)


# How many turns of the loop it takes to close the generators of a response that was not read to its end.
_TURNS = 4


class HttpClients:
    """A client per route, created on first use. Lives on one event loop, until `close`."""

    def __init__(self) -> None:
        self._clients: dict[tuple[bool, str | None], httpx.AsyncClient] = {}
        self._making = asyncio.Lock()

    async def client_for(self, url: str) -> "httpx.AsyncClient":
        """Return the client for that address. Raises ValueError if the environment names an unusable proxy."""
        is_secure = urlsplit(url).scheme == "https"
        way = (is_secure, _proxy(url) if is_secure else None)
        if way not in self._clients:
            async with self._making:
                if way not in self._clients:
                    self._clients[way] = await asyncio.to_thread(_client, *way)
        return self._clients[way]

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


def _client(is_secure: bool, proxy: str | None) -> "httpx.AsyncClient":
    """Create a client. Takes a tenth of a second the first time."""
    import anyio  # noqa: F401  # otherwise loaded by the first request, on the loop
    import httpx

    return httpx.AsyncClient(
        verify=_trusted() if is_secure else False,
        proxy=proxy,
        trust_env=False,
        follow_redirects=False,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30.0),
        headers={"User-Agent": "Metier", "Accept-Encoding": "identity"},
    )


def _trusted() -> "ssl.SSLContext":
    """Create a TLS context that trusts the system's certificates and, for systems without any, certifi's."""
    import ssl

    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _proxy(url: str) -> str | None:
    """Look up the proxy that the environment names for this address."""
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    host = urlsplit(url).hostname or ""
    if is_loopback(url) or proxy_bypass_environment(host):
        return None
    proxies = getproxies_environment()
    proxy = proxies.get("https") or proxies.get("all")
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    if proxy and urlsplit(proxy).scheme not in ("http", "https"):
        raise ValueError("a proxy address must begin with http:// or https://")
    return proxy
