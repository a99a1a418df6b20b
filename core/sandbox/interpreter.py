"""Runs a user's module in a fresh QuickJS runtime and reports its outcome.

The soft limits are the engine's: wall clock, heap and stack. The engine cannot interrupt a single long native operation
(a `sort` of millions of items); the pool's hard limit covers that.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import jsbox

from core.domain.console import CONSOLE_BYTES
from core.sandbox.confinement import begin_peak, peak_bytes
from core.sandbox.console import ConsoleWriter
from core.sandbox.frames import Fault, pointer
from core.sandbox.typescript import Compiled, Compiler

MAX_DEPTH = 200
"""Levels of nesting in an output. Far below what makes a JSON reader in Python give up."""

MAX_FRAMES = 20
MAX_CAUSES = 5

_HARNESS = Path(__file__).with_name("harness.js").read_text(encoding="utf-8")
_LINKING_S = 5.0
_VALUE_BYTES = 64 * 1024 * 1024
_MODULE = "your code"
_FRAME = re.compile(rf"at (?:(.*) \()?{_MODULE}:(\d+):(\d+)\)?$", re.MULTILINE)
_NAME_CHARACTERS = 100
_SURROGATE = re.compile("[\ud800-\udfff]")


_NO_DEFAULT_EXPORT = Fault("no_default_export", "the code must `export default` a function of its input")


class Interpreter:
    """Runs a call at a time. Each run has its own runtime, so that no state survives it."""

    def __init__(self) -> None:
        self._compiler = Compiler()

    def warm_up(self) -> None:
        """Prepare for the first call, which would otherwise wait."""
        self._compiler.warm_up()

    def check(self, source: str) -> dict[str, Any]:
        """Answer a request `check`: a fault, or an empty object. Does not run the source."""
        compiled = self._compiler.compile(source)
        if isinstance(compiled, Fault):
            return compiled.as_answer()
        return {} if _has_default_export(compiled.code) else _NO_DEFAULT_EXPORT.as_answer()

    def run(
        self, request: dict[str, Any], started: Callable[[], object], printed: Callable[[dict[str, Any]], object]
    ) -> dict[str, Any]:
        """Answer a request `run`: an output or a fault, and `retire` if the worker must not be reused.

        `started` is called once the code is compiled and its own time begins, then `printed` with the messages of a
        ConsoleWriter.
        """
        compiled = self._compiler.compile(request["source"])
        if isinstance(compiled, Fault):
            return compiled.as_answer()
        started()
        console = ConsoleWriter(printed)
        outcome = _evaluate(compiled, request, console)
        console.flush()
        if isinstance(outcome, str):
            return {"output": outcome}
        used_up = {"retire": True} if outcome.code in {"timeout", "out_of_memory"} else {}
        return {**outcome.as_answer(), **used_up}


def _has_default_export(code: str) -> bool:
    """Return whether the module has a default export, without running it.

    Links a module that imports the default export first, then a name that does not exist: the engine reports the first
    missing import, and never runs a module that cannot be linked.
    """
    runtime = jsbox.Runtime()
    runtime.add_static_module(_MODULE, code)
    runtime.add_static_module("nothing", "export {}")
    runtime.add_static_module("link", f"import a from {_MODULE!r}; import b from 'nothing'")
    try:
        runtime.eval_module("link", timeout=_LINKING_S)
    except jsbox.JavaScriptError as error:
        return not (error.message.startswith("Could not find export") and error.message.endswith(f"{_MODULE}'"))
    except jsbox.JsTimeoutError:
        pass  # undecided: running the code will show it
    return True


def _evaluate(compiled: Compiled, request: dict[str, Any], console: ConsoleWriter) -> str | Fault:
    def write(level: str, line: str) -> bool:
        return console.write(level, _replace_surrogates(json.loads(line)))

    task = {
        # A lone surrogate has no UTF-8, but an escape in JSON.
        "input": _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", request["input"]),
        "outputCharacters": request["output_bytes"],
        "maxDepth": MAX_DEPTH,
        "lineCharacters": CONSOLE_BYTES + 1,
        "maxCauses": MAX_CAUSES,
    }
    before, began = begin_peak(), time.monotonic()
    try:
        runtime = jsbox.Runtime(
            memory_limit=request["memory_bytes"], max_stack_size=request["stack_bytes"], max_value_bytes=_VALUE_BYTES
        )
        runtime.add_static_module(_MODULE, compiled.code)
        runtime.bind_function("__print", write)
        runtime.bind_object("__task", task)
        result: str = runtime.eval(_HARNESS, timeout=request["timeout_s"])
    except jsbox.JsTimeoutError:
        return _timeout_fault(request)
    except jsbox.JavaScriptError as error:
        if time.monotonic() - began >= request["timeout_s"]:
            return _timeout_fault(request)
        return _escaped_fault(error.name or "", error.message, request)
    except (ValueError, MemoryError):  # not even the runtime and the input fit into the limit
        return _out_of_memory(request)
    if result.startswith("-"):
        if time.monotonic() - began >= request["timeout_s"]:  # the interruption surfaced as an error of the code
            return _timeout_fault(request)
        report = json.loads(result[1:])
        has_grown = peak_bytes() - before > request["memory_bytes"] // 2
        if report.get("message") == "threw null" and (has_grown or "null" not in compiled.code):
            return _out_of_memory(request)  # the engine throws null where there is no room for an Error
        return _fault_of_report(report, compiled, request)
    output = result[1:]
    return _too_large_fault(request) if len(output.encode()) > request["output_bytes"] else output


def _fault_of_report(report: dict[str, Any], compiled: Compiled, request: dict[str, Any]) -> Fault:
    """Return the fault in a report of the harness."""
    match report["kind"]:
        case "no_default_export":
            return _NO_DEFAULT_EXPORT
        case "not_json":
            path = _replace_surrogates(pointer(json.loads(report["path"])))
            message = f"the output cannot be JSON: it has {report['what']}" + (f" at {path[:100]}" if path else "")
            return Fault("not_json", message, parameters={"path": path})
        case "output_too_large":
            return _too_large_fault(request)
    fault = _thrown_fault(report["name"], _replace_surrogates(report["message"]), request)
    place, parameters = _trace(report, compiled)
    return replace(fault, place=place, parameters={**fault.parameters, **parameters})


def _trace(report: dict[str, Any], compiled: Compiled) -> tuple[tuple[int, int] | None, dict[str, Any]]:
    """Return where it was thrown, and `stack` and `cause` where they exist: only frames of the user's functions."""
    places: list[tuple[int, int]] = []
    frames = []
    for frame in islice(_FRAME.finditer(report["stack"]), MAX_FRAMES):
        if (place := compiled.locate(int(frame[2]), int(frame[3]))) is not None:
            name = _replace_surrogates(frame[1] or "")[:_NAME_CHARACTERS]
            called = {"function": name} if name and name != "<anonymous>" else {}
            places.append(place)
            frames.append({**called, **_position_fields(place)})
    trace: dict[str, Any] = {"stack": frames} if frames else {}
    if (cause := report.get("cause")) is not None:
        cause_place, cause_trace = _trace(cause, compiled)
        message = _error_text(cause["name"], _replace_surrogates(cause["message"]))
        trace["cause"] = {"message": message, **(_position_fields(cause_place) if cause_place else {}), **cause_trace}
    return places[0] if places else None, trace


def _position_fields(place: tuple[int, int]) -> dict[str, Any]:
    return {"line": place[0], "column": place[1]}


def _error_text(name: str, message: str) -> str:
    return f"{_replace_surrogates(name)}: {message}" if name else message


def _thrown_fault(name: str, message: str, request: dict[str, Any]) -> Fault:
    if name == "InternalError" and message.startswith("out of memory"):
        return _out_of_memory(request)
    if message.startswith("module not found: "):
        return Fault("code_error", f"a code step cannot import anything ({message})")
    if message == "Maximum call stack size exceeded":
        message = f"{message}: the code calls itself too deeply"
    return Fault("code_error", _error_text(name, message))


def _escaped_fault(name: str, message: str, request: dict[str, Any]) -> Fault:
    """Return the fault of an error that bypassed the harness: a promise that never settles, or no memory even for an
    Error.
    """
    if message.startswith("promise never settled"):
        return Fault("code_error", "the code waits for a promise that can never settle: nothing is left to run")
    return _out_of_memory(request) if message == "null" else _thrown_fault(name, message, request)


def _timeout_fault(request: dict[str, Any]) -> Fault:
    limit_s = request["timeout_s"]
    return Fault("timeout", f"the code did not end within {limit_s:g} s", parameters={"timeout_s": limit_s})


def _out_of_memory(request: dict[str, Any]) -> Fault:
    limit = request["memory_bytes"]
    return Fault("out_of_memory", f"the code needs more memory than {limit:,} bytes", parameters={"limit_bytes": limit})


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which neither screens nor databases accept."""
    return _SURROGATE.sub("\ufffd", text)


def _too_large_fault(request: dict[str, Any]) -> Fault:
    limit = request["output_bytes"]
    message = f"the output is larger than {limit:,} bytes of JSON"
    return Fault("output_too_large", message, parameters={"limit_bytes": limit})
