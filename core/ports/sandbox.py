"""Running user code and checking values against foreign JSON schemas, where neither can do harm."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.errors import CodeFailed

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Limits of a code step (AGENTS_AND_TOOLS §8)."""

    timeout_s: float = 10.0
    memory_bytes: int = 64 * MIB
    stack_bytes: int = 1 * MIB
    input_bytes: int = 8 * MIB
    output_bytes: int = 1 * MIB


@dataclass(slots=True)
class Console:
    """Console output of code, as (level, text); levels are log, info, debug, warn and error.

    Filled while the code runs, and kept however it ends. `is_cut`: the code wrote more than CONSOLE_BYTES. Secrets are
    masked.
    """

    lines: list[tuple[str, str]] = field(default_factory=list)
    is_cut: bool = False

    def as_list(self) -> list[dict[str, str]]:
        """Return the lines as `{level, text}`."""
        return [{"level": level, "text": text} for level, text in self.lines]


class Sandbox(Protocol):
    """Runs code steps. Their code cannot block the loop, open files or end the process."""

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        """Call the module's default export with the input and return its result as JSON.

        Console output goes to `console`. Queued runs are served in turns by owner; limits apply from the start of the
        code. Cancelling stops the code within milliseconds. Raises CodeFailed for everything that the code can do
        wrong.
        """

    async def check(self, source: str) -> CodeFailed | None:
        """Return why `source` cannot run, or None.

        Codes: `typescript_error` (with line and column), `no_default_export`. Nothing is executed.
        """


@dataclass(frozen=True, slots=True)
class Violation:
    """A mismatch with a schema: a JSON pointer ("" for the whole value) and what was expected."""

    path: str
    message: str

    def as_dict(self) -> dict[str, str]:
        return {"path": self.path, "message": self.message}


def describe_violations(violations: Sequence[Violation], whole: str) -> tuple[str, list[dict[str, str]]]:
    """Return the violations as a text and as a JSON value. `whole` is the name of the value at the path ""."""
    text = "; ".join(f"{violation.path or whole}: {violation.message}" for violation in violations)
    return text, [violation.as_dict() for violation in violations]


SchemaCheck = Callable[[Any], Awaitable[list[Violation]]]
"""Checks a value, as `Schemas.violations` does."""


class Schemas(Protocol):
    """JSON Schema, draft 2020-12 unless a schema names another; patterns are those of ECMA-262. No schema can block the
    loop.
    """

    def problem(self, schema: Any) -> str | None:
        """Return why the schema is unusable (invalid, over 100 000 characters, over 10 levels), or None."""

    def fault(self, schema: Any) -> tuple[str, str] | None:
        """Return why the schema is unusable, and the JSON pointer to the reason ("" for the whole schema); or None."""

    def check(self, schema: Any) -> SchemaCheck:
        """Return the check of values against a schema that does not change. The schema is read at the first check."""

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        """Return at most 20 violations in document order; empty if the value matches.

        A check that exceeds its time limit is a violation of the whole value.
        """
