"""Which machine may be connected to (AGENTS_AND_TOOLS §5): public ones, and those of allowed origins.

A name is looked up once for each connection; what is checked is the answer, and the connection goes to the very
address that was checked. So a name that answers otherwise the next time (DNS rebinding) leads nowhere else.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence

from core.domain.web_address import WebAddress, ip_of, not_public, public
from core.errors import NetworkFailed, ToolFailed

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a host, the best first. Raises OSError."""

MOST_ADDRESSES = 4


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the system knows."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def permitted(address: WebAddress, origins: Collection[str], resolve: Resolver) -> list[str]:
    """The IP addresses that may be connected to for this address.

    Raises ToolFailed `not_allowed` for a place that is not public and whose origin is not allowed, and NetworkFailed
    where the name is not known.
    """
    is_allowed = address.origin in origins
    ip = address.ip
    if ip is None:
        found = await _looked_up(address, resolve)
        reachable = [one for one in found if ip_of(one)] if is_allowed else public(found)
        why = _reason(found[0]) if found else None
    else:
        why = not_public(ip)
        reachable = [address.host] if is_allowed or why is None else []
    if not reachable:
        led = "is" if ip is not None else "leads to"
        raise ToolFailed(
            "not_allowed",
            f"{address.origin} {led} {why or 'no public address'}; it is refused unless a person allows this origin",
            origin=address.origin,
            allowed=sorted(origins),
        )
    return reachable[:MOST_ADDRESSES]


async def _looked_up(address: WebAddress, resolve: Resolver) -> Sequence[str]:
    try:
        found = await resolve(address.host, address.port)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise NetworkFailed(f"the host {address.host} was not found: {words}", was_connected=False) from error
    if not found:
        raise NetworkFailed(f"the host {address.host} has no address", was_connected=False)
    return found


def _reason(found: str) -> str | None:
    ip = ip_of(found)
    return not_public(ip) if ip is not None else None
