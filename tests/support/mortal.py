"""Dying at a chosen point: before or after a commit, or around an effect.

A point is a place where the process may be killed. A `Fuse` counts the points that a life passes and ends the process
at one of them with SIGKILL, so nothing is closed, flushed or told. What it passed stands in a file.
"""

import json
import os
import signal
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.domain.events import Event, StepFinished, StepStarted, ToolEnded, ToolStarted
from core.domain.run import StepKey
from core.persistence import surreal
from core.persistence.surreal import SurrealStorage
from core.ports import AppendEvents, CallContext, ChangeRun, Write
from core.threads.pieces import Pieces
from core.tools.builtin import write_file
from core.tools.file_access import Folder, PickedFiles
from core.tools.file_copies import FileCopies
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments
from core.tools.text_files import SeenFiles

ANYWHERE = 0
MIDDLE = "in the middle of the effect"


class Fuse:
    """Ends the process at the point number `at`, from 1; ANYWHERE never does."""

    def __init__(self, trace: Path, at: int = ANYWHERE) -> None:
        self._at = at
        self._passed = 0
        self._trace = trace.open("a", buffering=1)

    def point(self, name: str) -> None:
        """The process may be killed here."""
        self._passed += 1
        self._trace.write(f"{name}\n")
        if self._passed == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)  # not one more line of Python


class MortalStorage(SurrealStorage):
    """The real store of a process that may die before and after each commit."""

    fuse: Fuse

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        told = what_is_written(writes)
        self.fuse.point(f"before the commit of {told}")
        lost = await super().commit(writes)
        self.fuse.point(f"after the commit of {told}")
        return lost


@cache
def _fuse_of_this_process() -> Fuse:
    told = json.loads(os.environ["METIER_FUSE"])
    return Fuse(Path(told["trace"]), told["at"])


class _CommandStorage(MortalStorage):
    """The store of a process that was told of its fuse as it began, or as it was forked."""

    async def commit(self, writes: Sequence[Write]) -> frozenset[int]:
        self.fuse = _fuse_of_this_process()
        return await super().commit(writes)


def arm() -> None:
    """Make this process and its forks mortal, whatever they are about to run.

    The environment of who dies has METIER_FUSE: {"trace", "at"}.
    """
    surreal.SurrealStorage = _CommandStorage  # type: ignore[misc]
    call, append = write_file._call, write_file._append

    async def mortal_call(
        picked: PickedFiles,
        own: OwnPlaces,
        seen: SeenFiles,
        copies: FileCopies,
        arguments: Arguments,
        context: CallContext,
    ) -> dict[str, Any]:
        fuse = _fuse_of_this_process()
        fuse.point(f"before the effect {arguments['content']!r}")
        result = await call(picked, own, seen, copies, arguments, context)
        fuse.point(f"after the effect {arguments['content']!r}")
        return result

    def mortal_append(folder: Folder, name: str, content: str) -> Pieces[bytes]:
        written = yield from append(folder, name, content)
        _fuse_of_this_process().point(f"{MIDDLE} {content!r}")
        return written

    write_file._call, write_file._append = mortal_call, mortal_append


def what_is_written(writes: Sequence[Write]) -> str:
    """The rows of a commit in few words."""
    return ", ".join(_told(write) for write in writes)


def _told(write: Write) -> str:
    match write:
        case ChangeRun():
            return f"run {write.status}"
        case AppendEvents():
            return ", ".join(map(_told_fact, write.events))
        case _:
            return type(write).__name__


def _told_fact(event: Event) -> str:
    match event.fact:
        case StepStarted() | StepFinished() as fact:
            return f"{fact.type} {StepKey(fact.step, fact.index)}"
        case ToolStarted() | ToolEnded() as fact:
            return f"{fact.type} {fact.call_id}"
        case fact:
            return fact.type
