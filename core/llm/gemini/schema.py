"""The part of JSON Schema that Gemini reads in the declaration of a function.

Google lists what `parametersJsonSchema` may have; an unknown key fails the whole request, with all its tools. What is
left out here is still checked when the call comes, and the model is told.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.domain.text.json_text import parse_pointer, value_at

_PLAIN = frozenset(
    {
        "type", "format", "title", "description", "enum", "minItems", "maxItems", "minimum", "maximum", "required",
        "minLength", "maxLength", "pattern", "nullable", "minProperties", "maxProperties",
    }
)  # fmt: skip
_LISTS = {"anyOf": "anyOf", "oneOf": "anyOf", "prefixItems": "prefixItems"}
_DEPTH = 16


def function_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of a function's parameters; None if it has none."""
    reduced = _reduced(schema, schema, ())
    if not reduced.get("properties") and not reduced.get("additionalProperties"):
        return None
    return {**reduced, "type": "object"}


def _reduced(schema: Any, root: Mapping[str, Any], references: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(schema, Mapping) or len(references) > _DEPTH:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        # A schema within itself has no end, and is cut there.
        inner = {} if reference in references else _referenced(reference, root)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _reduced({**inner, **beside}, root, (*references, reference))
    schema = _merged(schema, root, references)
    found = {key: value for key, value in schema.items() if key in _PLAIN and value is not None}
    if "const" in schema:
        found["enum"] = [schema["const"]]
    for exclusive, limit, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        if _is_number(bound := schema.get(exclusive)):
            found.setdefault(limit, bound + step if schema.get("type") == "integer" else bound)
    if isinstance(properties := schema.get("properties"), Mapping):
        found["properties"] = {name: _reduced(value, root, references) for name, value in properties.items()}
        found["required"] = [name for name in _names(schema.get("required")) if name in properties]
    if not found.get("required"):
        found.pop("required", None)
    if isinstance(items := schema.get("items"), Mapping):
        found["items"] = _reduced(items, root, references)
    if isinstance(others := schema.get("additionalProperties"), Mapping):
        found["additionalProperties"] = _reduced(others, root, references)
    elif isinstance(others, bool):
        found["additionalProperties"] = others
    for key, name in _LISTS.items():
        if isinstance(choices := schema.get(key), list) and choices:
            found[name] = [_reduced(choice, root, references) for choice in choices]
    return found


def _merged(schema: Mapping[str, Any], root: Mapping[str, Any], references: tuple[str, ...]) -> Mapping[str, Any]:
    """Merge the parts of `allOf`, which Gemini does not know."""
    parts = schema.get("allOf")
    if not isinstance(parts, list):
        return schema
    whole: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        reduced = _reduced(part, root, references)
        properties = {**reduced.get("properties", {}), **whole.get("properties", {})}
        required = [*_names(whole.get("required")), *_names(reduced.get("required"))]
        whole = {**reduced, **whole}
        if properties:
            whole |= {"properties": properties, "required": list(dict.fromkeys(required))}
    return whole


def _referenced(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Find what a reference within the same schema names; nothing for any other."""
    try:
        found = value_at(dict(root), parse_pointer(reference.removeprefix("#"))) if reference.startswith("#") else {}
    except (ValueError, LookupError):
        found = {}
    return found if isinstance(found, Mapping) else {}


def _names(value: Any) -> Iterable[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
