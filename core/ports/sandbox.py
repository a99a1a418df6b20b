"""Running a person's JavaScript or TypeScript where it can do no harm."""

from dataclasses import dataclass
from typing import Protocol

from core.errors import CodeFailed

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Bounds of one run of a code step (AGENTS_AND_TOOLS §8)."""

    timeout_s: float = 10.0
    memory_bytes: int = 64 * MIB
    stack_bytes: int = 1 * MIB
    input_bytes: int = 8 * MIB
    output_bytes: int = 1 * MIB


@dataclass(frozen=True, slots=True)
class CodeResult:
    """What the code returned, as JSON text, and what it wrote to the console (level, text)."""

    output_json: str
    console: tuple[tuple[str, str], ...] = ()


class Sandbox(Protocol):
    """A place for code steps. Nothing that runs in it can stall the loop, reach a file or end the process."""

    async def run(self, source: str, input_json: str, limits: CodeLimits = CodeLimits()) -> CodeResult:
        """Call the module's default export with the input.

        Cancelling the awaiting task ends the code within milliseconds.
        Raises CodeFailed for everything that the code itself can do wrong.
        """
        ...

    async def check(self, source: str) -> CodeFailed | None:
        """Why `source` cannot be run (`typescript_error`, with line and column, or `no_default_export`), or None. Runs
        nothing."""
        ...
