"""`servers`: manage the MCP servers that agents and templates can call."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from core.app import Core, Folders
from core.cli import exit_codes
from core.cli.arguments import data_option
from core.cli.exit_codes import CommandFailed, unwrap
from core.cli.output import write_line
from core.domain.mcp_server import ServerStatus
from core.services.mcp_drafts import redacted_fields
from core.services.outcome import Failed
from core.services.templates import read_text
from core.tools.mcp.pasted_config import PastedConfig
from core.wiring import open_core

NAME = "servers"
HELP = "add, list, test and remove MCP servers"
EXAMPLE = "python -m core servers add .mcp.json --yes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, what: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=what, description=what, parents=[data_option()], allow_abbrev=False)

    add = verb("add", "add those of a configuration of another app (mcpServers, servers, extensions)")
    add.add_argument("file", metavar="FILE|-", help="the configuration, JSON or YAML; - is stdin")
    add.add_argument("--yes", action="store_true", help="agree to run what it says; without it, that is only shown")
    add.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="ID=VALUE|ID=@FILE",
        help="a value that the configuration asks for (may be repeated)",
    )
    verb("list", "one a line: how each is, and its tools")
    test = verb("test", "connect and list its tools")
    test.add_argument("name", metavar="NAME")
    test.add_argument("--yes", action="store_true", help="agree to run it as it is now")
    remove = verb("remove", "forget a server, with its secrets")
    remove.add_argument("name", metavar="NAME")


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    text = _text(args.file) if args.verb == "add" else ""
    async with open_core(folders) as core:
        match args.verb:
            case "add":
                return await _add(core, text, args)
            case "test":
                return await _test(core, args)
            case "remove":
                removed = unwrap(await core.servers.remove(core.servers.named(args.name).server.id))
                write_line({"removed": removed.name})
            case _:
                for status in core.servers.states:
                    write_line(server_line(status))
    return exit_codes.SUCCESS


async def _add(core: Core, text: str, args: argparse.Namespace) -> int:
    """Add all servers, then connect to each to list its tools. A server that does not answer stays."""
    pasted: PastedConfig = unwrap(await core.servers.read(text))
    inputs = dict(_input(one) for one in args.input)
    if not args.yes:
        runs = [redacted_fields(one.fields) for one in pasted.servers]
        told = "this is what would run; with --yes you agree to it, and it is added"
        raise CommandFailed(Failed("not_confirmed", told, details={"servers": runs}))
    added = unwrap(await core.servers.add(pasted, inputs, confirmed=True))
    await asyncio.gather(*(core.servers.test(one.server.id) for one in added if one.server.is_enabled))
    for status in added:
        write_line(server_line(core.servers.get(status.server.id)))
    return exit_codes.SUCCESS


async def _test(core: Core, args: argparse.Namespace) -> int:
    server = core.servers.named(args.name).server
    if args.yes:
        unwrap(await core.servers.confirm(server.id, server.fingerprint))
    elif not server.is_confirmed:
        told = f"nobody has agreed to run {server.name!r} as it is now; with --yes you do"
        raise CommandFailed(Failed("not_confirmed", told, details={"servers": [server.what_runs()]}))
    tested = await core.servers.test(server.id)
    if isinstance(tested, Failed):
        write_line({"error": tested.as_dict()})
        return exit_codes.FAILED
    write_line(server_line(tested.data))
    return exit_codes.SUCCESS


def server_line(status: ServerStatus) -> dict[str, Any]:
    """Return a server as a line, without secrets."""
    return {
        "id": status.server.id,
        **status.server.what_runs(),
        "state": status.state,
        "tools": [info.name for info in status.tools],
        "left_out": list(status.left_out),
        "error": status.error.as_dict() if status.error is not None else None,
    }


def _text(place: str) -> str:
    """Return the configuration from a file or stdin. Raises CommandFailed `bad_input`."""
    if place != "-":
        return read_text(Path(place))
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise CommandFailed.usage("bad_input", "the configuration on stdin is not UTF-8 text") from None


def _input(text: str) -> tuple[str, str]:
    """Return name and value of an `--input`. Raises CommandFailed `bad_input`."""
    name, is_pair, value = text.partition("=")
    if not name or not is_pair:
        raise CommandFailed.usage("bad_input", "--input is ID=VALUE, or ID=@FILE")
    return name, read_text(Path(value[1:])).rstrip("\r\n") if value.startswith("@") else value
