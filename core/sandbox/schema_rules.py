"""JSON Schemas from elsewhere: whether they are usable, and how a value violates them.

Runs in the product's process for small and harmless checks, in a worker for all others. The library is imported late:
it takes 0.1 s. No `$ref` is ever fetched.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any

from core.sandbox.frames import pointer
from core.sandbox.schema_wording import describe_error
from core.threads.imports import import_once

MAX_CHARACTERS = 100_000
_LIBRARY = ("jsonschema.validators", "jsonschema_specifications", "referencing.jsonschema")
MAX_DEPTH = 10
MAX_VIOLATIONS = 20

# A value may have a million violations: only the first are useful, and sorting them all would take too long.
_MAX_EXAMINED = 1_000


class UnusableSchema(Exception):
    """Why a schema cannot be used."""


def canonical(schema: Any) -> str:
    """Return the canonical text of a schema, the key of the cache. Raises UnusableSchema if there is none, or it is too
    long.
    """
    if not isinstance(schema, dict | bool):
        raise UnusableSchema("a schema must be an object, true or false")
    try:
        text = json.dumps(schema, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise UnusableSchema("the schema is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise UnusableSchema(f"the schema is not JSON: {error}") from None
    if len(text) > MAX_CHARACTERS:
        raise UnusableSchema(f"the schema is longer than {MAX_CHARACTERS:,} characters")
    return text


def problem(schema: Any) -> str | None:
    """Return why this schema is unusable, or None. Cached for recent schemas."""
    try:
        _validator(canonical(schema))
    except UnusableSchema as error:
        return str(error)
    return None


def violations(schema_text: str, value: Any) -> list[tuple[str, str]]:
    """Return pointers and messages, at most MAX_VIOLATIONS, in the order of the value. `schema_text` is canonical."""
    import_once(*_LIBRARY)
    from referencing.exceptions import Unresolvable

    try:
        errors = list(islice(_validator(schema_text).iter_errors(value), _MAX_EXAMINED))
    except UnusableSchema as error:
        return [("", f"the schema cannot be used: {error}")]
    except Unresolvable as error:
        return [("", f"the schema cannot be used: {error.ref} is not in it, and nothing is fetched")]
    except RecursionError:
        return [("", "the schema or the value is nested too deeply to be checked")]
    if not errors:
        return []
    ranks = _DocumentOrder(value)
    errors.sort(key=lambda error: ranks.of(error.absolute_path))
    unique = dict.fromkeys((pointer(error.absolute_path), describe_error(error)) for error in errors)
    return list(islice(unique, MAX_VIOLATIONS))


def _validator(text: str) -> Any:
    compiled = _compiled(text)
    if isinstance(compiled, str):
        raise UnusableSchema(compiled)
    return compiled


@lru_cache(maxsize=256)
def _compiled(text: str) -> Any:
    """Return a validator, or the reason why there is none."""
    import_once(*_LIBRARY)
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # ships no types
    from referencing.jsonschema import specification_with

    schema = json.loads(text)
    dialect = schema.get("$schema") if isinstance(schema, dict) else None
    fallback: Any = Draft202012Validator if dialect is None else None
    kind = validator_for(schema, default=fallback) if isinstance(dialect, str | None) else None
    if kind is None:
        return f"its $schema names {dialect!r}, an unknown dialect"
    try:
        kind.check_schema(schema)
        _check_references(schema, specification_with(kind.META_SCHEMA["$schema"]), REGISTRY)
    except SchemaError as error:
        return f"it is not a schema at {pointer(error.path) or 'its top'}: {describe_error(error)}"
    except UnusableSchema as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:
        return f"it holds an invalid address: {error}"
    return kind(schema, registry=REGISTRY)


def _check_references(schema: Any, specification: Any, registry: Any) -> None:
    """Raise UnusableSchema if subschemas are nested too deeply, or a reference leads out of the schema."""
    from referencing.exceptions import Unresolvable

    root = specification.create_resource(schema)
    todo = [(root, registry.resolver_with_root(root), 0)]
    while todo:
        resource, resolver, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise UnusableSchema(f"its subschemas are more than {MAX_DEPTH} deep")
        for reference in _references(resource.contents):
            try:
                resolver.lookup(reference)
            except Unresolvable:
                raise UnusableSchema(f"it has no {reference!r}, and a $ref is never fetched from elsewhere") from None
        todo.extend((each, resolver.in_subresource(each), depth + 1) for each in resource.subresources())


def _references(contents: Any) -> list[str]:
    if not isinstance(contents, dict):
        return []
    return [contents[word] for word in ("$ref", "$dynamicRef") if isinstance(contents.get(word), str)]


class _DocumentOrder:
    """The order of the parts of a value, for sorting."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._orders: dict[int, dict[str, int]] = {}

    def of(self, path: Iterable[str | int]) -> list[int]:
        """Return the positions along the path: a part comes after its container, and after its predecessors."""
        ranks: list[int] = []
        at = self._value
        for part in path:
            ranks.append(self._order(at)[part] if isinstance(part, str) else part)
            at = at[part]
        return ranks

    def _order(self, holder: dict[str, Any]) -> dict[str, int]:
        if id(holder) not in self._orders:
            self._orders[id(holder)] = {key: rank for rank, key in enumerate(holder)}
        return self._orders[id(holder)]
