"""Which fields a form has, by the JSON Schema of what is asked for.

Pure. Text, numbers, yes or no, choices, lists of texts and objects of these are fields of their own; whatever else a
schema says, its value is written as JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any

Path = tuple[str, ...]

_DEEPEST = 4
_LONG_TEXT = 200
_INVOLVED = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties")


class FieldKind(StrEnum):
    TEXT = auto()
    LONG_TEXT = auto()
    NUMBER = auto()
    INTEGER = auto()
    BOOLEAN = auto()
    CHOICE = auto()
    TEXTS = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """One value. `path` leads to it from the whole, which is (); `name` is empty for the whole.

    `least` and `most` are those of a number, both allowed. `default` stands there at first where `has_default`.
    """

    path: Path
    kind: FieldKind
    name: str = ""
    about: str = ""
    is_required: bool = True
    choices: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None
    has_default: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Group:
    """An object, with a field for each of its properties."""

    path: Path
    parts: "tuple[Field | Group, ...]"
    name: str = ""
    about: str = ""
    is_required: bool = True


Part = Field | Group


def part_of(schema: Any, path: Path = (), *, is_required: bool = True) -> Part:
    """What is to be filled in for a value of this schema. Never fails: what it cannot read is written as JSON."""
    if not isinstance(schema, Mapping):
        return Field(path, FieldKind.JSON, _name({}, path), is_required=is_required)
    name, about = _name(schema, path), _text(schema, "description")
    if len(path) < _DEEPEST and (properties := _properties(schema)) is not None:
        required = schema.get("required", ())
        parts = tuple(part_of(one, (*path, key), is_required=key in required) for key, one in properties.items())
        return Group(path, parts, name, about, is_required)
    kind, choices = _kind(schema)
    return Field(
        path,
        kind,
        name,
        about,
        is_required,
        choices,
        _number(schema, "minimum"),
        _number(schema, "maximum"),
        "default" in schema,
        schema.get("default"),
    )


def fields_of(part: Part) -> Iterator[Field]:
    """Every field, in the order of the schema."""
    if isinstance(part, Field):
        yield part
    else:
        for inner in part.parts:
            yield from fields_of(inner)


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Those of an object that a form can hold, else None."""
    properties, required = schema.get("properties"), schema.get("required", ())
    is_plain = schema.get("type") == "object" and not _is_involved(schema)
    if not is_plain or not isinstance(properties, Mapping) or not properties or "default" in schema:
        return None
    return properties if isinstance(required, list | tuple) and set(required) <= set(properties) else None


def _kind(schema: Mapping[str, Any]) -> tuple[FieldKind, tuple[Any, ...]]:
    if _is_involved(schema):
        return FieldKind.JSON, ()
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return FieldKind.CHOICE, tuple(schema["enum"])
    if "const" in schema:
        return FieldKind.CHOICE, (schema["const"],)
    match schema.get("type"):
        case "string":
            is_long = (_number(schema, "maxLength") or 0) >= _LONG_TEXT or "\n" in _text(schema, "default")
            return (FieldKind.LONG_TEXT if is_long else FieldKind.TEXT), ()
        case "number":
            return FieldKind.NUMBER, ()
        case "integer":
            return FieldKind.INTEGER, ()
        case "boolean":
            return FieldKind.BOOLEAN, ()
        case "array" if _is_of_texts(schema.get("items")):
            return FieldKind.TEXTS, ()
        case _:
            return FieldKind.JSON, ()


def _is_of_texts(items: Any) -> bool:
    return isinstance(items, Mapping) and items.get("type") == "string" and not _is_involved(items)


def _is_involved(schema: Mapping[str, Any]) -> bool:
    return any(word in schema for word in _INVOLVED)


def _name(schema: Mapping[str, Any], path: Path) -> str:
    return _text(schema, "title") or (path[-1] if path else "")


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def _number(schema: Mapping[str, Any], key: str) -> float | None:
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
