"""JSON Schemas from elsewhere: whether they are usable, and how a value violates them.

Runs in the product's process for small and harmless checks, in a worker for all others. The library is imported late:
it takes 0.1 s. No `$ref` is ever fetched.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from core.sandbox.frames import pointer
from core.sandbox.patterns import compile_pattern
from core.sandbox.schema_wording import describe_error, extra_properties
from core.threads.imports import import_once

MAX_CHARACTERS = 100_000
_LIBRARY = ("regress", "jsonschema.validators", "jsonschema_specifications", "referencing.jsonschema")
MAX_DEPTH = 10
MAX_VIOLATIONS = 20

# A value may have a million violations: only the first are useful, and sorting them all would take too long.
_MAX_EXAMINED = 1_000


# Servers and people write http and https, with and without the #, and leave parts out.
_DIALECT = re.compile(
    r"https?://(?:www\.)?json-schema\.org/(?:(draft-0\d|draft/[\w-]+)/)?(?:hyper-)?schema/?#?", re.IGNORECASE
)
_DIALECTS = {
    "draft-03": "Draft3",
    "draft-04": "Draft4",
    "draft-05": "Draft4",
    "draft-06": "Draft6",
    "draft-07": "Draft7",
    "draft/2019-09": "Draft201909",
}


class UnusableSchema(Exception):
    """Why a schema cannot be used. `path` is the pointer to the reason, "" for the whole."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


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


def problem(schema: Any) -> tuple[str, str] | None:
    """Return why this schema is unusable, and the pointer to the reason; or None. Cached for recent schemas."""
    try:
        _validator(canonical(schema))
    except UnusableSchema as error:
        return str(error), error.path
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
    if isinstance(compiled, UnusableSchema):
        raise UnusableSchema(str(compiled), compiled.path)
    return compiled


@lru_cache(maxsize=256)
def _compiled(text: str) -> Any:
    """Return a validator, or the UnusableSchema that says why there is none."""
    import_once(*_LIBRARY)
    from jsonschema.exceptions import SchemaError
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # ships no types
    from referencing.jsonschema import specification_with

    schema = json.loads(text)
    # Without its own `$schema`: the library would choose a validator by it at each reference back to the whole.
    dialect = schema.pop("$schema", None) if isinstance(schema, dict) else None
    kind = _kind(dialect) if isinstance(dialect, str | None) else None
    if kind is None:
        return UnusableSchema(f"its $schema names {dialect!r}, an unknown dialect", "/$schema")
    try:
        kind.check_schema(schema, _formats())
        _check_references(schema, specification_with(kind.META_SCHEMA["$schema"]), REGISTRY)
    except SchemaError as error:
        path = pointer(error.path)
        return UnusableSchema(f"it is not a schema at {path or 'its top'}: {describe_error(error)}", path)
    except UnusableSchema as error:
        return error
    except RecursionError:
        return UnusableSchema("it is nested too deeply")
    except ValueError as error:
        return UnusableSchema(f"it holds an invalid address: {error}")
    return kind(schema, registry=REGISTRY)


@lru_cache(maxsize=16)
def _kind(dialect: str | None) -> Any:
    """Return the validator class of a dialect, None for an unknown dialect. Patterns are those of ECMA-262."""
    from jsonschema import validators

    if dialect is None:
        name = "Draft202012"
    elif (written := _DIALECT.fullmatch(dialect.strip())) is None:
        return None
    else:
        name = _DIALECTS.get((written[1] or "").lower(), "Draft202012")
    plain = getattr(validators, f"{name}Validator")
    own = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    evaluated = "unevaluatedProperties"
    if evaluated in plain.VALIDATORS:
        own[evaluated] = _if_readable(plain.VALIDATORS[evaluated])
    extend: Any = validators.extend
    return extend(plain, own)


@lru_cache(maxsize=1)
def _formats() -> Any:
    """Return the formats that are checked in a schema itself."""
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("regex")(lambda text: not isinstance(text, str) or compile_pattern(text) is not None)
    return checker


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and (matches := compile_pattern(pattern)) is not None and not matches(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        matches = compile_pattern(pattern)
        for key, value in instance.items():
            if matches is not None and matches(key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, additional: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    extra = extra_properties(instance, schema) if isinstance(instance, dict) else []
    if isinstance(additional, dict):
        for key in extra:
            yield from validator.descend(instance[key], additional, path=key)
    elif additional is False and extra:
        yield ValidationError("additional properties")


def _if_readable(keyword: Any) -> Any:
    """Return the library's keyword, which reads patterns as Python: what it cannot read is not judged."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        try:
            yield from keyword(validator, value, instance, schema)
        except re.error:
            return

    return check


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
