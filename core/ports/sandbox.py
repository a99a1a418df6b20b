"""Running a person's JavaScript or TypeScript where it can do no harm."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from core.errors import CodeFailed

MIB = 1024 * 1024

CONSOLE_BYTES = 64 * 1024
CONSOLE_LINE_BYTES = 16
"""What each line counts beside its text, so that empty ones come to an end too."""


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Bounds of one run of a code step (AGENTS_AND_TOOLS §8)."""

    timeout_s: float = 10.0
    memory_bytes: int = 64 * MIB
    stack_bytes: int = 1 * MIB
    input_bytes: int = 8 * MIB
    output_bytes: int = 1 * MIB


@dataclass(slots=True)
class Console:
    """What code has written to its console, in order, as (level, text); levels are log, info, debug, warn and error.

    It fills while the code runs, and keeps what it has however that ends. `is_cut`: more was written than
    CONSOLE_BYTES. Secrets are masked.
    """

    lines: list[tuple[str, str]] = field(default_factory=list)
    is_cut: bool = False

    def as_list(self) -> list[dict[str, str]]:
        """The lines as `{level, text}`."""
        return [{"level": level, "text": text} for level, text in self.lines]


class Sandbox(Protocol):
    """A place for code steps. Nothing that runs in it can stall the loop, reach a file or end the process."""

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        """Call the module's default export with the input; what it returned, as JSON. `console` gets what it writes.

        Where it has to wait for its turn, the owners of all that waits take turns; the limits hold from its start.

        Cancelling the awaiting task ends the code within milliseconds.
        Raises CodeFailed for everything that the code itself can do wrong.
        """
        ...

    async def check(self, source: str) -> CodeFailed | None:
        """Why `source` cannot be run (`typescript_error`, with line and column, or `no_default_export`), or None. Runs
        nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a value misses its schema: a JSON pointer ("" is the whole) and what was expected."""

    path: str
    message: str


class Schemas(Protocol):
    """JSON Schema, draft 2020-12 unless the schema names another. No schema can stall the loop."""

    def problem(self, schema: Any) -> str | None:
        """Why this is no usable schema (not a schema, over 100 000 characters, over 10 deep), or None."""
        ...

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        """Every violation, at most 20, in document order; empty if the value fits.

        A check that does not end within its limit is reported as one violation of the whole.
        """
        ...
