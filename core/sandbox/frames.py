"""The protocol between the pool and a worker: four bytes of length, then a JSON object in ASCII.

A worker sends `{"ready": true}` once. Each request (`do`: run, check or violations) gets a response. Before it comes
`{"started": true}` when the preparation is over and a limit counts, then `{"console": [[level, text], …]}` as lines are
written. `retire` in a response means that the worker must not be reused. ASCII because lone surrogates, which
JavaScript strings may hold, have no UTF-8.
"""

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

HEADER_BYTES = 4
# 8 MB of input can become 24 MB of escapes; beyond twice that, something is wrong.
MAX_BYTES = 64 * 1024 * 1024

PREPARATION_S = 10.0
"""For reading a request and making JavaScript of TypeScript, before the clock of the code starts."""

# The encoder holds the interpreter to its end, so long texts are encoded in steps.
_STEP_CHARACTERS = 256 * 1024

_HEADER = struct.Struct(">I")


class BadFrame(Exception):
    """A frame is too long, or not a JSON object: the two sides are out of step."""


def is_long(message: dict[str, Any]) -> bool:
    """Return whether packing is slow enough to belong in a thread."""
    return any(isinstance(value, str) and len(value) > _STEP_CHARACTERS for value in message.values())


def pack(message: dict[str, Any]) -> bytes:
    """Return a frame, header included. Raises BadFrame if it is longer than MAX_BYTES."""
    body = "{" + ",".join(f"{_json(key)}:{_json(value)}" for key, value in message.items()) + "}"
    if len(body) > MAX_BYTES:
        raise BadFrame(f"a frame of {len(body)} bytes")
    return _HEADER.pack(len(body)) + body.encode("ascii")


def body_bytes(header: bytes) -> int:
    """Return the length of the body that follows. Raises BadFrame if it is out of bounds."""
    length: int = _HEADER.unpack(header)[0]
    if length > MAX_BYTES:
        raise BadFrame(f"a frame of {length} bytes")
    return length


def unpack(body: bytes) -> dict[str, Any]:
    """Return the message in a body. Raises BadFrame."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame("a frame that is not JSON") from error
    if not isinstance(message, dict):
        raise BadFrame("a frame that is not an object")
    return message


def _json(value: Any) -> str:
    if not isinstance(value, str) or len(value) <= _STEP_CHARACTERS:
        return json.dumps(value, separators=(",", ":"))
    steps = range(0, len(value), _STEP_CHARACTERS)
    return '"' + "".join(json.dumps(value[at : at + _STEP_CHARACTERS])[1:-1] for at in steps) + '"'


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of user code, from which the host makes a CodeFailed: its code, a message for the user, and parameters
    such as a limit or a JSON pointer.

    `place` is line and column in the source, from 1, or None where it is unknown. Columns count UTF-16 units, as
    TypeScript and editors do.
    """

    code: str
    message: str
    place: tuple[int, int] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    def as_answer(self) -> dict[str, Any]:
        """Return the fault as a frame's message."""
        place = {"line": self.place[0], "column": self.place[1]} if self.place else {}
        return {"failed": self.code, "message": self.message, "parameters": {**self.parameters, **place}}


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) along keys and indices; "" is the whole document."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
