"""A network that fails inside a tool: tried once more where that does no harm (AGENTS_AND_TOOLS §3)."""

import socket
from collections.abc import Awaitable, Callable
from typing import Any

from core.domain.tool import Effect
from core.errors import NetworkFailed

_NO_CONNECTION = (ConnectionRefusedError, socket.gaierror)


async def tried_twice(name: str, work: Callable[[], Awaitable[Any]], effect: Effect) -> Any:
    """What the work gives. After a failure of the network it is tried again: always if no connection was made, else
    only where it may be repeated, since a lost answer may have had its effect.

    Raises NetworkFailed; its parameter `uncertain` says that nobody knows whether it has happened.
    """
    for is_last in (False, True):
        try:
            return await _told(name, work)
        except NetworkFailed as error:
            if error.was_connected and effect is Effect.ONCE:
                raise _uncertain(error) from None
            if is_last:
                raise
    raise AssertionError


async def _told(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
    """The work, with what the system says of the network in our words."""
    try:
        return await work()
    except _NO_CONNECTION as error:
        raise NetworkFailed(f"{name} found no connection: {_reason(error)}", was_connected=False) from error
    except ConnectionError as error:
        raise NetworkFailed(f"{name} lost its connection: {_reason(error)}", was_connected=True) from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _uncertain(error: NetworkFailed) -> NetworkFailed:
    message = f"{error.message}; it may have happened all the same"
    return NetworkFailed(message, was_connected=True, **{**error.parameters, "uncertain": True})
