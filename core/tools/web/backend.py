"""A network backend of httpcore that leads every connection where a function decides."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # late: loading it takes longer than a frame
    import httpcore

Stream: TypeAlias = "httpcore.AsyncNetworkStream"
Connect = Callable[["httpcore.AsyncNetworkBackend", int, float | None], Awaitable[Stream]]
"""Connects by a backend to its own choice of addresses, at a port, within so many seconds."""


def backend_by(connect: Connect) -> "httpcore.AsyncNetworkBackend":
    """Return a backend that connects by this function, whatever the host."""
    import httpcore

    class Backend(httpcore.AsyncNetworkBackend):
        def __init__(self) -> None:
            self._net = httpcore.AnyIOBackend()

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,  # noqa: ASYNC109  # the library's own name
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.AsyncNetworkStream:
            return await connect(self._net, port, timeout)

        async def connect_unix_socket(
            self,
            path: str,
            timeout: float | None = None,  # noqa: ASYNC109
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.AsyncNetworkStream:
            raise httpcore.ConnectError("a socket file is not an address")

        async def sleep(self, seconds: float) -> None:
            await self._net.sleep(seconds)

    return Backend()
