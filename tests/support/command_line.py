"""Running the command line as a person does: a process, its exit code, its lines."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.project import ROOT
from tests.support.warm_process import NEEDS_A_START, WarmProcess

NO_KEYRING = "keyring.backends.fail.Keyring"


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def last(self) -> Any:
        return self.lines[-1]


class CommandLine:
    """The command line on one data folder."""

    def __init__(self, data: Path, process: WarmProcess | None = None) -> None:
        """`process` makes the forks in place of the one that all tests share."""
        self.data = data
        self._process = process

    def __call__(self, *arguments: str, stdin: str = "", timeout_s: float = 300, **environment: str) -> Said:
        done = self._run(arguments, stdin, timeout_s, environment)
        said = Said(done.returncode, done.stdout, done.stderr)
        assert "Traceback (most recent call last)" not in said.out + said.err, said.err
        return said

    def _run(
        self, arguments: tuple[str, ...], stdin: str, timeout_s: float, added: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        """By a fork of a process that has loaded the product, where that is the same."""
        env, cwd = self.environment(**added), self.data.parent
        if hasattr(os, "fork") and not any(name.startswith(NEEDS_A_START) for name in added):
            process = self._process or warm_process()
            return process.run(list(arguments), stdin=stdin, env=env, cwd=cwd, timeout_s=timeout_s)
        return subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=env,
            cwd=cwd,
            timeout=timeout_s,
            check=False,
        )

    def start(self, *arguments: str, env: Mapping[str, str] | None = None, **options: Any) -> "subprocess.Popen[str]":
        """Begin a command and leave it to the test. `env` is added to its environment."""
        return subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=self.environment(**(env or {})),
            cwd=self.data.parent,
            **options,
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "core", *arguments]  # -P: a folder named core where it runs is not ours

    def environment(self, **more: str) -> dict[str, str]:
        """Of whoever runs the tests neither keys nor a keyring."""
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith("METIER_") and "_API_KEY" not in key
        }
        ours = {"METIER_DATA": str(self.data), "PYTHONPATH": str(ROOT), "PYTHON_KEYRING_BACKEND": NO_KEYRING}
        return {**kept, **ours, **more}


@cache
def warm_process() -> WarmProcess:
    """One for all tests of this process."""
    return WarmProcess()


def template(*steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A template in its file form."""
    return {"format": "metier.template/1", "title": "T", "steps": list(steps), **fields}


def write_template(path: Path, *steps: dict[str, Any], **fields: Any) -> str:
    path.write_text(json.dumps(template(*steps, **fields)), "utf-8")
    return str(path)
