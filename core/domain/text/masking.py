"""Masking of secrets in stored and displayed values: arguments, results and errors (AGENTS_AND_TOOLS §3).

MASK replaces values under known names (`password`, `api_key`, `Authorization`, `Cookie`, …) and texts that look like
tokens. A value that contains MASK cannot be used again without the original secret.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from core.domain.text.json_text import encode, parse
from core.domain.text.secret_names import hides_numbers, is_secret_name
from core.domain.text.secret_texts import FLAG, hide_private_keys, hide_secrets

MASK = "[secret-not-kept]"
CHANGED = "(changed)"

NESTED_CHARACTERS = 64 * 1024  # of a text that is looked at as JSON; longer ones as texts alone


def masked(value: Any) -> Any:
    """Mask the secrets of a JSON value. Return the same object if there are none."""
    if isinstance(value, str):
        return masked_json_text(value)
    if isinstance(value, Mapping):
        hides = secret_keys(value)
        return reuse_if_same(
            value, {key: mask_all(part, key) if hides(key) else masked(part) for key, part in value.items()}
        )
    if isinstance(value, list | tuple):
        follows_name = secret_places(value)
        return reuse_if_same(
            value, [mask_all(part) if at in follows_name else masked(part) for at, part in enumerate(value)]
        )
    return value


def secret_places(value: Sequence[Any]) -> Collection[int]:
    """Return the indexes of the secrets that follow their names: in a pair, `["Cookie", "…"]`, or behind a flag,
    `["run", "--token", "…"]`.
    """
    if len(value) == 2 and isinstance(value[0], str) and is_secret_name(value[0]):
        return (1,)
    return {
        at
        for at, (name, part) in enumerate(pairwise(value), 1)
        if isinstance(name, str) and name[:1] == "-" and _is_flag(name) and isinstance(part, str) and part[:1] != "-"
    }


def _is_flag(name: str) -> bool:
    return FLAG.fullmatch(f"{name} ") is not None and is_secret_name(name)


def masked_text(text: str) -> str:
    """Mask the secrets of a text: a message, a header, JSON or a file."""
    return hide_secrets(text, _mask)


def masked_json_text(text: str) -> str:
    """Mask a text that may be JSON itself: then its values are masked as values, whatever its escapes."""
    shown = masked_text(text)
    if len(text) > NESTED_CHARACTERS or text.lstrip()[:1] not in ("{", "["):
        return shown
    try:
        value = parse(text)
    except ValueError:
        return shown
    inside = masked(value)
    return shown if inside is value or not isinstance(value, dict | list) else masked_text(encode(inside))


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of the secrets of a text, in order: what `masked_text` masks."""
    filler = next(chr(point) for point in range(0xFDD0, 0x10000) if chr(point) not in text)
    hidden = hide_secrets(text, lambda secret: filler * len(secret))
    return [match.span() for match in re.finditer(f"{filler}+", hidden)] if hidden is not text else []


def without_private_keys(text: str) -> str:
    """Mask PEM private keys, which span several lines."""
    return hide_private_keys(text, _mask)


def _mask(secret: str) -> str:
    return MASK


def contains_mask(value: Any) -> bool:
    """Return whether a secret was masked in the value."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            if MASK in part:
                return True
        elif isinstance(part, Mapping):
            todo.extend(part.values())
        elif isinstance(part, list | tuple):
            todo.extend(part)
    return False


def restore_secrets(edited: Any, shown: Any, raw: Any) -> Any:
    """Restore the secrets of `raw` in the user's edit of the masked value `shown`, wherever MASK is unchanged."""
    # The editor shows the masked value, and the edit must not destroy the secrets that the user could not see. A mask
    # counts as unchanged only in its original place; elsewhere it stays a mask, and the call is refused.
    if isinstance(edited, Mapping) and isinstance(shown, Mapping) and isinstance(raw, Mapping):
        return {
            key: restore_secrets(part, shown[key], raw[key]) if key in shown and key in raw else part
            for key, part in edited.items()
        }
    if isinstance(edited, list) and isinstance(shown, list) and isinstance(raw, list):
        return [
            restore_secrets(part, shown[at], raw[at]) if at < min(len(shown), len(raw)) else part
            for at, part in enumerate(edited)
        ]
    return raw if edited == shown and contains_mask(shown) else edited


def masked_edit(edited: Any, original: Any) -> Any:
    """Mask an edit of `original` for storage. A secret that the user has changed gets a mask that `restore_secrets`
    does not replace: after a restart the call is refused, rather than made with the secret of before.
    """
    if isinstance(edited, Mapping):
        before = original if isinstance(original, Mapping) else {}
        hides = secret_keys(edited)
        return {
            key: _changed_mask(part, before.get(key)) if hides(key) else masked_edit(part, before.get(key))
            for key, part in edited.items()
        }
    if isinstance(edited, list):
        places, before_list = secret_places(edited), original if isinstance(original, list) else []
        return [
            (_changed_mask if at in places else masked_edit)(part, before_list[at] if at < len(before_list) else None)
            for at, part in enumerate(edited)
        ]
    hidden = masked(edited)
    return hidden if hidden is edited or edited == original or not isinstance(hidden, str) else f"{hidden} {CHANGED}"


def _changed_mask(edited: Any, original: Any) -> Any:
    hidden = mask_all(edited)
    return f"{MASK} {CHANGED}" if hidden == MASK and edited not in (original, MASK) else hidden


def secret_keys(value: Mapping[Any, Any]) -> Callable[[Any], bool]:
    """Return a predicate for the keys with secret values: by name, or `value` in `{"name": "Cookie", "value": …}`."""
    names = [value.get(name) for name in ("name", "key", "header")] if "value" in value else []
    is_secret_entry = any(isinstance(name, str) and is_secret_name(name) for name in names)
    return lambda key: (is_secret_entry and key == "value") or (isinstance(key, str) and is_secret_name(key))


def mask_all(value: Any, name: str = "") -> Any:
    """Mask every text in the value, and every number unless `name` counts something. `true`, null and "" reveal nothing
    and stay.
    """
    if isinstance(value, str):
        return MASK if value else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return MASK if hides_numbers(name) else value
    if isinstance(value, Mapping):
        return reuse_if_same(value, {key: mask_all(part, name) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return reuse_if_same(value, [mask_all(part, name) for part in value])
    return value


def reuse_if_same(value: Any, copy: Any) -> Any:
    """Return `value` itself if every part of `copy` is identical to its part, else `copy`."""
    pairs = zip(copy.values(), value.values(), strict=True) if isinstance(copy, dict) else zip(copy, value, strict=True)
    return value if all(new is old for new, old in pairs) else copy
