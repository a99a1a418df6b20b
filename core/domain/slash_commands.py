"""Messages that begin with a slash (AGENTS_AND_TOOLS §9). Pure.

`/title rest` and `/"title" rest` name a template or a prompt. If several titles match, the longest wins, up to a space
or the end of the first line; quotation marks delimit the title, so that a shorter title can be named too. Case, accents
and the number of spaces are ignored, unless titles differ only in these: then the closest spelling wins.

If a prompt and a template share a title, the prompt wins: it only fills the composer, so nothing runs by mistake. The
template can still be chosen in the list.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.ids import OfferId, PromptId, TemplateId
from core.domain.text.search import strip_accents

MAX_TITLE_CHARACTERS = 256
# Decomposed letters and repeated spaces make a typed title longer than the stored title.
_LOOKED_AT = 6 * MAX_TITLE_CHARACTERS

_TAKES_TEXT = "prompt"
_WORD = re.compile(r"\S+")


class SlashKind(StrEnum):
    """What a slash can name, in order of precedence for equal titles. A resource is named by `@` alone, but asks for
    the variables of its address as a prompt does.
    """

    PROMPT = "prompt"
    TEMPLATE = "template"
    SERVER_PROMPT = "server_prompt"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True)
class SlashTarget:
    """A prompt or template that a slash can name. The id of what a server offers is `ServerOffer.id`."""

    kind: SlashKind
    id: TemplateId | PromptId | OfferId
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A recognized command. `rest` is the text after the title, without surrounding spaces and empty lines."""

    target: SlashTarget
    rest: str


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Text that begins with a slash but matches no title. `name` is its first word, possibly empty."""

    name: str


def parse_slash(text: str, titles: Iterable[SlashTarget]) -> SlashCommand | UnknownCommand | None:
    """Parse the command of a message; None if it does not begin with a slash."""
    if not text.startswith("/"):
        return None
    line = text[1 : 1 + _LOOKED_AT].partition("\n")[0].rstrip("\r")
    known = _by_plain_title(titles)
    if not line or line[0].isspace():
        return UnknownCommand("")
    # From the longest candidate to the shortest, a title in quotation marks first: it may itself contain some.
    ends = [word.end() for word in _WORD.finditer(line)][::-1]
    quoted = [(line[1 : end - 1], end) for end in ends if end > 1 and line[0] == line[end - 1] == '"']
    for name, end in [*quoted, *((line[:end], end) for end in ends)]:
        if (target := _best(name, known)) is not None:
            return SlashCommand(target, _rest(text[1 + end :]))
    return UnknownCommand(line.split(maxsplit=1)[0])


def command_text(title: str) -> str:
    """Write a command that names exactly this title, not a prefix of it."""
    words = title.split()
    name = " ".join(words)
    return f'/"{name}" ' if len(words) > 1 or name.startswith('"') else f"/{name} "


_Known = Mapping[str, Sequence[SlashTarget]]


def _by_plain_title(titles: Iterable[SlashTarget]) -> _Known:
    targets: dict[str, list[SlashTarget]] = {}
    for target in titles:
        targets.setdefault(_plain(target.title), []).append(target)
    return targets


def _best(name: str, known: _Known) -> SlashTarget | None:
    """Choose the target with the closest spelling of that title, then the first kind."""
    kinds = list(SlashKind)
    candidates = known.get(_plain(name), ()) if name.strip() else ()
    return min(candidates, key=lambda target: (_unlike(target.title, name), kinds.index(target.kind)), default=None)


def _unlike(title: str, name: str) -> int:
    exact, other = (unicodedata.normalize("NFC", " ".join(text.split())) for text in (title, name))
    if exact == other:
        return 0
    return 1 if exact.casefold() == other.casefold() else 2


def _plain(text: str) -> str:
    """Remove case, accents and repeated spaces."""
    # A title of combining marks alone must not become empty, or every such title would match.
    return " ".join((strip_accents(text) or unicodedata.normalize("NFKD", text.casefold())).split())


def _rest(text: str) -> str:
    """Strip surrounding empty lines and spaces, but keep the indentation of a first line below the command."""
    rest = text.strip(" \t").strip("\r\n").rstrip()
    return rest if rest.strip() else ""


_OBJECT: Mapping[str, Any] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class TemplateInput:
    """The input of a template. `missing_schema` is the schema of the missing values, None if there are none."""

    values: Mapping[str, Any]
    missing_schema: Mapping[str, Any] | None = None


def template_input(schema: Any, rest: str) -> TemplateInput:
    """Match the rest to the input schema of a template.

    The rest becomes `prompt`, or the only required text. Required keys without a value are asked for; if the rest fits
    nowhere, it is the default of the first text among them.
    """
    schema = schema if isinstance(schema, Mapping) else _OBJECT
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = [key for key in _items(schema.get("required")) if isinstance(key, str)]
    key = _key_for_rest(schema, properties, required) if rest else None
    values = {key: rest} if key is not None else {}
    missing = [name for name in required if name not in values]
    if not missing:
        return TemplateInput(values)
    asked_properties = {name: properties.get(name, {}) for name in missing}
    if rest and key is None:
        first = next((name for name in missing if _takes_text(asked_properties[name])), None)
        if first is not None:
            inner = asked_properties[first] if isinstance(asked_properties[first], Mapping) else {"type": "string"}
            asked_properties[first] = {**inner, "default": rest}
    shared = {word: schema[word] for word in ("$defs", "definitions") if word in schema}
    return TemplateInput(values, {"type": "object", "properties": asked_properties, "required": missing, **shared})


def _key_for_rest(schema: Mapping[str, Any], properties: Mapping[str, Any], required: Sequence[str]) -> str | None:
    if _TAKES_TEXT in properties and _takes_text(properties[_TAKES_TEXT]):
        return _TAKES_TEXT
    texts = [key for key in required if _takes_text(properties.get(key, {}))]
    if len(texts) == 1:
        return texts[0]
    is_closed = schema.get("additionalProperties", True) is False
    return None if texts or is_closed or _TAKES_TEXT in properties else _TAKES_TEXT


def _takes_text(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return schema is not False
    kind = schema.get("type")
    return kind == "string" or (isinstance(kind, list) and "string" in kind) or (kind is None and not schema)


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


@dataclass(frozen=True, slots=True)
class PromptInput:
    """The input of a prompt: the known values, the `missing` variables, and the text `appended` to it."""

    values: Mapping[str, str]
    missing: Sequence[str]
    appended: str = ""


def prompt_input(variables: Sequence[str], rest: str) -> PromptInput:
    """Match the rest to the variables of a prompt: the value of the only variable, else text to append."""
    if rest and len(variables) == 1:
        return PromptInput({variables[0]: rest}, ())
    return PromptInput({}, variables, rest)


def prompt_values_schema(missing: Sequence[str]) -> Mapping[str, Any]:
    """Build the schema of a form for the missing values. A long text may be pasted."""
    fields = {name: {"type": "string", "maxLength": 50_000} for name in missing}
    return {"type": "object", "properties": fields, "required": list(missing)}


def append_rest(text: str, rest: str) -> str:
    """Append the rest to the text of a prompt, as a paragraph."""
    return f"{text.rstrip()}\n\n{rest}" if rest else text
