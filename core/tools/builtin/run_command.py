"""`run_command`: a command line in an allowed folder, confined where the system can (AGENTS_AND_TOOLS §5)."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from core.domain.access import Access
from core.domain.command_rules import CommandCall
from core.domain.events import CommandOutput
from core.domain.risk import Risk
from core.domain.text.masking import masked_text
from core.domain.tool import COMMAND_TOOL, Category, ToolInfo
from core.errors import ToolFailed
from core.ports import AllowFile, CallContext, Write
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.command.confinement import Confinement, Reach, filter_file, scrubbed_environment
from core.tools.command.output import Output
from core.tools.command.process import Command
from core.tools.file_access import path_errors, resolve_path
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_size
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Arguments, Tool

SHELL = "/bin/sh"
DEFAULT_TIMEOUT_S = 60
MAX_TIMEOUT_S = 3600
COMMAND_BYTES = 100_000
"""Below the limit of Linux for a single argument, 128 KiB."""

_GRACE_S = 15.0  # for the confinement's trial and for the end of what the command began
_SHOWN_S = 0.2
_SHOWN_CHARACTERS = 4_000

_INFO = ToolInfo(
    name=COMMAND_TOOL,
    title="Run command",
    description=(
        "Runs a command line with /bin/sh in a folder and returns {exit_code, output, truncated, bytes, output_file, "
        "duration_ms, confined}: output is stdout and stderr in order, without terminal codes; of more than 50 KB the "
        "head and the tail, and output_file has the beginning up to 8 MB. There is no input. Whatever it starts in the "
        "background is ended with it. Confined, it writes only to the allowed folders and a private /tmp, opens no "
        "Unix sockets, and reaches the network only if network is true. The user is asked about each command that no "
        "rule of theirs allows."
    ),
    input_schema=schema.of_object(
        {"command": {"type": "string", "minLength": 1, "maxLength": COMMAND_BYTES, "description": "The command line."}},
        {
            "folder": schema.path("The folder that it runs in: by default the first that is allowed."),
            "timeout_s": {
                "type": "number",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_S,
                "description": f"After these seconds it is killed. Default: {DEFAULT_TIMEOUT_S}.",
            },
            "network": schema.flag("Let it reach the network.", default=False),
        },
    ),
    risk=Risk.HIGH,
    category=Category.SYSTEM,
)


Commit = Callable[[Sequence[Write]], Awaitable[object]]


def tool(commit: Commit, own: OwnPlaces = NO_PLACES, confinement: Confinement | None = None) -> Tool:
    """Return the tool. `commit` stores that a run may read the file with its output.

    Errors: as `core.tools.file_access`, `timeout`, and `failed` if it cannot start.
    """
    runner = _Runner(commit, own, confinement or Confinement(own))
    return Tool(
        _INFO,
        server=runner.run,
        timeout_s=lambda arguments: _limit_s(arguments) + _GRACE_S,
        summary=_summary,
        lacking=lacking_folders(own, is_folder=True, folder=Access.WRITE),
        command=runner.describe,
        prepare=runner.confinement.works,
    )


def is_possible() -> bool:
    """Return whether there is a shell to run commands with."""
    return os.name == "posix" and os.access(SHELL, os.X_OK)


def _limit_s(arguments: Arguments) -> float:
    return float(arguments.get("timeout_s", DEFAULT_TIMEOUT_S))


class _Runner:
    def __init__(self, commit: Commit, own: OwnPlaces, confinement: Confinement) -> None:
        self._commit = commit
        self._own = own
        self.confinement = confinement

    def describe(self, arguments: Arguments) -> CommandCall | None:
        """Return the command of a call, whose arguments need not fit the schema."""
        line = arguments.get("command")
        if not isinstance(line, str):
            return None
        is_confined = self.confinement.is_known_to_work is True
        return CommandCall(line, arguments.get("network", False) is not False, is_confined)

    async def run(self, arguments: Arguments, context: CallContext) -> dict[str, Any]:
        line, limit_s = arguments["command"], _limit_s(arguments)
        _require_runnable(line)
        folder = await in_thread(_folder(context.from_base(arguments.get("folder", ".")), context.allow, self._own))
        is_confined = await self.confinement.works()
        output, started_s = Output(), time.monotonic()
        live = _LiveOutput(context, output)
        command = Command(output, live.update)
        try:
            await self._start(command, line, folder, context, network=arguments.get("network", False))
            async with asyncio.timeout(limit_s):
                code = await command.exit_code()
        except TimeoutError:
            await command.end()
            raise ToolFailed(
                "timeout",
                f"the command did not end within {limit_s:g} s; it was killed with all that it had begun, and what it "
                "did until then remains",
                timeout_s=limit_s,
                **await self._output_fields(output, context),
                confined=is_confined,
            ) from None
        except OSError as error:
            raise ToolFailed("failed", f"the command cannot start: {error.strerror or error}") from error
        finally:
            live.close()
            command.kill()  # at once, since a cancelled call has little time
            await asyncio.shield(asyncio.ensure_future(command.end()))
        duration_ms = round((time.monotonic() - started_s) * 1000)
        fields = await self._output_fields(output, context)
        return {"exit_code": code, **fields, "duration_ms": duration_ms, "confined": is_confined}

    async def _start(self, command: Command, line: str, folder: str, context: CallContext, *, network: bool) -> None:
        argv, env = [SHELL, "-c", line], scrubbed_environment(os.environ)
        if not await self.confinement.works():
            await command.start(argv, env, folder, is_watched=True)
            return
        with filter_file() as file:
            reach = Reach(context.allow, context.read_only)
            argv = await self.confinement.wrap(argv, reach, folder, network=network, filter_file=file)
            await command.start(argv, env, "/", files=(file,), is_watched=False)

    async def _output_fields(self, output: Output, context: CallContext) -> dict[str, Any]:
        """Return the output, and the file that a long one is saved to, which the run may read."""
        path = None
        if output.is_cut:
            with suppress(OSError):  # a full disk takes the middle of the output, not the rest
                path = await in_thread(output.saved())
        if path is not None and not context.is_outside:
            await self._commit([AllowFile(context.run_id, path)])
        return {"output": output.text(), "truncated": output.is_cut, "bytes": output.size, "output_file": path}


def _require_runnable(line: str) -> None:
    if "\0" in line:
        raise ToolFailed("invalid_arguments", "the command holds a NUL character")
    try:
        size = len(line.encode())
    except UnicodeEncodeError:
        raise ToolFailed("invalid_arguments", "the command holds half a character (a lone surrogate)") from None
    if size > COMMAND_BYTES:
        raise ToolFailed("invalid_arguments", f"the command has more than {COMMAND_BYTES} bytes: put it into a file")


def _folder(path: str, allow: tuple[str, ...], own: OwnPlaces) -> Pieces[str]:
    """Return the real path of a folder that exists."""
    yield
    target = resolve_path(path, allow, (), own)
    with path_errors(target.path), target.folder():
        return target.real


class _LiveOutput:
    """Emits the last lines of the output while it grows, five times a second at most."""

    def __init__(self, context: CallContext, output: Output) -> None:
        self._context = context
        self._output = output
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._shown_s = -_SHOWN_S

    def update(self) -> None:
        """Emit the output at once, or as soon as it may be emitted again."""
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._loop.time(), self._shown_s + _SHOWN_S), self._emit)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _emit(self) -> None:
        self._timer, self._shown_s = None, self._loop.time()
        text = masked_text(self._output.last_lines(_SHOWN_CHARACTERS))
        self._context.emit(CommandOutput(call_id=self._context.call_id, text=text, bytes=self._output.size))


def _summary(arguments: Arguments, value: Any) -> str:
    return f"exit {value['exit_code']}, {format_size(value['bytes'])}"
