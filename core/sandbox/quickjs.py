"""The port Sandbox, on QuickJS in worker processes."""

from collections.abc import Awaitable
from typing import Any

from core.errors import CodeFailed
from core.ports import CodeLimits, Console
from core.sandbox.frames import PREPARATION_S, BadFrame
from core.sandbox.pool import PoolClosed, WorkerPool
from core.sandbox.process import WorkerGone, WorkerTimeout

SOURCE_CHARACTERS = 250_000
"""Longer code takes seconds to read."""


class QuickJsSandbox:
    """Runs code on pools that the caller closes. `checks` is the pool on which code is checked while all workers of the
    other are busy, so that no check waits behind running code.
    """

    def __init__(self, pool: WorkerPool, checks: WorkerPool | None = None) -> None:
        self._pool = pool
        self._checks = checks or pool

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        """Call the default export with the input; see the port. `input_json` may hold lone surrogates."""
        if too_long := _too_long(source):
            raise too_long
        if _is_larger(input_json, limits.input_bytes):
            raise CodeFailed(
                "input_too_large",
                f"the input is larger than {limits.input_bytes:,} bytes",
                limit_bytes=limits.input_bytes,
            )
        request = {
            "do": "run",
            "source": source,
            "input": input_json,
            "timeout_s": limits.timeout_s,
            "memory_bytes": limits.memory_bytes,
            "stack_bytes": limits.stack_bytes,
            "output_bytes": limits.output_bytes,
        }
        output = console if console is not None else Console()

        def on_console(message: dict[str, Any]) -> None:
            output.lines += [(level, text) for level, text in message["console"]]
            output.is_cut = output.is_cut or "cut" in message

        answer = await self._call(self._pool.call(request, limits.timeout_s, on_console, owner), limits.timeout_s)
        if "failed" in answer:
            raise _failure(answer)
        return str(answer["output"])

    async def check(self, source: str) -> CodeFailed | None:
        """Return the error that prevents `source` from compiling, or None; see the port."""
        if too_long := _too_long(source):
            return too_long
        pool = self._pool if self._pool.has_room else self._checks
        try:
            answer = await self._call(pool.call({"do": "check", "source": source}, PREPARATION_S), PREPARATION_S)
        except CodeFailed as error:
            return CodeFailed("typescript_error", f"the code could not be checked: {error.message}")
        return _failure(answer) if "failed" in answer else None

    async def _call(self, answer: Awaitable[dict[str, Any]], limit_s: float) -> dict[str, Any]:
        try:
            return await answer
        except WorkerTimeout:
            raise CodeFailed("timeout", f"the code did not end within {limit_s:g} s", timeout_s=limit_s) from None
        except WorkerGone as error:
            raise CodeFailed(
                "crashed", f"the interpreter ended {'in' if error.started else 'before'} the code"
            ) from None
        except PoolClosed:
            raise CodeFailed("crashed", "the sandbox was closed") from None
        except BadFrame:
            raise CodeFailed("input_too_large", "the input is too large to be handed over") from None


def _too_long(source: str) -> CodeFailed | None:
    if len(source) <= SOURCE_CHARACTERS:
        return None
    message = f"the code is longer than {SOURCE_CHARACTERS:,} characters"
    return CodeFailed("typescript_error", message, limit_characters=SOURCE_CHARACTERS)


def _is_larger(text: str, limit_bytes: int) -> bool:
    return len(text) > limit_bytes or len(text.encode("utf-8", "surrogatepass")) > limit_bytes


def _failure(answer: dict[str, Any]) -> CodeFailed:
    return CodeFailed(answer["failed"], answer["message"], **answer["parameters"])
