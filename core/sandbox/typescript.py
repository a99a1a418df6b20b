"""From the user's TypeScript or JavaScript to JavaScript that compiles, and back from its positions to the source's.

Types are erased, not checked. Plain JavaScript is unchanged, except where TypeScript reads it differently: `f<a>(b)` is
a call with a type argument.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsbox

from core.sandbox.frames import Fault

_SUCRASE = Path(__file__).with_name("vendor") / "sucrase.js"
_SUCRASE_MEMORY_BYTES = 256 * 1024 * 1024
_SUCRASE_LIMIT_S = 5.0

_ENDS_EARLY = "the code ends too early"
_UNENCODABLE = re.compile("[\0\ud800-\udfff]")
_CHECKED_AT = re.compile(r"at check:(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Compiled:
    """JavaScript with the lines of its source. Token i is at `generated[i]` in the code, was at `original[i]`."""

    source: str
    code: str
    generated: list[int]
    original: list[int]

    def locate(self, line: int, column: int) -> tuple[int, int] | None:
        """Return line and column in the source of a position in the code, None if there is no such line.

        The engine counts columns in bytes of UTF-8, from 1.
        """
        lines = self.code.split("\n")
        if not 1 <= line <= len(lines):
            return None  # a stack that user code has invented
        before = lines[line - 1].encode()[: max(column - 1, 0)].decode(errors="ignore")
        offset = _utf16_units("\n".join([*lines[: line - 1], before]))
        token = bisect_right(self.generated, offset) - 1
        if token >= 0:
            place = position(self.source, self.original[token] + offset - self.generated[token])
            if place[0] == line:
                return place
        return line, _utf16_units(before) + 1


class Compiler:
    """Sucrase, in a runtime of its own: the user's text is data there, and is not run."""

    def __init__(self) -> None:
        self._runtime: Any = None

    def warm_up(self) -> None:
        """Load sucrase now rather than at the first call (about 40 ms)."""
        self._runtime = jsbox.Runtime(memory_limit=_SUCRASE_MEMORY_BYTES)
        self._runtime.eval(_SUCRASE.read_text(encoding="ascii"))

    def compile(self, source: str) -> Compiled | Fault:
        """Return JavaScript that the engine accepts, or the `typescript_error` in the source. Runs nothing of it."""
        if unspeakable := _UNENCODABLE.search(source):
            escape = f"\\u{ord(unspeakable[0]):04x}"
            at = position(source, _utf16_units(source[: unspeakable.start()]))
            return Fault("typescript_error", f"this character can only be written as {escape}", at)
        erased = self._erase(source)
        if "problem" in erased:
            return _sucrase_fault(source, erased["problem"], erased["offset"])
        compiled = Compiled(source, erased["code"], erased["generated"], erased["original"])
        return _syntax_error(compiled) or compiled

    def _erase(self, source: str) -> dict[str, Any]:
        if self._runtime is None:
            self.warm_up()
        self._runtime.bind_object("source", source)
        try:
            erased: dict[str, Any] = self._runtime.eval("sucrase.transform(source)", timeout=_SUCRASE_LIMIT_S)
        except (jsbox.JavaScriptError, jsbox.JsTimeoutError):
            self._runtime = None  # its half-finished state must not meet the next call
            return {"problem": "the code is too long or too deeply nested to be read", "offset": None}
        return erased


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of an offset in UTF-16 units."""
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * offset].decode("utf-16-le", "surrogatepass")
    return before.count("\n") + 1, _utf16_units(before[before.rfind("\n") + 1 :]) + 1


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _sucrase_fault(source: str, message: str, offset: int | None) -> Fault:
    if offset is None:
        return Fault("typescript_error", message)
    at_end = message.startswith("Unexpected token") and offset >= _utf16_units(source)
    return Fault("typescript_error", _ENDS_EARLY if at_end else message, position(source, offset))


def _syntax_error(compiled: Compiled) -> Fault | None:
    # Sucrase is tolerant: much broken code passes it.
    try:
        jsbox.Runtime().check_syntax(compiled.code, module=True)
    except jsbox.JavaScriptError as error:
        message = _ENDS_EARLY if error.message.endswith(": ''") else error.message
        at = _CHECKED_AT.search(error.stack or "")
        return Fault("typescript_error", message, compiled.locate(int(at[1]), int(at[2])) if at else None)
    return None
