"""What sends the requests of HTTP servers: each origin by its own proxy and certificates (AGENTS_AND_TOOLS §11)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.network.proxies import Proxy
from core.network.routes import Network, Route

if TYPE_CHECKING:
    import httpx2

OnError = Callable[[Exception, "httpx2.Request", Proxy | None], object]


def routed_transport(network: Network, on_error: OnError, *, is_private: bool) -> "httpx2.AsyncBaseTransport":
    """Return a transport that finds the way to each origin: a sign-in asks others than the server itself. `on_error` is
    called with what failed.
    """
    import httpx2

    class Routed(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            self._transports: dict[Route, httpx2.AsyncHTTPTransport] = {}

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            try:
                route = await network.route(str(request.url), is_private=is_private)
            except ValueError as error:
                on_error(error, request, None)
                raise httpx2.ConnectError(str(error), request=request) from error
            try:
                return await self._transport(route).handle_async_request(request)
            except httpx2.TransportError as error:
                on_error(error, request, route.proxy)
                raise

        def _transport(self, route: Route) -> httpx2.AsyncHTTPTransport:
            if route not in self._transports:
                proxy = httpx2.Proxy(route.proxy.url, ssl_context=route.proxy_tls) if route.proxy is not None else None
                self._transports[route] = httpx2.AsyncHTTPTransport(
                    verify=route.tls or False, proxy=proxy, trust_env=False
                )
            return self._transports[route]

        async def aclose(self) -> None:
            for transport in self._transports.values():
                await transport.aclose()

    return Routed()
