"""Resolve @refs in a template to values of a run.

Pure: the same template and results give the same values. Grammar: ENGINE §3.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.domain.text.json_text import readable_json
from core.errors import RefFailed

ROOTS = ("input", "item", "index", "ctx")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SEGMENT = r"""\.[\w-]+|\[[0-9]+\]|\["(?:[^"\\]|\\.)*"\]"""
_REF = rf"@({NAME.pattern})((?:{_SEGMENT})*)"
_WHOLE = re.compile(rf"{_REF}(\??)")
_IN_TEXT = re.compile(rf"@@|(?<![\w.\-]){_REF}")
_SEGMENTS = re.compile(_SEGMENT)
_KEY = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Ref:
    """A parsed ref: its text without the `?`, the root, the keys below it, and whether `?` made it optional."""

    text: str
    root: str
    keys: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class RefOccurrence:
    """A ref in a template: its JSON pointer, and whether it is the whole value."""

    ref: Ref
    path: str
    is_whole: bool


class _NoItem:
    """The item of a scope outside forEach."""


NO_ITEM = _NoItem()


@dataclass(frozen=True, slots=True)
class Scope:
    """What refs can see. `absent` names the steps that were skipped or failed with `onError: continue`.

    The outputs of absent steps are null at any depth.
    """

    input: Any
    outputs: Mapping[str, Any] = field(default_factory=dict)
    absent: Collection[str] = frozenset()
    ctx: Mapping[str, Any] = field(default_factory=dict)
    item: Any = NO_ITEM
    index: int | None = None

    def at(self, index: int, item: Any) -> "Scope":
        """Return the same scope inside an iteration."""
        return replace(self, index=index, item=item)


def whole_ref(text: str) -> Ref | None:
    """Return the ref that spans the whole of `text`, or None."""
    match = _WHOLE.fullmatch(text)
    return _parse(match, optional=match[3] == "?") if match else None


def find_refs(value: Any, path: str = "") -> Iterator[RefOccurrence]:
    """Yield every ref in the strings of a JSON value, in document order. Keys of mappings contain none."""
    if isinstance(value, str):
        if "@" not in value:
            return
        if (ref := whole_ref(value)) is not None:
            yield RefOccurrence(ref, path, True)
        else:
            for match in _IN_TEXT.finditer(value):
                if match[1]:
                    yield RefOccurrence(_parse(match), path, False)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from find_refs(item, f"{path}/{_escape(str(key))}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from find_refs(item, f"{path}/{index}")


def resolve(value: Any, scope: Scope, path: str = "") -> Any:
    """Return `value` with its refs replaced: a string that is a single ref by the value itself, other refs by text.

    Raises RefFailed (`unresolved_ref`, `unknown_ref`, `item_outside_for_each`) with the JSON pointer `path`.
    """
    if isinstance(value, str):
        return _resolve_text(value, scope, path) if "@" in value else value
    if isinstance(value, dict):
        return {key: resolve(item, scope, f"{path}/{_escape(str(key))}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, scope, f"{path}/{index}") for index, item in enumerate(value)]
    return value


def look_up(ref: Ref, scope: Scope, path: str = "") -> Any:
    """Return the value of a ref. Only keys of mappings and indexes of lists are followed, never attributes."""
    if ref.root in scope.absent:
        return None
    value, walked = _root_value(ref, scope, path), f"@{ref.root}"
    for key in ref.keys:
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list | tuple) and _is_index(key) and int(key) < len(value):
            value = value[int(key)]
        elif ref.optional:
            return None
        else:
            raise RefFailed(
                "unresolved_ref",
                f"{ref.text} has no value: {walked} has no {key!r}",
                ref=ref.text,
                found=walked,
                path=path,
            )
        walked += f"[{key}]" if _is_index(key) else f".{key}"
    return value


def _root_value(ref: Ref, scope: Scope, path: str) -> Any:
    match ref.root:
        case "input":
            return scope.input
        case "ctx":
            return scope.ctx
        case "item" | "index":
            if scope.index is None:
                raise RefFailed(
                    "item_outside_for_each", f"{ref.text} is only known inside forEach", ref=ref.text, path=path
                )
            return scope.item if ref.root == "item" else scope.index
        case step if step in scope.outputs:
            return scope.outputs[step]
    raise RefFailed("unknown_ref", f"{ref.text} names no step", ref=ref.text, path=path)


def _resolve_text(text: str, scope: Scope, path: str) -> Any:
    if (ref := whole_ref(text)) is not None:
        return look_up(ref, scope, path)

    def replacement(match: re.Match[str]) -> str:
        if not match[1]:
            return "@"
        ref = _parse(match)
        # a word such as an e-mail address or a name: a text may contain @ without meaning a ref
        if ref.root not in ROOTS and ref.root not in scope.outputs and ref.root not in scope.absent:
            return match[0]
        return as_text(look_up(ref, scope, path))

    return _IN_TEXT.sub(replacement, text)


def as_text(value: Any) -> str:
    """Return a value as part of a text: null is empty (ENGINE §3)."""
    if value is None:
        return ""
    return value if isinstance(value, str) else readable_json(value)


def _parse(match: re.Match[str], *, optional: bool = False) -> Ref:
    keys = []
    for segment in _SEGMENTS.findall(match[2]):
        if segment.startswith('["'):
            keys.append(_unquote(segment[1:-1]))
        else:
            keys.append(segment.strip(".[]"))
    return Ref(match[0].removesuffix("?"), match[1], tuple(keys), optional)


def _unquote(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:  # an escape that JSON does not know: the key is as it is written
        return text[1:-1]


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit()


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def escape_refs(value: Any) -> Any:
    """Return `value` escaped so that `resolve` gives it back: nothing in its texts is a ref."""
    if isinstance(value, str):
        return _IN_TEXT.sub(lambda match: f"@{match[0]}" if match[1] else "@@@@", value)
    if isinstance(value, dict):
        return {key: escape_refs(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [escape_refs(item) for item in value]
    return value


def replace_refs(value: Any, change: Callable[[RefOccurrence], Any], path: str = "") -> Any:
    """Return `value` with each ref replaced by the result of `change`: the whole value, or the text inside a longer
    text.
    """
    if isinstance(value, str):
        if (ref := whole_ref(value)) is not None:
            return change(RefOccurrence(ref, path, True))
        if "@" not in value:
            return value
        return _IN_TEXT.sub(
            lambda match: str(change(RefOccurrence(_parse(match), path, False))) if match[1] else match[0], value
        )
    if isinstance(value, dict):
        return {key: replace_refs(item, change, f"{path}/{_escape(str(key))}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_refs(item, change, f"{path}/{index}") for index, item in enumerate(value)]
    return value


def format_ref(root: str, keys: Sequence[str | int]) -> str:
    """Return the ref to a part of a value: text keys for mappings, numbers for lists."""
    return f"@{root}" + "".join(map(_format_segment, keys))


def _format_segment(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if _KEY.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
