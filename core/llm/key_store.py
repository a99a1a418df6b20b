"""Keys in a file that only its owner can read: for systems without a keyring."""

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
from core.threads.files import replace_private

FORMAT = 1


class KeyFile:
    """Origin → key. Everything blocks on the disk: call it in a thread, one call at a time. Without a path there is no
    place for one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def get(self, origin: str) -> str | None:
        """Raises Refused `keys_unreadable`: a file that is damaged, or that is not the person's alone."""
        return self._read().get(origin)

    def put(self, origin: str, key: str | None) -> None:
        """Keep a key, or with None forget it. The file is replaced whole: a crash leaves the old or the new one.

        Raises Refused `keys_unreadable`, `keys_not_writable`.
        """
        keys = self._read()
        if key is None and origin not in keys:
            return
        keys = {**keys, origin: key} if key is not None else {name: keys[name] for name in keys if name != origin}
        if self._path is None:
            raise Refused("keys_not_writable", "there is no place for a file of keys")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_private(self._path, json.dumps({"format": FORMAT, "keys": keys}).encode("ascii"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise Refused("keys_not_writable", f"the file of keys cannot be written: {reason}") from None

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
        """A file that others can read is taken from them; one that others can write may hold anything."""
        if os.name != "posix":
            return
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise OSError(None, "it belongs to somebody else, or others can write it")
        if status.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)


def _unreadable(reason: str) -> Refused:
    return Refused("keys_unreadable", f"the file of keys cannot be read: {reason}")


log = logging.getLogger(__name__)

KEY_VARIABLE = "METIER_API_KEY"
KEY_CHARACTERS = 10_000


class KeySource(StrEnum):
    """Where a key comes from, as the settings show it."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    FILE = "file"


class KeyStore:
    """All keys. `places` tells where those are that were put in, so that a keyring is only asked for what it has."""

    def __init__(
        self,
        file: KeyFile,
        keyring: SystemKeyring,
        environment: Mapping[str, str],
        places: Callable[[], Mapping[str, KeyLocation]],
    ) -> None:
        self._file = file
        self._keyring = keyring
        self._environment = environment
        self._places = places
        self._one_at_a_time = asyncio.Lock()

    async def find(self, choice: ModelChoice) -> Secret | None:
        """The key for a choice, if there is one."""
        found = await self._find(choice)
        return found[0] if found is not None else None

    async def source(self, choice: ModelChoice) -> KeySource | None:
        """Where it is, without showing it."""
        found = await self._find(choice)
        return found[1] if found is not None else None

    async def put(self, origin: str, key: str) -> KeyLocation:
        """Keep a key: in the keyring, else in the file. Gives where.

        Raises Refused `bad_input` for what is no key, `keys_unreadable`, `keys_not_writable`.
        """
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable() or len(key) > KEY_CHARACTERS:
            raise Refused("bad_input", f"a key has 1 to {KEY_CHARACTERS:,} characters that can be printed, all ASCII")
        return await self.keep(origin, key)

    async def keep(self, name: str, value: str) -> KeyLocation:
        """Keep any secret, under a name that is no origin; gives where. Raises Refused `keys_unreadable`,
        `keys_not_writable`."""
        async with self._one_at_a_time:
            try:
                await self._keyring.put(name, value)
            except KeyringUnavailable as error:
                log.info("a key goes into the file: %s", error)
                await asyncio.to_thread(self._file.put, name, value)
                return KeyLocation.FILE
            await asyncio.to_thread(self._file.put, name, None)  # no older one must come back
            return KeyLocation.KEYRING

    async def kept(self, name: str, place: KeyLocation) -> Secret | None:
        """The secret of that name, from where it was put. Raises Refused `no_keyring`, `keys_unreadable`."""
        if place is KeyLocation.FILE:
            found = await asyncio.to_thread(self._file.get, name)
        else:
            try:
                found = await self._keyring.get(name)
            except KeyringUnavailable as error:
                raise Refused("no_keyring", str(error)) from None
        return Secret(found) if found is not None else None

    async def remove(self, origin: str) -> None:
        """Forget a key, wherever it is. Raises Refused `keys_unreadable`, `keys_not_writable`, and `no_keyring` where
        the keyring has it and does not answer."""
        await self.forget(origin, self._places().get(origin))

    async def forget(self, name: str, place: KeyLocation | None) -> None:
        """Likewise, of any secret; `place` is where it was put."""
        async with self._one_at_a_time:
            try:
                await self._keyring.remove(name)
            except KeyringUnavailable as error:
                if place is KeyLocation.KEYRING:
                    raise Refused("no_keyring", str(error)) from None
            await asyncio.to_thread(self._file.put, name, None)

    async def _find(self, choice: ModelChoice) -> tuple[Secret, KeySource] | None:
        for variable in _variables(choice):
            if given := self._environment.get(variable, "").strip():
                return Secret(given), KeySource.ENVIRONMENT
        origin, place = choice.origin, self._places().get(choice.origin)
        if place is KeyLocation.KEYRING or (place is None and choice.needs_key):
            try:
                if key := await self._keyring.get(origin):
                    return Secret(key), KeySource.KEYRING
            except KeyringUnavailable as error:
                log.log(logging.WARNING if place else logging.INFO, "no key from the keyring: %s", error)
        try:
            if key := await asyncio.to_thread(self._file.get, origin):
                return Secret(key), KeySource.FILE
        except Refused as error:
            log.warning("%s", error.message)
        return None


def _variables(choice: ModelChoice) -> list[str]:
    """The environment variables that may hold the key, the most particular first. That of a preset is for the preset's
    own address alone."""
    preset = preset_of(choice)
    is_its_own = bool(preset.base_url) and origin_of(preset.base_url) == choice.origin
    named = [choice.key_env, KEY_VARIABLE, preset.key_env if is_its_own else None]
    return [name for name in named if name]
