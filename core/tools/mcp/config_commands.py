"""Servers in command lines and links, which documentation gives to be run or clicked (AGENTS_AND_TOOLS §7).

    npx -y some-mcp --flag                                                        the server's own command
    claude mcp add NAME -e KEY=VALUE -- npx …      codex|gemini|copilot|q mcp add …      the command of another app
    code --add-mcp '{"name": …}'      claude mcp add-json NAME '{…}'
    https://some.example/mcp                                                      an address
    cursor://…/mcp/install?name=NAME&config=BASE64      vscode:mcp/install?{…}    a link that installs

Each becomes the object that a configuration would have for it.
"""

import base64
import binascii
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from core.tools.mcp.config_text import ConfigSyntaxError, Format, read_json

LINK_CHARACTERS = 20_000

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_PROMPT = re.compile(
    r"^[ \t]*(?:(?:[$>%\u276f\u279c\u00bb]|PS [^>\n]*>|[A-Za-z]:\\[^>\n]*>|[\w.-]+@[\w.-]+[:\w~/. -]*[$%])[ \t]+)",
    re.MULTILINE,
)
_CONTINUED = re.compile(r"[ \t]*(?:\\|\^|`)[ \t]*\r?\n[ \t]*")
_PRINTED = re.compile(r"\$\(([^()]*)\)")
_SET = re.compile(r"(?:(?:export|set|setx)\s+|\$env:)(\w+)\s*[= ]\s*(.*)|\$(\w+)\s*=\s*(.*)", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
_LINK = re.compile(r"[a-z][a-z0-9+.-]*:(?://)?[^\s<>\"'()?]*\?[^\s<>\"']*(?<![).,;])", re.IGNORECASE)
_INSTALLS = re.compile(r"install[-/]?mcp|mcp/(?:install|add)|mcp%2Finstall|goose/extension", re.IGNORECASE)
_RUNNERS = frozenset(
    """
    npx npm pnpm pnpx bunx bun yarn deno node tsx uvx uv pipx python python3 py docker podman java go cargo dotnet php
    ruby perl cmd powershell pwsh sh bash nix env sudo
    """.split()  # noqa: SIM905  # a list of words
)
_PREPARES = re.compile(
    r"(?:(?:sudo )?(?:npm|pnpm|yarn|bun|pip|pip3|pipx|uv|brew|apt|apt-get|cargo|go|gem|dotnet|winget|scoop|choco)"
    r"(?: tool| global| pip)? (?:install|add|i|ci|build|update|upgrade|sync)\b|git clone|cd |mkdir |curl |wget |chmod "
    r"|docker (?:build|pull|login|compose)|(?:npm|pnpm|yarn|bun) run |go build)"
)
_COMMAND = re.compile(
    r"(?:[A-Za-z_]\w*=\S+ )*"
    rf"(?:[\w-]+ mcp (?:add|add-json|install) |[\w-]+ --add-mcp |(?:{'|'.join(sorted(_RUNNERS))}) )"
)
# options of `mcp add`, of all apps, with a value
_OPTIONS = {
    "transport": ("-t", "--transport", "--type"),
    "env": ("-e", "--env", "--environment"),
    "headers": ("-H", "--header", "--headers"),
    "url": ("--url", "--http-url"),
    "command": ("--command",),
    "args": ("--args", "--arg"),
    "name": ("--name",),
    "cwd": ("--cwd",),
    "timeout": ("--timeout",),
    "bearer_token_env_var": ("--bearer-token-env-var",),
    "includeTools": ("--include-tools", "--tools"),
    "excludeTools": ("--exclude-tools",),
    "": ("-s", "--scope", "--description", "--client-id", "--callback-port", "--agent", "--workspace", "--profile"),
}
_OPTION_NAMES = {option: name for name, options in _OPTIONS.items() for option in options}
_LISTS = frozenset({"env", "headers", "args", "includeTools", "excludeTools"})


def read_link(text: str) -> Any:
    """Return the server of an address or of a link that installs it, None if the text is neither. Raises
    ConfigSyntaxError.
    """
    text = text.strip().strip("<>`\"'")
    if len(text) > LINK_CHARACTERS:
        return None
    for link in _LINK.finditer(text):
        # an address of a server may have a configuration of its own behind the question mark
        is_web = _ADDRESS.match(link[0]) is not None
        if (not is_web or _INSTALLS.search(link[0])) and (value := _read_install_link(link[0])) is not None:
            return value
    return {"url": text} if _ADDRESS.fullmatch(text) else None


def _read_install_link(link: str) -> Any:
    """Return the configuration inside of a link, None if there is none."""
    query = link.partition("?")[2].partition("#")[0]
    plain = unquote(query)
    if "?" in plain and plain.startswith("url="):
        return _read_install_link(plain.removeprefix("url="))
    if plain.lstrip().startswith("{"):
        return read_json(plain)
    fields = parse_qs(query.replace("+", "%2B"))
    if urlsplit(link).scheme == "goose" or "/goose/extension?" in link:
        return _goose_fields(fields)
    for name in ("config", "servers", "server", "mcp"):
        if name in fields:
            value = read_json(_decoded(fields[name][0]))
            given = fields.get("name", [""])[0]
            if isinstance(value, Mapping) and given and not _holds_group(value):
                value = {**value, "name": given}
            if isinstance(value, Mapping) and "inputs" in fields:
                group = value if _holds_group(value) else {"servers": [value]}
                return {**group, "inputs": read_json(fields["inputs"][0])}
            return value
    return None


def _holds_group(value: Mapping[str, Any]) -> bool:
    return any(name in value for name in ("mcpServers", "servers"))


def _decoded(text: str) -> str:
    """Return JSON that is given as it is, or in base64."""
    if text.lstrip().startswith(("{", "[")):
        return text
    try:
        data = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
        return data.decode("utf-8")
    except (binascii.Error, ValueError):
        raise ConfigSyntaxError(Format.LINK, "its configuration is neither JSON nor base64") from None


def _goose_fields(fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the server of a link of Goose. The values of its variables are descriptions: they are asked for."""
    names = [each.partition("=")[0] for each in fields.get("env", ())]
    target = {"uri": fields["url"][0]} if "url" in fields else {"cmd": fields.get("cmd", [""])[0]}
    name = fields.get("name", fields.get("id", [""]))[0]
    headers = {"headers": dict(each.split("=", 1) for each in fields.get("header", ()) if "=" in each)}
    return {"name": name, **target, "args": list(fields.get("arg", ())), "env_keys": names, **headers}


def looks_like_command(text: str) -> bool:
    """Return whether a text begins as a command line does, though it might be read as data too."""
    return _COMMAND.match(_PROMPT.sub("", text.lstrip())) is not None


def read_commands(text: str) -> list[Any]:
    """Return the servers of the command lines of a text, [] if it holds none. Raises ConfigSyntaxError."""
    plain = _CONTINUED.sub(" ", _PROMPT.sub("", text.strip()))
    plain = re.sub(r"^((?:export|set|cd) [^\n&]*?)\s*&&\s*", r"\1\n", plain, flags=re.MULTILINE)
    # what another command prints is not known here: it is asked for
    plain = _PRINTED.sub(lambda match: f"${{command:{(match[1].split() or ['it'])[0]}}}", plain)
    found: list[Any] = []
    given: dict[str, str] = {}
    for number, whole in enumerate(plain.splitlines(), 1):
        line = whole.strip().rstrip(";")
        if not line or line.startswith(("#", "//", "::", "REM ")) or _PREPARES.match(line):
            continue
        if (assignment := _SET.fullmatch(line)) is not None:
            name, value = assignment[1] or assignment[3], assignment[2] or assignment[4] or ""
            given[name] = value.strip().strip("\"'")
            continue
        words = _words(line, number)
        while words and (words[0] in ("sudo", "env") or _ASSIGNMENT.fullmatch(words[0])):
            name, is_pair, value = words.pop(0).partition("=")
            if is_pair:
                given[name] = value
        found += [_with_env(server, given) for server in _servers(words)]
    return found


def _words(line: str, number: int) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if re.search(r"(?:^|[\s\"'=])(?:[A-Za-z]:|\.{0,2}|%\w+%)\\", line):
        lexer.escape = ""  # a path of Windows
    lexer.quotes = "\"'"
    try:
        return list(lexer)
    except ValueError as error:
        raise ConfigSyntaxError(Format.COMMAND, str(error).lower(), number, 1) from None


def _with_env(server: Any, given: Mapping[str, str]) -> Any:
    if not given or not isinstance(server, Mapping) or "url" in server:
        return server
    return {**server, "env": {**given, **(server.get("env") or {})}}


def _servers(words: Sequence[str]) -> list[Any]:
    if not words:
        return []
    if "--add-mcp" in words:
        return [read_json(word) for word in words[words.index("--add-mcp") + 1 :] if word.lstrip().startswith("{")]
    for at, word in enumerate(words[:-1]):
        if word == "mcp" and words[at + 1] in ("add", "add-json", "install"):
            return [_added(words[at + 2 :], is_json=words[at + 1] == "add-json")]
        if word in ("--with-extension", "--with-streamable-http-extension"):
            value = words[at + 1]
            return [{"url": value}] if _ADDRESS.fullmatch(value) else read_commands(value)
    if any("smithery" in word for word in words[:4]) and "install" in words:
        raise ConfigSyntaxError(
            Format.COMMAND, "it installs a server into another app; paste what it writes there", 1, 1
        )
    if _ADDRESS.fullmatch(words[0]):
        return [{"url": words[0]}]
    is_word = re.fullmatch(r"(?!\d+$)[\w@./\\~%+$:-]*[\w%]", words[0]) is not None
    if _is_program(words[0]) or (is_word and any("mcp" in word.lower() for word in words)):
        return [{"command": words[0], "args": list(words[1:])}]
    return []


def _is_program(word: str) -> bool:
    return word in _RUNNERS or re.match(r"(?:[A-Za-z]:\\|~?/|\.{1,2}[/\\]|%\w+%\\)\S", word) is not None


def _added(words: Sequence[str], *, is_json: bool) -> dict[str, Any]:
    """Return the server that the arguments of another app's `mcp add` name."""
    fields: dict[str, Any] = {}
    positional: list[str] = []
    rest: list[str] = []
    queue, is_env = iter(words), False
    for word in queue:
        option, is_pair, value = word.partition("=")
        if word == "--":
            rest = list(queue)
        elif option in _OPTION_NAMES:
            is_env = _OPTION_NAMES[option] == "env"
            _take(fields, _OPTION_NAMES[option], value if is_pair else next(queue, ""))
            continue
        elif is_env and _ASSIGNMENT.fullmatch(word):
            fields["env"].append(word)  # `-e A=1 B=2`
            continue
        elif not word.startswith("-") or len(positional) > 1:  # else a switch of that app
            positional.append(word)
            if len(positional) == 2 and not _ADDRESS.fullmatch(word) and not is_json:
                rest = [positional.pop(), *queue]
        is_env = False
    if positional and "name" not in fields:
        fields["name"] = positional.pop(0)
    if is_json:
        value = read_json(positional[0]) if positional else {}
        return {**(value if isinstance(value, Mapping) else {}), "name": fields.get("name", "server")}
    target = (rest or positional or [""])[0]
    if _ADDRESS.fullmatch(target) and len(rest) <= 1:
        fields["url"] = target
    elif target:
        fields |= {"command": target, "args": [*rest[1:], *fields.get("args", ())]}
    if fields.get("transport") == "stdio":
        del fields["transport"]
    return fields


def _take(fields: dict[str, Any], name: str, value: str) -> None:
    if name in ("env", "headers"):
        fields.setdefault(name, []).append(value)
    elif name in _LISTS:
        fields.setdefault(name, []).extend(part for part in value.split(",") if part)
    elif name:
        fields[name] = value


def unpacked(values: Sequence[Any]) -> Iterator[Any]:
    """Yield the configurations of command lines: single servers together, as a list."""
    singles = [value for value in values if isinstance(value, Mapping) and not _holds_group(value)]
    yield from (value for value in values if value not in singles)
    if singles:
        yield singles if len(singles) > 1 else singles[0]
