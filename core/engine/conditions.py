"""`when`: does the step run? (ENGINE §5)"""

from typing import Any

from core.domain.template import When
from core.engine.refs import Scope, look_up, whole_ref
from core.errors import RefFailed


def holds(when: When, scope: Scope) -> tuple[bool, Any]:
    """Whether the step runs, and the value that decided it. A missing path counts as null.

    Raises RefFailed for a ref that can have no value at all (an unknown step, `@item` outside forEach).
    """
    value = _value(when.ref, scope)
    match when.operators:
        case []:
            return is_true(value), value
        case ["eq"]:
            return equal(value, when.eq), value
        case ["neq"]:
            return not equal(value, when.neq), value
        case ["gt"]:
            return is_number(value) and value > when.gt, value
        case ["lt"]:
            return is_number(value) and value < when.lt, value
        case several:
            raise RefFailed("several_operators", f"a condition takes one operator, not {', '.join(several)}")


def is_true(value: Any) -> bool:
    """null, false, 0, "", [] and {} are false, everything else is true."""
    return bool(value)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(one: Any, other: Any) -> bool:
    """JSON equality, deep: `1` equals `1.0`, `true` does not equal `1`."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def _value(text: str, scope: Scope) -> Any:
    ref = whole_ref(text)
    if ref is None:
        raise RefFailed("bad_condition", f"{text!r} is not a ref", ref=text, path="/when/ref")
    try:
        return look_up(ref, scope, "/when/ref")
    except RefFailed as error:
        if error.code == "unresolved_ref":
            return None
        raise
