"""Where keys are stored, and which requests get them."""

import asyncio
import json
import os
import stat
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import keyring
import keyring.backend
import keyring.errors
import pytest
from keyring.backends.fail import Keyring as NoneAtAll
from keyring.backends.null import Keyring as KeepsNothing

from core.domain.model import ModelChoice
from core.domain.settings import KeyLocation
from core.errors import Refused
from core.llm.key_store import KeyFile, KeySource, KeyStore
from core.llm.system_keyring import KeyringUnavailable, SystemKeyring

ORIGIN = "https://api.openai.com"
OPENAI = ModelChoice(provider="openai", base_url=f"{ORIGIN}/v1", model="m", needs_key=True)
KEY = "sk-0123456789abcdef"


class Chest(keyring.backend.KeyringBackend):
    """A keyring in memory. `is_locked` refuses, `waits` never responds."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held: dict[tuple[str, str], str] = {}
        self.asked = 0
        self.is_locked = False
        self.waits: threading.Event | None = None

    def _open(self) -> None:
        self.asked += 1
        if self.waits is not None:
            self.waits.wait(30)
        if self.is_locked:
            raise keyring.errors.KeyringLocked(f"locked, and it holds {KEY}")

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        del self.held[service, username]


@pytest.fixture
def chest() -> Iterator[Chest]:
    before = keyring.get_keyring()
    chest = Chest()
    keyring.set_keyring(chest)
    yield chest
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoneAtAll())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


class House:
    """Keys with their file, and the locations that the settings would store."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None, **limits: float) -> None:
        self.path = folder / "config" / "keys.json"
        self.places: dict[str, KeyLocation] = {}
        self.keys = KeyStore(KeyFile(self.path), SystemKeyring(**limits), environment or {}, lambda: self.places)

    async def put(self, key: str = KEY, origin: str = ORIGIN) -> KeyLocation:
        self.places[origin] = await self.keys.put(origin, key)
        return self.places[origin]

    async def found(self, choice: ModelChoice = OPENAI) -> tuple[str | None, KeySource | None]:
        secret = await self.keys.find(choice)
        return (secret.reveal() if secret is not None else None), await self.keys.source(choice)


async def test_a_key_goes_into_the_keyring_and_into_no_file(chest: Chest, tmp_path: Path) -> None:
    house = House(tmp_path)
    assert await house.put() is KeyLocation.KEYRING
    assert chest.held == {("metier", ORIGIN): KEY}
    assert not house.path.exists()
    assert await house.found() == (KEY, KeySource.KEYRING)
    await house.keys.remove(ORIGIN)
    assert chest.held == {}
    await house.keys.remove(ORIGIN)


@pytest.mark.usefixtures("no_keyring")
async def test_without_a_keyring_it_goes_into_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    house = House(tmp_path)
    before = os.umask(0)
    try:
        assert await house.put() is KeyLocation.FILE
    finally:
        os.umask(before)
    assert stat.S_IMODE(house.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(house.path.parent.stat().st_mode) == 0o700
    assert [path.name for path in house.path.parent.iterdir()] == ["keys.json"]
    assert await house.found() == (KEY, KeySource.FILE)
    await house.put("sk-another-0123456", "http://h")
    await house.keys.remove(ORIGIN)
    assert json.loads(house.path.read_text())["keys"] == {"http://h": "sk-another-0123456"}
    assert await house.found() == (None, None)


async def test_a_keyring_that_keeps_nothing_is_none(tmp_path: Path, chest: Chest) -> None:
    keyring.set_keyring(KeepsNothing())  # type: ignore[no-untyped-call]
    assert await House(tmp_path).put() is KeyLocation.FILE


async def test_a_locked_keyring_is_none_and_its_words_are_not_repeated(
    tmp_path: Path, chest: Chest, caplog: pytest.LogCaptureFixture
) -> None:
    house = House(tmp_path)
    await house.put()
    chest.is_locked = True
    with caplog.at_level("DEBUG"):
        assert await house.found() == (None, None)
        assert await house.put() is KeyLocation.FILE
    assert KEY not in caplog.text
    house.places[ORIGIN] = KeyLocation.KEYRING
    with pytest.raises(Refused) as caught:
        await house.keys.remove(ORIGIN)
    assert caught.value.code == "no_keyring"


async def test_a_keyring_that_never_answers_is_asked_once(tmp_path: Path, chest: Chest) -> None:
    chest.waits = threading.Event()
    house = House(tmp_path, limit_s=0.1, unlock_s=0.1)
    began = time.monotonic()
    assert await house.found() == (None, None)
    assert await house.put() is KeyLocation.FILE
    assert await house.found() == (KEY, KeySource.FILE)
    assert time.monotonic() - began < 2
    assert chest.asked == 1
    chest.waits.set()
    await asyncio.sleep(0.05)


async def test_a_key_that_moves_to_the_keyring_leaves_no_copy(tmp_path: Path, chest: Chest) -> None:
    house = House(tmp_path)
    chest.is_locked = True
    await house.put("sk-old-0123456789")
    chest.is_locked = False
    assert await house.put() is KeyLocation.KEYRING
    assert "sk-old" not in house.path.read_text()


async def test_a_keyring_is_not_asked_for_keys_that_it_does_not_have(tmp_path: Path, chest: Chest) -> None:
    house = House(tmp_path)
    assert await house.found(ModelChoice(base_url="http://127.0.0.1:1/v1")) == (None, None)
    assert chest.asked == 0


@pytest.mark.usefixtures("no_keyring")
async def test_a_key_is_for_its_own_address_alone(tmp_path: Path) -> None:
    house = House(tmp_path, {"OPENAI_API_KEY": KEY})
    await house.put("sk-stored-0123456789")
    assert await house.found() == (KEY, KeySource.ENVIRONMENT)
    elsewhere = ModelChoice(provider="openai", base_url="https://api.openai.com.evil.example/v1", needs_key=True)
    assert await house.found(elsewhere) == (None, None)
    other_port = ModelChoice(provider="openai", base_url="https://api.openai.com:8443/v1", needs_key=True)
    assert await house.found(other_port) == (None, None)


@pytest.mark.usefixtures("no_keyring")
async def test_the_most_particular_variable_wins(tmp_path: Path) -> None:
    environment = {"MINE": " mine \n", "METIER_API_KEY": "general", "OPENAI_API_KEY": "openai"}
    mine = OPENAI.model_copy(update={"key_env": "MINE"})
    assert (await House(tmp_path, environment).found(mine))[0] == "mine"
    assert (await House(tmp_path, environment).found())[0] == "general"
    assert (await House(tmp_path, {**environment, "METIER_API_KEY": "  "}).found())[0] == "openai"


@pytest.mark.usefixtures("no_keyring")
@pytest.mark.parametrize("key", ["", "  ", "sk-ü", "a\nb", "a\0b", "x" * 10_001])
async def test_an_invalid_key_is_not_stored(tmp_path: Path, key: str) -> None:
    house = House(tmp_path)
    with pytest.raises(Refused) as caught:
        await house.put(key)
    assert caught.value.code == "bad_input"
    assert not house.path.exists()


@pytest.mark.usefixtures("no_keyring")
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"keys": 5}', b"\xff\xfe", b'{"keys": []}', b"[" * 100_000, b"null"]
)
async def test_a_damaged_file_is_reported_and_not_overwritten(tmp_path: Path, content: bytes) -> None:
    house = House(tmp_path)
    house.path.parent.mkdir()
    house.path.write_bytes(content)
    house.path.chmod(0o600)
    assert await house.found() == (None, None)
    with pytest.raises(Refused) as caught:
        await house.put()
    assert caught.value.code == "keys_unreadable"
    assert house.path.read_bytes() == content


@pytest.mark.usefixtures("no_keyring")
async def test_a_file_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    house = House(tmp_path)
    await house.put()
    house.path.chmod(0o644)
    assert await house.found() == (KEY, KeySource.FILE)
    assert stat.S_IMODE(house.path.stat().st_mode) == 0o600
    house.path.chmod(0o666)
    assert await house.found() == (None, None)


@pytest.mark.usefixtures("no_keyring")
async def test_a_write_error_is_reported_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House(tmp_path)
    await house.put()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused) as caught:
        await house.put("sk-another-0123456", "http://h")
    assert caught.value.code == "keys_not_writable"
    assert "sk-another" not in caught.value.message
    assert [path.name for path in house.path.parent.iterdir()] == ["keys.json"]
    assert await house.found() == (KEY, KeySource.FILE)


async def test_a_thread_that_fails_after_its_time_does_no_harm(tmp_path: Path, chest: Chest) -> None:
    chest.waits, chest.is_locked = threading.Event(), True
    ring = SystemKeyring(limit_s=0.05)
    with pytest.raises(KeyringUnavailable):
        await ring.get(ORIGIN)
    chest.waits.set()
    await asyncio.sleep(0.05)
    with pytest.raises(KeyringUnavailable):
        await ring.get(ORIGIN)
