"""What references come to and conditions say, for the second opinion: nothing of it is the engine's."""

import json
import re
from typing import Any

Json = dict[str, Any]

REF = re.compile(r"@([A-Za-z_][\w-]*)((?:\.[\w-]+|\[\d+\])*)(\??)")
IN_TEXT = re.compile(r"@@|(?<![\w.\-])" + REF.pattern.removesuffix(r"(\??)"))


class Fails(Exception):
    """A step fails with this code."""


def holds(when: Json, roots: Json, absent: set[str]) -> bool:
    """Whether the step is to run."""
    try:
        value = value_of(when["ref"], roots, absent)
    except Fails:
        value = None
    if "eq" in when:
        return same(value, when["eq"])
    if "neq" in when:
        return not same(value, when["neq"])
    if "gt" in when or "lt" in when:
        number = type(value) in (int, float)
        return number and (value > when["gt"] if "gt" in when else value < when["lt"])
    return bool(value)


def same(one: Any, other: Any) -> bool:
    """JSON equality: 1 is 1.0, true is not 1."""
    return bool(_marked(one) == _marked(other))


def _marked(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return [_marked(each) for each in value]
    return {key: _marked(one) for key, one in value.items()} if isinstance(value, dict) else value


def value_of(value: Any, roots: Json, absent: set[str]) -> Any:
    """`value` with its refs replaced. Raises Fails `unresolved_ref`."""
    if isinstance(value, dict):
        return {key: value_of(one, roots, absent) for key, one in value.items()}
    if isinstance(value, list):
        return [value_of(each, roots, absent) for each in value]
    if not isinstance(value, str):
        return value
    if whole := REF.fullmatch(value):
        return _walk(whole[1], whole[2], roots, absent, optional=bool(whole[3]))
    return IN_TEXT.sub(lambda ref: _text(_walk(ref[1], ref[2], roots, absent)) if ref[1] else "@", value)


def _walk(root: str, path: str, roots: Json, absent: set[str], *, optional: bool = False) -> Any:
    if root in absent or root == "ctx":
        return None
    value = roots[root]
    for key in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key] if isinstance(value, dict) else {}[key]
        except (LookupError, ValueError):
            if optional:
                return None
            raise Fails("unresolved_ref") from None
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
