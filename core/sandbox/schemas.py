"""The port Schemas: small and harmless checks here, all others in a worker that can be killed."""

from collections.abc import Awaitable, Callable
from typing import Any

from core.domain.text.json_text import count_parts
from core.errors import StepFailed
from core.ports import SchemaCheck, Violation
from core.sandbox import schema_rules
from core.sandbox.frames import BadFrame
from core.sandbox.pool import PoolClosed, WorkerPool
from core.sandbox.process import WorkerGone, WorkerTimeout
from core.threads.long_values import encode_async

LIMIT_S = 2.0
"""The limit for a small value; a second more for each megabyte."""

# A plain schema takes about 0.3 s for each megabyte; only what takes far longer is the schema's fault.
_PER_CHARACTER_S = 1e-6

# Keywords met times parts of the value bounds the steps of a check; 8 µs each make this 40 ms at worst.
_INLINE_STEPS = 5_000

# A new schema is itself checked, at about 0.1 ms for each of these.
_INLINE_SCHEMA_PARTS = 400

# Patterns can take for ever, references multiply, comparing all items is quadratic.
_EXPENSIVE_KEYWORDS = (
    '"pattern"',
    '"patternProperties"',
    '"$ref"',
    '"$dynamicRef"',
    '"$recursiveRef"',
    '"uniqueItems"',
    '"unevaluatedItems"',
    '"unevaluatedProperties"',
)


class JsonSchemas:
    """Checks on a pool that the caller closes. `format` is an annotation, not a rule, as in draft 2020-12.

    Give it its own pool, or checks wait behind code steps.
    """

    def __init__(self, pool: WorkerPool, limit_s: float = LIMIT_S) -> None:
        self._pool = pool
        self._limit_s = limit_s

    def problem(self, schema: Any) -> str | None:
        """Return why this schema is unusable, or None; see the port.

        Takes up to 10 µs for each character of a schema that is not cached, so call it in a thread for long schemas.
        Thread-safe.
        """
        found = schema_rules.problem(schema)
        return None if found is None else found[0]

    def fault(self, schema: Any) -> tuple[str, str] | None:
        """Return what `problem` returns, and the pointer to the reason; see the port."""
        return schema_rules.problem(schema)

    def check(self, schema: Any) -> SchemaCheck:
        """Return the check of values against a schema; see the port."""
        return _Check(schema, self._ask)

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        """Return every violation; see the port. An unusable schema is a single violation of the whole."""
        return await self.check(schema)(value)

    async def _ask(self, schema: Any, value: Any) -> list[tuple[str, str]]:
        try:
            value_text = await encode_async(value)
        except StepFailed as error:
            return [("", error.message)]
        limit_s = self._limit_s + len(value_text) * _PER_CHARACTER_S
        request = {"do": "violations", "schema": schema, "value": value_text, "timeout_s": limit_s}
        try:
            answer = await self._pool.call(request, limit_s)
        except WorkerTimeout:
            return [("", f"the check did not end within {limit_s:.1f} s")]
        except (WorkerGone, PoolClosed):
            return [("", "the check could not be made: its process ended")]
        except BadFrame:
            return [("", "the value is too large to be checked")]
        return [(path, message) for path, message in answer["violations"]]


class _Check:
    """Checks values against a schema: small values against a harmless schema here, all others by `ask`."""

    def __init__(self, schema: Any, ask: Callable[[Any, Any], Awaitable[list[tuple[str, str]]]]) -> None:
        self._schema = schema
        self._ask = ask
        self._text: str | None = None
        self._inline_parts = 0

    async def __call__(self, value: Any) -> list[Violation]:
        if self._text is None:
            try:
                self._text = schema_rules.canonical(self._schema)
            except schema_rules.UnusableSchema as error:
                return [Violation("", f"the schema cannot be used: {error}")]
            self._inline_parts = _inline_parts(self._text)
        if self._inline_parts and count_parts(value, self._inline_parts) is not None:
            violations = schema_rules.violations(self._text, value)
        else:
            violations = await self._ask(self._schema, value)
        return [Violation(path, message) for path, message in violations]


def _inline_parts(schema_text: str) -> int:
    """Return how many parts a value may have that is checked in this process; 0 for a schema that may take long."""
    parts = schema_text.count(",") + schema_text.count(":") + 1  # no fewer than its keys and items
    if parts > _INLINE_SCHEMA_PARTS or any(word in schema_text for word in _EXPENSIVE_KEYWORDS):
        return 0
    return _INLINE_STEPS // parts
