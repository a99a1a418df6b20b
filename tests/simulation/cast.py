"""Those who carry out the steps of a simulation: tools, a sandbox, a model. They do what the scenario says."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from core.domain.ids import RunId
from core.domain.json_text import decode, encode
from core.domain.tool import Effect, ToolInfo
from core.errors import CodeFailed, StepFailed, ToolFailed
from core.ports.model import CallDelta, CallRequest, ModelDelta, ModelRequest, TextDelta
from core.ports.sandbox import CodeLimits, CodeResult
from core.ports.schemas import Violation
from core.ports.tools import CallContext
from core.tools.registry import Tool
from tests.simulation.template_maker import TOOLS
from tests.simulation.world import Place, World, happen

Json = dict[str, Any]

PROMPT = re.compile(r"run (\S+) step (\S+) index (\S+) v (.*)", re.DOTALL)


class PlainSchemas:
    """Schemas of the simulation say a type at most."""

    def problem(self, schema: Any) -> str | None:
        return None

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        return []


class SimulatedSandbox:
    """Code is `simulated STEP`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def run(self, source: str, input_json: str, limits: CodeLimits = CodeLimits()) -> CodeResult:
        step, given = source.split()[1], decode(input_json)
        place = Place(RunId(given["run"]), step, given.get("index"))
        met = self._world.meetings[step]
        visit = self._world.begin(place, Effect.NONE)
        await happen(self._world, visit, met)
        if _fails(met, place.index):
            raise CodeFailed("code_error", f"{place} was meant to fail")
        return CodeResult(encode(given["v"] if met["do"] == "echo" else met["value"]))

    async def check(self, source: str) -> CodeFailed | None:
        return None


def simulated_tools(world: World) -> list[Tool]:
    """A tool for each kind of effect."""
    return [_tool(world, name, Effect(effect)) for name, effect in TOOLS.items()]


def _tool(world: World, name: str, effect: Effect) -> Tool:
    async def handler(arguments: Mapping[str, Any], context: CallContext) -> Any:
        place = Place(context.run_id, arguments["step"], arguments.get("index"), arguments.get("call", ""))
        met = world.meetings[place.step]
        idempotent = not place.call and world.step(place.step).get("config", {}).get("idempotent")
        visit = world.begin(place, Effect.IDEMPOTENT if idempotent and effect is Effect.ONCE else effect)
        await happen(world, visit, met)
        if _fails(met, place.index) and not place.call:
            raise ToolFailed("failed", f"{place} was meant to fail")
        return arguments["v"] if met["do"] == "echo" or place.call else met["value"]

    info = ToolInfo(name, name, name, {"type": "object"})
    return Tool(
        info,
        server=handler,
        read_only=effect is Effect.NONE,
        idempotent=effect is not Effect.ONCE,
    )


class SimulatedModel:
    """Makes the rounds of calls that the scenario has for the agent's step, then says what it was told."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        prompt = PROMPT.fullmatch(next(message.text for message in request.messages if message.role == "user"))
        assert prompt is not None
        run, step, at, told = prompt.groups()
        place = Place(RunId(run), step, None if at == "-" else int(at))
        met = self._world.meetings[step]
        answers = sum(message.role == "assistant" for message in request.messages)
        visit = self._world.begin(place, Effect.IDEMPOTENT)
        try:
            await asyncio.sleep(met["ms"][answers % len(met["ms"])] / 1000)
        finally:
            self._world.leave(visit)
        if answers < len(met["rounds"]):
            yield TextDelta(f"round {answers}")
            for number, tool in enumerate(met["rounds"][answers]):
                call = f"call {answers}.{number}"
                yield CallDelta(_call(call, tool, {"step": step, "index": place.index, "call": call, "v": number}))
            return
        if _fails(met, place.index):
            raise StepFailed("model_failed", f"{place} was meant to fail", failed_during="model")
        for piece in ("said ", told):
            yield TextDelta(piece)
            await asyncio.sleep(0)


def _call(call_id: str, tool: str, arguments: Json) -> CallRequest:
    return CallRequest(call_id, tool, arguments, encode(arguments))


def _fails(met: Json, index: int | None) -> bool:
    return bool(met["do"] == "fail" or index in met.get("fails", ()))
