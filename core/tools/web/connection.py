"""A single request over its own connection, to an address that was checked (AGENTS_AND_TOOLS §5).

Allowed are public machines, and allowed origins. A name is resolved once for each connection; the answer is checked,
and the connection goes to the very address that was checked. So a name that resolves differently the next time (DNS
rebinding) leads nowhere else. TLS verifies the name of the host, whatever address is connected.

A proxy is given the address that was checked, too; one that this machine cannot look up needs the user's permission.
No cookies or anything else of the environment; redirects are not followed.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain.text.web_address import WebAddress, non_public_kind, parse_ip, public_addresses
from core.errors import NetworkFailed, ToolFailed
from core.network.failures import Part, connection_problem
from core.network.proxies import Proxy
from core.network.routes import Route
from core.tools.web.backend import Stream, backend_by
from core.tools.web.tunnel import tunnels

if TYPE_CHECKING:  # late: loading it takes longer than a frame
    import httpcore

CONNECT_S = 10.0
SILENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request. Header names are in lower case."""

    method: str
    address: WebAddress
    headers: Mapping[str, str]
    body: bytes | None = None


@asynccontextmanager
async def open_response(request: Request, targets: Sequence[str], route: Route) -> "AsyncIterator[httpcore.Response]":
    """Yield the response, its body not read yet. Raises NetworkFailed, also while the body is read."""
    import httpcore

    address = request.address
    url = httpcore.URL(
        scheme=address.scheme.encode(),
        host=address.host.encode(),
        port=address.port,
        target=address.target.encode(),
    )
    headers = [
        (name.encode(), value.encode()) for name, value in {"host": address.authority, **request.headers}.items()
    ]
    if request.body is not None:
        headers.append((b"content-length", str(len(request.body)).encode()))
    timeouts = {"connect": CONNECT_S, "read": SILENCE_S, "write": SILENCE_S, "pool": CONNECT_S}
    backend = _pinned(targets) if route.proxy is None else tunnels(route.proxy, route.proxy_tls, targets)
    pool = httpcore.AsyncConnectionPool(
        ssl_context=route.tls, max_keepalive_connections=0, network_backend=backend, http2=False
    )
    try:
        async with (
            pool,
            pool.stream(
                request.method, url, headers=headers, content=request.body, extensions={"timeout": timeouts}
            ) as response,
        ):
            yield response
    except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError) as error:
        problem = connection_problem(error, address.origin, route.proxy)
        raise NetworkFailed(problem.message, was_connected=False, **problem.parameters) from error
    except httpcore.LocalProtocolError as error:
        raise ToolFailed("invalid_arguments", f"this cannot be sent: {_error_text(error)}") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
        raise NetworkFailed(f"{address.origin} broke off: {_error_text(error)}", was_connected=True) from error


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


def _pinned(ips: Sequence[str]) -> "httpcore.AsyncNetworkBackend":
    """Return a network backend that connects to these addresses only, whatever the host: each in turn until one
    answers.
    """
    import httpcore

    async def connect(net: httpcore.AsyncNetworkBackend, port: int, timeout_s: float | None) -> "Stream":
        # An unreachable address must not use up the time of the others.
        each_s = None if timeout_s is None else timeout_s / len(ips)
        for ip in ips[:-1]:
            try:
                return await net.connect_tcp(ip, port, each_s)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await net.connect_tcp(ips[-1], port, each_s)

    return backend_by(connect)


Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a host, the best first. Raises OSError."""

MAX_ADDRESSES = 4


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Resolve a host with the system's resolver."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in entries))


async def permitted_addresses(
    address: WebAddress, origins: Collection[str], resolve: Resolver, proxy: Proxy | None = None
) -> list[str]:
    """Return the IP addresses that may be connected for this address. Behind a proxy it is the name, if the origin is
    allowed: the proxy may know names that this machine does not.

    Raises ToolFailed `not_allowed` for an address that is neither public nor of an allowed origin, and NetworkFailed
    where the name does not resolve.
    """
    is_allowed = address.origin in origins
    ip = address.ip
    if ip is None and proxy is not None and is_allowed:
        return [address.host]
    if ip is None:
        try:
            ips = await _look_up(address, resolve)
        except NetworkFailed as error:
            if proxy is None:
                raise
            raise ToolFailed(
                "not_allowed",
                f"this computer cannot look up {address.host}, and {proxy} may lead to any machine; it is refused "
                f"unless the user allows this origin, in the window or with --allow {address.origin}",
                origin=address.origin,
                allowed=sorted(origins),
            ) from error
        reachable = [ip_text for ip_text in ips if parse_ip(ip_text)] if is_allowed else public_addresses(ips)
        why = _not_public_reason(ips[0]) if ips else None
    else:
        why = non_public_kind(ip)
        reachable = [address.host] if is_allowed or why is None else []
    if not reachable:
        verb = "is" if ip is not None else "leads to"
        raise ToolFailed(
            "not_allowed",
            f"{address.origin} {verb} {why or 'no public address'}; it is refused unless the user allows this origin, "
            f"in the window or with --allow {address.origin}",
            origin=address.origin,
            allowed=sorted(origins),
        )
    return reachable[:MAX_ADDRESSES]


async def _look_up(address: WebAddress, resolve: Resolver) -> Sequence[str]:
    try:
        ips = await resolve(address.host, address.port)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the host {address.host} was not found: {reason}"
        raise NetworkFailed(message, was_connected=False, part=Part.NAME.value, origin=address.origin) from error
    if not ips:
        raise NetworkFailed(f"the host {address.host} has no address", was_connected=False)
    return ips


def _not_public_reason(ip_text: str) -> str | None:
    ip = parse_ip(ip_text)
    return non_public_kind(ip) if ip is not None else None
