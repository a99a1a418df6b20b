"""What the user sees of a call before it is made: its arguments by weight, and what they come to. Pure.

What decides about a call stands first: its method, address, command and paths, wherever they are in the arguments. The
arguments follow, the short before the long. Nothing is masked or left out: secrets have places, which a view may fold.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

from core.domain.file_diff import FileChange, Span
from core.domain.text.hidden import reveal
from core.domain.text.json_text import count_parts, indented_json, readable_json
from core.domain.text.masking import contains_mask, secret_spans
from core.domain.text.secret_names import is_secret_name, name_words
from core.domain.text.web_address import described_host


class Weight(IntEnum):
    """How much a value decides about the call; lower values come first."""

    METHOD = 1
    ADDRESS = 2
    COMMAND = 3
    PATH = 4
    OTHER = 5


class Warn(StrEnum):
    """What may deceive about an address, and what a command reaches."""

    USER_INFO = "user_info"
    LOOK_ALIKE = "look_alike"
    CONFINED = "confined"
    CONFINED_ONLINE = "confined_online"
    UNCONFINED = "unconfined"


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value of a call. `path` leads to it from the arguments; `text` is the text itself (`is_text`) or its JSON.

    `secrets` are places in `text`. `leads_to`: the file that a path leads to, or the host of an address, where the text
    does not say so plainly.
    """

    path: tuple[str, ...]
    text: str
    weight: Weight = Weight.OTHER
    is_text: bool = True
    secrets: tuple[Span, ...] = ()
    leads_to: str | None = None
    warnings: tuple[Warn, ...] = ()

    @property
    def label(self) -> str:
        return " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} ".join(self.path)


@dataclass(frozen=True, slots=True)
class CallDescription:
    """A call in question. `arguments` is the very value that will run; `deciding` and `values` describe it, and
    `change` what it does to a file, if it writes one.

    `is_complete` is False if the secrets were not kept: the arguments have masks in their places, and cannot run.
    """

    arguments: Any
    deciding: tuple[ShownValue, ...] = ()
    values: tuple[ShownValue, ...] = ()
    is_complete: bool = True
    change: FileChange | None = None


_WEIGHTS: dict[str, Weight] = {
    **dict.fromkeys(("method", "verb"), Weight.METHOD),
    **dict.fromkeys(("url", "uri", "host", "hostname", "endpoint", "origin", "href", "address", "to"), Weight.ADDRESS),
    **dict.fromkeys(("recipient", "recipients", "cc", "bcc", "email", "domain", "server"), Weight.ADDRESS),
    **dict.fromkeys(("command", "cmd", "argv", "args", "shell", "script", "sql", "expression"), Weight.COMMAND),
    **dict.fromkeys(("path", "paths", "file", "files", "filename", "folder", "directory", "dir", "cwd"), Weight.PATH),
    **dict.fromkeys(("source", "src", "destination", "dest", "dst", "target"), Weight.PATH),
}
MOST_DECIDING = 6
MOST_RAW = 100_000
_MOST_SEARCHED = 2_000  # values that are looked through for what decides
_MOST_PARTS, _MOST_PARTS_OF_LINE, _LINE_CHARACTERS = 200, 30, 160
_PIECE = 32_768
_MOST_FOLDED = 4_096
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey|negotiate)\s+", re.IGNORECASE)  # of a header
_LONGEST_HEADER = 80  # of a key; alone it is none


def describe_call(
    arguments: Any, place_of: Callable[[str], str | None] = lambda path: None
) -> Generator[None, None, CallDescription]:
    """Describe the arguments of a call, in pieces of work. `place_of` returns where a path leads, or None."""
    deciding = sorted(_deciding(arguments, place_of), key=lambda value: value.weight)[:MOST_DECIDING]
    yield
    groups = []
    for key, value in arguments.items() if isinstance(arguments, Mapping) else [("", arguments)]:
        path = (str(key),) if key else ()
        group = []
        for at, part in _parts(path, value):
            group.append((yield from _shown(at, part)))
        groups.append((weight_of("".join(path)), sum(len(shown.text) for shown in group), group))
    groups.sort(key=lambda group: group[:2])
    values = [value for _, _, group in groups for value in group]
    return CallDescription(arguments, tuple(deciding), tuple(values), is_complete=not contains_mask(arguments))


def raw_value(call: CallDescription) -> ShownValue | None:
    """Return the arguments as JSON; None where there is too much of it. What is a secret elsewhere is one here."""
    if not isinstance(call.arguments, Mapping) or sum(len(value.text) for value in call.values) > MOST_RAW:
        return None
    text = indented_json(call.arguments)
    secrets = {readable_json(value.text[start:end])[1:-1] for value in call.values for start, end in value.secrets}
    places = [*_spans(text)]
    for secret in secrets:
        places += [match.span() for match in re.finditer(re.escape(secret), text)]
    return ShownValue((), text, is_text=False, secrets=tuple(_merged(places)))


def _merged(places: list[Span]) -> Iterator[Span]:
    end = 0
    for start, last in sorted(places):
        if last > end:
            yield max(start, end), last
            end = last


def has_paths(arguments: Any) -> bool:
    """Return whether a value of the call is a path, so that `place_of` is asked."""
    return any(
        path and weight_of(path[-1]) is Weight.PATH for path, value in _leaves(arguments) if isinstance(value, str)
    )


def weight_of(name: str) -> Weight:
    """Return the weight of a value with this name, by its last word: `file_path` is a path."""
    words = name_words(name)
    return _WEIGHTS.get("".join(words)) or _WEIGHTS.get(words[-1] if words else "") or Weight.OTHER


def _deciding(arguments: Any, place_of: Callable[[str], str | None]) -> Iterator[ShownValue]:
    for path, value in _leaves(arguments):
        weight = weight_of(path[-1]) if path else Weight.OTHER
        if weight is Weight.OTHER or value in (None, "", [], {}):
            continue
        is_text = isinstance(value, str)
        text = value if is_text else readable_json(value) if _reads_well(value) else indented_json(value)
        leads_to: str | None = None
        warnings: tuple[Warn, ...] = ()
        if is_text and weight is Weight.PATH:
            place = place_of(text)
            leads_to = place if place != text else None
        elif is_text and weight is Weight.ADDRESS:
            leads_to, warnings = _address_note(text)
        secrets = _foldable(path[-1], text[:_PIECE], is_text)
        yield ShownValue(path, text, weight, is_text, secrets, leads_to, warnings)


def _leaves(arguments: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values that a name leads to, outer before inner: texts, numbers, and lists of these."""
    todo: list[tuple[tuple[str, ...], Any]] = [((), arguments)]
    for path, value in todo:
        if len(todo) > _MOST_SEARCHED:
            return
        if isinstance(value, Mapping):
            todo += [((*path, str(key)), part) for key, part in value.items()]
        elif isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value):
            todo += [((*path, str(number)), part) for number, part in enumerate(value, 1)]
        else:
            yield path, value


def _address_note(text: str) -> tuple[str | None, tuple[Warn, ...]]:
    """Return the host that the address leads to, if the text does not say so plainly, and what may deceive in it."""
    host, has_user, is_look_alike = described_host(text)
    if host is None:
        return None, ()
    warnings = (*((Warn.USER_INFO,) if has_user else ()), *((Warn.LOOK_ALIKE,) if is_look_alike else ()))
    after = text.partition("://")[2].lower()
    is_plain = after == host or after.startswith((f"{host}/", f"{host}:", f"{host}?"))
    return (None if is_plain and not warnings and reveal(text) == text else host), warnings


def _parts(path: tuple[str, ...], value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """Return the texts within a value, each with its name, and what else there is; a value that reads well as JSON, or
    that has too many parts, stays whole.
    """
    if not isinstance(value, Mapping | list) or _reads_well(value):
        return [(path, value)]
    parts: list[tuple[tuple[str, ...], Any]] = []
    todo: list[tuple[tuple[str, ...], Any]] = [(path, value)]
    while todo:
        at, part = todo.pop()
        if not part or not isinstance(part, Mapping | list) or (at != path and _reads_well(part)):
            parts.append((at, part))
        else:
            inner = part.items() if isinstance(part, Mapping) else enumerate(part, 1)
            todo += reversed([((*at, str(key)), each) for key, each in inner])
        if len(parts) + len(todo) > _MOST_PARTS:
            return [(path, value)]
    return parts


def _reads_well(value: Any) -> bool:
    """Return whether the JSON of the value is short, without a text that would have to be escaped."""
    if count_parts(value, _MOST_PARTS_OF_LINE) is None:
        return False
    text = readable_json(value)
    return len(text) <= _LINE_CHARACTERS and "\\" not in text


def _shown(path: tuple[str, ...], value: Any) -> Generator[None, None, ShownValue]:
    is_text = isinstance(value, str)
    text = value if is_text else readable_json(value) if _reads_well(value) else indented_json(value)
    yield
    if len(text) <= _PIECE:
        return ShownValue(path, text, is_text=is_text, secrets=_foldable(path[-1] if path else "", text, is_text))
    return ShownValue(path, text, is_text=is_text, secrets=(yield from secret_places(text)))


def secret_places(text: str) -> Generator[None, None, tuple[Span, ...]]:
    """Return the places of the secrets of a text that a view may fold."""
    secrets: list[Span] = []
    start = 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        if end < len(text):
            end = text.rfind("\n", start + _PIECE // 2, end) + 1 or end
        secrets += [(start + first, start + last) for first, last in _spans(text[start:end])]
        start = end
        yield
    return tuple(secrets)


def _foldable(name: str, text: str, is_text: bool) -> tuple[Span, ...]:
    if is_text and text and is_secret_name(name) and _is_foldable(text):
        return ((0, len(text)),)
    return tuple(_spans(text))


def _spans(text: str) -> list[Span]:
    spans = []
    for start, end in secret_spans(text):
        scheme = _SCHEME.match(text, start, end)
        first = start if scheme is None else scheme.end()
        if _is_foldable(text[first:end]):
            spans.append((first, end))
    return spans


def _is_foldable(secret: str) -> bool:
    """Return whether it is so much like a secret that it may be folded: a key, or a single word. What has words, such
    as a command, is shown.
    """
    if secret.startswith("-----BEGIN "):
        return "-----" in secret[11:].partition("-----")[2] or len(secret) > _LONGEST_HEADER
    return len(secret) <= _MOST_FOLDED and re.search(r"(?<!;)\s", secret) is None and reveal(secret) == secret
