"""An MCP server as a person set it up: what runs, or where it is, and what a person has agreed to run
(AGENTS_AND_TOOLS §7).

No secret is in it. A value that looks like one is kept elsewhere, under its place in here: `env/TOKEN`,
`headers/Authorization`, `args/2`, `url`. What stands in its place is masked.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.domain.ids import ServerId
from core.domain.run import ErrorInfo
from core.domain.settings import KeyLocation
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK, is_secret_name, masked_text
from core.domain.tool import ToolInfo

NAME_CHARACTERS = 64
MAX_ID_CHARACTERS = 24
MAX_ARGUMENTS = 200
MAX_VALUES = 200
CALL_TIMEOUT_S = 30.0
START_TIMEOUT_S = 10.0
FETCH_TIMEOUT_S = 60.0
"""What a program gets to answer that may have to fetch the server first."""
_FETCHERS = frozenset({"npx", "uvx", "uv", "pipx", "bunx", "pnpx", "pnpm", "yarn", "docker", "podman"})

_Text = Annotated[str, Field(max_length=20_000)]
_URL = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)
_VARIABLE = re.compile(r"[^=\0]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Transport(StrEnum):
    """How a server is spoken with: over the pipes of a program that is started, or over streamable HTTP."""

    STDIO = "stdio"
    HTTP = "http"


class McpServer(BaseModel):
    """A program (`command`, `args`, `env`, `cwd`) or an address (`url`, `headers`).

    `id` stands in the names of its tools, `mcp__ID__tool`, and never changes. `secrets` tells which values are kept
    elsewhere, and where. `confirmed` is the fingerprint of what a person has agreed to run. `timeout_s` is the limit of
    one call, `start_timeout_s` that of a start (seconds), None: as `start_limit_s` has it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    id: ServerId
    name: str
    command: _Text | None = None
    args: Annotated[tuple[_Text, ...], Field(max_length=MAX_ARGUMENTS)] = ()
    env: Annotated[Mapping[str, _Text], Field(max_length=MAX_VALUES)] = Field(default_factory=dict)
    cwd: _Text | None = None
    url: _Text | None = None
    headers: Annotated[Mapping[str, _Text], Field(max_length=MAX_VALUES)] = Field(default_factory=dict)
    secrets: Mapping[str, KeyLocation] = Field(default_factory=dict)
    is_enabled: bool = True
    starts_with_app: bool = False
    timeout_s: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = CALL_TIMEOUT_S
    start_timeout_s: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] | None = None
    confirmed: str | None = None

    @field_validator("name")
    @classmethod
    def _on_one_line(cls, text: str) -> str:
        name = " ".join(text.split())
        if not 1 <= len(name) <= NAME_CHARACTERS or not name.isprintable():
            raise ValueError(f"a name has 1 to {NAME_CHARACTERS} characters that can be shown")
        return name

    @field_validator("env")
    @classmethod
    def _variables(cls, env: Mapping[str, str]) -> Mapping[str, str]:
        for name in env:
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"{name!r:.80} is no name of a variable")
        return env

    @field_validator("headers")
    @classmethod
    def _header_names(cls, headers: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in headers.items():
            if not _HEADER.fullmatch(name):
                raise ValueError(f"{name!r:.80} is no name of a header")
            if any(sign in value for sign in "\r\n\0"):
                raise ValueError(f"the header {name} has a line break")
        return headers

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("a server has a command or a url, one of them")
        if self.command is not None and not self.command.strip():
            raise ValueError("the command is empty")
        texts = [self.command or "", *self.args, self.cwd or "", self.url or "", *self.env.values()]
        if any("\0" in text for text in texts):
            raise ValueError("a NUL character can stand in no command")
        if self.url is not None and not _URL.fullmatch(self.url):
            raise ValueError("the url begins with http:// or https://")
        return self

    @property
    def transport(self) -> Transport:
        return Transport.STDIO if self.url is None else Transport.HTTP

    @property
    def start_limit_s(self) -> float:
        """How long a start may take until the server has told its tools."""
        if self.start_timeout_s is not None:
            return self.start_timeout_s
        words = (self.command or "").replace("\\", "/").rpartition("/")[2].lower()
        return FETCH_TIMEOUT_S if words.partition(".")[0] in _FETCHERS else START_TIMEOUT_S

    @property
    def fingerprint(self) -> str:
        """Another one whenever something else would run, or be spoken to. Values of secrets make no difference."""
        runs = [self.command, list(self.args), dict(sorted(self.env.items())), self.cwd]
        asks = [self.url, dict(sorted(self.headers.items()))]
        return hashlib.sha256(encode([runs, asks, sorted(self.secrets)]).encode()).hexdigest()

    @property
    def is_confirmed(self) -> bool:
        """Whether a person has agreed to run just this."""
        return self.confirmed == self.fingerprint

    def what_runs(self) -> dict[str, Any]:
        """What a person is shown before it runs for the first time: no value of the environment, no secret."""
        if self.transport is Transport.HTTP:
            return {"name": self.name, "url": self.url, "headers": sorted(self.headers)}
        return {
            "name": self.name,
            "command": self.command,
            "args": list(self.args),
            "env": sorted(self.env),
            "cwd": self.cwd,
        }


class ServerState(StrEnum):
    """`unconfirmed`: nobody has agreed to run it. `failed`: its last start or its last life ended badly."""

    DISABLED = "disabled"
    UNCONFIRMED = "unconfirmed"
    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server is now. Times of answered calls in milliseconds, None before there are any.

    `tools` are those that it offers, or offered when it was last asked; `left_out` says which could not be taken, and
    why. `error` is why it failed last, with `cause`, `stderr` (its last lines), `exit_code`, `runs` and `path`, where
    they are known, among its parameters; it stays until a call is answered. `paused_s`: it failed so often that it
    is left alone for so many seconds more, None where it is not.
    """

    server: McpServer
    state: ServerState
    tools: Sequence[ToolInfo] = ()
    left_out: Sequence[str] = ()
    error: ErrorInfo | None = None
    calls: int = 0
    p50_ms: int | None = None
    p95_ms: int | None = None
    paused_s: float | None = None


@dataclass(frozen=True, slots=True)
class StoredServer:
    """A server as it is kept. `tools_json`: what it offered when it was last asked, None if it never was."""

    server: McpServer
    tools_json: str | None = None


def find_secrets(server: Mapping[str, Any]) -> dict[str, str]:
    """Place → value, of those values of a configuration that look like secrets."""
    found: dict[str, str] = {}
    for part in ("env", "headers"):
        for name, value in (server.get(part) or {}).items():
            if value and not _is_reference(value) and (is_secret_name(name) or masked_text(value) != value):
                found[f"{part}/{name}"] = value
    args = list(server.get("args") or ())
    for at, value in enumerate(args):
        flag, is_pair, _ = value.partition("=")
        is_given = at > 0 and args[at - 1].startswith("-") and "=" not in args[at - 1] and not value.startswith("-")
        is_named = (is_pair and flag.startswith("-") and is_secret_name(flag)) or (
            is_given and is_secret_name(args[at - 1])
        )
        if not _is_reference(value) and (is_named or masked_text(value) != value):
            found[f"args/{at}"] = value
    url = server.get("url")
    if url and masked_text(url) != url:
        found["url"] = url
    return found


def masked_config(server: Mapping[str, Any], places: Iterable[str]) -> dict[str, Any]:
    """The configuration with what is shown in place of each secret."""
    return with_values(server, {place: _shown(server, place) for place in places})


def with_values(server: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The configuration with other values in these places; a place that is gone is left out."""
    changed = dict(server)
    for place, value in values.items():
        part, _, name = place.partition("/")
        if part == "url":
            changed["url"] = value
        elif part == "args":
            args = list(changed.get("args") or ())
            if int(name) < len(args):
                args[int(name)] = value
            changed["args"] = args
        elif name in (changed.get(part) or {}):
            changed[part] = {**changed[part], name: value}
    return changed


def _shown(server: Mapping[str, Any], place: str) -> str:
    part, _, name = place.partition("/")
    if part == "url":
        return masked_text(server["url"])
    if part == "args":
        value = str(server["args"][int(name)])
        flag, is_pair, _ = value.partition("=")
        return f"{flag}={MASK}" if is_pair and flag.startswith("-") else MASK
    return MASK


def _is_reference(value: str) -> bool:
    """Whether the value only says where the secret is: `${TOKEN}`, `Bearer ${env:TOKEN}`."""
    return bool(re.fullmatch(r"(?:\w+ )?\$\{[^{}]+\}", value))
