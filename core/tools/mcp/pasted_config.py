"""Server configurations in the formats of other apps (AGENTS_AND_TOOLS §7).

    {"mcpServers": {NAME: {command, args, env, cwd} | {url, headers}}}      most apps
    {"servers": {…}, "inputs": [{id, description, password}]}               VS Code; ${input:ID} is asked for
    {"mcp": {NAME: {type: local, command: […], environment}}}               OpenCode
    {"context_servers": {…}}                                                Zed
    extensions: {NAME: {type, cmd, args, envs, env_keys, uri, headers}}     Goose, YAML
    mcpServers: [{name, …}]                                                 Continue, YAML
    [mcp_servers.NAME]                                                      Codex, TOML
    {NAME: {…}}, {command, …}, [{name, …}]                                  a part of a file
    npx …, claude mcp add …, https://…, cursor://…                          config_commands

Every problem is reported with its place. What can be used is offered; the rest is left out, with its reason.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

from core.domain.launch_references import (
    Reference,
    ReferenceKind,
    find_references,
    home_expanded,
    references_in,
    replace_references,
    with_references,
)
from core.domain.text.secret_names import is_secret_name
from core.errors import Refused
from core.tools.mcp.config_commands import looks_like_command, read_commands, read_link, unpacked
from core.tools.mcp.config_entries import EntryReader
from core.tools.mcp.config_groups import GROUPS, ConfigInput, Entry, GroupFinder, name_of, own_name
from core.tools.mcp.config_problems import ConfigProblem
from core.tools.mcp.config_spellings import has_target, is_app_part, unwrapped
from core.tools.mcp.config_text import ConfigSyntaxError, Format, decode_text, read_blocks, read_data, without_margin

TEXT_CHARACTERS = 1_000_000
ENV_FILE_BYTES = 1_000_000
MAX_SERVERS = 200


@dataclass(frozen=True, slots=True)
class PastedServer:
    """A server. `fields` are the fields of McpServer that the text sets; `notes` what the user should know of it."""

    place: str
    fields: Mapping[str, Any]
    notes: tuple[ConfigProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class PastedConfig:
    """The servers of a text. `left_out` are entries that cannot be used, or are parts of another app."""

    servers: tuple[PastedServer, ...]
    inputs: tuple[ConfigInput, ...] = ()
    left_out: tuple[ConfigProblem, ...] = ()

    def filled(self, values: Mapping[str, str]) -> tuple["PastedConfig", dict[str, set[str]]]:
        """Return the configuration with the values of inputs inserted, and, by server name, the fields that hold secret
        values. Variables without a value stay references.

        Raises Refused `input_needed`, which lists missing values.
        """
        known = {**{each.id: each.default for each in self.inputs if each.default is not None}, **values}
        missing = [each for each in self.inputs if each.id not in known and not each.is_optional]
        if missing:
            listed = [{"id": each.id, "description": each.description, "is_secret": each.is_secret} for each in missing]
            names = ", ".join(each.id for each in missing)
            raise Refused("input_needed", f"values are needed for: {names}", inputs=listed)
        asked = {each.id: each for each in self.inputs}
        secret_fields: dict[str, set[str]] = {}
        servers = []
        for server in self.servers:
            paths: set[str] = set()

            def value_of(reference: Reference, place: str, paths: set[str] = paths) -> str | None:
                if reference.name not in asked or reference.name not in known:
                    return None
                if asked[reference.name].is_secret:
                    paths.add(place)
                return known[reference.name]

            fields = with_references(server.fields, value_of)
            secret_fields[fields["name"]] = paths
            servers.append(replace(server, fields=fields))
        return replace(self, servers=tuple(servers), inputs=()), secret_fields

    def only(self, places: Sequence[str]) -> "PastedConfig":
        """Return the configuration with the servers at these places alone, and what they ask for."""
        servers = tuple(server for server in self.servers if server.place in places)
        names = {each.name for server in servers for each in references_in(server.fields)}
        return replace(self, servers=servers, inputs=tuple(each for each in self.inputs if each.id in names))


@dataclass(slots=True)
class _ConfigReader:
    """Reads parsed configurations. `servers` can be used, by name; `left_out` says why others cannot."""

    folder: Path | None
    finder: GroupFinder = field(default_factory=GroupFinder)
    left_out: list[ConfigProblem] = field(default_factory=list)
    servers: dict[str, PastedServer] = field(default_factory=dict)

    def read(self, value: Any) -> None:
        entries = self.finder.entries(value)
        if len(entries) > MAX_SERVERS:
            self.finder.add_problem(entries[0].place.rpartition("/")[0] or "the whole", "too_many", most=MAX_SERVERS)
            return
        for entry in entries:
            self._read_entry(entry)

    def _read_entry(self, entry: Entry) -> None:
        value = entry.value
        if isinstance(value, str):
            with suppress(ConfigSyntaxError):
                value = read_link(value) or next(iter(read_commands(value)), value)
        if isinstance(value, Mapping) and entry.name is None and len(value) == 1 and not has_target(unwrapped(value)):
            name, inner = next(iter(value.items()))
            if isinstance(inner, Mapping):  # [{NAME: {…}}]
                entry, value = replace(entry, name=str(name)), inner
        if not isinstance(value, Mapping):
            kind = "nothing" if value is None else "a list" if isinstance(value, list) else "a value"
            self.left_out.append(ConfigProblem(entry.place, "no_server", {"kind": kind}))
            return
        if not has_target(value) and isinstance(uses := value.get("uses"), str):
            self.left_out.append(ConfigProblem(entry.place, "hub", {"uses": f"{uses:.80}"}))
            return
        if is_app_part(value):
            self.left_out.append(ConfigProblem(entry.place, "app_part"))
            return
        value = unwrapped(value)
        folder = self.folder if entry.folder is None else Path(entry.folder)
        reader = EntryReader(entry.place, folder, is_start_timeout=entry.is_start_timeout)
        name = own_name(value) or entry.name or name_of(value)
        fields = reader.read(name, value)
        if reader.problems:
            self.left_out += reader.problems
            return
        if reader.env_file is not None:
            fields["env"] = {
                **_env_variables(str(reader.env_file), entry.place, folder, reader.notes),
                **fields.get("env", {}),
            }
        # the folder of the workspace in place of its name: this app has no workspace
        fields = with_references(fields, lambda reference, place: _folder_value(reference, folder))
        if (same := self.servers.get(name)) is not None:
            if same.fields == fields:  # a page has the same server for several apps
                return
            fields["name"] = name = (
                entry.name if entry.name not in (None, name) else f"{name} ({len(self.servers) + 1})"
            )
        self._ask(fields)
        self.servers[name] = PastedServer(entry.place, fields, tuple(reader.notes))

    def _ask(self, fields: Mapping[str, Any]) -> None:
        """Ask for what the texts refer to and nothing here knows."""
        own, inputs = fields.get("env", {}), self.finder.inputs

        def ask(reference: Reference, place: str) -> None:
            name, part = reference.name, place.partition("/")
            is_secret = is_secret_name(name) or part[0] == "headers" or is_secret_name(part[2])
            if reference.kind is ReferenceKind.INPUT:
                inputs.setdefault(name, ConfigInput(name))
            elif reference.kind is ReferenceKind.OTHER:
                inputs.setdefault(name, ConfigInput(name, is_secret=is_secret))
            elif reference.kind is ReferenceKind.PLACEHOLDER:
                inputs.setdefault(name, ConfigInput(name, is_secret=is_secret, is_optional=True))
            elif reference.kind in (ReferenceKind.FOLDER, ReferenceKind.FOLDER_NAME) and not fields.get("cwd"):
                inputs.setdefault(name, ConfigInput(name, is_secret=False))
            elif reference.kind is ReferenceKind.VARIABLE and reference.default is None:
                # a variable of the server's own may extend the one of the same name
                is_own = name in own and place != f"env/{name}"
                if name not in os.environ and not is_own:
                    inputs.setdefault(name, ConfigInput(name, is_secret=is_secret, is_optional=True))

        with_references(fields, ask)


def read_pasted(text: str | bytes, folder: Path | None = None) -> PastedConfig:
    """Return the servers of a text, or of the bytes of a file. `folder` is where relative things in it begin. Raises
    Refused `bad_config` with every problem and its place, if nothing of it can be used.
    """
    reader = _ConfigReader(folder)
    if isinstance(text, bytes):
        try:
            text = decode_text(text)
        except UnicodeDecodeError:
            raise _refused([ConfigProblem("the whole", "encoding")]) from None
    elif len(text) > TEXT_CHARACTERS:
        raise _refused([ConfigProblem("the whole", "too_long", {"most": TEXT_CHARACTERS})])
    try:
        values = _values(text.removeprefix("\ufeff"))
    except ConfigSyntaxError as error:
        place = f"line {error.line}, column {error.column}" if error.line is not None else "the whole"
        about = {"format": str(error.format), "message": str(error)}
        raise _refused([ConfigProblem(place, "syntax", about)]) from None
    for value in values:
        reader.read(value)
    servers = tuple(reader.servers.values())
    # what the whole is about, such as its inputs, must be right; an entry that is not is left out
    if not servers or any(problem.code in ("too_many", "too_many_inputs") for problem in reader.finder.problems):
        problems = [*reader.finder.problems, *reader.left_out]
        raise _refused(problems or [ConfigProblem("the whole", "no_servers", {"names": ", ".join(GROUPS)})])
    return PastedConfig(servers, tuple(reader.finder.inputs.values()), (*reader.left_out, *reader.finder.problems))


def _refused(problems: Sequence[ConfigProblem]) -> Refused:
    listed_first = "; ".join(f"{problem.place}: {problem.message}" for problem in problems[:5])
    listed = [problem.as_dict() for problem in problems]
    return Refused("bad_config", f"the configuration cannot be read. {listed_first}", problems=listed)


def _values(text: str) -> list[Any]:
    """Return the values of a text, from each of its blocks that holds any. Raises ConfigSyntaxError."""
    text = without_margin(text)
    if re.match(r"\s*(?:\{|\[\s*[\[{\"'])", text):
        try:
            return [read_data(text)]
        except ConfigSyntaxError:
            if "```" not in text and "~~~" not in text:
                raise
    blocks = read_blocks(text)
    values: list[Any] = []
    failure: ConfigSyntaxError | None = None
    for block, language in blocks:
        try:
            values += _block_values(block, language)
        except ConfigSyntaxError as error:
            failure = failure or error
    if not values and failure is not None:
        raise failure
    return values or [None]


def _block_values(text: str, language: str) -> list[Any]:
    if (link := read_link(text)) is not None:
        return [link]
    is_shell = language in ("bash", "sh", "shell", "console", "zsh", "powershell", "cmd", "terminal", "shellsession")
    is_shell = is_shell or looks_like_command(text)
    try:
        value = None if is_shell else read_data(text)
    except ConfigSyntaxError as error:
        if (inner := _embedded(text)) is not None:
            return [inner]
        if error.format is Format.JSON or not (commands := _commands(text)):
            raise
        return commands
    if isinstance(value, str) and value.lstrip().startswith("{"):  # JSON inside of a text
        value = read_data(value)
    if isinstance(value, Mapping | list):
        return [value]
    return _commands(text) or ([] if value is None else [value])


def _commands(text: str) -> list[Any]:
    return list(unpacked(read_commands(text)))


def _embedded(text: str) -> Any:
    """Return the object in a text that has words around it, None if there is none."""
    begin, end = re.search(r"^[ \t]*[{\[]", text, re.MULTILINE), max(text.rfind("}"), text.rfind("]"))
    if begin is None or end < begin.start() or not text[: begin.start()].strip():
        return None
    try:
        value = read_data(text[begin.start() :] if "=" in text[begin.start() :] else text[begin.start() : end + 1])
    except ConfigSyntaxError:
        return None
    return value if isinstance(value, Mapping | list) else None


def _env_variables(path: str, place: str, folder: Path | None, notes: list[ConfigProblem]) -> dict[str, str]:
    """Return the variables of a file; its values are kept as values of the text are."""
    from dotenv import dotenv_values

    whole = replace_references(
        home_expanded(path, str(Path.home())), lambda each: _folder_value(each, folder) or _variable(each)
    )
    file = Path(whole) if folder is None else folder / whole
    read: Mapping[str, str | None] | None = None
    if file.is_absolute() and not find_references(whole):
        with suppress(OSError, ValueError):
            if file.stat().st_size <= ENV_FILE_BYTES:
                read = dotenv_values(stream=StringIO(decode_text(file.read_bytes())), interpolate=False)
    if read is None:
        notes.append(ConfigProblem(place, "env_file_missing", {"path": path}))
        return {}
    values = {name: value for name, value in read.items() if value is not None}
    notes.append(ConfigProblem(place, "env_file", {"count": len(values), "path": str(file)}))
    return values


def _folder_value(reference: Reference, folder: Path | None) -> str | None:
    if folder is None:
        return None
    return {ReferenceKind.FOLDER: str(folder), ReferenceKind.FOLDER_NAME: folder.name}.get(reference.kind)


def _variable(reference: Reference) -> str | None:
    if reference.kind is ReferenceKind.HOME:
        return str(Path.home())
    return os.environ.get(reference.name, reference.default) if reference.kind is ReferenceKind.VARIABLE else None
