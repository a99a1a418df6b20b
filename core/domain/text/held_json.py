"""Lists, objects, numbers and flags that came as JSON in a text: models and clients send `"[1]"` where a list belongs.

What a schema says decides: a text is read where the schema allows no text there and what the text holds is allowed.
Nothing else is changed, so that a value that fits its schema stays as it is.
"""

from collections.abc import Mapping
from typing import Any

from core.domain.text.json_text import parse

MAX_CHARACTERS = 200_000
"""The longest text that is read; a longer one would stall the loop."""

MAX_PARTS = 5_000
"""How many parts of a value are looked at, for the same reason."""

_MAX_REFERENCES = 40


def read_held_json(schema: Any, value: Any) -> Any:
    """Return the value with such texts read, at whatever depth; the same value if there are none."""
    return _Reader(schema).read(schema, value)


class _Reader:
    """Reads a value by the schema `root`."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = MAX_PARTS

    def read(self, schema: Any, value: Any) -> Any:
        schema = self._resolved(schema)
        self._left -= 1
        if not isinstance(schema, Mapping) or self._left < 0:
            return value
        if isinstance(value, str):
            held = self._held(schema, value)
            return value if held is value else self.read(schema, held)
        if isinstance(value, Mapping):
            forms = self._forms(schema, value)
            pairs = [(name, self._read_part(each, _property(forms, name))) for name, each in value.items()]
            return dict(pairs) if any(value[name] is not each for name, each in pairs) else value
        if isinstance(value, list):
            forms = self._forms(schema, value)
            items = [self._read_part(each, _item(forms, at)) for at, each in enumerate(value)]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value

    def _read_part(self, value: Any, schemas: list[Any]) -> Any:
        for schema in schemas:
            value = self.read(schema, value)
        return value

    def _held(self, schema: Mapping[str, Any], text: str) -> Any:
        """Return what the text holds where the schema wants that and no text, else the text itself."""
        kinds = self._kinds(schema, frozenset())
        if kinds is None or "string" in kinds or len(text) > MAX_CHARACTERS:
            return text
        plain = text.strip()
        try:
            held = parse(plain.lower() if plain in ("True", "False") else plain)
        except ValueError:
            return text
        return held if _kind_of(held) & kinds else text

    def _kinds(self, schema: Any, above: frozenset[int]) -> set[str] | None:
        """Return the types that the schema allows, None if it does not say. `above` are the schemas that led here."""
        schema = self._resolved(schema)
        if not isinstance(schema, Mapping) or id(schema) in above:
            return None
        above |= {id(schema)}
        written = schema.get("type")
        if isinstance(written, str | list):
            return {written} if isinstance(written, str) else {kind for kind in written if isinstance(kind, str)}
        for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
            if isinstance(values, list):
                return {kind for each in values for kind in ({"string"} if isinstance(each, str) else _kind_of(each))}
        for word in ("anyOf", "oneOf"):
            if isinstance(parts := schema.get(word), list):
                kinds = [self._kinds(part, above) for part in parts]
                return None if None in kinds else set().union(*(kind for kind in kinds if kind))
        for part in schema.get("allOf") or ():
            if (kinds_of_part := self._kinds(part, above)) is not None:
                return kinds_of_part
        return {"object"} if "properties" in schema else {"array"} if "items" in schema else None

    def _forms(self, schema: Any, holder: Any) -> list[Mapping[str, Any]]:
        """Return the schema and those of its alternatives that the value may be meant for, each once."""
        forms: dict[int, Mapping[str, Any]] = {}
        todo = [schema]
        while todo:
            form = self._resolved(todo.pop())
            if not isinstance(form, Mapping) or id(form) in forms or not self._is_meant(form, holder):
                continue
            forms[id(form)] = form
            for word in ("anyOf", "oneOf", "allOf"):
                parts = form.get(word)
                todo += parts if isinstance(parts, list) else []
        return list(forms.values())

    def _is_meant(self, form: Mapping[str, Any], holder: Any) -> bool:
        kinds, needed = self._kinds(form, frozenset()), form.get("required")
        if kinds is not None and not kinds & _kind_of(holder):
            return False
        return isinstance(holder, list) or not isinstance(needed, list) or all(name in holder for name in needed)

    def _resolved(self, schema: Any) -> Any:
        """Return what a local reference leads to; None for any other reference."""
        for _ in range(_MAX_REFERENCES):
            if not isinstance(schema, Mapping) or not isinstance(reference := schema.get("$ref"), str):
                return schema
            at: Any = self._root if reference.startswith("#") else None
            for part in reference.lstrip("#").split("/")[1:]:
                name = part.replace("~1", "/").replace("~0", "~")
                at = at.get(name) if isinstance(at, Mapping) else None
            schema = at
        return None


def _property(forms: list[Mapping[str, Any]], name: str) -> list[Any]:
    """Return the schemas of a property."""
    found: list[Any] = []
    for form in forms:
        properties = form.get("properties")
        if isinstance(properties, Mapping) and name in properties:
            found.append(properties[name])
        elif isinstance(more := form.get("additionalProperties"), Mapping):
            found.append(more)
    return found


def _item(forms: list[Mapping[str, Any]], at: int) -> list[Any]:
    """Return the schemas of an item."""
    found: list[Any] = []
    for form in forms:
        first, items = form.get("prefixItems") or (), form.get("items")
        if isinstance(items, list):  # of older drafts
            first, items = items, form.get("additionalItems")
        found += [first[at]] if at < len(first) else [items] if items is not None else []
    return found


def _kind_of(value: Any) -> set[str]:
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", "integer"} if value.is_integer() else {"number"}
        case dict():
            return {"object"}
        case list():
            return {"array"}
    return set()  # a text within a text is read once
