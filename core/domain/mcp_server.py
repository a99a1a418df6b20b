"""MCP servers as the user configures them, and what the user has agreed to run (AGENTS_AND_TOOLS §7).

A configuration holds no secrets. Every value of a variable or a header, whatever its name, and an argument or an
address that looks like a secret, is stored separately, under its path: `env/TOKEN`, `headers/Authorization`, `args/2`,
`url`. The configuration has a mask in its place.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from core.domain.document import Document
from core.domain.ids import ServerId
from core.domain.launch_variables import changes_code, is_harmless
from core.domain.names import Name
from core.domain.run import ErrorInfo
from core.domain.server_address import mended_url
from core.domain.settings import KeyLocation
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK, masked_text
from core.domain.text.secret_names import is_secret_name
from core.domain.tool import ToolInfo

MAX_ID_CHARACTERS = 24
MAX_ARGUMENTS = 200
MAX_VALUES = 200
MAX_TOOLS = 2000
CALL_TIMEOUT_S = 30.0
START_TIMEOUT_S = 10.0
# For launchers that may have to download the server first.
FETCH_TIMEOUT_S = 60.0
_FETCHERS = frozenset({"npx", "uvx", "uv", "pipx", "bunx", "pnpx", "pnpm", "yarn", "docker", "podman"})

_Text = Annotated[str, Field(max_length=20_000)]
# An address may begin with a variable, which is replaced at the start.
_URL = re.compile(r"(?:https?://[^\s/?#]+|\$\w|\$?\{|%\w)\S*", re.IGNORECASE)
_VARIABLE = re.compile(r"[^=\0]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Transport(StrEnum):
    """How the server is reached: through the pipes of a child process, or over streamable HTTP."""

    STDIO = "stdio"
    HTTP = "http"


class McpServer(Document):
    """The configuration: a program (`command`, `args`, `env`, `cwd`) or an address (`url`, `headers`).

    `id` is part of its tool names, `mcp__ID__tool`, and never changes. `secrets` maps the path of each secret to its
    location; `plain` maps the paths of values that are no secrets to a digest: what the user agreed to includes them.
    `confirmed` is the fingerprint that the user has agreed to run. `timeout_s` limits one call,
    `start_timeout_s` a start (seconds; None: see `start_limit_s`). It offers the tools in `only_tools` (None: all)
    that are not in `without_tools`; both hold names in which `*` stands for any characters.
    """

    id: ServerId
    name: Name
    command: _Text | None = None
    args: Annotated[tuple[_Text, ...], Field(max_length=MAX_ARGUMENTS)] = ()
    env: Annotated[Mapping[str, _Text], Field(max_length=MAX_VALUES)] = Field(default_factory=dict)
    cwd: _Text | None = None
    url: _Text | None = None
    headers: Annotated[Mapping[str, _Text], Field(max_length=MAX_VALUES)] = Field(default_factory=dict)
    secrets: Mapping[str, KeyLocation] = Field(default_factory=dict)
    plain: Mapping[str, str] = Field(default_factory=dict)
    is_enabled: bool = True
    starts_with_app: bool = False
    timeout_s: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = CALL_TIMEOUT_S
    start_timeout_s: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] | None = None
    only_tools: Annotated[tuple[_Text, ...], Field(max_length=MAX_TOOLS)] | None = None
    without_tools: Annotated[tuple[_Text, ...], Field(max_length=MAX_TOOLS)] = ()
    confirmed: str | None = None

    @field_validator("env")
    @classmethod
    def _check_env(cls, env: Mapping[str, str]) -> Mapping[str, str]:
        for name in env:
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"{name!r:.80} is not a valid variable name")
        return env

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, headers: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in headers.items():
            if not _HEADER.fullmatch(name):
                raise ValueError(f"{name!r:.80} is not a valid header name")
            if any(sign in value for sign in "\r\n\0"):
                raise ValueError(f"the header {name} has a line break")
        return headers

    @field_validator("url")
    @classmethod
    def _mend_url(cls, url: str | None) -> str | None:
        # With a reference in it, it is not an address yet; a mask stands for one that is stored apart.
        if url is None or "${" in url or MASK in url:
            return url
        return mended_url(url)

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("a server needs either a command or a url")
        if self.command is not None and not self.command.strip():
            raise ValueError("the command is empty")
        texts = [self.command or "", *self.args, self.cwd or "", self.url or "", *self.env.values()]
        if any("\0" in text for text in texts):
            raise ValueError("a command cannot contain a NUL character")
        if self.url is not None and not _URL.fullmatch(self.url):
            raise ValueError("the url must begin with http:// or https://")
        return self

    @property
    def transport(self) -> Transport:
        return Transport.STDIO if self.url is None else Transport.HTTP

    def offers(self, tool: str) -> bool:
        """Return whether the user wants this tool of the server."""
        is_wanted = self.only_tools is None or any(fnmatchcase(tool, name) for name in self.only_tools)
        return is_wanted and not any(fnmatchcase(tool, name) for name in self.without_tools)

    @property
    def start_limit_s(self) -> float:
        """The time limit of a start, in seconds, until the server has listed its tools."""
        if self.start_timeout_s is not None:
            return self.start_timeout_s
        program = (self.command or "").replace("\\", "/").rpartition("/")[2].lower()
        return FETCH_TIMEOUT_S if program.partition(".")[0] in _FETCHERS else START_TIMEOUT_S

    @property
    def fingerprint(self) -> str:
        """A hash that changes whenever another program would run or another address be used, whatever the secrets."""
        # The paths of secrets count, their values do not: a rotated key must not ask for consent again.
        program = [self.command, list(self.args), dict(sorted(self.env.items())), self.cwd]
        address = [self.url, dict(sorted(self.headers.items()))]
        plain = [dict(sorted(self.plain.items()))] if self.plain else []
        return hashlib.sha256(encode([program, address, sorted(self.secrets), *plain]).encode()).hexdigest()

    @property
    def is_confirmed(self) -> bool:
        """Whether the user has agreed to run exactly this."""
        return self.confirmed == self.fingerprint

    def what_runs(self) -> dict[str, Any]:
        """Describe what runs, without the values of variables and headers and without secrets."""
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
    """The state of a server. `unconfirmed`: the user has not agreed to run it. `failed`: no start, or a crash.
    `signed_out`: it asks who the user is.
    """

    DISABLED = "disabled"
    UNCONFIRMED = "unconfirmed"
    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"
    SIGNED_OUT = "signed_out"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The current status of a server. Call times are in milliseconds, None before the first answered call.

    `tools` are those of the last listing; `left_out` lists the rejected tools with reasons, `cleaned` those with
    a changed description or an unchecked part, and how. `error` is the last failure, with `cause`, `stderr` (last
    lines), `exit_code`, `runs` and `path` among its parameters where known, and its time (`at`); it stays until a start
    or a call succeeds, also over a restart of the app. `paused_s`: the remaining seconds of a pause after repeated
    failures, else None. `is_signed_in`: it was started with the tokens of a sign-in.
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
    cleaned: Sequence[str] = ()
    is_signed_in: bool = False


@dataclass(frozen=True, slots=True)
class StoredServer:
    """A stored server. `tools_json`: the last listing of its tools and its last failure, None if there was neither."""

    server: McpServer
    tools_json: str | None = None


def find_secrets(config: Mapping[str, Any]) -> dict[str, str]:
    """Find the values of a configuration that are stored apart, by `env/NAME`, `headers/NAME`, `args/2` or `url`: of
    the environment and the headers all, of the rest what looks like a secret. References to secrets stay.
    """
    args = list(config.get("args") or ())
    suspects = [
        *((f"args/{position}", _flag_of(args, position), value) for position, value in enumerate(args)),
        ("url", "", config.get("url") or ""),
    ]
    found = {
        path: value
        for path, name, value in suspects
        if not _is_reference(value) and (is_secret_name(name) or masked_text(value) != value)
    }
    return found | {path: value for path, _, value in _named_values(config) if value and not _is_reference(value)}


def _named_values(config: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return path, name and value of each variable and header."""
    sections = ("env", "headers")
    return [
        (f"{section}/{name}", name, value)
        for section in sections
        for name, value in (config.get(section) or {}).items()
    ]


def plain_values(config: Mapping[str, Any], hidden: Iterable[str] = ()) -> dict[str, str]:
    """Return the digests of the variables and headers that are no secrets, by path. The paths in `hidden` are
    left out."""
    return {
        path: hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
        for path, name, value in _named_values(config)
        if value and path not in hidden and MASK not in value and (changes_code(name) or is_harmless(name, value))
    }


def describe_launch(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Describe to the user what would run, before they agree: the names of variables and headers, the `values` of
    harmless variables and of variables that change which code runs, which are named in `changes_code`; no secrets.
    """
    shown = masked_config(fields, find_secrets(fields))
    described: dict[str, Any] = {
        name: shown[name] for name in ("name", "command", "args", "cwd", "url") if shown.get(name) is not None
    }
    described |= {part: sorted(shown[part]) for part in ("env", "headers") if part in shown}
    given = [(name, value) for _, name, value in _named_values(fields) if value and MASK not in value]
    values = {name: masked_text(value) for name, value in given if changes_code(name) or is_harmless(name, value)}
    changing = sorted(name for name in (fields.get("env") or {}) if changes_code(name))
    more: dict[str, Any] = {"values": values} if values else {}
    return {**described, **more, **({"changes_code": changing} if changing else {})}


def _flag_of(args: Sequence[str], position: int) -> str:
    """Return the flag that an argument belongs to: `--token=VALUE`, or `--token` before it; else ""."""
    flag, is_pair, _ = args[position].partition("=")
    if flag.startswith("-"):
        return flag if is_pair else ""
    before = args[position - 1] if position else ""
    return before if before.startswith("-") and "=" not in before else ""


def masked_config(config: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """Copy the configuration with these secrets masked."""
    return with_values(config, {path: _mask_at(config, path) for path in paths})


def with_values(config: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """Copy the configuration with these values. Paths that do not exist are ignored."""
    config = dict(config)
    for path, value in values.items():
        section, _, name = path.partition("/")
        if section == "url":
            config["url"] = value
        elif section == "args":
            args = list(config.get("args") or ())
            if int(name) < len(args):
                args[int(name)] = value
            config["args"] = args
        elif name in (config.get(section) or {}):
            config[section] = {**config[section], name: value}
    return config


def _mask_at(config: Mapping[str, Any], path: str) -> str:
    section, _, name = path.partition("/")
    if section == "url":
        return masked_text(config["url"])
    if section == "args":
        value = str(config["args"][int(name)])
        if (shown := masked_text(value)) != value:
            return shown
        flag, is_pair, _ = value.partition("=")
        return f"{flag}={MASK}" if is_pair and flag.startswith("-") else MASK
    return MASK


def _is_reference(value: str) -> bool:
    """Return whether the value only refers to a secret: `${TOKEN}`, `Bearer {env:TOKEN}`. A default may be a secret
    itself, and `$TOKEN` a password.
    """
    return bool(re.fullmatch(r"(?:\w+ )?(?:\$\{(?:(?:env|input):)?[\w. -]+\}|\{env:\w+\})", value))
