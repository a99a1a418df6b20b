"""Those who carry out the steps of a simulation: tools, a sandbox, a model. They do what the scenario says."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from typing import Any

from core.domain.ids import RunId, TemplateId
from core.domain.run import RunStatus
from core.domain.template import Template
from core.domain.text.json_text import decode, encode
from core.domain.tool import Effect, ToolInfo
from core.errors import CodeFailed, NotFound, StepFailed, ToolFailed
from core.ports import (
    CallContext,
    CallDelta,
    CallRequest,
    CodeLimits,
    Console,
    Executions,
    ModelDelta,
    ModelRequest,
    ResolvedTemplate,
    SchemaCheck,
    TextDelta,
    Violation,
)
from core.tools.registry import Tool
from tests.simulation.fortune import BEGIN, TOOLS
from tests.simulation.world import FOR_EVER_S, Place, World, happen

Json = dict[str, Any]

PROMPT = re.compile(r"run (\S+) step (\S+) index (\S+) attempt (\d+) v (.*)", re.DOTALL)


class PlainSchemas:
    """Schemas of the simulation ask for required keys at most."""

    def problem(self, schema: Any) -> str | None:
        return None

    def fault(self, schema: Any) -> tuple[str, str] | None:
        return None

    def check(self, schema: Any) -> SchemaCheck:
        return partial(self.violations, schema)

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        await asyncio.sleep(0)  # others may go first, as when a worker checks
        return [Violation("", f"{key} is missing") for key in schema.get("required", ()) if key not in value]


class GivenTemplates:
    """The templates of the scenario by their titles, which are their ids too."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def named(self, template_id: TemplateId | None, title: str | None) -> ResolvedTemplate:
        name = title or template_id or ""
        found = self._world.templates.get(name)
        if found is None:
            raise NotFound("template", name)
        return ResolvedTemplate(Template.model_validate(found))


class SimulatedSandbox:
    """Code is `simulated STEP`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        step, given = source.split()[1], decode(input_json)
        place = Place(RunId(given["run"]), step, given.get("index"))
        met = self._world.met(step)
        visit = self._world.begin(place, Effect.NONE, given["attempt"])
        try:
            async with asyncio.timeout(limits.timeout_s):
                await happen(self._world, visit, met)
        except TimeoutError:
            raise CodeFailed("timeout", f"{place} took too long") from None
        if self._world.fails(visit):
            raise CodeFailed("code_error", f"{place} was meant to fail")
        return encode(given["v"] if met["do"] == "echo" else met["value"])

    async def check(self, source: str) -> CodeFailed | None:
        return None


def simulated_tools(world: World) -> list[Tool]:
    """A tool for each kind of effect, and one with a required argument."""
    return [_tool(world, name, Effect(effect)) for name, effect in TOOLS.items()]


def _tool(world: World, name: str, effect: Effect) -> Tool:
    async def handler(arguments: Mapping[str, Any], context: CallContext) -> Any:
        place = Place(context.run_id, arguments["step"], arguments.get("index"), arguments.get("call", ""))
        met, step = world.met(place.step), world.step(place.step)
        is_idempotent = effect is Effect.ONCE and not place.call and step.get("config", {}).get("idempotent")
        visit = world.begin(place, Effect.IDEMPOTENT if is_idempotent else effect, arguments.get("attempt"))
        await happen(world, visit, met)
        if place.call:
            return arguments["v"]
        if world.fails(visit):
            raise ToolFailed("failed", f"{place} was meant to fail")
        return arguments["v"] if met["do"] == "echo" else met["value"]

    schema = {"type": "object", "required": ["extra"]} if name == "form" else {"type": "object"}
    return Tool(
        ToolInfo(name, name, name, schema),
        server=handler,
        read_only=effect is Effect.NONE,
        idempotent=effect is not Effect.ONCE,
    )


def begin_tool(executions: Callable[[], Executions]) -> Tool:
    """Runs another template, below the run that calls it."""

    async def begin(arguments: Mapping[str, Any], context: CallContext) -> Any:
        given = {name: value for name, value in arguments.items() if name not in ("title", "wait")}
        wait = arguments["wait"]
        run = await executions().execute(context, TemplateId(arguments["title"]), given, timeout_ms=None, wait=wait)
        if not wait:
            return "begun"
        if run.status is not RunStatus.SUCCESS:
            raise ToolFailed("child_failed", f"{run.title} is {run.status}")
        return decode(run.output_json or "null")

    info = ToolInfo(BEGIN, BEGIN, BEGIN, {"type": "object"})
    return Tool(info, server=begin, idempotent=True, timeout_s=FOR_EVER_S)


class SimulatedModel:
    """Makes the rounds of calls that the scenario has for the agent's step, then says what it was told."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        prompt = PROMPT.fullmatch(next(message.text for message in request.messages if message.role == "user"))
        assert prompt is not None
        run, step, at, attempt, told = prompt.groups()
        place = Place(RunId(run), step, None if at == "-" else int(at))
        met = self._world.met(step)
        visit = self._world.begin(place, Effect.IDEMPOTENT, int(attempt))
        await happen(self._world, visit, {key: value for key, value in met.items() if key != "stubbornMs"})
        answers = sum(message.role == "assistant" for message in request.messages)
        if answers < len(met["rounds"]):
            yield TextDelta(f"round {answers}")
            for number, tool in enumerate(met["rounds"][answers]):
                call = f"call {answers}.{number}"
                yield CallDelta(_call(call, tool, {"step": step, "index": place.index, "call": call, "v": number}))
            return
        if self._world.fails(visit):
            raise StepFailed("model_failed", f"{place} was meant to fail", failed_during="model")
        for piece in ("said ", told):
            yield TextDelta(piece)
            await asyncio.sleep(0)


def _call(call_id: str, tool: str, arguments: Json) -> CallRequest:
    return CallRequest(call_id, tool, arguments, encode(arguments))
