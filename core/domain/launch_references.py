"""References in the launch of an MCP server, in the spellings of apps and shells (AGENTS_AND_TOOLS §7).

    ${NAME}  ${env:NAME}  ${NAME:-default}  ${{ NAME }}  {env:NAME}  $NAME  $env:NAME  %NAME%     a variable
    ${userHome}  ${workspaceFolder}  ${workspaceFolderBasename}  ${pathSeparator}                 a place
    ${input:ID}                                                                                   a value to ask for
    {{NAME}}  <your-key>  YOUR_KEY                                                                a placeholder
    ${command:X}  ${config:X}  {file:X}  anything else in ${…}                                    known to the other app

Pure: what a reference stands for is decided by the caller.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

# A name without braces is a reference only where it begins a word of capitals, as variables of a shell have; a
# lower-case name, only as the whole value. Else a price, a pattern or a part of a password would be one.
_REFERENCE = re.compile(
    r"""
    \$\{\{\s*(?P<double>[^{}\n]+?)\s*\}\}
    | \$\{(?P<braced>(?:[^{}\n]|\$\{[^{}\n]*\})+)\}
    | \{(?P<scheme>(?:env|file):[^{}\n]+)\}
    | \$env:(?P<powershell>[A-Za-z_]\w*)
    | (?:\A|(?<=[\s=:/,;"'@]))\$(?P<plain>[A-Z_][A-Z0-9_]*)(?=[\s/:,;"'@.\\-]|\Z)
    | (?:\A|(?<=\ABearer[ ]))\$(?P<whole>[A-Za-z_]\w*)\Z
    | \{\{(?P<template>[A-Za-z_][\w.-]*)\}\}
    | (?:\A|(?<=[\s=:]))(?P<placeholder><[A-Za-z][\w ./'-]{1,60}>|YOUR_[A-Z0-9_]+)(?=[\s&/]|\Z)
    | (?<![\w%])%(?!(?:[0-9A-Fa-f]{2})%)(?P<percent>[A-Za-z_][\w()]*)%
    """,
    re.VERBOSE,
)
# `-` without a colon may also be a part of a name, unless the name is one of a shell
_VARIABLE = re.compile(r"(?P<name>[A-Za-z_][\w.-]*?)(?:(?P<operator>:[-=?+]|(?<![a-z])[-=?+])(?P<word>.*))?", re.DOTALL)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"})
_SCRIPT_FLAGS = frozenset({"-c", "-lc", "-ic", "-lic", "/c", "/k", "-command"})


class ReferenceKind(StrEnum):
    """What a reference stands for. `other`: something that only the app knows which the text is from.
    `placeholder`: where documentation wants a value of the reader's own; it may be meant as it is.
    """

    VARIABLE = "variable"
    INPUT = "input"
    HOME = "home"
    FOLDER = "folder"
    FOLDER_NAME = "folder_name"
    SEPARATOR = "separator"
    OTHER = "other"
    PLACEHOLDER = "placeholder"


_PLACES = {
    "userHome": ReferenceKind.HOME,
    "homedir": ReferenceKind.HOME,
    "workspaceFolder": ReferenceKind.FOLDER,
    "workspaceRoot": ReferenceKind.FOLDER,
    "CLAUDE_PROJECT_DIR": ReferenceKind.FOLDER,
    "workspaceFolderBasename": ReferenceKind.FOLDER_NAME,
    "pathSeparator": ReferenceKind.SEPARATOR,
    "/": ReferenceKind.SEPARATOR,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """`name` is the variable, the id of an input, or the text between the braces. `default` is used where the variable
    is not set, `alternative` where it is.
    """

    kind: ReferenceKind
    name: str
    default: str | None = None
    alternative: str | None = None


def find_references(text: str) -> list[Reference]:
    """Return the references of a text, in their order."""
    return [_read(match) for match in _REFERENCE.finditer(text)]


def replace_references(text: str, value_of: Callable[[Reference], str | None]) -> str:
    """Return the text with its references replaced; without a value, a reference stays. Values are not searched."""

    def replaced(match: re.Match[str]) -> str:
        value = value_of(_read(match))
        return match[0] if value is None else value

    return _REFERENCE.sub(replaced, text)


def home_expanded(text: str, home: str) -> str:
    """Return the text with `~` at its beginning replaced, as a shell does; `~name` and `a~b` stay."""
    return home + text[1:] if text == "~" or text.startswith(("~/", "~\\")) else text


def is_script(command: str, args: Sequence[str], position: int) -> bool:
    """Return whether an argument is a script of a shell, which replaces its references itself."""
    program = PurePath(command.replace("\\", "/")).name.lower().removesuffix(".exe")
    return program in _SHELLS and position > 0 and args[position - 1].lower() in _SCRIPT_FLAGS


def with_references(fields: Mapping[str, Any], value_of: Callable[[Reference, str], str | None]) -> dict[str, Any]:
    """Return the fields of a server with the references in its texts replaced by `value_of(reference, place)`;
    without a value, a reference stays.
    """

    def text(value: str, place: str) -> str:
        return replace_references(value, lambda reference: value_of(reference, place))

    command, args = str(fields.get("command") or ""), fields.get("args") or ()
    copy = dict(fields)
    for name in ("command", "cwd", "url"):
        if isinstance(fields.get(name), str):
            copy[name] = text(fields[name], name)
    if args:
        copy["args"] = [arg if is_script(command, args, at) else text(arg, f"args/{at}") for at, arg in enumerate(args)]
    for part in ("env", "headers"):
        if part in fields:
            copy[part] = {name: text(value, f"{part}/{name}") for name, value in fields[part].items()}
    return copy


def references_in(fields: Mapping[str, Any]) -> list[Reference]:
    """Return what the texts of a server refer to."""
    found: list[Reference] = []
    with_references(fields, lambda reference, place: found.append(reference))
    return found


def _read(match: re.Match[str]) -> Reference:
    if match["powershell"] or match["plain"] or match["whole"] or match["percent"]:
        return Reference(ReferenceKind.VARIABLE, str(match[match.lastgroup or 0]))
    if match["template"] or match["placeholder"]:
        return Reference(ReferenceKind.PLACEHOLDER, match[0])
    body = (match["double"] or match["braced"] or match["scheme"]).strip()
    if body.startswith("input:"):
        return Reference(ReferenceKind.INPUT, body.removeprefix("input:"))
    if (place := _PLACES.get(body) or _PLACES.get(body.partition(":")[0])) is not None and ":-" not in body:
        return Reference(place, body.partition(":")[0])
    # GitHub writes `secrets.NAME`, and `env.NAME`
    name = re.sub(r"\A(?:env|ENV):|\A(?:env|secrets)\.", "", body)
    variable = _VARIABLE.fullmatch(name)
    if variable is None or (name == body and "." in variable["name"]):
        return Reference(ReferenceKind.OTHER, body)
    word, operator = variable["word"], (variable["operator"] or "")[-1:]
    return Reference(
        ReferenceKind.VARIABLE,
        variable["name"],
        word if operator in ("-", "=") and operator else "" if operator == "+" else None,
        word if operator == "+" else None,
    )
