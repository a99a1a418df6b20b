"""Programs that use a store in their own process: to lock it, to die with it, to fill the disk."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.command_line import warm_process
from tests.support.project import ROOT

PRELUDE = """
import asyncio, os, resource, signal, sys
from pathlib import Path
from core.errors import StorageFailed
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports.writes import PutMessage, PutSetting
from tests.contracts.rows import *

STORE = Path(sys.argv[1])

def say(*words):
    print(*words, flush=True)
"""


def run(body: str, store: Path, *arguments: object, code: int | None = 0, afresh: bool = False) -> list[str]:
    """Run `async def main()` of the body to its end and return the printed lines. The store's path is `STORE`.

    Checks that it ends with `code`, unless that is None.

    Runs in a fork of a process that has loaded the driver, or with `afresh` in a new interpreter.
    """
    if afresh:
        command = [sys.executable, "-c", *_program(body, store, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    else:
        program, *process_arguments = _program(body, store, *arguments)
        done = warm_process().run(process_arguments, env=os.environ, cwd=ROOT, timeout_s=120, program=program)
    assert code is None or done.returncode == code, done.stderr
    return done.stdout.splitlines()


def _program(body: str, store: Path, *arguments: object) -> list[str]:
    return [f"{PRELUDE}\n{body}\nasyncio.run(main())\n", str(store), *map(str, arguments)]


def start(body: str, store: Path, *arguments: object) -> "subprocess.Popen[str]":
    """Start the program. The test ends it."""
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    return subprocess.Popen([sys.executable, "-c", *_program(body, store, *arguments)], **options)
