"""Programs on a store, each in a process of its own: to hold it, to die with it, to fill the disk."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.project import ROOT

PRELUDE = """
import asyncio, os, resource, signal, sys
from pathlib import Path
from core.errors import StorageFailed
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from core.ports.storage import PutMessage, PutSetting
from tests.contracts.rows import *

STORE = Path(sys.argv[1])

def say(*words):
    print(*words, flush=True)
"""


def program(body: str, store: Path, *arguments: object) -> list[str]:
    """The command that runs `async def main()` of the body. It finds the store in `STORE`."""
    code = f"{PRELUDE}\n{body}\nasyncio.run(main())\n"
    return [sys.executable, "-c", code, str(store), *map(str, arguments)]


def run(body: str, store: Path, *arguments: object, code: int = 0) -> list[str]:
    """Run it to its end; the lines that it said."""
    command = program(body, store, *arguments)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout.splitlines()


def start(body: str, store: Path, *arguments: object) -> "subprocess.Popen[str]":
    """Begin it and leave it to the test."""
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    return subprocess.Popen(program(body, store, *arguments), **options)
