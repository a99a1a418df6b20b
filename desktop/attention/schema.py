"""Derives form fields from a JSON Schema.

Pure. Texts, numbers, booleans, choices, lists of texts and objects of these become fields; a value of
any other schema is edited as JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any

from core.domain.input_schema import FILE_FORMAT, FOLDER_FORMAT

FieldPath = tuple[str, ...]

_MAX_DEPTH = 4
_LONG_TEXT = 200
_MAX_CHOICES = 200
# The value that these keywords allow cannot be derived from the schema of a single field.
_UNSUPPORTED = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties")


class FieldKind(StrEnum):
    TEXT = auto()
    LONG_TEXT = auto()
    FOLDER = auto()
    FILE = auto()
    NUMBER = auto()
    INTEGER = auto()
    BOOLEAN = auto()
    CHOICE = auto()
    CHOICES = auto()
    TEXTS = auto()
    JSON = auto()


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A value. `path` leads to it from the root, which is (); `name` is empty for the root.

    `least` and `most` are inclusive bounds of a number, of the characters of a text, or of the number of choices;
    `labels` are those of the `choices`. `text_format` is the format of a text, such as `date`; `examples` are
    suggested while it is typed. `default` is the initial value where `has_default`.
    """

    path: FieldPath
    kind: FieldKind
    name: str = ""
    about: str = ""
    is_required: bool = True
    choices: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None
    has_default: bool = False
    default: Any = None
    labels: tuple[str, ...] = ()
    text_format: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """An object with a field for each property."""

    path: FieldPath
    parts: "tuple[FieldSpec | GroupSpec, ...]"
    name: str = ""
    about: str = ""
    is_required: bool = True


FormSpec = FieldSpec | GroupSpec

_BOUNDS: Mapping[FieldKind, tuple[str, str]] = {
    FieldKind.TEXT: ("minLength", "maxLength"),
    FieldKind.LONG_TEXT: ("minLength", "maxLength"),
    FieldKind.CHOICES: ("minItems", "maxItems"),
}


def form_spec(schema: Any, path: FieldPath = (), *, is_required: bool = True) -> FormSpec:
    """Return the form for a schema. Never raises: an unsupported schema becomes a JSON field."""
    if not isinstance(schema, Mapping):
        return FieldSpec(path, FieldKind.JSON, _name({}, path), is_required=is_required)
    name, about = _name(schema, path), _text(schema, "description")
    # A schema may nest deeper than a form can be read.
    if len(path) < _MAX_DEPTH and (properties := _properties(schema)) is not None:
        required = schema.get("required", ())
        parts = tuple(form_spec(inner, (*path, key), is_required=key in required) for key, inner in properties.items())
        return GroupSpec(path, parts, name, about, is_required)
    kind, choices = _kind(schema)
    least, most = _BOUNDS.get(kind, ("minimum", "maximum"))
    listed = schema["items"] if kind is FieldKind.CHOICES else schema
    return FieldSpec(
        path,
        kind,
        name,
        about,
        is_required,
        choices,
        _number(schema, least),
        _number(schema, most),
        "default" in schema,
        schema.get("default"),
        tuple(label for _, label in _titled_choices(listed)),
        _text(schema, "format"),
        _texts(schema, "examples"),
    )


def field_specs(part: FormSpec) -> Iterator[FieldSpec]:
    """Yield all fields in the schema's order."""
    if isinstance(part, FieldSpec):
        yield part
    else:
        for inner in part.parts:
            yield from field_specs(inner)


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the properties of an object that a form can represent, else None."""
    properties, required = schema.get("properties"), schema.get("required", ())
    # A default of the whole object, or a required property without a schema, has no place in fields.
    is_plain = schema.get("type") == "object" and not _is_unsupported(schema)
    if not is_plain or not isinstance(properties, Mapping) or not properties or "default" in schema:
        return None
    return properties if isinstance(required, list | tuple) and set(required) <= set(properties) else None


def _kind(schema: Mapping[str, Any]) -> tuple[FieldKind, tuple[Any, ...]]:
    if titled := _titled_choices(schema):
        return FieldKind.CHOICE, tuple(value for value, _ in titled)
    if schema.get("type") == "array" and (several := _choices_of_items(schema)):
        return FieldKind.CHOICES, several
    if _is_unsupported(schema):
        return FieldKind.JSON, ()
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return FieldKind.CHOICE, tuple(schema["enum"])
    if "const" in schema:
        return FieldKind.CHOICE, (schema["const"],)
    match schema.get("type"):
        case "string" if schema.get("format") == FOLDER_FORMAT:
            return FieldKind.FOLDER, ()
        case "string" if schema.get("format") == FILE_FORMAT:
            return FieldKind.FILE, ()
        case "string":
            # A schema has no type for long texts; the limit or the default suggests it.
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


def _titled_choices(schema: Any) -> list[tuple[Any, str]]:
    """Return the values and titles of a choice between constants; [] for any other schema."""
    branches = schema.get("oneOf", schema.get("anyOf")) if isinstance(schema, Mapping) else None
    if not isinstance(branches, list) or not all(isinstance(one, Mapping) and "const" in one for one in branches):
        return []
    return [(one["const"], _text(one, "title")) for one in branches]


def _choices_of_items(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values that the items of a list are chosen from, each at most once; () if it is no such list."""
    items = schema.get("items")
    values = items.get("enum") if isinstance(items, Mapping) else None
    listed = tuple(value for value, _ in _titled_choices(items)) or (tuple(values) if isinstance(values, list) else ())
    return listed if schema.get("uniqueItems") is True and len(listed) <= _MAX_CHOICES else ()


def _is_of_texts(items: Any) -> bool:
    return isinstance(items, Mapping) and items.get("type") == "string" and not _is_unsupported(items)


def _is_unsupported(schema: Mapping[str, Any]) -> bool:
    return any(word in schema for word in _UNSUPPORTED)


def _name(schema: Mapping[str, Any], path: FieldPath) -> str:
    return _text(schema, "title") or (path[-1] if path else "")


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def _texts(schema: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = schema.get(key)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list | tuple) else ()


def _number(schema: Mapping[str, Any], key: str) -> float | None:
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
