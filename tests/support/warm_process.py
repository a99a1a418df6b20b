"""A process that has loaded the command line, and makes forks of itself that run one command each.

Loading takes most of the time of a short command, and is the same each time. A fork is a process like any other: it has
its own streams, folder and environment, and ends as an interpreter does. What belongs to the interpreter's own start,
as `PYTHON…` variables do, needs a process of its own.

A program, `python -m tests.support.warm_process N [MODULE]`, N being its end of a socket; `arm()` of the module is
called before anything else is loaded. An order there is one byte with four ends: the command's three streams, and a
socket on which its arguments come, and its number and exit code go back.
"""

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.project import ROOT

NEEDS_A_START = ("PYTHON", "LC_", "LANG")
"""How variables begin that are read as the interpreter starts."""


class WarmProcess:
    """The process that forks, from outside. It ends with the one that made it."""

    def __init__(self, armed_by: str | None = None) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            arguments = [str(theirs.fileno()), *([armed_by] if armed_by else [])]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.support.warm_process", *arguments],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    def close(self) -> None:
        """Let it end, and wait for that."""
        self._control.close()
        self._process.wait()

    def run(
        self,
        arguments: list[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        timeout_s: float,
        stdin: str = "",
        program: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Like `subprocess.run`: waits for the end and for whoever else holds the streams.

        `program` is run in place of the command line, as `python -c` would with these arguments.

        Raises TimeoutExpired after killing the command.
        """
        ours, theirs = socket.socketpair()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        with ours, tempfile.TemporaryFile() as given, selectors.DefaultSelector() as selector:
            given.write(stdin.encode())
            given.seek(0)
            socket.send_fds(self._control, [b"!"], [given.fileno(), out_end, err_end, theirs.fileno()])
            for end in (out_end, err_end, theirs.detach()):
                os.close(end)
            order = {"arguments": arguments, "environment": dict(env), "folder": str(cwd), "program": program}
            ours.sendall(json.dumps(order).encode() + b"\n")
            came = {ours.fileno(): bytearray(), out: bytearray(), err: bytearray()}
            for end in came:
                selector.register(end, selectors.EVENT_READ)
            until = time.monotonic() + timeout_s
            while selector.get_map():
                ready = selector.select(max(0, until - time.monotonic()))
                if not ready and time.monotonic() >= until:
                    os.kill(int(came[ours.fileno()].split()[0]), signal.SIGKILL)
                    raise subprocess.TimeoutExpired(arguments, timeout_s, bytes(came[out]), bytes(came[err]))
                for key, _ in ready:
                    piece = os.read(key.fd, 1 << 16)
                    came[key.fd] += piece
                    if not piece:
                        selector.unregister(key.fd)
            _, code = came[ours.fileno()].split()
        os.close(out)
        os.close(err)
        return subprocess.CompletedProcess(arguments, int(code), _text(came[out]), _text(came[err]))


def _text(came: bytearray) -> str:
    return came.decode().replace("\r\n", "\n")


def main() -> int:
    """Fork whenever told to; a fork comes back from here with its command's exit code."""
    for module in sys.argv[2:]:
        importlib.import_module(module).arm()

    import core.persistence.surreal  # noqa: F401  (loaded with the first command otherwise)
    from core.cli import main as run_command

    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever waits for a command is nobody's to wait for
    control = socket.socket(fileno=int(sys.argv[1]))
    while True:
        told, ends, *_ = socket.recv_fds(control, 1, 4)
        if not told:
            return 0
        if os.fork() == 0:
            control.close()
            order = _become(*ends)
            if program := order["program"]:
                sys.argv = ["-c", *order["arguments"]]
                exec(program, {"__name__": "__main__"})  # a test's own
                return 0
            return run_command(order["arguments"])
        for end in ends:
            os.close(end)


def _become(into: int, out: int, err: int, status: int) -> dict[str, Any]:
    """Come back as the command, with its order; the process that was forked waits for it, and tells of its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asker = socket.socket(fileno=status)
    order: dict[str, Any] = json.loads(asker.makefile("rb").readline())
    if pid := os.fork():
        for end in (into, out, err):
            os.close(end)
        asker.sendall(f"{pid} ".encode())
        _, how = os.waitpid(pid, 0)
        asker.sendall(str(os.waitstatus_to_exitcode(how)).encode())
        os._exit(0)
    asker.close()
    for number, end in enumerate((into, out, err)):
        os.dup2(end, number)
        os.close(end)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    return order


if __name__ == "__main__":
    sys.exit(main())
