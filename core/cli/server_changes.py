"""`servers show`, `edit`, `enable`, `disable`: what the window does with a server that is there."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.app import Core
from core.cli.output import FAILED, SUCCESS, write_line
from core.domain.mcp_server import McpServer, ServerStatus
from core.errors import Refused
from core.services.outcome import unwrap
from core.services.templates import read_text

CHANGES = ("edit", "enable", "disable")

_TEXTS = {"name": "the name", "command": "the program", "url": "the address", "cwd": "the working folder"}
_SECONDS = {"timeout": ("timeout_s", "of one call"), "start-timeout": ("start_timeout_s", "of a start")}

_TOOLS = {
    "tools": ("only_tools", "the tools that are offered alone"),
    "without-tools": ("without_tools", "the tools that are not offered"),
}


def add_change_verbs(verb: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the parsers of these verbs."""
    verb("show", "one server: what runs, limits, state, last failure and log").add_argument("name", metavar="NAME")
    for name, what in (("enable", "switch a server on"), ("disable", "switch a server off, which stops it")):
        verb(name, what).add_argument("name", metavar="NAME")
    edit = verb("edit", "change what is given, and leave the rest")
    edit.add_argument("name", metavar="NAME")
    for option, what in _TEXTS.items():
        edit.add_argument(f"--{option}", dest=f"new_{option}", metavar="TEXT", help=f"{what}; '' for none")
    edit.add_argument("--arg", action="append", metavar="TEXT", help="an argument: those given replace all (--arg=-y)")
    for option, place in (("env", "variable"), ("header", "header")):
        for name, metavar, what in ((option, "NAME=VALUE|NAME=@FILE", "set"), (f"unset-{option}", "NAME", "remove")):
            edit.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=f"{what} a {place}")
    for option, (field, what) in _SECONDS.items():
        edit.add_argument(f"--{option}", dest=field, type=float, metavar="SECONDS", help=f"the time limit {what}")
    for option, (_, what) in _TOOLS.items():
        edit.add_argument(f"--{option}", metavar="NAME,…", help=f"{what}, with commas between; * is any; '' for none")
    edit.add_argument("--start-with-app", choices=("yes", "no"), help="whether it starts with the app")
    edit.add_argument("--yes", action="store_true", help="agree to run it as it is then, and connect")


def show_server(core: Core, name: str) -> int:
    """Print a server with its limits and its log."""
    status = core.servers.named(name)
    server = status.server
    about = {
        "is_enabled": server.is_enabled,
        "is_confirmed": server.is_confirmed,
        "starts_with_app": server.starts_with_app,
        "timeout_s": server.timeout_s,
        "start_timeout_s": server.start_limit_s,
        "only_tools": list(server.only_tools) if server.only_tools is not None else None,
        "without_tools": list(server.without_tools),
        "secrets": sorted(server.secrets),
        "log": core.servers.log(server.id),
    }
    write_line({**server_line(status), **about})
    return SUCCESS


async def change_server(core: Core, args: argparse.Namespace) -> int:
    """Make the change and print the server. With `--yes` it is connected, and its failure is the exit code."""
    server = core.servers.named(args.name).server
    if args.verb == "edit":
        changed = unwrap(await core.servers.save(server.id, confirmed=args.yes, **_changed_fields(server, args)))
        may_run = args.yes and changed.server.is_enabled
    else:
        changed = unwrap(await core.servers.enable(server.id, enabled=args.verb == "enable"))
        may_run = False
    if may_run:
        await core.servers.test(server.id)
        changed = core.servers.get(server.id)
    write_line(server_line(changed))
    return FAILED if may_run and changed.error is not None else SUCCESS


def server_line(status: ServerStatus) -> dict[str, Any]:
    """Return a server as a line, without secrets."""
    return {
        "id": status.server.id,
        **status.server.what_runs(),
        "state": status.state,
        "tools": [info.name for info in status.tools],
        "left_out": list(status.left_out),
        "cleaned": list(status.cleaned),
        "error": status.error.as_dict() if status.error is not None else None,
    }


def parse_value(option: str, text: str) -> tuple[str, str]:
    """Return name and value of a `NAME=VALUE` or `NAME=@FILE`. Raises Refused `bad_input`."""
    name, is_pair, value = text.partition("=")
    if not name or not is_pair:
        raise Refused("bad_input", f"--{option} is NAME=VALUE, or NAME=@FILE")
    return name, read_text(Path(value[1:])).rstrip("\r\n") if value.startswith("@") else value


def _changed_fields(server: McpServer, args: argparse.Namespace) -> dict[str, Any]:
    """Return the fields that the options change. Raises Refused `bad_input`."""
    fields: dict[str, Any] = {}
    for option in _TEXTS:
        if (text := getattr(args, f"new_{option}")) is not None:
            fields[option] = text or None
    if args.arg is not None:
        fields["args"] = args.arg
    for option, field in (("env", "env"), ("header", "headers")):
        given = dict(parse_value(option, text) for text in getattr(args, option))
        unset = getattr(args, f"unset_{option}")
        if given or unset:
            fields[field] = _with_values(getattr(server, field), given, unset, option)
    fields |= {field: value for field, _ in _SECONDS.values() if (value := getattr(args, field)) is not None}
    for option, (field, _) in _TOOLS.items():
        if (text := getattr(args, option.replace("-", "_"))) is not None:
            names = tuple(name.strip() for name in text.split(",") if name.strip())
            fields[field] = names if names or field == "without_tools" else None
    if args.start_with_app is not None:
        fields["starts_with_app"] = args.start_with_app == "yes"
    if not fields and not args.yes:
        raise Refused("bad_input", "nothing to change: see `servers edit --help`")
    return fields


def _with_values(old: Mapping[str, str], given: Mapping[str, str], unset: list[str], option: str) -> dict[str, str]:
    """Return the variables or headers after the change. Raises Refused `bad_input` for a name that is not there."""
    if missing := [name for name in unset if name not in old]:
        raise Refused("bad_input", f"--unset-{option}: it has no {missing[0]}")
    return {**{name: value for name, value in old.items() if name not in unset}, **given}
