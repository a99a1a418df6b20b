"""A connection to the desktop's D-Bus: calls with a time limit, and subscribed signals.

On jeepney, since Qt's own binding cannot send an unsigned number from Python, which the notifications' interface
requires. Nothing here blocks: a bus that is missing, dies or does not respond is an error of the call that meets it.
"""

import asyncio
import logging
import os
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, HeaderFields, MatchRule, Message, MessageType, message_bus, new_method_call
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

log = logging.getLogger(__name__)

REPLY_TIMEOUT_S = 5.0
"""The limit of a call."""

SignalHandler = Callable[[str, str, tuple[Any, ...]], None]
"""Called with each signal: its sender, its name, its values."""


class BusFailed(Exception):
    """The bus, or the called service, is missing, refuses, or does not respond in time."""


class BusRefused(BusFailed):
    """The response was an error; the called service exists."""


class SessionBus:
    """A connection, made by `open_bus`."""

    def __init__(self, connection: DBusConnection, on_signal: SignalHandler) -> None:
        self._connection = connection
        self._on_signal = on_signal
        self._replies: dict[int, asyncio.Future[Message]] = {}
        self.has_ended = False

    async def call(self, to: DBusAddress, method: str, signature: str | None = None, *values: Any) -> tuple[Any, ...]:
        """Call a method and return its values. Raises BusFailed, BusRefused where the response is an error."""
        return await self._call(new_method_call(to, method, signature, values))

    async def listen(self, rule: MatchRule) -> None:
        """Subscribe to signals. Raises BusFailed."""
        await self._call(message_bus.AddMatch(rule))

    async def owner_of(self, name: str) -> str:
        """Return the connection that owns this name. Raises BusFailed where there is none."""
        (owner,) = await self._call(message_bus.GetNameOwner(name))
        return str(owner)

    async def receive(self) -> None:
        """Receive messages until the connection ends."""
        try:
            while True:
                self._dispatch(await self._connection.receive())
        except (OSError, EOFError):
            pass
        except (ValueError, LookupError, TypeError, struct.error):  # jeepney's errors for malformed bytes
            log.warning("the session bus sent an unreadable message", exc_info=True)
        finally:
            self.has_ended = True
            for reply in self._replies.values():
                if not reply.done():
                    reply.set_exception(BusFailed("the connection is gone"))

    async def _call(self, message: Message) -> tuple[Any, ...]:
        if self.has_ended:
            raise BusFailed("the connection is gone")
        serial = next(self._connection.outgoing_serial)
        reply = self._replies[serial] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(REPLY_TIMEOUT_S):
                await self._connection.send(message, serial=serial)
                response = await reply
        except (OSError, TimeoutError) as error:
            raise BusFailed(f"{message.header.fields[HeaderFields.member]}: {str(error) or 'no reply'}") from error
        finally:
            del self._replies[serial]
        if response.header.message_type is MessageType.error:
            raise BusRefused(str(response.header.fields.get(HeaderFields.error_name)))
        return tuple(response.body)

    def _dispatch(self, message: Message) -> None:
        fields = message.header.fields
        if message.header.message_type is MessageType.signal:
            signal = fields.get(HeaderFields.sender, ""), fields[HeaderFields.member], tuple(message.body)
            # Not at once: a waiting call whose reply came earlier must resume before the signal is handled.
            asyncio.get_running_loop().call_soon(self._on_signal, *signal)
            return
        reply = self._replies.get(fields.get(HeaderFields.reply_serial, 0))
        if reply is not None and not reply.done():
            reply.set_result(message)


@asynccontextmanager
async def open_bus(on_signal: SignalHandler, on_end: Callable[[], object]) -> AsyncIterator[SessionBus]:
    """Connect to the session bus; `on_end` is called once when it is gone. Raises BusFailed where there is none."""
    try:
        async with asyncio.timeout(REPLY_TIMEOUT_S):
            connection = await open_dbus_connection(_address())
    except (OSError, EOFError, ValueError, KeyError, RuntimeError, TimeoutError) as error:
        raise BusFailed(f"no session bus: {error}") from error
    bus = SessionBus(connection, on_signal)
    receiving = asyncio.create_task(bus.receive(), name="session bus")
    receiving.add_done_callback(lambda _: on_end())
    try:
        yield bus
    finally:
        receiving.cancel()
        await asyncio.wait((receiving,))
        connection.writer.transport.abort()  # not closed gracefully, which would wait for a hanging bus


def _address() -> str:
    """Return the address from the environment, else systemd's default. Raises KeyError where there is neither."""
    if address := os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    return f"unix:path={Path(os.environ['XDG_RUNTIME_DIR']) / 'bus'}"
