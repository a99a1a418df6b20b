"""Where the servers of a configuration are: the groups of many apps, lists of named things, and the values that are
asked for beside them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from core.tools.mcp.config_problems import ConfigProblem
from core.tools.mcp.config_spellings import KEYS, first, has_target, is_app_part, unwrapped

MAX_INPUTS = 200
GROUPS = ("mcpServers", "servers", "context_servers", "extensions", "mcp_servers")
_CERTAIN = frozenset({"mcpservers", "contextservers", "ampmcpservers", "modelcontextprotocolservers", "mcp"})
_POSSIBLE = frozenset({"servers", "extensions", "toolservers"})
_NESTED = frozenset({"settings", "customizations", "vscode", "experimental", "tools", "projects"})
_FETCHERS = frozenset({"npx", "uvx", "bunx", "pnpx", "pipx", "pnpm", "yarn", "bun", "uv"})
_NOT_SERVERS = frozenset({"inputs", "$schema", "version", "schema"})


@dataclass(frozen=True, slots=True)
class ConfigInput:
    """A value that the user has to enter. `is_secret`: it is stored as a secret wherever it is used. `is_optional`: a
    variable that is not set here, and may be when the server starts.
    """

    id: str
    description: str = ""
    is_secret: bool = True
    default: str | None = None
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a group, with its name there. `folder` is that of its project, if the text names it.
    `is_start_timeout`: see EntryReader.
    """

    place: str
    name: str | None
    value: Any
    is_start_timeout: bool = False
    folder: str | None = None


@dataclass(slots=True)
class GroupFinder:
    """Finds the entries of a configuration. `problems` are about the whole, `inputs` what is asked for, by id."""

    problems: list[ConfigProblem] = field(default_factory=list)
    inputs: dict[str, ConfigInput] = field(default_factory=dict)

    def entries(self, value: Any) -> list[Entry]:
        """Return the entries of a parsed configuration."""
        if isinstance(value, Mapping):
            self._read_inputs(value)
        return list(self._entries(value, "", 0))

    def add_problem(self, place: str, code: str, **about: Any) -> None:
        self.problems.append(ConfigProblem(place, code, about))

    def _entries(self, value: Any, place: str, depth: int) -> Iterator[Entry]:
        if isinstance(value, list):
            yield from self._group(value, place)
            return
        if not isinstance(value, Mapping):
            self.add_problem(place or "the whole", "no_object")
            return
        found = list(self._groups_in(value, place, depth))
        if found:
            yield from (entry for group in found for entry in group)
        elif has_target(unwrapped(value)) or is_app_part(value):
            yield Entry(place or name_of(unwrapped(value)), None, value)
        else:
            others = {name: part for name, part in value.items() if name not in _NOT_SERVERS}
            if others and all(isinstance(part, Mapping) for part in others.values()):
                yield from self._group(others, place)
                return
            servers = {name: part for name, part in others.items() if isinstance(part, Mapping) and has_target(part)}
            if servers:
                yield from self._group(servers, place)
            else:
                self.add_problem(place or "the whole", "no_servers", names=", ".join(GROUPS))

    def _groups_in(self, value: Mapping[str, Any], place: str, depth: int) -> Iterator[list[Entry]]:
        """Yield the entries of each group in an object."""
        keys = {name: re.sub(r"[^a-z]", "", str(name).lower()) for name in value}
        certain = [name for name, key in keys.items() if key in _CERTAIN or key == "mcpservers"]
        certain = [name for name in certain if keys[name] != "mcp" or isinstance(value[name], Mapping | list)]
        for name in certain or [name for name, key in keys.items() if key in _POSSIBLE]:
            where, group = f"{place}/{name}" if place else str(name), value[name]
            if keys[name] == "mcp" and isinstance(group, Mapping):
                if any(key in group for key in ("servers", "mcpServers", "inputs")):
                    self._read_inputs(group)
                    group, where = first(group, "servers", "mcpServers") or {}, f"{where}/servers"
                yield list(self._group(group, where, is_start_timeout=True))
            elif name not in certain and isinstance(group, list) and not any(isinstance(one, Mapping) for one in group):
                self.add_problem(where, "no_group" if group else "empty")
            else:
                yield list(self._group(group, where))
        for name, key in keys.items():
            inner = value[name]
            if not isinstance(inner, Mapping) or depth > 3 or name in certain:
                continue
            if key not in _NESTED and (certain or not _holds_group(inner)):
                continue
            parts = inner.items() if key == "projects" else [(name, inner)]
            for part, holder in parts:
                if isinstance(holder, Mapping):
                    self._read_inputs(holder)
                    where = f"{name}/{part}" if key == "projects" else str(name)
                    for entries in self._groups_in(holder, f"{place}/{where}" if place else where, depth + 1):
                        yield [replace(entry, folder=str(part)) if key == "projects" else entry for entry in entries]

    def _group(self, group: Any, place: str, *, is_start_timeout: bool = False) -> Iterator[Entry]:
        if isinstance(group, list):
            for at, value in enumerate(group):
                yield Entry(f"{place}/{at}" if place else str(at), None, value, is_start_timeout)
        elif not isinstance(group, Mapping) and group is not None:
            self.add_problem(place or "the whole", "no_group")
        elif group and (has_target(group) and not all(isinstance(part, Mapping) for part in group.values())):
            yield Entry(place, None, group, is_start_timeout)
        for name, value in group.items() if isinstance(group, Mapping) and not has_target(group) else ():
            yield Entry(f"{place}/{name}" if place else str(name), str(name), value, is_start_timeout)
        if not group:
            self.add_problem(place or "the whole", "empty")

    def _read_inputs(self, holder: Mapping[str, Any]) -> None:
        listed = holder.get("inputs")
        if isinstance(listed, Mapping):
            listed = [{"id": name, **(each if isinstance(each, Mapping) else {})} for name, each in listed.items()]
        if listed in (None, ""):
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
            default, about = fields.get("default"), str(fields.get("description") or "")
            if isinstance(options := fields.get("options"), list):
                labels = [
                    str(each.get("value", "")) if isinstance(each, Mapping) else str(each) for each in options[:20]
                ]
                about = f"{about or fields['id']} ({', '.join(labels)})"
            self.inputs[fields["id"]] = ConfigInput(
                fields["id"], about, bool(fields.get("password")), default if isinstance(default, str) else None
            )


def _holds_group(value: Mapping[str, Any]) -> bool:
    return any(re.sub(r"[^a-z]", "", str(name).lower()) in _CERTAIN - {"mcp"} for name in value)


def own_name(entry: Mapping[str, Any]) -> str | None:
    name = first(entry, "name", "title")
    return " ".join(name.split()) or None if isinstance(name, str) else None


def name_of(entry: Mapping[str, Any]) -> str:
    """Return a name for a server that has none."""
    given = first(entry, "id", "key", "label", "server_label")
    if isinstance(given, str):
        return given
    command, url = first(entry, *KEYS["command"]), first(entry, *KEYS["url"])
    args = first(entry, *KEYS["args"])
    words = [command] if isinstance(command, str) else list(command) if isinstance(command, list) else []
    words = [word for word in [*words, *(args if isinstance(args, list) else [])] if isinstance(word, str)]
    if words:
        # `npx -y some-mcp-server`: the package is the name, not the program that starts it.
        rest = [
            word for word in words[1:] if not word.startswith("-") and word not in ("run", "exec", "tool", "dlx", "x")
        ]
        package = rest[:1] if PurePath(words[0]).name in _FETCHERS else []
        last = next((word for word in reversed(words) if not word.startswith("-") and "mcp" in word), None)
        last = last or (package or words)[0]
        name = PurePath(last.replace("\\", "/")).name
        return re.sub(r"(?<=.)@[\w.^~-]+$", "", name)[:64] or "server"
    return re.sub(r"^https?://", "", url).partition("/")[0][:64] if isinstance(url, str) else "server"
