"""Where API keys are stored: the environment, the system's keyring, else a private file (AGENTS_AND_TOOLS §2).

A stored key belongs to an origin (scheme, host, port), so that no other address can receive it.
"""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from core.domain.model import ModelChoice, origin_of
from core.domain.settings import KeyLocation
from core.errors import Refused
from core.llm.key_masking import Secret
from core.llm.presets import preset_of
from core.llm.system_keyring import KeyringUnavailable, SystemKeyring
from core.threads.files import make_private_folder, replace_private

FORMAT = 1


class KeyFile:
    """Stores keys by origin in a file that only its owner can read. `path` None: nothing can be stored.

    All methods block on the disk: call them in a thread, one at a time.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def get(self, origin: str) -> str | None:
        """Return the key. Raises Refused `keys_unreadable` if the file is damaged, or not private to the user."""
        return self._read().get(origin)

    def put(self, origin: str, key: str | None) -> None:
        """Store a key; None removes it. The file is replaced atomically.

        Raises Refused `keys_unreadable` or `keys_not_writable`.
        """
        keys = self._read()
        if key is None and origin not in keys:
            return
        keys = {**keys, origin: key} if key is not None else {name: keys[name] for name in keys if name != origin}
        if self._path is None:
            raise Refused("keys_not_writable", "there is no place for a key file")
        try:
            make_private_folder(self._path.parent)
            replace_private(self._path, json.dumps({"format": FORMAT, "keys": keys}).encode("ascii"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise Refused("keys_not_writable", f"the key file cannot be written: {reason}") from None

    def _read(self) -> dict[str, str]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                self._require_private(file.fileno())
                value = json.loads(file.read())
            keys = value["keys"]
            return {str(origin): str(key) for origin, key in keys.items()}
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _unreadable(error.strerror or type(error).__name__) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _unreadable("it is damaged") from None

    def _require_private(self, descriptor: int) -> None:
        """Revoke the read access of others. Reject a file that others can write, since it may contain anything."""
        if os.name != "posix":
            return
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise OSError(None, "it belongs to another user, or others can write to it")
        if status.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)


def _unreadable(reason: str) -> Refused:
    return Refused("keys_unreadable", f"the key file cannot be read: {reason}")


log = logging.getLogger(__name__)

KEY_VARIABLE = "METIER_API_KEY"
KEY_CHARACTERS = 10_000
_PLACE = " (place)"


class KeySource(StrEnum):
    """Where a key comes from, as the settings show it."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    FILE = "file"


class KeyStore:
    """Finds and stores keys. `locations` returns where keys are, so that the keyring is asked only for its own."""

    def __init__(
        self,
        file: KeyFile,
        keyring: SystemKeyring,
        environment: Mapping[str, str],
        locations: Callable[[], Mapping[str, KeyLocation]],
    ) -> None:
        self._file = file
        self._keyring = keyring
        self._environment = environment
        self._locations = locations
        self._lock = asyncio.Lock()

    async def find(self, choice: ModelChoice) -> Secret | None:
        """Find the key for a choice."""
        entry = await self._find(choice)
        return entry[0] if entry is not None else None

    async def source(self, choice: ModelChoice) -> KeySource | None:
        """Find where the key of a choice is."""
        entry = await self._find(choice)
        return entry[1] if entry is not None else None

    async def put(self, origin: str, key: str) -> KeyLocation:
        """Store a key, in the keyring or else in the file, and return where.

        Raises Refused `bad_input` for an invalid key, `keys_unreadable` or `keys_not_writable`.
        """
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable() or len(key) > KEY_CHARACTERS:
            raise Refused("bad_input", f"a key has 1 to {KEY_CHARACTERS:,} printable ASCII characters")
        return await self.put_secret(origin, key)

    async def put_secret(self, name: str, value: str) -> KeyLocation:
        """Store any secret under a name that is not an origin, and return where.

        Raises Refused `keys_unreadable` or `keys_not_writable`.
        """
        async with self._lock:
            try:
                await self._keyring.put(name, value)
            except KeyringUnavailable as error:
                log.info("a key goes into the file: %s", error)
                await asyncio.to_thread(self._file.put, name, value)
                return KeyLocation.FILE
            # An older value in the file would come back if the keyring failed later.
            await asyncio.to_thread(self._file.put, name, None)
            return KeyLocation.KEYRING

    async def get_secret(self, name: str, location: KeyLocation) -> Secret | None:
        """Load the secret of that name from its location. Raises Refused `no_keyring` or `keys_unreadable`."""
        if location is KeyLocation.FILE:
            value = await asyncio.to_thread(self._file.get, name)
        else:
            try:
                value = await self._keyring.get(name)
            except KeyringUnavailable as error:
                raise Refused("no_keyring", str(error)) from None
        return Secret(value) if value is not None else None

    async def remember(self, name: str, value: str) -> None:
        """Store a secret, and its place beside it, for what has no settings. Raises like `put_secret`."""
        place = await self.put_secret(name, value)
        async with self._lock:
            marker = place.value if place is KeyLocation.KEYRING else None
            await asyncio.to_thread(self._file.put, f"{name}{_PLACE}", marker)

    async def recall(self, name: str) -> Secret | None:
        """Load what was remembered under that name. Raises like `get_secret`."""
        return await self.get_secret(name, await self._place_of(name))

    async def forget(self, name: str) -> None:
        """Remove what was remembered under that name. Raises like `remove`."""
        await self.remove_secret(name, await self._place_of(name))
        async with self._lock:
            await asyncio.to_thread(self._file.put, f"{name}{_PLACE}", None)

    async def _place_of(self, name: str) -> KeyLocation:
        marker = await asyncio.to_thread(self._file.get, f"{name}{_PLACE}")
        return KeyLocation.KEYRING if marker == KeyLocation.KEYRING else KeyLocation.FILE

    async def remove(self, origin: str) -> None:
        """Remove a key wherever it is stored.

        Raises Refused `keys_unreadable`, `keys_not_writable`, or `no_keyring` if it is in a keyring that does not
        respond.
        """
        await self.remove_secret(origin, self._locations().get(origin))

    async def remove_secret(self, name: str, location: KeyLocation | None) -> None:
        """Remove any secret; `location` is where it was stored. Raises like `remove`."""
        async with self._lock:
            try:
                await self._keyring.remove(name)
            except KeyringUnavailable as error:
                if location is KeyLocation.KEYRING:
                    raise Refused("no_keyring", str(error)) from None
            await asyncio.to_thread(self._file.put, name, None)

    async def _find(self, choice: ModelChoice) -> tuple[Secret, KeySource] | None:
        for variable in _variables(choice):
            if value := self._environment.get(variable, "").strip():
                return Secret(value), KeySource.ENVIRONMENT
        origin, location = choice.origin, self._locations().get(choice.origin)
        # Asking a locked keyring may open a password dialog, so it is asked only for keys that it has, or may have.
        if location is KeyLocation.KEYRING or (location is None and choice.needs_key):
            try:
                if key := await self._keyring.get(origin):
                    return Secret(key), KeySource.KEYRING
            except KeyringUnavailable as error:
                log.log(logging.WARNING if location else logging.INFO, "no key from the keyring: %s", error)
        try:
            if key := await asyncio.to_thread(self._file.get, origin):
                return Secret(key), KeySource.FILE
        except Refused as error:
            log.warning("%s", error.message)
        return None


def _variables(choice: ModelChoice) -> list[str]:
    """List the environment variables that may hold the key, the most specific first.

    The variable of a preset is used only for the preset's own address.
    """
    preset = preset_of(choice)
    is_preset_origin = bool(preset.base_url) and origin_of(preset.base_url) == choice.origin
    variables = [choice.key_env, KEY_VARIABLE, preset.key_env if is_preset_origin else None]
    return [name for name in variables if name]
