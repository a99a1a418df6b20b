"""The system's keyring, called in a thread: it may be missing, locked, or never respond (AGENTS_AND_TOOLS §10)."""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from core.threads.imports import import_once

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

log = logging.getLogger(__name__)

SERVICE = "metier"
LIMIT_S = 5.0
# The user may have to enter a password first, but only while they store or remove a key.
UNLOCK_S = 60.0

T = TypeVar("T")


class KeyringUnavailable(Exception):
    """There is no keyring, or it failed or did not respond. The message has the reason, never a key."""


class SystemKeyring:
    """Stores keys by origin. After a call that did not respond, it is not called again in this process."""

    def __init__(self, limit_s: float = LIMIT_S, unlock_s: float = UNLOCK_S) -> None:
        self._limit_s = limit_s
        self._unlock_s = unlock_s
        self._is_unresponsive = False

    async def get(self, origin: str) -> str | None:
        """Return the key. Raises KeyringUnavailable."""
        return await self._ask(lambda: _backend().get_password(SERVICE, origin), self._limit_s)

    async def put(self, origin: str, key: str) -> None:
        """Store a key. Raises KeyringUnavailable, also if the keyring does not retain it."""

        def put() -> None:
            _backend().set_password(SERVICE, origin, key)
            if _backend().get_password(SERVICE, origin) != key:
                raise KeyringUnavailable("the keyring did not retain the key")

        await self._ask(put, self._unlock_s)

    async def remove(self, origin: str) -> None:
        """Remove a key, if present. Raises KeyringUnavailable."""

        def remove() -> None:
            if _backend().get_password(SERVICE, origin) is not None:
                _backend().delete_password(SERVICE, origin)

        await self._ask(remove, self._unlock_s)

    async def _ask(self, question: Callable[[], T], limit_s: float) -> T:
        if self._is_unresponsive:
            raise KeyringUnavailable("the keyring did not answer before")
        try:
            async with asyncio.timeout(limit_s):
                return await _call_in_daemon_thread(question)
        except TimeoutError:
            self._is_unresponsive = True
            log.warning("the system's keyring does not answer; it is left alone")
            raise KeyringUnavailable("the keyring does not answer") from None


def _backend() -> "KeyringBackend":
    """Open the system's keyring. Raises KeyringUnavailable if there is no usable keyring."""
    import_once("keyring", "keyring.backends.fail")
    import keyring
    from keyring.backends import fail

    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring):
        raise KeyringUnavailable("this system has no keyring")
    return backend


async def _call_in_daemon_thread(question: Callable[[], T]) -> T:
    """Call `question` in a daemon thread.

    A call that never returns then blocks neither the loop's executor nor the end of the process.
    """
    # Not `to_thread`: an executor's threads are joined at exit, and a D-Bus call to a locked keyring can hang for ever.
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # a timeout cannot cancel it any more, so the thread may always settle it

    def run() -> None:
        try:
            future.set_result(question())
        except KeyringUnavailable as error:
            future.set_exception(error)
        except Exception as error:  # noqa: BLE001  # backends raise anything; the message may contain the key
            future.set_exception(KeyringUnavailable(f"the keyring refuses: {type(error).__name__}"))

    threading.Thread(target=run, name="keyring", daemon=True).start()
    return await asyncio.wrap_future(future)
