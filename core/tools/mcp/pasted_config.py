"""Server configurations in the formats of other apps (AGENTS_AND_TOOLS §7).

    {"mcpServers": {NAME: {command, args, env, cwd} | {url, headers}}}      most apps
    {"servers": {…}, "inputs": [{id, description, password}]}               VS Code; ${input:ID} is asked for
    {"context_servers": {…}}                                                Zed
    extensions: {NAME: {type, cmd, args, envs, env_keys, uri, headers}}     Goose, YAML
    {NAME: {…}}, {command, …}                                               a part of a file

Every problem is reported with its place; with any problem, nothing is accepted.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from core.errors import Refused
from core.tools.mcp.config_text import read_relaxed_json, read_yaml

TEXT_CHARACTERS = 1_000_000
MAX_SERVERS = 200
MAX_INPUTS = 200
_GROUPS = ("mcpServers", "servers", "context_servers", "extensions", "mcp_servers")
_LIMITS = {
    "start_timeout_s": ("startup_timeout_sec", "start_timeout_s"),
    "timeout_s": ("tool_timeout_sec", "timeout_s"),
}
_INPUT_REFERENCE = re.compile(r"\$\{input:([^{}]+)\}")
_HTTP = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp", "streamableHttp"})
MESSAGES = {
    "too_long": "it has more than {most:,} characters",
    "syntax": "{message}",
    "no_object": "it is not an object with servers",
    "no_servers": "there are no servers in it: one of {names} was expected",
    "no_list": "a list was expected",
    "no_id": "an object with an id was expected",
    "no_group": "an object with a server for each name was expected",
    "empty": "there is no server in it",
    "too_many_inputs": "more than {most} values are asked for",
    "too_many": "there are more than {most} servers",
    "no_server": "an object was expected",
    "none_usable": "there is no server in it that can be used here. {skipped}",
    "sse": "the SSE transport is not spoken here; give the address for streamable HTTP",
    "kind": "stdio or http was expected, not {kind}",
    "both": "a command or a url was expected, one of them; there are both",
    "neither": "a command or a url was expected, one of them; there is neither",
    "no_seconds": "a number of seconds was expected",
    "no_text": "a text was expected",
    "no_texts": "a list of texts was expected",
    "no_names": "an object with a text for each name was expected",
}
_GOOSE_OWN = frozenset({"builtin", "platform", "frontend", "inline_python"})


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem of a configuration. `place` is line and column, or names from the outermost inwards, or `the whole`.
    `code` is a stable key of MESSAGES, for user interfaces with their own strings; `about` holds its parameters.
    """

    place: str
    code: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        return MESSAGES[self.code].format(**self.about)


@dataclass(frozen=True, slots=True)
class ConfigInput:
    """A value that the user has to enter. `is_secret`: it is stored as a secret wherever it is used."""

    id: str
    description: str = ""
    is_secret: bool = True
    default: str | None = None


@dataclass(frozen=True, slots=True)
class PastedServer:
    """A server. `fields` are the fields of McpServer that the text sets."""

    place: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PastedConfig:
    """The servers of a text. `skipped` lists entries that are left out on purpose: built-in parts of another app."""

    servers: tuple[PastedServer, ...]
    inputs: tuple[ConfigInput, ...] = ()
    skipped: tuple[str, ...] = ()

    def filled(self, values: Mapping[str, str]) -> tuple["PastedConfig", dict[str, set[str]]]:
        """Return the configuration with the values of inputs inserted, and, by server name, the fields that hold secret
        values.

        Raises Refused `input_needed`, which lists missing values.
        """
        known = {**{each.id: each.default for each in self.inputs if each.default is not None}, **values}
        missing = [each for each in self.inputs if each.id not in known]
        if missing:
            listed = [{"id": each.id, "description": each.description, "is_secret": each.is_secret} for each in missing]
            names = ", ".join(each.id for each in missing)
            raise Refused("input_needed", f"values are needed for: {names}", inputs=listed)
        secret_ids = {each.id for each in self.inputs if each.is_secret}
        secret_fields: dict[str, set[str]] = {}
        servers = []
        for server in self.servers:
            paths: set[str] = set()
            fields = {
                name: _fill_inputs(value, name, known, secret_ids, paths) for name, value in server.fields.items()
            }
            secret_fields[fields["name"]] = paths
            servers.append(replace(server, fields=fields))
        return replace(self, servers=tuple(servers), inputs=()), secret_fields


@dataclass(slots=True)
class _ConfigReader:
    problems: list[ConfigProblem] = field(default_factory=list)
    inputs: dict[str, ConfigInput] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def add_problem(self, place: str, code: str, **about: Any) -> None:
        self.problems.append(ConfigProblem(place, code, about))

    def read(self, value: Any) -> tuple[PastedServer, ...]:
        if not isinstance(value, Mapping):
            self.add_problem("the whole", "no_object")
            return ()
        if isinstance(value.get("mcp"), Mapping):  # settings of VS Code
            value = value["mcp"]
        self._read_inputs(value.get("inputs"))
        group = next((name for name in _GROUPS if name in value), None)
        if group is not None:
            return self._read_group(value[group], group, is_goose=group == "extensions")
        if any(name in value for name in ("command", "cmd", "url", "uri", "serverUrl")):
            name = value.get("name")
            return self._read_group({name if isinstance(name, str) else _name_of(value): value}, "", is_goose=False)
        servers = {name: fields for name, fields in value.items() if name not in ("inputs", "$schema")}
        if servers and all(isinstance(fields, Mapping) for fields in servers.values()):
            return self._read_group(servers, "", is_goose=False)
        self.add_problem("the whole", "no_servers", names=", ".join(_GROUPS))
        return ()

    def _read_inputs(self, listed: Any) -> None:
        if listed is None:
            return
        if not isinstance(listed, list):
            self.add_problem("inputs", "no_list")
            return
        if len(listed) > MAX_INPUTS:
            self.add_problem("inputs", "too_many_inputs", most=MAX_INPUTS)
            return
        for at, fields in enumerate(listed):
            if not isinstance(fields, Mapping) or not isinstance(fields.get("id"), str):
                self.add_problem(f"inputs/{at}", "no_id")
                continue
            default = fields.get("default")
            self.inputs[fields["id"]] = ConfigInput(
                fields["id"],
                str(fields.get("description") or ""),
                bool(fields.get("password")),
                default if isinstance(default, str) else None,
            )

    def _read_group(self, group: Any, place: str, *, is_goose: bool) -> tuple[PastedServer, ...]:
        if not isinstance(group, Mapping):
            self.add_problem(place, "no_group")
            return ()
        if not group:
            self.add_problem(place or "the whole", "empty")
        if len(group) > MAX_SERVERS:
            self.add_problem(place, "too_many", most=MAX_SERVERS)
            return ()
        servers = []
        for name, fields in group.items():
            where = f"{place}/{name}" if place else str(name)
            if not isinstance(fields, Mapping):
                self.add_problem(where, "no_server")
                continue
            if is_goose and fields.get("type") in _GOOSE_OWN:
                self.skipped.append(f"{name}: it is a part of the other app, not a server")
                continue
            servers.append(PastedServer(where, self._read_server(str(name), fields, where)))
        if group and not servers and not self.problems:
            self.add_problem(place, "none_usable", skipped="; ".join(self.skipped))
        return tuple(servers)

    def _read_server(self, name: str, entry: Mapping[str, Any], where: str) -> dict[str, Any]:
        command, args, env = _first(entry, "command", "cmd"), entry.get("args"), _first(entry, "env", "envs")
        if isinstance(command, Mapping):  # Zed
            args, env = command.get("args", args), command.get("env", env)
            command = command.get("path")
        url = _first(entry, "url", "uri", "serverUrl", "httpUrl")
        kind = _first(entry, "type", "transport")
        if kind == "sse":
            self.add_problem(f"{where}/type", "sse")
        elif kind is not None and kind != "stdio" and kind not in _HTTP:
            self.add_problem(f"{where}/type", "kind", kind=f"{kind!r:.60}")
        # Exactly one of the two is needed; both would leave open which of them runs.
        if (command is None) == (url is None):
            self.add_problem(where, "both" if command is not None else "neither")
        fields: dict[str, Any] = {"name": name}
        if command is not None:
            fields["command"] = self._text(command, f"{where}/command")
            fields["args"] = self._texts(args, f"{where}/args")
            fields["env"] = self._named(env, f"{where}/env") | self._env_keys(
                entry.get("env_keys"), f"{where}/env_keys"
            )
            if entry.get("cwd") is not None:
                fields["cwd"] = self._text(entry["cwd"], f"{where}/cwd")
        elif url is not None:
            fields["url"] = self._text(url, f"{where}/url")
            fields["headers"] = self._named(entry.get("headers"), f"{where}/headers")
        for ours, theirs in _LIMITS.items():
            limit = _first(entry, *theirs)
            # In Python a bool is an int.
            if isinstance(limit, int | float) and not isinstance(limit, bool):
                fields[ours] = limit
            elif limit is not None:
                self.add_problem(f"{where}/{next(name for name in theirs if name in entry)}", "no_seconds")
        if entry.get("disabled") is True or entry.get("enabled") is False:
            fields["is_enabled"] = False
        for text in _texts_in(fields):
            for input_id in _INPUT_REFERENCE.findall(text):
                self.inputs.setdefault(input_id, ConfigInput(input_id))
        return fields

    def _text(self, value: Any, place: str) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self.add_problem(place, "no_text")
        return ""

    def _texts(self, value: Any, place: str) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.add_problem(place, "no_texts")
            return []
        return [self._text(item, f"{place}/{at}") for at, item in enumerate(value)]

    def _named(self, value: Any, place: str) -> dict[str, str]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add_problem(place, "no_names")
            return {}
        return {
            str(name): ("true" if item else "false") if isinstance(item, bool) else self._text(item, f"{place}/{name}")
            for name, item in value.items()
        }

    def _env_keys(self, value: Any, place: str) -> dict[str, str]:
        """Return variables whose values Goose stores elsewhere: the user is asked for them."""
        names = self._texts(value, place)
        for name in names:
            self.inputs.setdefault(name, ConfigInput(name))
        return {name: f"${{input:{name}}}" for name in names}


def read_pasted(text: str) -> PastedConfig:
    """Return the servers of a text. Raises Refused `bad_config` with every problem and its place."""
    reader = _ConfigReader()
    if len(text) > TEXT_CHARACTERS:
        raise _refused([ConfigProblem("the whole", "too_long", {"most": TEXT_CHARACTERS})])
    try:
        value = _value(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _refused([ConfigProblem(place, "syntax", {"message": error.msg})]) from None
    except ValueError as error:
        raise _refused([ConfigProblem("the whole", "syntax", {"message": str(error)})]) from None
    servers = reader.read(value)
    if reader.problems:
        raise _refused(reader.problems)
    return PastedConfig(servers, tuple(reader.inputs.values()), tuple(reader.skipped))


def _refused(problems: list[ConfigProblem]) -> Refused:
    listed_first = "; ".join(f"{problem.place}: {problem.message}" for problem in problems[:5])
    listed = [
        {"place": problem.place, "message": problem.message, "code": problem.code, "about": dict(problem.about)}
        for problem in problems
    ]
    return Refused("bad_config", f"the configuration cannot be read. {listed_first}", problems=listed)


def _value(text: str) -> Any:
    """Parse JSON or YAML. Raises ValueError."""
    # Only to recognise the format: comments may stand before the value.
    start = re.sub(r"\A(?:\s+|//[^\n]*|/\*.*?\*/)+", "", text, flags=re.DOTALL)
    if start.startswith("{"):
        return read_relaxed_json(text)
    if re.match(r'"[^"\n]*"\s*:', start):  # a part, without the braces around it
        return read_relaxed_json(f"{{{text}}}")
    return read_yaml(text)


def _first(entry: Mapping[str, Any], *names: str) -> Any:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _name_of(entry: Mapping[str, Any]) -> str:
    """Return a name for a server without entry."""
    command, url = _first(entry, "command", "cmd"), _first(entry, "url", "uri", "serverUrl")
    if isinstance(command, str):
        args = entry.get("args")
        words = [command, *(arg for arg in (args if isinstance(args, list) else []) if isinstance(arg, str))]
        # `npx -y some-mcp-server`: the package is the name, not the program that starts it.
        last = next((word for word in reversed(words) if not word.startswith("-") and "mcp" in word), words[0])
        return PurePath(last).name or "server"
    return re.sub(r"^https?://", "", url).partition("/")[0] if isinstance(url, str) else "server"


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _texts_in(part)]
    return [text for part in value for text in _texts_in(part)] if isinstance(value, list) else []


def _fill_inputs(value: Any, place: str, known: Mapping[str, str], secret_ids: set[str], paths: set[str]) -> Any:
    if isinstance(value, str):
        if secret_ids & set(_INPUT_REFERENCE.findall(value)):
            paths.add(place)
        return _INPUT_REFERENCE.sub(lambda reference: known[reference[1]], value)
    if isinstance(value, Mapping):
        return {name: _fill_inputs(part, f"{place}/{name}", known, secret_ids, paths) for name, part in value.items()}
    if isinstance(value, list):
        return [_fill_inputs(part, f"{place}/{at}", known, secret_ids, paths) for at, part in enumerate(value)]
    return value
