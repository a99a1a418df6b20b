"""How a server is launched or addressed, with all references resolved, and how its secrets are masked in all output."""

import base64
import html
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from core.domain.mcp_server import McpServer
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK, masked_text, secret_spans
from core.domain.text.secret_names import is_secret_name
from core.errors import ToolFailed

_SECRET_CHARACTERS, _WORD_CHARACTERS = 6, 3
"""A shorter secret is hidden only as a word of its own, and a very short one not at all: that would only garble what is
said."""

_REFERENCE = re.compile(r"\$\{(?:(env|userHome|homedir)(?::([^{}:]+))?|([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?)\}")


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


def resolve_launch(server: McpServer, environment: Mapping[str, str] = os.environ) -> LaunchSpec:
    """Return the launch of a configuration that holds its secrets, with references to variables replaced: `${NAME}`,
    `${NAME:-default}`, `${env:NAME}`, `${userHome}`. An unknown `${NAME}` is left as it is.

    Raises ToolFailed `failed` where `${env:NAME}` is not set.
    """
    secrets: set[str] = set()

    def replaced(reference: re.Match[str]) -> str:
        kind, name, plain, default = reference.groups()
        if kind in ("userHome", "homedir"):
            return os.path.expanduser("~")  # noqa: PTH111  # a text, which Path would tidy
        value = environment.get(name or plain or "")
        if value is not None:
            # A variable that is a secret by its name or by its look is masked like a stored one.
            if is_secret_name(name or plain) or masked_text(value) != value:
                secrets.add(value)
            return value
        if default is not None:
            return default.removeprefix(":-")
        if kind == "env":
            raise ToolFailed("failed", f"{server.name} needs the variable {name}, which is not set", variable=name)
        return reference[0]

    def text(value: str) -> str:
        return _REFERENCE.sub(replaced, value)

    def optional(value: str | None) -> str | None:
        return None if value is None else text(value)

    cwd = optional(server.cwd)
    launch = LaunchSpec(
        optional(server.command),
        tuple(map(text, server.args)),
        {name: text(value) for name, value in server.env.items()},
        os.path.expanduser(cwd) if cwd else None,  # noqa: PTH111
        optional(server.url),
        {name: text(value) for name, value in server.headers.items()},
    )
    return replace(launch, secrets=frozenset(_secret_values(server, launch) | secrets))


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
