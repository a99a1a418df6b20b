"""What MCP servers offer the user beside tools: resources to attach, prompts to begin a message (AGENTS_AND_TOOLS §7).
Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.ids import OfferId, ServerId

_SCHEME = "mcp-resource:"
_ASSIGNMENT = re.compile(r"""(?P<name>[^\s=]+)=(?:"(?P<quoted>[^"]*)"|(?P<plain>\S*))\s*""")


class OfferKind(StrEnum):
    PROMPT = "prompt"
    RESOURCE = "resource"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class OfferArgument:
    """An argument of a prompt, or a variable of a resource template."""

    name: str
    title: str = ""
    description: str = ""
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class ServerOffer:
    """A prompt or a resource of a running server. `key` is the name of a prompt, and the URI of a resource or a
    template; only templates and prompts have arguments.
    """

    kind: OfferKind
    server: ServerId
    server_name: str
    key: str
    title: str
    description: str = ""
    mime: str = ""
    arguments: tuple[OfferArgument, ...] = ()

    @property
    def id(self) -> OfferId:
        """Identifies it among those of all servers."""
        return OfferId(f"{self.server}/{self.key}")


@dataclass(frozen=True, slots=True)
class ServerPromptText:
    """What a prompt of a server comes to: a text to be edited, `files` by name, addresses of resources to attach, and
    what could not be taken.
    """

    text: str
    files: tuple[tuple[str, bytes], ...] = ()
    resources: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def resource_address(server: ServerId, uri: str) -> str:
    """Return the address of a resource, which stands for a path among the files of a draft."""
    return f"{_SCHEME}{server}/{uri}"


def parse_resource_address(path: str) -> tuple[ServerId, str] | None:
    """Return server and URI of the address of a resource; None for the path of a file."""
    server, slash, uri = path.removeprefix(_SCHEME).partition("/")
    return (ServerId(server), uri) if path.startswith(_SCHEME) and server and slash and uri else None


def split_offer_id(offer_id: OfferId) -> tuple[ServerId, str]:
    """Return server and key of `ServerOffer.id`."""
    server, _, key = offer_id.partition("/")
    return ServerId(server), key


def argument_values(arguments: Sequence[OfferArgument], rest: str) -> tuple[dict[str, str], str]:
    """Match the text after a prompt's name to its arguments: `name=value name2="two words"`, or the value of the only
    argument, or of the only required one. Return the values, and the text that is none of them.
    """
    names = {argument.name for argument in arguments}
    values: dict[str, str] = {}
    position = 0
    while (match := _ASSIGNMENT.match(rest, position)) and match["name"] in names:
        quoted, plain = match["quoted"], match["plain"]
        values[match["name"]] = quoted if quoted is not None else plain
        position = match.end()
    text = rest[position:]
    open_names = [argument.name for argument in arguments if argument.name not in values and argument.is_required]
    if len(arguments) == 1 and not values:
        open_names = [arguments[0].name]
    if text and len(open_names) == 1:
        return values | {open_names[0]: text}, ""
    return values, text


def arguments_schema(arguments: Sequence[OfferArgument], examples: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the schema of a form for these arguments; `examples` are suggested values by name."""
    fields: dict[str, dict[str, Any]] = {}
    for argument in arguments:
        about = {"title": argument.title, "description": argument.description, "examples": examples.get(argument.name)}
        given = {key: value for key, value in about.items() if value}
        fields[argument.name] = {"type": "string", **given}
    required = [argument.name for argument in arguments if argument.is_required]
    return {"type": "object", "properties": fields, "required": required}
