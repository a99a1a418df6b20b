"""Twenty runs at once whose steps give 1 MB of structure and 10 MB of text: does the loop stall?

A stall is what a callback that is due every 2 ms comes late by.
"""

import asyncio
import time
from typing import Any

from core.domain.template import Template
from core.domain.tool import ToolInfo
from core.ports import CallContext
from core.tools.registry import Tool
from tests.bench.measure import line

RUNS = 20
TEXT_CHARACTERS = 9_900_000
TICK_S = 0.002

_STRUCTURE = """export default function () {
  return Array.from({length: 12000}, (_, number) => ({number, name: `row ${number}`, words: ["one", "two", "three"]}))
}"""


def text_tool() -> Tool:
    """Gives 10 MB of text, the most that is kept of a result."""

    async def call(arguments: Any, context: CallContext) -> str:
        return "lorem ipsum " * (TEXT_CHARACTERS // 12)

    info = ToolInfo(name="long_text", title="Long text", description="Text.", input_schema={"type": "object"})
    return Tool(info, server=call, read_only=True)


def template() -> Template:
    """The structure and the text side by side, and a step that reads both."""
    steps = [
        {"name": "structure", "action": {"code": _STRUCTURE}},
        {"name": "text", "action": {"toolName": "long_text"}},
        {
            "name": "end",
            "action": {"return": True},
            "input": {"name": "@structure[11999].name"},
            "dependsOn": ["text"],
        },
    ]
    return Template.model_validate({"title": "large", "steps": steps})


async def stalls(work: Any) -> list[float]:
    """How late each tick came while the work was done, in seconds."""
    late: list[float] = []
    task = asyncio.ensure_future(work)
    while not task.done():
        began = time.perf_counter()
        await asyncio.sleep(TICK_S)
        late.append(max(0.0, time.perf_counter() - began - TICK_S))
    await task
    return sorted(late)


def tell(bench: str, late: list[float]) -> None:
    for name, at in (("p99", int(len(late) * 0.99)), ("max", -1)):
        line(bench, f"{RUNS} runs with 1 MB and 10 MB outputs, stall {name}", late[at] * 1e3, "ms", len(late))
