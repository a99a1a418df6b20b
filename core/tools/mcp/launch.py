"""How a server is launched or addressed, with all references resolved, and how its secrets are masked in all output."""

import base64
import html
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from core.domain.launch_references import (
    Reference,
    ReferenceKind,
    home_expanded,
    is_script,
    replace_references,
)
from core.domain.mcp_server import McpServer
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK, masked_text, secret_spans
from core.domain.text.secret_names import is_secret_name
from core.errors import ToolFailed
from core.tools.mcp.sign_in import Credentials

_SECRET_CHARACTERS, _WORD_CHARACTERS = 6, 3
"""A shorter secret is hidden only as a word of its own, and a very short one not at all: that would only garble what is
said."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """A command or a URL, ready to use. `secrets` are values from the keyring or from variables that must not be shown.
    Its repr shows none.
    """

    command: str | None = None
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    credentials: Credentials | None = field(default=None, repr=False)


class SecretMask:
    """Masks the secrets of a server in its output."""

    def __init__(self, secrets: frozenset[str]) -> None:
        # In the forms in which a server may repeat them too; longest first, or a secret that contains another would be
        # masked only in part.
        forms = {form for secret in secrets for form in _forms(secret)}
        hidden = sorted((form for form in forms if len(form) >= _WORD_CHARACTERS), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_pattern_of, hidden))) if hidden else None

    def hide_own(self, text: str) -> str:
        """Return the text without the server's own secrets."""
        return self._pattern.sub(MASK, text) if self._pattern is not None else text

    def hide_all(self, text: str) -> str:
        """Return the text without the server's secrets and without anything that looks like a secret: for errors and
        logs.
        """
        return masked_text(self.hide_own(text))

    def hide_in(self, value: Any) -> Any:
        """Return a JSON value without the server's own secrets."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.hide_own(value)
        if isinstance(value, Mapping):
            return {self.hide_in(key): self.hide_in(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_in(part) for part in value]
        return value


def _forms(secret: str) -> set[str]:
    """Return the secret as it is, and as it stands in JSON, in an address, in HTML and in base64."""
    data = secret.encode("utf-8", "surrogatepass")
    json_form = encode(secret)[1:-1]
    return {secret, json_form, quote(data, safe=""), html.escape(secret), base64.b64encode(data).decode("ascii")}


def _pattern_of(form: str) -> str:
    escaped = re.escape(form)
    return escaped if len(form) >= _SECRET_CHARACTERS else rf"(?<!\w){escaped}(?!\w)"


NO_SECRETS = SecretMask(frozenset())


class _Resolver:
    """Resolves the texts of a launch. `missing` are the names without a value, `secrets` the values of variables that
    must not be shown.
    """

    def __init__(self, server: McpServer, environment: Mapping[str, str]) -> None:
        self.missing: dict[str, None] = {}
        self.secrets: set[str] = set()
        self._environment = environment
        self.home = os.path.expanduser("~")  # noqa: PTH111  # a text, which Path would tidy
        self._own: Mapping[str, str] = {}
        self.cwd: str | None = None
        self.cwd = self._path(server.cwd) if server.cwd else None
        # a value may extend the variable of its own name, as in PATH=${PATH}:/opt
        self.env = {name: self._path(value) for name, value in server.env.items()}
        self._own = self.env

    def text(self, value: str) -> str:
        return replace_references(value, self._value)

    def args(self, command: str, args: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            arg if is_script(command, args, position) else self._path(arg) for position, arg in enumerate(args)
        )

    def _path(self, value: str) -> str:
        return self.text(home_expanded(value, self.home))

    def _value(self, reference: Reference) -> str | None:
        match reference.kind:
            case ReferenceKind.HOME:
                return self.home
            case ReferenceKind.PLACEHOLDER:
                return None
            case ReferenceKind.SEPARATOR:
                return os.sep
            case ReferenceKind.FOLDER if self.cwd:
                return self.cwd
            case ReferenceKind.FOLDER_NAME if self.cwd:
                return PurePath(self.cwd).name
            case ReferenceKind.VARIABLE:
                return self._variable(reference)
        self.missing[reference.name] = None
        return None

    def _variable(self, reference: Reference) -> str | None:
        name = reference.name
        if name == "PWD" and self.cwd:  # the folder of the server, not that of this app
            return self.cwd
        value = self._own.get(name, self._environment.get(name))
        if reference.default is not None and not value:
            return self.text(reference.default)
        if value is None:
            self.missing[name] = None
            return None
        if reference.alternative is not None:
            return self.text(reference.alternative)
        # A variable that is a secret by its name or by its look is masked like a stored one.
        if value and (is_secret_name(name) or masked_text(value) != value):
            self.secrets.add(value)
        return value


def resolve_launch(server: McpServer, environment: Mapping[str, str] = os.environ) -> LaunchSpec:
    """Return the launch of a configuration that holds its secrets, with its references replaced (`launch_references`)
    and `~` expanded, by the server's own variables, then by the environment. A script of a shell stays as it
    is: the shell replaces them.

    Raises ToolFailed `failed` with the cause `variables` where something has no value: nothing is sent literally.
    """
    resolver = _Resolver(server, environment)
    command = resolver.text(home_expanded(server.command, resolver.home)) if server.command is not None else None
    launch = LaunchSpec(
        command,
        resolver.args(command or "", server.args),
        resolver.env,
        resolver.cwd,
        resolver.text(server.url) if server.url is not None else None,
        {name: resolver.text(value) for name, value in server.headers.items()},
    )
    if resolver.missing:
        names = list(resolver.missing)
        listed = (
            f"the variable {names[0]}, which is" if len(names) == 1 else f"the variables {', '.join(names)}, which are"
        )
        message = f"{server.name} needs {listed} not set"
        raise ToolFailed("failed", message, cause="variables", variables=names, server=server.name)
    if launch.url is not None and re.match(r"https?://[^\s/?#]", launch.url, re.IGNORECASE) is None:
        raise ToolFailed("failed", f"the address of {server.name} does not begin with http:// or https://")
    return replace(launch, secrets=frozenset(_secret_values(server, launch) | resolver.secrets))


def _secret_values(server: McpServer, launch: LaunchSpec) -> set[str]:
    """Return the secrets among the values that are stored apart; of a header also the part after its scheme."""
    values: set[str] = set()
    for field_path in server.secrets:
        if field_path in server.plain:
            continue
        part, _, name = field_path.partition("/")
        match part:
            case "env":
                value = launch.env.get(name, "")
                values |= {value, *_secrets_in(value)}
            case "headers":
                value = launch.headers.get(name, "")
                values |= {value, value.rpartition(" ")[2]}
            case "args" if int(name) < len(launch.args):
                value = launch.args[int(name)]
                values |= set(_secrets_in(value)) or {value, value.rpartition("=")[2]}
            case "url" if launch.url:
                values |= {launch.url, *re.findall(r"=([^&#]+)", launch.url), *_secrets_in(launch.url)}
    for path in server.plain:  # a proxy may have a password in its address
        part, _, name = path.partition("/")
        values |= set(_secrets_in((launch.env if part == "env" else launch.headers).get(name, "")))
    return values - {""}


def _secrets_in(text: str) -> list[str]:
    return [text[start:end] for start, end in secret_spans(text)]
