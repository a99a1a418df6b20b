"""Describes an error of the jsonschema library in English.

The library's own messages show Python (`None`, `True`, whole instances); these show JSON, and little of it.
"""

import json
from collections.abc import Iterable
from typing import Any

from core.sandbox.patterns import compile_pattern

_SHOWN_CHARACTERS = 60
_MAX_LISTED = 10

_TYPE_NAMES = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "an object",
}

_BOUNDS = {
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number greater than {}",
    "exclusiveMaximum": "a number less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "text of at least {} characters",
    "maxLength": "text of at most {} characters",
    "minItems": "a list of at least {} items",
    "maxItems": "a list of at most {} items",
    "minProperties": "an object of at least {} properties",
    "maxProperties": "an object of at most {} properties",
    "pattern": "text that matches {}",
    "format": "text in the format {}",
    "const": "{}",
}


def describe_error(error: Any) -> str:
    """Return a sentence for a ValidationError or SchemaError, at most a few hundred characters long."""
    expected = _expected(error)
    if expected is not None:
        return f"expected {expected}, got {json_preview(error.instance)}"
    return _shorten(_special_case(error) or error.message, 300)


def json_preview(value: Any) -> str:
    """Return a value as JSON if it is short, else its type and length."""
    if isinstance(value, dict):
        return f"an object of {_format_count(len(value), 'property', 'properties')}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {_format_count(len(value), 'item', 'items')}" if value else "an empty list"
    if isinstance(value, str):
        return json.dumps(_shorten(value, _SHOWN_CHARACTERS), ensure_ascii=False)
    return _shorten(json.dumps(value), _SHOWN_CHARACTERS)


def _expected(error: Any) -> str | None:
    expected = error.validator_value
    match error.validator:
        case "type":
            kinds = [expected] if isinstance(expected, str) else expected
            return _join_items((_TYPE_NAMES.get(kind, str(kind)) for kind in kinds), "or")
        case "enum":
            return "one of " + _join_items(map(json_preview, expected), "or")
        case "uniqueItems":
            return "a list without repetitions"
        case "anyOf" | "oneOf" if kinds := _kinds_of_branches(error):
            return _join_items(kinds, "or")
    bound = _BOUNDS.get(error.validator)
    return bound.format(json_preview(expected)) if bound else None


def _special_case(error: Any) -> str | None:
    """Return the message of a keyword for which "expected X, got Y" is not enough."""
    match error.validator:
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{_properties(missing)} missing"
        case "additionalProperties" | "unevaluatedProperties" if error.validator_value is False:
            return f"{_properties(extra_properties(error.instance, error.schema))} not expected"
        case "anyOf" | "oneOf" if error.context:
            nearest = max(error.context, key=lambda branch: (len(branch.path), branch.validator != "type"))
            return f"fits none of {len(error.validator_value)} forms; in the nearest: {describe_error(nearest)}"
        case "oneOf":
            return "fits several forms, and must fit exactly one"
        case "contains":
            return "too few items are of the kind that the list must contain"
        case "maxContains":
            return f"more than {error.validator_value} items are of the kind that the list may contain so often"
        case "not":
            return f"{json_preview(error.instance)} is just what must not stand here"
        case None:
            return "nothing is allowed here"
    return None


def _kinds_of_branches(error: Any) -> list[str] | None:
    branches = error.context
    if not branches or any(branch.validator != "type" or branch.path for branch in branches):
        return None
    return list(dict.fromkeys(filter(None, map(_expected, branches))))


def extra_properties(instance: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Return the properties that the schema neither names nor has a pattern for."""
    known = schema.get("properties", {})
    patterns = [matches for each in schema.get("patternProperties", {}) if (matches := compile_pattern(each))]
    return [name for name in instance if name not in known and not any(matches(name) for matches in patterns)]


def _properties(names: list[str]) -> str:
    listed = _join_items((json.dumps(_shorten(name, _SHOWN_CHARACTERS), ensure_ascii=False) for name in names), "and")
    return f"the property {listed} is" if len(names) == 1 else f"the properties {listed} are"


def _join_items(items: Iterable[str], joint: str) -> str:
    parts = list(items)
    if len(parts) > _MAX_LISTED:
        parts = [*parts[:_MAX_LISTED], f"{len(parts) - _MAX_LISTED} more"]
    return f"{', '.join(parts[:-1])} {joint} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _format_count(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _shorten(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"
