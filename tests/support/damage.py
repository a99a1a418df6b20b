"""Damage to a store, and what opening it comes to: for the matrix of the bench, and for the tests of some of its cells.

A harmed store must be refused without a change to any of its files, or must be whole in spite of the harm.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.command_line import warm_process
from tests.support.project import ROOT

PRELUDE = """
import asyncio, hashlib, json, os, sys
from pathlib import Path
from core.errors import StorageFailed
from core.persistence.surreal import SurrealStorage
from core.ports.writes import PutMessage, PutSetting
from tests.contracts.rows import *

STORE = Path(sys.argv[1])

async def fill(storage, numbers):
    for number in numbers:
        text = f"{number}:" + "x" * (9000 if number % 3 == 0 else 50)
        await storage.commit([PutMessage(a_message(f"m{number:04}", number, text=text)), PutSetting(f"s{number}", "1")])
"""

LIVE = """
async def main():
    for numbers in json.loads(sys.argv[2]):
        storage = await SurrealStorage.open(STORE)
        await fill(storage, range(*numbers))
        if sys.argv[3] == "kill" and numbers[1] == json.loads(sys.argv[2])[-1][1]:
            os._exit(9)
        await storage.close()
asyncio.run(main())
"""

LOOK = """
async def main():
    try:
        storage = await SurrealStorage.open(STORE)
    except StorageFailed as error:
        print(json.dumps({"code": error.code, "message": error.message, **error.parameters}), flush=True)
        os._exit(0)
    settings = await storage.settings.all()
    texts = [message.text for message in await storage.messages.of_workflow(W)]
    content = json.dumps([sorted(settings), sorted(texts)])
    print(json.dumps({"content": hashlib.sha256(content.encode()).hexdigest()}), flush=True)
    os._exit(0)
asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Harm:
    """Something done to a file or folder; its earlier state is the second argument."""

    name: str
    do: Callable[[Path, Path], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What opening came to: `refused`, `whole`, `silent` (something is missing or another) or `crashed`."""

    kind: str
    is_changed: bool
    answer: dict[str, Any]


def _cut(share: float) -> Callable[[Path, Path], None]:
    return lambda target, _: os.truncate(target, min(int(target.stat().st_size * share), target.stat().st_size - 1))


def _flip(share: float) -> Callable[[Path, Path], None]:
    def flip(target: Path, _: Path) -> None:
        data = bytearray(target.read_bytes())
        data[min(int(len(data) * share), len(data) - 1)] ^= 0x10
        target.write_bytes(data)

    return flip


def _delete(target: Path, _: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()


def _empty(target: Path, _: Path) -> None:
    if target.is_dir():
        for entry in target.iterdir():
            _delete(entry, entry)
    else:
        os.truncate(target, 0)


def _replace(target: Path, older: Path) -> None:
    _delete(target, target)
    if older.is_dir():
        shutil.copytree(older, target)
    elif older.exists():
        shutil.copy(older, target)


SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
FILE_HARMS = (
    *(Harm(f"cut at {share:.0%}", _cut(share)) for share in (*SHARES[1:], 1.0)),
    *(Harm(f"flipped at {share:.0%}", _flip(share)) for share in (*SHARES, 1.0)),
    Harm("deleted", _delete),
    Harm("emptied", _empty),
    Harm("older copy", _replace),
)
FOLDER_HARMS = (Harm("deleted", _delete), Harm("emptied", _empty), Harm("older copy", _replace))


class DamagedStores:
    """A data folder after a clean end or after kill -9, with an older copy of it, in `root`; harmed copies of it."""

    def __init__(self, root: Path, end: str) -> None:
        self._root = root
        self.base, self.older, self._trial = root / end, root / f"{end}-older", root / f"{end}-trial"
        self.base.mkdir(parents=True)
        self._run(LIVE, self.base / "store", "[[0, 6], [6, 12]]", "close")
        shutil.copytree(self.base, self.older)
        self._run(LIVE, self.base / "store", "[[12, 24], [24, 40]]", end)
        shutil.copytree(self.base, self._trial)
        self.whole = self._look()["content"]

    def cells(self) -> Iterator[tuple[str, Harm]]:
        """Yield every file and folder, as a path in the data folder, with every harm to it."""
        for entry in sorted(self.base.rglob("*")):
            name = entry.relative_to(self.base).as_posix()
            is_empty_file = entry.is_file() and not entry.stat().st_size
            for harm in () if is_empty_file else FOLDER_HARMS if entry.is_dir() else FILE_HARMS:
                if harm.name != "older copy" or _content(self.older / name) != _content(entry):
                    yield name, harm

    def outcome(self, name: str, harm: Harm) -> Outcome:
        """Harm a copy of the data folder and open its store."""
        shutil.rmtree(self._trial, ignore_errors=True)
        shutil.copytree(self.base, self._trial)
        harm.do(self._trial / name, self.older / name)
        before = self._content()
        answer = self._look()
        is_changed = self._content() != before
        if "code" in answer:
            return Outcome("refused", is_changed, answer)
        if "content" not in answer:
            return Outcome("crashed", is_changed, answer)
        return Outcome("whole" if answer["content"] == self.whole else "silent", False, answer)

    def _content(self) -> dict[str, str]:
        """Return the hashes of the store and its watch file, without the lock, which a killed process leaves behind."""
        content = content_of(self._trial)
        content.pop("store.lock", None)
        return content

    def _look(self) -> dict[str, Any]:
        lines = self._run(LOOK, self._trial / "store").splitlines()
        answer: dict[str, Any] = json.loads(lines[-1]) if lines else {}
        return answer

    def _run(self, program: str, *arguments: object) -> str:
        words = list(map(str, arguments))
        done = warm_process().run(words, env=os.environ, cwd=ROOT, timeout_s=300, program=PRELUDE + program)
        return done.stdout


def content_of(folder: Path) -> dict[str, str]:
    """Return the hash of every file by its path."""
    return {
        entry.relative_to(folder).as_posix(): hashlib.sha256(entry.read_bytes()).hexdigest()
        for entry in folder.rglob("*")
        if entry.is_file()
    }


def _content(entry: Path) -> object:
    if entry.is_dir():
        return content_of(entry)
    return entry.read_bytes() if entry.exists() else None
