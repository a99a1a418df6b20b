"""A desktop's notification service for tests, on a bus of its own: what it was told, and what a person does to it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, DBusRouter, Proxy, open_dbus_connection

NAME = "org.freedesktop.Notifications"
HAS_DBUS = shutil.which("dbus-daemon") is not None
FULL = ("body", "body-markup", "actions")

_EMITTER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)


@asynccontextmanager
async def a_bus() -> AsyncIterator[str]:
    """The address of a session bus that nobody else is on."""
    program = await asyncio.create_subprocess_exec(
        *("dbus-daemon", "--session", "--nofork", "--print-address"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert program.stdout is not None
    try:
        yield (await program.stdout.readline()).decode().strip()
    finally:
        program.terminate()
        await program.wait()


@dataclass(frozen=True, slots=True)
class Shown:
    """A notification as the service was told of it."""

    number: int
    title: str
    body: str
    actions: tuple[str, ...]
    hints: dict[str, Any]
    replaces: int


class NotificationService:
    """Use it as a context. While `is_silent` it answers nothing; while `refuses`, everything with an error."""

    def __init__(self, address: str, abilities: Iterable[str] = FULL) -> None:
        self._address = address
        self._abilities = list(abilities)
        self._last = 0
        self.told: list[Shown] = []
        """Every one, in order, those that took another's place too."""
        self.seen: dict[int, Shown] = {}
        """Those on the screen."""
        self.is_silent = False
        self.refuses = False

    async def __aenter__(self) -> Self:
        self._connection = await open_dbus_connection(self._address)
        async with DBusRouter(self._connection) as router:
            await Proxy(message_bus, router).RequestName(NAME)
        self._answering = asyncio.create_task(self._answer(self._connection))
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._answering.cancel()
        await asyncio.wait((self._answering,))
        await self._connection.close()

    async def click(self, number: int, token: str | None = None) -> None:
        """A person clicks on it: it goes, and its action is told, on Wayland with a token."""
        if token is not None:
            await self._emit("ActivationToken", "us", number, token)
        await self._emit("ActionInvoked", "us", number, "default")
        await self.dismiss(number)

    async def dismiss(self, number: int) -> None:
        del self.seen[number]
        await self._emit("NotificationClosed", "uu", number, 2)

    async def _emit(self, name: str, signature: str, *values: Any) -> None:
        await self._connection.send(new_signal(_EMITTER, name, signature, values))

    async def _answer(self, connection: DBusConnection) -> None:
        while True:
            message = await connection.receive()
            if message.header.message_type is not MessageType.method_call or self.is_silent:
                continue
            if self.refuses:
                await connection.send(new_error(message, f"{NAME}.Error.ExcessNotificationGeneration"))
            else:
                await connection.send(self._take(message))

    def _take(self, message: Message) -> Message:
        match message.header.fields[HeaderFields.member]:
            case "GetCapabilities":
                return new_method_return(message, "as", (self._abilities,))
            case "CloseNotification":
                (number,) = message.body
                if self.seen.pop(number, None) is None:
                    return new_error(message, "org.freedesktop.DBus.Error.Failed")
                return new_method_return(message)
            case "Notify":
                assert message.header.fields[HeaderFields.signature] == "susssasa{sv}i"
                _app, replaces, _icon, title, body, actions, hints, _expires = message.body
                if replaces not in self.seen:
                    self._last += 1
                number = replaces if replaces in self.seen else self._last
                values = {name: value for name, (_, value) in hints.items()}
                shown = Shown(number, title, body, tuple(actions), values, replaces)
                self.told.append(shown)
                self.seen[number] = shown
                return new_method_return(message, "u", (number,))
            case other:
                return new_error(message, f"org.freedesktop.DBus.Error.UnknownMethod.{other}")
