"""What went wrong with a person's code, as the worker tells it. The host makes a CodeFailed of it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """A code of CodeFailed, words for a person, and what completes them: a limit, a JSON pointer.

    `place` is line and column in the person's source, from 1, or None where nobody knows. Columns count UTF-16 units,
    as TypeScript and editors do.
    """

    code: str
    message: str
    place: tuple[int, int] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    def as_answer(self) -> dict[str, Any]:
        """The fault as it stands in a frame."""
        place = {"line": self.place[0], "column": self.place[1]} if self.place else {}
        return {"failed": self.code, "message": self.message, "parameters": {**self.parameters, **place}}
