"""The port Schemas: small and harmless checks here, all others in a worker that can be killed."""

from typing import Any

from core.errors import StepFailed
from core.ports import Violation
from core.sandbox import schema_rules
from core.sandbox.frames import BadFrame
from core.sandbox.pool import PoolClosed, WorkerPool
from core.sandbox.process import WorkerGone, WorkerTimeout
from core.threads.long_values import encode_async

LIMIT_S = 2.0
"""The limit for a small value; a second more for each megabyte."""

# A plain schema takes about 0.3 s for each megabyte; only what takes far longer is the schema's fault.
_PER_CHARACTER_S = 1e-6

_INLINE_CHARACTERS = 64 * 1024

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
        return schema_rules.problem(schema)

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        """Return every violation; see the port. An unusable schema is a single violation of the whole."""
        try:
            schema_text = schema_rules.canonical(schema)
        except schema_rules.UnusableSchema as error:
            return [Violation("", f"the schema cannot be used: {error}")]
        try:
            value_text = await encode_async(value)
        except StepFailed as error:
            return [Violation("", error.message)]
        if _is_cheap(schema_text, value_text):
            violations = schema_rules.violations(schema_text, value)
        else:
            violations = await self._ask(schema, value_text)
        return [Violation(path, message) for path, message in violations]

    async def _ask(self, schema: Any, value_text: str) -> list[tuple[str, str]]:
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


def _is_cheap(schema_text: str, value_text: str) -> bool:
    schema_parts = _parts(schema_text)
    return (
        len(value_text) <= _INLINE_CHARACTERS
        and schema_parts <= _INLINE_SCHEMA_PARTS
        and schema_parts * _parts(value_text) <= _INLINE_STEPS
        and not any(word in schema_text for word in _EXPENSIVE_KEYWORDS)
    )


def _parts(text: str) -> int:
    """No fewer than the keys and items in a JSON text."""
    return text.count(",") + text.count(":") + 1
