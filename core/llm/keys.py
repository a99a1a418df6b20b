"""Where keys are: the environment, the system's keyring, else a file that only its owner can read.

AGENTS_AND_TOOLS §2. A stored key belongs to an origin (scheme, host, port), so that no other address can have it.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from enum import StrEnum

from core.domain.model import ModelChoice, origin_of
from core.domain.settings import KeyPlace
from core.errors import Refused
from core.llm.key_file import KeyFile
from core.llm.masking import Secret
from core.llm.presets import preset_of
from core.llm.system_keyring import NoKeyring, SystemKeyring

log = logging.getLogger(__name__)

VARIABLE = "METIER_API_KEY"
KEY_CHARACTERS = 10_000


class KeySource(StrEnum):
    """Where a key comes from, as the settings show it."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    FILE = "file"


class Keys:
    """All keys. `places` tells where those are that were put in, so that a keyring is only asked for what it has."""

    def __init__(
        self,
        file: KeyFile,
        keyring: SystemKeyring,
        environment: Mapping[str, str],
        places: Callable[[], Mapping[str, KeyPlace]],
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

    async def put(self, origin: str, key: str) -> KeyPlace:
        """Keep a key: in the keyring, else in the file. Gives where.

        Raises Refused `bad_input` for what is no key, `keys_unreadable`, `keys_not_writable`.
        """
        key = key.strip()
        if not key or not key.isascii() or not key.isprintable() or len(key) > KEY_CHARACTERS:
            raise Refused("bad_input", f"a key has 1 to {KEY_CHARACTERS:,} characters that can be printed, all ASCII")
        return await self.keep(origin, key)

    async def keep(self, name: str, value: str) -> KeyPlace:
        """Keep any secret, under a name that is no origin; gives where. Raises Refused `keys_unreadable`,
        `keys_not_writable`."""
        async with self._one_at_a_time:
            try:
                await self._keyring.put(name, value)
            except NoKeyring as error:
                log.info("a key goes into the file: %s", error)
                await asyncio.to_thread(self._file.put, name, value)
                return KeyPlace.FILE
            await asyncio.to_thread(self._file.put, name, None)  # no older one must come back
            return KeyPlace.KEYRING

    async def kept(self, name: str, place: KeyPlace) -> Secret | None:
        """The secret of that name, from where it was put. Raises Refused `no_keyring`, `keys_unreadable`."""
        if place is KeyPlace.FILE:
            found = await asyncio.to_thread(self._file.get, name)
        else:
            try:
                found = await self._keyring.get(name)
            except NoKeyring as error:
                raise Refused("no_keyring", str(error)) from None
        return Secret(found) if found is not None else None

    async def remove(self, origin: str) -> None:
        """Forget a key, wherever it is. Raises Refused `keys_unreadable`, `keys_not_writable`, and `no_keyring` where
        the keyring has it and does not answer."""
        await self.forget(origin, self._places().get(origin))

    async def forget(self, name: str, place: KeyPlace | None) -> None:
        """Likewise, of any secret; `place` is where it was put."""
        async with self._one_at_a_time:
            try:
                await self._keyring.remove(name)
            except NoKeyring as error:
                if place is KeyPlace.KEYRING:
                    raise Refused("no_keyring", str(error)) from None
            await asyncio.to_thread(self._file.put, name, None)

    async def _find(self, choice: ModelChoice) -> tuple[Secret, KeySource] | None:
        for variable in _variables(choice):
            if given := self._environment.get(variable, "").strip():
                return Secret(given), KeySource.ENVIRONMENT
        origin, place = choice.origin, self._places().get(choice.origin)
        if place is KeyPlace.KEYRING or (place is None and choice.needs_key):
            try:
                if key := await self._keyring.get(origin):
                    return Secret(key), KeySource.KEYRING
            except NoKeyring as error:
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
    named = [choice.key_env, VARIABLE, preset.key_env if is_its_own else None]
    return [name for name in named if name]
