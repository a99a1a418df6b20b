"""Checking values against JSON Schemas that come from elsewhere."""

from dataclasses import dataclass
from typing import Any, Protocol


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
