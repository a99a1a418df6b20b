"""The worker process: reads a request, serves it, responds, until its input ends.

Imports only the standard library and jsbox; jsonschema when it is first needed. Frames own the real standard output:
anything else written there is discarded.
"""

import faulthandler
import json
import os
from typing import IO, Any

from core.sandbox import frames
from core.sandbox.confinement import confine
from core.sandbox.interpreter import Interpreter

# The parent kills at limit + 0.5 s. This covers a parent that has died.
_BACKSTOP_S = 2.0


def main() -> None:
    """Serve until the parent closes its end. A worker that cannot continue just exits: the parent notices."""
    confine()
    channel = _Channel()
    interpreter = Interpreter()
    channel.send({"ready": True})
    interpreter.warm_up()
    while (request := channel.receive()) is not None:
        channel.arm(frames.PREPARATION_S)
        channel.send(_serve(request, interpreter, channel))
        faulthandler.cancel_dump_traceback_later()


class _Channel:
    def __init__(self) -> None:
        self._requests = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        self._nowhere: IO[bytes] = os.fdopen(os.open(os.devnull, os.O_RDWR), "wb")
        os.dup2(self._nowhere.fileno(), 0)
        os.dup2(self._nowhere.fileno(), 1)

    def receive(self) -> dict[str, Any] | None:
        header = self._requests.read(frames.HEADER_BYTES)
        if len(header) < frames.HEADER_BYTES:
            return None
        return frames.unpack(self._requests.read(frames.body_bytes(header)))

    def send(self, message: dict[str, Any]) -> None:
        self._answers.write(frames.pack(message))
        self._answers.flush()

    def arm(self, limit_s: float) -> None:
        """End the process some time after the limit, from a thread that needs no interpreter."""
        faulthandler.dump_traceback_later(limit_s + _BACKSTOP_S, exit=True, file=self._nowhere)

    def start(self, limit_s: float) -> None:
        """Notify the parent that the preparation is over and the limit counts from now."""
        self.arm(limit_s)
        self.send({"started": True})


def _serve(request: dict[str, Any], interpreter: Interpreter, channel: _Channel) -> dict[str, Any]:
    match request["do"]:
        case "run":
            return interpreter.run(request, lambda: channel.start(request["timeout_s"]), channel.send)
        case "check":
            return interpreter.check(request["source"])
        case "violations":
            return _violations(request, channel)
    raise frames.BadFrame(f"an unknown request: {request['do']!r}")


def _violations(request: dict[str, Any], channel: _Channel) -> dict[str, Any]:
    from core.sandbox import schema_rules  # slow to import what it imports, and most workers never need it

    value = json.loads(request["value"])
    schema_rules.problem(request["schema"])  # compiled now and kept, so that the limit is for the check alone
    channel.start(request["timeout_s"])
    return {"violations": schema_rules.violations(schema_rules.canonical(request["schema"]), value)}
