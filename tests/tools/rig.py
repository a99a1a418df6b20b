"""What the tests of the tools are built from: schemas without a worker, calls in one line."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from core.domain.events import Fact
from core.domain.grants import folders_in, read_only_in
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, CallStatus, Category, Runtime, ToolInfo
from core.ports import CallContext, Clock, CodeLimits, Console, FilePicker, SchemaCheck, Storage, Violation
from core.threads.system_clock import SystemClock
from core.tools.builtin import builtin_tools, storing_tools
from core.tools.file_copies import FileCopies
from core.tools.invocation import ToolInvoker
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Handler, Registry, Tool, Trait
from core.tools.text_files import SeenFiles
from tests.support.clock import loop_clock
from tests.support.in_memory.storage import InMemoryStorage

Json = dict[str, Any]


class LibrarySchemas:
    """The library's own checks, in this process."""

    def problem(self, schema: Any) -> str | None:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            return error.message
        return None

    def fault(self, schema: Any) -> tuple[str, str] | None:
        return None if (problem := self.problem(schema)) is None else (problem, "")

    def check(self, schema: Any) -> SchemaCheck:
        return partial(self.violations, schema)

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        errors = Draft202012Validator(schema).iter_errors(value)
        return [Violation("".join(f"/{part}" for part in error.absolute_path), error.message) for error in errors]


class ScriptedSandbox:
    """Returns what `answer` does, and records the requests."""

    def __init__(self, answer: Callable[[], str], lines: Sequence[tuple[str, str]] = ()) -> None:
        self.asked: list[tuple[str, str]] = []
        self._answer = answer
        self._lines = lines

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        if console is not None:
            console.lines += self._lines
        self.asked.append((source, input_json))
        return self._answer()

    async def check(self, source: str) -> None:
        return None


async def echo(arguments: Any, context: CallContext) -> Any:
    return arguments


def tool(
    handler: Handler | None = echo,
    *,
    name: str = "probe",
    schema: Any = None,
    runtime: Runtime = Runtime.HYBRID,
    category: Category = Category.TOOLS,
    client: Handler | None = None,
    read_only: Trait = False,
    **more: Any,
) -> Tool:
    """Return a tool that accepts anything; `handler` is the server's."""
    info = ToolInfo(name, name.title(), f"The {name}.", schema or {}, runtime=runtime, category=category)
    return Tool(info, client=client, server=handler, read_only=read_only, **more)


def registry(*tools: Tool) -> Registry:
    made = Registry(LibrarySchemas())
    for each in tools:
        made.register(each)
    return made


def invoker(*tools: Tool, viewed: bool = False, clock: Clock | None = None) -> ToolInvoker:
    return ToolInvoker(registry(*tools), clock or loop_clock(), lambda workflow_id: viewed)


def context(*allow: Path | str, mode: ValidationMode = ValidationMode.AUTO) -> CallContext:
    places = [str(each) for each in allow]
    folders, read_only = folders_in(places), read_only_in(places)
    return CallContext(RunId("run_1"), WorkflowId("wf_1"), CallId("call_1"), mode, folders, read_only=read_only)


async def call(runner: ToolInvoker, arguments: Any = None, *, name: str = "probe", **more: Any) -> CallResult:
    """Call `probe` with `{}` and a long time limit by default."""
    more = {"context": context(), "default_timeout_s": 1000.0, **more}
    return await runner.call(name, {} if arguments is None else arguments, **more)


class Builtins:
    """The built-in tools, inside these allowed folders, on the real clock by default."""

    def __init__(
        self,
        *allow: Path | str,
        base: Path | None = None,
        sandbox: ScriptedSandbox | None = None,
        clock: Clock | None = None,
        storage: Storage | None = None,
        more: Sequence[Tool] = (),
        picker: FilePicker | None = None,
        viewed: bool = False,
        own: OwnPlaces = NO_PLACES,
        copies: FileCopies | None = None,
    ) -> None:
        clock = clock or SystemClock()
        self.storage = storage or InMemoryStorage()
        self.facts: list[Fact] = []
        self.sandbox = sandbox or ScriptedSandbox(lambda: "null")
        storing = storing_tools(self.storage, clock, SeenFiles(), picker, own, copies)
        made = (*builtin_tools(self.sandbox, clock, own), *storing)
        self.tools = {each.info.name: each for each in (*made, *more)}
        self.runner = invoker(*self.tools.values(), viewed=viewed, clock=clock)
        self.context = replace(context(*allow), base=str(base) if base else None, emit=self.facts.append)
        self._calls = 0

    async def call(self, name: str, /, **arguments: Any) -> CallResult:
        self._calls += 1
        return await self.again(f"call_{self._calls}", name, **arguments)

    async def again(self, call_id: str, name: str, /, **arguments: Any) -> CallResult:
        """Repeat the call of this id, as after a crash."""
        context = replace(self.context, call_id=CallId(call_id))
        return await self.runner.call(name, arguments, context, default_timeout_s=1000.0)

    async def value(self, name: str, /, **arguments: Any) -> Any:
        """Return the result of a call that has to succeed."""
        result = await self.call(name, **arguments)
        assert result.status is CallStatus.COMPLETED, result.error
        return result.value

    async def failure(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        """Return code and message of a call that has to fail."""
        return error_of(await self.call(name, **arguments))


async def cancel(task: asyncio.Task[Any]) -> None:
    """Cancel the task, and let the loop turn until the cancellation has arrived at its innermost await."""
    task.cancel()
    for _ in range(20):
        await asyncio.sleep(0)


def entries(folder: Path) -> list[str]:
    """Return the names of the entries of a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def error_of(result: CallResult) -> tuple[str, str]:
    """Return code and message of a failed call."""
    assert result.status is CallStatus.ERROR, result
    assert result.error is not None
    assert result.error.tool_name is not None
    assert result.error.failed_during == "tool_execution"
    return result.error.code, result.error.message
