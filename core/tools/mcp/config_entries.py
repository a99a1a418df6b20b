"""The entry of a server, in the spellings of many apps, read as the fields of McpServer (AGENTS_AND_TOOLS §7).

What is null, or empty, is not there. What changes what runs, or what is allowed, is either taken over or noted; what
is not understood is noted too.
"""

import math
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.domain.text.json_text import type_name
from core.domain.text.secret_names import is_secret_name
from core.tools.mcp.config_problems import ConfigProblem
from core.tools.mcp.config_spellings import BOUNDS, HARMLESS, HTTP, KEYS, LIMITS, OFF, STDIO, first, has_target

_DASHED = re.compile(r"[\u2013\u2014](?=[A-Za-z])")
_RELATIVE = re.compile(r"\.{1,2}(?:[/\\].*)?", re.DOTALL)


class EntryReader:
    """Reads entries. `problems` of an entry make it unusable, `notes` do not. `folder`: where relative things begin.
    `start_timeout`: a limit without a name of its own is that of the start, in milliseconds.
    """

    def __init__(self, where: str, folder: Path | None, *, is_start_timeout: bool = False) -> None:
        self.problems: list[ConfigProblem] = []
        self.notes: list[ConfigProblem] = []
        self.env_file: str | None = None
        self._where = where
        self._folder = folder
        self._is_start_timeout = is_start_timeout

    def read(self, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of McpServer."""
        fields: dict[str, Any] = {"name": name}
        kind = self._kind(entry)
        command, url = first(entry, *KEYS["command"]), first(entry, *KEYS["url"])
        if command is not None and url is not None and kind is not None:
            command, url = (command, None) if kind == "stdio" else (None, url)
        # Exactly one of the two is needed; both would leave open which of them runs.
        if (command is None) == (url is None):
            self._problem("", "both" if command is not None else "neither")
        elif command is not None:
            fields |= self._program(command, entry)
        else:
            fields["url"] = self._text(url, "url").strip()
            fields["headers"] = self._headers(entry)
        fields |= self._limits(entry)
        if any(_truth(entry.get(key)) is value for key, value in OFF.items()):
            fields["is_enabled"] = False
        fields |= self._tools(entry)
        self._note_rest(entry)
        return fields

    def _kind(self, entry: Mapping[str, Any]) -> str | None:
        kind = first(entry, *KEYS["kind"])
        if isinstance(kind, Mapping):
            kind = kind.get("type")
        word = re.sub(r"[^a-z]", "", str(kind).lower()).removesuffix("serverparams") if kind is not None else ""
        if word == "sse":
            self._problem("type", "sse")
        elif word in ("ws", "websocket"):
            self._problem("type", "kind", kind=f"{kind!r:.60}")
        elif word and word not in STDIO | HTTP:  # the command or the address decides
            self._note("ignored", names=f"type {kind!r:.60}")
            return None
        return None if not word else "stdio" if word in STDIO else "http"

    # A program

    def _program(self, command: Any, entry: Mapping[str, Any]) -> dict[str, Any]:
        args, env = first(entry, *KEYS["args"]), first(entry, *KEYS["env"])
        if isinstance(command, Mapping) and has_target({**command, "command": first(command, "path", "command")}):
            args, env = first(command, *KEYS["args"]) or args, first(command, *KEYS["env"]) or env
            command = first(command, "path", "command")
        if isinstance(command, list):
            words = self._texts(command, "command")
            program, listed = (words[0], words[1:]) if words else ("", [])
        else:
            program, listed = split_command(self._text(command, "command").strip(), is_alone=args is None)
        given = self._texts(args, "args")
        if len(given) == 1 and re.match(r"-\w+ +\S", given[0]):  # `-y package` in a list of its own
            given = split_words(given[0])
        listed = [*listed, *given]
        dashed = [word for word in listed if _DASHED.match(word)]
        if dashed:
            listed = [_DASHED.sub("-" if len(word) == 2 else "--", word, count=1) for word in listed]
            self._note("dashes", names=", ".join(dashed))
        variables = self._named(env, "env", "=")
        variables |= self._forwarded(entry, program, listed, env, variables)
        self.env_file = first(entry, *KEYS["env_file"])
        fields: dict[str, Any] = {"command": program, "args": listed, "env": variables}
        return fields | self._folders(program, listed, variables, first(entry, *KEYS["cwd"]))

    def _forwarded(
        self, entry: Mapping[str, Any], program: str, args: list[str], env: Any, given: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the variables that are only named: they come from the environment. What an app keeps elsewhere
        and what is a secret is asked for; the rest may be absent.
        """
        needed = self._texts(entry.get("env_keys"), "env_keys")
        listed = entry.get("env_vars")
        names = [item.get("name") if isinstance(item, Mapping) else item for item in _list(listed)]
        names += [item for item in _list(env) if isinstance(item, str) and "=" not in item]
        if Path(program).name in ("docker", "podman"):  # `-e NAME` takes the value from the program's own environment
            names += [word for flag, word in pairwise(args) if flag in ("-e", "--env") and "=" not in word]
        forwarded = {name: f"${{{name}:-}}" for name in names if isinstance(name, str) and re.fullmatch(r"\w+", name)}
        needed += [name for name in forwarded if is_secret_name(name)]
        forwarded |= {name: f"${{{name}}}" for name in needed}
        return {name: value for name, value in forwarded.items() if name not in given}

    def _folders(self, program: str, args: list[str], env: Mapping[str, str], cwd: Any) -> dict[str, Any]:
        """Return the command and the folder, made whole: they must not depend on where this app is started."""
        folder = self._folder
        words = [*([program] if re.search(r"[/\\]", program) else []), *args, *env.values()]
        relative = [word for word in words if _RELATIVE.fullmatch(word)]
        fields: dict[str, Any] = {}
        if cwd is not None:
            text = self._text(cwd, "cwd")
            is_whole = Path(text).is_absolute() or text.startswith(("~", "$", "{", "%")) or re.match(r"[A-Za-z]:", text)
            fields["cwd"] = text if is_whole or folder is None else str((folder / text).resolve())
            relative = [] if is_whole or folder is not None else [text]
        elif folder is not None:
            fields["cwd"] = str(folder)
        if folder is not None and re.match(r"\.{1,2}[/\\]", program):
            fields["command"] = str((Path(fields.get("cwd") or folder) / program).resolve())
        if relative:
            code = "relative" if "cwd" in fields and folder is not None else "relative_nowhere"
            self._note(code, names=", ".join(dict.fromkeys(relative)), folder=fields.get("cwd") or "")
        return fields

    # Addresses, limits and tools

    def _headers(self, entry: Mapping[str, Any]) -> dict[str, str]:
        headers = self._named(first(entry, *KEYS["headers"]), "headers", ":")
        for part in ("requestInit", "requestOptions", "request_options"):
            if isinstance(inner := entry.get(part), Mapping):
                headers |= self._named(inner.get("headers"), f"{part}/headers", ":")
        for header, variable in self._named(entry.get("env_http_headers"), "env_http_headers", ":").items():
            headers[header] = f"${{{variable}}}"
        token = first(entry, "bearerToken", "bearer_token", "authorization_token", "authToken", "apiKey")
        if isinstance(variable := first(entry, "bearer_token_env_var"), str):
            token = f"${{{variable}}}"
        if isinstance(token, str):
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def _limits(self, entry: Mapping[str, Any]) -> dict[str, float]:
        fields: dict[str, float] = {}
        for key, limit in LIMITS.items():
            if (value := entry.get(key)) in (None, ""):
                continue
            name, unit = ("start_timeout_s", 0.001) if key == "timeout" and self._is_start_timeout else limit
            seconds = _seconds(value, unit)
            if seconds is None:
                self._problem(key, "no_seconds")
            elif seconds > 0:
                fields.setdefault(name, min(max(seconds, 1.0), BOUNDS[name]))
        return fields

    def _tools(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        only = self._patterns(first(entry, *KEYS["only_tools"]))
        without = self._patterns(first(entry, *KEYS["without_tools"])) or []
        given = entry.get("tools")
        if isinstance(given, Mapping):  # {name: true, other: false}
            without += [str(name) for name, value in given.items() if _truth(_inner(value)) is False]
        fields: dict[str, Any] = {}
        if only is not None and "*" not in only:
            fields["only_tools"] = only
            self._note("only_tools", names=", ".join(only))
        if without:
            fields["without_tools"] = without
            self._note("without_tools", names=", ".join(without))
        return fields

    def _patterns(self, value: Any) -> list[str] | None:
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, list):
            return None
        names = [item.get("name") if isinstance(item, Mapping) else item for item in value]
        return [name.strip() for name in names if isinstance(name, str) and name.strip()]

    def _note_rest(self, entry: Mapping[str, Any]) -> None:
        known = {key for keys in KEYS.values() for key in keys} | set(OFF) | set(LIMITS) | HARMLESS
        asked = [key for key in KEYS["approvals"] if entry.get(key) not in (None, "", [], {}, False)]
        names = [str(name) for key in asked for name in (entry[key] if isinstance(entry[key], list) else [key])]
        if names:
            self._note("approvals", names=", ".join(names[:20]))
        ignored = [key for key, value in entry.items() if key not in known and value not in (None, "", [], {}, False)]
        if ignored:
            self._note("ignored", names=", ".join(map(str, ignored[:20])))

    # Values

    def _text(self, value: Any, place: str) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self._problem(place, "no_text", kind=_kind_of(value))
        return ""

    def _texts(self, value: Any, place: str) -> list[str]:
        if value in (None, {}, ""):
            return []
        if isinstance(value, str):
            return split_words(value)
        if not isinstance(value, list):
            self._problem(place, "no_texts", kind=_kind_of(value))
            return []
        return [
            ("true" if item else "false") if isinstance(item, bool) else self._text(item, f"{place}/{at}")
            for at, item in enumerate(value)
        ]

    def _named(self, value: Any, place: str, sign: str) -> dict[str, str]:
        """Return names and texts of an object, of a list of pairs, or of lines; a pair is `NAME=VALUE`, or an object
        with both.
        """
        if isinstance(value, str):
            value = [line.strip() for line in value.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if value in (None, []):
            return {}
        if isinstance(value, list):
            pairs: dict[str, Any] = {}
            for item in value:
                if isinstance(item, Mapping) and isinstance(key := first(item, "name", "key"), str):
                    pairs[key] = item.get("value")
                elif isinstance(item, str) and (split := sign if sign in item else "=") in item:
                    key, _, text = item.partition(split)
                    pairs[key.strip()] = text.strip() if sign == ":" else text
                elif not isinstance(item, str):
                    self._problem(place, "no_names", kind=_kind_of(value))
            value = pairs
        if not isinstance(value, Mapping):
            self._problem(place, "no_names", kind=_kind_of(value))
            return {}
        return {
            str(name): ("true" if item else "false") if isinstance(item, bool) else self._text(item, f"{place}/{name}")
            for name, item in value.items()
            if item is not None
        }

    def _problem(self, part: str, code: str, **about: Any) -> None:
        self.problems.append(ConfigProblem(f"{self._where}/{part}" if part else self._where, code, about))

    def _note(self, code: str, **about: Any) -> None:
        self.notes.append(ConfigProblem(self._where, code, about))


def split_words(text: str) -> list[str]:
    """Return the words of a command line; backslashes of Windows stay."""
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters = True, ""
        if re.search(r"[A-Za-z]:\\|\\\\", text):
            lexer.escape = ""
        return list(lexer)
    except ValueError:
        return text.split()


def split_command(command: str, *, is_alone: bool) -> tuple[str, list[str]]:
    """Return program and arguments of a command that has both in one text. A path with blanks is a program."""
    head, _, rest = command.partition(" ")
    if not rest or (re.search(r"[/\\]", head) and (Path(command).exists() or not _is_program(head) or not is_alone)):
        return command, []
    if shutil.which(command) is not None:
        return command, []
    words = split_words(command)
    return words[0], words[1:]


def _is_program(path: str) -> bool:
    return os.access(os.path.expanduser(path), os.X_OK)  # noqa: PTH111


def _seconds(value: Any, unit: float) -> float | None:
    """Return a limit in seconds, None if it is no number."""
    if isinstance(value, str) and (match := re.fullmatch(r"\s*([\d.]+)\s*(ms|s|sec|seconds?|m|min)?\s*", value)):
        units = {"ms": 0.001, "m": 60.0, "min": 60.0}
        unit = units.get(match[2], 1.0) if match[2] else unit
        try:
            value = float(match[1])
        except ValueError:
            return None
    # In Python a bool is an int.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) * (unit or (1.0 if value < 1000 else 0.001))


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _inner(value: Any) -> Any:
    return value.get("enabled") if isinstance(value, Mapping) else value


def _kind_of(value: Any) -> str:
    name = type_name(value)
    kinds = {"null": "nothing", "true/false": "true or false"}
    return kinds.get(name) or f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
