"""Side effects that can be looked into: lines in a file outside the store, fsynced one by one."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.domain.tool import ToolInfo
from core.ports import CallContext
from core.tools.registry import Tool
from tests.support.mortal import MIDDLE

_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class EffectLog:
    """A file of lines. A line without its end has not happened; who writes next takes it away."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def lines(self) -> list[str]:
        """The lines that are there whole, in order."""
        text = self._path.read_text("utf-8") if self._path.exists() else ""
        return text[: text.rfind("\n") + 1].splitlines()

    @property
    def is_whole(self) -> bool:
        """Whether the last line has its end."""
        return not self._path.exists() or self._path.read_text("utf-8")[-1:] in ("", "\n")

    def begin(self, text: str) -> None:
        """Half of the line."""
        with self._path.open("ab") as file:
            file.truncate(sum(len(line.encode()) + 1 for line in self.lines()))
        self._append(text[: len(text) // 2])

    def finish(self, text: str) -> None:
        """The other half."""
        self._append(text[len(text) // 2 :] + "\n")

    def _append(self, text: str) -> None:
        with self._path.open("ab", buffering=0) as file:
            file.write(text.encode())
            os.fsync(file.fileno())


class Effects:
    """The tools of one life. `once` writes a line that must not be there twice; `again` one that may be; `look` writes
    none. `made` are the calls that were really made, by their ids; `made_at` says when, in the loop's time. `point` is
    told where the process may die."""

    def __init__(self, log: EffectLog, repeatable: EffectLog, point: Callable[[str], object]) -> None:
        self.made: list[str] = []
        self.made_at: list[float] = []
        self._log = log
        self._repeatable = repeatable
        self._point = point

    def tools(self) -> list[Tool]:
        return [
            Tool(ToolInfo("once", "Once", "Writes a line.", _SCHEMA), server=self._once, timeout_s=60),
            Tool(ToolInfo("again", "Again", "Writes a line.", _SCHEMA), server=self._again, idempotent=True),
            Tool(ToolInfo("look", "Look", "Reads a line.", _SCHEMA), server=self._look, read_only=True),
        ]

    async def _once(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        return await self._write(self._log, arguments["text"], context)

    async def _again(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        return await self._write(self._repeatable, arguments["text"], context)

    async def _look(self, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        self._begin(context)
        await asyncio.sleep(0)
        return dict(arguments)

    def _begin(self, context: CallContext) -> None:
        self.made.append(context.call_id)
        self.made_at.append(asyncio.get_running_loop().time())

    async def _write(self, log: EffectLog, text: str, context: CallContext) -> dict[str, Any]:
        self._begin(context)
        self._point(f"before the effect {text}")
        await asyncio.sleep(0)
        log.begin(text)
        self._point(f"{MIDDLE} {text}")
        log.finish(text)
        await asyncio.sleep(0)
        self._point(f"after the effect {text}")
        return {"text": text}
