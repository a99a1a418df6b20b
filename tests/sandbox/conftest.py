"""What the tests of the sandbox share: a pool that leaves nothing behind, and an interpreter in this process."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.sandbox.interpreter import Interpreter
from core.sandbox.pool import WorkerPool
from core.sandbox.quickjs import QuickJsSandbox

MIB = 1024 * 1024


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool()
    yield pool
    await pool.close()


@pytest.fixture
def sandbox(pool: WorkerPool) -> QuickJsSandbox:
    return QuickJsSandbox(pool)


class Here:
    """Runs harmless code without a worker: the outcome is the same, a thousand times sooner."""

    def __init__(self) -> None:
        self._interpreter = Interpreter()

    def answer(self, source: str, value: Any = None, **limits: Any) -> dict[str, Any]:
        request = {
            "source": source,
            "input": json.dumps(value),
            "timeout_s": 5.0,
            "memory_bytes": 64 * MIB,
            "stack_bytes": MIB,
            "output_bytes": MIB,
        }
        written: list[dict[str, Any]] = []
        answer = self._interpreter.run({**request, **limits}, started=lambda: None, printed=written.append)
        lines = [(level, text) for one in written for level, text in one["console"]]
        return {**answer, "console": lines, "cut": any("cut" in one for one in written)}

    def output(self, source: str, value: Any = None, **limits: Any) -> Any:
        answer = self.answer(source, value, **limits)
        assert "output" in answer, answer
        return json.loads(answer["output"])

    def fault(self, source: str, value: Any = None, **limits: Any) -> dict[str, Any]:
        """Return the failure, its parameters beside its code and message."""
        answer = self.answer(source, value, **limits)
        assert "failed" in answer, answer
        return {"code": answer["failed"], "message": answer["message"], **answer["parameters"]}

    def problem(self, source: str) -> dict[str, Any]:
        """Return the result of `check` in the same shape; empty if there is no problem."""
        answer = self._interpreter.check(source)
        return {"code": answer["failed"], "message": answer["message"], **answer["parameters"]} if answer else {}


@pytest.fixture(scope="session")
def here() -> Here:
    return Here()
