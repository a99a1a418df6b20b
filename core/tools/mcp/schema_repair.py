"""Schemas of tools as servers write them, mended where their meaning is plain (AGENTS_AND_TOOLS §7).

Servers in PHP write `[]` for an empty object, those in Go `null` for a keyword that is not there; others write OpenAPI,
older drafts, or the type names of their language. What is mended is sent to models, and arguments are checked against
it. What cannot be judged here (an unreadable pattern, a reference to elsewhere) is left to the server, which checks its
arguments itself. A schema that needs nothing is returned as it is: permissions are bound to its text.
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from core.ports import Schemas

MAX_DEPTH = 10
"""The deepest level of subschemas that `Schemas` accepts."""

MAX_FAULTS = 20

_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset({"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "items"})
_SINGLE |= {"contains", "propertyNames", "not", "if", "then", "else"}
_BOUNDED = ("imum", "Length", "Items", "Properties", "Contains")
_NUMBERS = frozenset(f"{bound}{what}" for bound in ("min", "max") for what in _BOUNDED)
_NUMBERS |= {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_FLAGS = frozenset({"uniqueItems", "readOnly", "writeOnly", "deprecated"})
_TEXTS = frozenset({"title", "description", "$comment", "format", "pattern", "contentEncoding", "contentMediaType"})
_TEXTS |= {"$schema", "$id", "$anchor", "$ref", "$dynamicRef", "$dynamicAnchor"}
_ANY_VALUE = frozenset({"const", "default"})
_KNOWN = _BY_NAME | _LISTS | _SINGLE | _NUMBERS | _FLAGS | _TEXTS | {"type", "required", "enum", "examples"}
_KNOWN |= {"dependencies", "dependentRequired"}

_TYPES = {
    **{name: name for name in ("null", "boolean", "integer", "number", "string", "array", "object")},
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "date-time", "uuid", "url", "uri", "email"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "long", "short", "uint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "slice"), "array"),
    **dict.fromkeys(("dict", "map", "struct", "hash", "record"), "object"),
    **dict.fromkeys(("none", "nil", "undefined", "void"), "null"),
}
_ANY_TYPE = frozenset({"any", "mixed", "unknown", "*", ""})
_DRAFTS_BEFORE_6 = re.compile(r"json-schema\.org/draft-0[345]/", re.IGNORECASE)
_LISTS_OF_ITEMS = re.compile(r"json-schema\.org/(?:draft-0\d|draft/2019-09)/", re.IGNORECASE)


class NotArguments(Exception):
    """Why a schema cannot be that of a tool's arguments."""


def mend_schema(given: Any, schemas: Schemas) -> tuple[dict[str, Any], list[str]]:
    """Return the schema of an object, and what of it is not checked here. Raises NotArguments.

    Takes milliseconds for a long schema, so call it in a thread.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            raise NotArguments("its input schema is a text") from None
    if given is None or given is True or given == []:
        given = {}
    if not isinstance(given, Mapping):
        raise NotArguments(f"its input schema is not an object but {given!r:.60}")
    mending = _Mending(given, schemas)
    mended = mending.schema(given, "", 0)
    kinds = mended.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        raise NotArguments(f"its arguments are not an object but {kinds!r:.60}")
    mended = {**mended, "type": "object"}
    mending.drop_references(mended)
    mending.drop_faults(mended)
    return mended, mending.unchecked


class _Mending:
    """A schema being mended. `unchecked` describes what was taken out of it."""

    def __init__(self, root: Mapping[str, Any], schemas: Schemas) -> None:
        dialect = root.get("$schema")
        self._schemas = schemas
        self._is_old = isinstance(dialect, str) and _DRAFTS_BEFORE_6.search(dialect) is not None
        self._has_lists_of_items = isinstance(dialect, str) and _LISTS_OF_ITEMS.search(dialect) is not None
        self.unchecked: list[str] = []

    def schema(self, given: Any, path: str, depth: int) -> Any:
        if isinstance(given, bool):
            return given
        if isinstance(given, str):
            return {} if (kind := _type_name(given)) is None else {"type": kind}
        if not isinstance(given, Mapping):
            return {}
        if depth >= MAX_DEPTH and any(key in given for key in _BY_NAME | _LISTS | _SINGLE):
            self._note(path, "is nested too deeply")
            inner = _BY_NAME | _LISTS | _SINGLE | {"required"}
            given = {key: value for key, value in given.items() if key not in inner}
        mended: dict[str, Any] = {}
        for key, value in given.items():
            if key not in _KNOWN:
                mended[key] = value
            elif value is not None or key in _ANY_VALUE:
                self._mend_keyword(mended, key, value, path, depth)
        self._mend_required(mended, given)
        self._mend_older_forms(mended)
        return {**{key: mended[key] for key in given if key in mended}, **mended}  # in the order that it was written in

    def _mend_keyword(self, mended: dict[str, Any], key: str, value: Any, path: str, depth: int) -> None:
        """Put the mended value of a keyword that is not null into `mended`; nothing where it has no plain meaning."""
        here = f"{path}/{key}"
        if key in _BY_NAME:
            if isinstance(value, list):
                value = _by_name(value)
            if isinstance(value, Mapping):
                names = {name: self.schema(each, f"{here}/{name}", depth + 1) for name, each in value.items()}
                mended[key] = self._readable_names(names, here) if key == "patternProperties" else names
        elif key in _LISTS:
            parts = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
            written = [each for each in parts if each not in (None, [])]
            if written:
                mended[key] = [self.schema(each, f"{here}/{at}", depth + 1) for at, each in enumerate(written)]
        elif key == "items" and isinstance(value, list) and value:
            mended[key] = [self.schema(each, f"{here}/{at}", depth + 1) for at, each in enumerate(value)]
        elif key in _SINGLE:
            flag = {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None
            mended[key] = self.schema(value, here, depth + 1) if flag is None else flag
        elif key in _NUMBERS:
            if (number := _number(value)) is not None:
                mended[key] = number
        elif key in _FLAGS:
            if isinstance(flag := {"true": True, "false": False}.get(str(value).lower()), bool):
                mended[key] = flag
        elif key == "pattern":
            if isinstance(value, str) and self._is_readable({"pattern": value}, here):
                mended[key] = value
        elif key in _TEXTS:
            if isinstance(value, str) and (value or key in ("title", "description", "$comment")):
                mended[key] = value
        elif key == "type":
            if kinds := _types(value):
                mended[key] = kinds
        elif key == "enum":
            if values := _values(value):
                mended[key] = values
        elif key == "examples":
            if isinstance(value, list):
                mended[key] = value
        elif key != "required" and isinstance(value, Mapping):  # dependencies
            mended[key] = dict(value)

    def _mend_required(self, mended: dict[str, Any], given: Mapping[str, Any]) -> None:
        """List the required properties, also those that say it themselves, as in draft 3."""
        own = given.get("required")
        if isinstance(own, bool) and self._is_old:
            mended["required"] = own
            return
        names = [own] if isinstance(own, str) and own else own if isinstance(own, list) else []
        properties = given.get("properties")
        if not self._is_old and isinstance(properties, Mapping):
            parts = ((name, each) for name, each in properties.items() if isinstance(each, Mapping))
            names = [*names, *(name for name, each in parts if each.get("required") is True)]
        listed = list(dict.fromkeys(name for name in names if isinstance(name, str)))
        if listed or (isinstance(own, list) and not self._is_old):
            mended["required"] = listed

    def _mend_older_forms(self, mended: dict[str, Any]) -> None:
        """Translate OpenAPI's `nullable`, and lists of items and exclusive bounds of older drafts."""
        if str(mended.get("nullable")).lower() in ("true", "false"):
            is_nullable = str(mended.pop("nullable")).lower() == "true"
            kinds = mended.get("type")
            if is_nullable and kinds is not None:
                mended["type"] = _types([*([kinds] if isinstance(kinds, str) else kinds), "null"])
            if is_nullable and "enum" in mended and None not in mended["enum"]:
                mended["enum"] = [*mended["enum"], None]
        if not self._has_lists_of_items and isinstance(mended.get("items"), list):
            mended["prefixItems"] = mended.pop("items")
            if "additionalItems" in mended:
                mended["items"] = mended.pop("additionalItems")
        for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            is_flag = isinstance(mended.get(exclusive), bool) and not self._is_old
            if is_flag and mended.pop(exclusive) and bound in mended:
                mended[exclusive] = mended.pop(bound)

    def _readable_names(self, patterns: dict[str, Any], path: str) -> dict[str, Any]:
        return {
            pattern: each
            for pattern, each in patterns.items()
            if self._is_readable({"patternProperties": {pattern: True}}, path)
        }

    def _is_readable(self, schema: dict[str, Any], path: str) -> bool:
        is_readable = self._schemas.problem(schema) is None
        if not is_readable:
            self._note(path, "is no regular expression that can be read here")
        return is_readable

    def drop_references(self, root: dict[str, Any]) -> None:
        """Take out references that lead nowhere; mend those that name definitions by the other word for them."""
        texts = _texts_of(root)
        todo: list[tuple[Any, str]] = [(root, "")]
        while todo:
            part, path = todo.pop()
            if isinstance(part, list):
                todo += [(each, f"{path}/{at}") for at, each in enumerate(part)]
            elif isinstance(part, dict):
                todo += [(each, f"{path}/{name}") for name, each in part.items() if name not in ("enum", "const")]
                for key in ("$ref", "$dynamicRef"):
                    if isinstance(reference := part.get(key), str):
                        self._mend_reference(part, key, reference, root, texts, path)

    def _mend_reference(
        self, part: dict[str, Any], key: str, reference: str, root: dict[str, Any], texts: frozenset[str], path: str
    ) -> None:
        name = reference.rpartition("/")[2]
        same = [reference, *(f"#/{word}/{name}" for word in ("$defs", "definitions"))]
        if not reference.startswith("#/") and (reference == "#" or reference.lstrip("#") in texts):
            return
        if reference.startswith("#/") or "/" not in reference:
            found = next((each for each in same if each.startswith("#/") and _is_in(root, each)), None)
            if found is not None:
                part[key] = found
                return
        if self._schemas.problem({key: reference}) is None:  # the schema of a dialect, which is known here
            return
        del part[key]
        self._note(path, f"refers to {reference[:100]!r}, which is not in the schema")

    def drop_faults(self, root: dict[str, Any]) -> None:
        """Take out whatever else makes the schema unusable, as far as that is a part of it."""
        for _ in range(MAX_FAULTS):
            fault = self._schemas.fault(root)
            if fault is None or not fault[1]:
                return
            message, path = fault
            above, _, last = path.rpartition("/")
            holder = _at(root, above)
            key = last.replace("~1", "/").replace("~0", "~")
            if isinstance(holder, dict) and key in holder:
                del holder[key]
            elif isinstance(holder, list) and above and isinstance(owner := _at(root, above.rpartition("/")[0]), dict):
                owner.pop(above.rpartition("/")[2], None)
            else:
                return
            self.unchecked.append(f"{message}; that part is not checked here")

    def _note(self, path: str, what: str) -> None:
        if len(self.unchecked) < MAX_FAULTS:
            self.unchecked.append(f"{path or 'its schema'} {what}; that part is not checked here")


def _type_name(name: Any) -> str | None:
    """Return the type that a name stands for; None for any type. An unknown name is returned as it is."""
    plain = str(name).strip().lower()
    return None if name is None or plain in _ANY_TYPE else _TYPES.get(plain, str(name))


def _types(value: Any) -> str | list[str] | None:
    """Return the types that a keyword names, None for any."""
    if isinstance(value, str):
        value = re.split(r"\s*[|,]\s*", value.strip()) if re.search("[|,]", value) else value
    if not isinstance(value, list):
        return _type_name(value) if isinstance(value, str) else None
    kinds = ["null" if each is None else _type_name(each) for each in value if each is None or isinstance(each, str)]
    known = [kind for kind in dict.fromkeys(kinds) if kind is not None]
    return None if None in kinds or not known else known


def _values(value: Any) -> list[Any]:
    """Return the values of an `enum`, each once. PHP writes lists with gaps as objects with numbers for names."""
    if isinstance(value, Mapping):
        value = list(value.values()) if all(str(name).isdigit() for name in value) else list(value)
    elif not isinstance(value, list):
        value = [value]
    return list({json.dumps(each, sort_keys=True): each for each in value}.values())


def _number(value: Any) -> float | bool | None:
    """Return the number of a bound, a flag of older drafts, or None for what bounds nothing."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) else None


def _by_name(listed: list[Any]) -> dict[str, Any] | None:
    """Return a list of properties with their names inside as an object; None for any other list."""
    if not all(isinstance(each, Mapping) and isinstance(each.get("name"), str) for each in listed):
        return None
    return {each["name"]: {key: value for key, value in each.items() if key != "name"} for each in listed}


def _texts_of(root: Any) -> frozenset[str]:
    """Return the names and addresses that parts of the schema give themselves, to which references may lead."""
    texts: set[str] = set()
    todo = [root]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            own = (part.get(key) for key in ("$id", "id", "$anchor", "$dynamicAnchor"))
            texts.update(each for each in own if isinstance(each, str))
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return frozenset(texts)


def _is_in(root: Any, reference: str) -> bool:
    return _at(root, unquote(reference[1:])) is not None


def _at(root: Any, path: str) -> Any:
    """Return the part at a JSON pointer, None if there is none."""
    at = root
    for part in path.split("/")[1:] if path else ():
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and name in at:
            at = at[name]
        elif isinstance(at, list) and name.isdigit() and int(name) < len(at):
            at = at[int(name)]
        else:
            return None
    return at
