"""`servers`: manage the MCP servers that agents and templates can call."""

import argparse
import asyncio
import os
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.app import Core, Folders
from core.cli.command import command, data_option
from core.cli.output import FAILED, SUCCESS, write_error_line, write_line
from core.cli.server_changes import CHANGES, add_change_verbs, change_server, parse_value, server_line, show_server
from core.errors import Refused
from core.services.mcp_drafts import Choice, InstalledConfiguration, ServerPreview
from core.services.outcome import Failed, unwrap
from core.services.templates import read_file
from core.tools.mcp.installed_apps import project_of
from core.tools.mcp.sign_in import ClientId
from core.wiring import open_core


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, what: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=what, description=what, parents=[data_option()], allow_abbrev=False)

    add = verb("add", "add those of a configuration of another app (mcpServers, servers, extensions)")
    add.add_argument("file", metavar="FILE|-", help="the configuration, or a command line or link; - is stdin")
    add.add_argument("--yes", action="store_true", help="agree to run what it says; without it, that is only shown")
    add.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="ID=VALUE|ID=@FILE",
        help="a value that the configuration asks for (may be repeated)",
    )
    conflict = add.add_mutually_exclusive_group()
    for choice, what in (("replace", "replace"), ("rename", "give a number to"), ("skip", "leave out")):
        conflict.add_argument(
            f"--{choice}",
            action="store_const",
            const=choice,
            dest="on_conflict",
            help=f"{what} a server whose name is taken (without: it is left out, and the exit code is 1)",
        )
    verb("installed", "show the configurations of installed apps, and of this folder; `add FILE` adds one")
    verb("list", "one a line: how each is, and its tools")
    test = verb("test", "connect and list its tools")
    test.add_argument("name", metavar="NAME")
    test.add_argument("--yes", action="store_true", help="agree to run it as it is now")
    add_change_verbs(verb)
    sign_in = verb("sign-in", "sign in to one that asks for it, in the browser")
    sign_in.add_argument("name", metavar="NAME")
    sign_in.add_argument("--client-id", metavar="ID", help="the client that its provider has registered for you")
    sign_in.add_argument("--client-secret-env", metavar="NAME", help="the variable with the secret of that client")
    verb("sign-out", "forget the sign-in of a server").add_argument("name", metavar="NAME")
    remove = verb("remove", "forget a server, with its secrets")
    remove.add_argument("name", metavar="NAME")


@command(
    "servers",
    "add, list, change, test and remove MCP servers",
    "python -m core servers add .mcp.json --yes",
    _add_arguments,
)
async def servers(args: argparse.Namespace, folders: Folders) -> int:
    text = _read_config(args.file) if args.verb == "add" else b""
    async with open_core(folders) as core:
        match args.verb:
            case "add":
                return await _add(core, text, args)
            case "installed":
                for found in unwrap(await core.servers.installed([Path.cwd()])):
                    write_line(_installed_line(found))
            case "test":
                return await _test(core, args)
            case "show":
                return show_server(core, args.name)
            case verb if verb in CHANGES:
                return await change_server(core, args)
            case "sign-in":
                return await _sign_in(core, args)
            case "sign-out":
                server = core.servers.named(args.name).server
                unwrap(await core.servers.sign_out(server.id))
                write_line(server_line(core.servers.get(server.id)))
            case "remove":
                removed = unwrap(await core.servers.remove(core.servers.named(args.name).server.id))
                write_line({"removed": removed.name})
            case _:
                for status in core.servers.states:
                    write_line(server_line(status))
    return SUCCESS


async def _add(core: Core, text: bytes, args: argparse.Namespace) -> int:
    """Add the servers, then connect to each to list its tools. A server that does not answer stays."""
    preview = unwrap(await core.servers.preview(text, _folder_of(args.file)))
    inputs = dict(parse_value("input", text) for text in args.input)
    left_out = [problem.as_dict() for problem in preview.pasted.left_out]
    # nothing is run without consent to exactly what would run
    if not args.yes:
        message = "this is what would run; with --yes you agree to it, and it is added"
        described = [_described(server) for server in preview.servers]
        needed = [{"id": each.id, "is_optional": each.is_optional} for each in preview.pasted.inputs]
        about = {"servers": described, "left_out": left_out, "inputs": needed}
        raise Refused("not_confirmed", message + _warning(described), **{k: v for k, v in about.items() if v})
    taken = Choice(args.on_conflict) if args.on_conflict else Choice.SKIP
    choices = {each.place: taken if each.is_name_taken else Choice.SKIP for each in preview.servers if each.problem}
    named = [each for each in preview.servers if each.problem and choices[each.place] is Choice.SKIP]
    if len(named) == len(preview.servers):
        choices = {}  # none can be added: the refusal says why
    added = unwrap(await core.servers.add(preview.pasted, inputs, choices, confirmed=True))
    await asyncio.gather(*(core.servers.test(status.server.id) for status in added if status.server.is_enabled))
    states = [core.servers.get(status.server.id) for status in added]
    for status in states:
        write_line(server_line(status))
    left_out += [{"place": each.place, **each.problem.as_dict()} for each in named if each.problem is not None]
    if left_out:
        write_line({"left_out": left_out})
    is_whole = not left_out or (args.on_conflict and not preview.pasted.left_out)
    return SUCCESS if is_whole and not any(status.error for status in states) else FAILED


def _described(server: ServerPreview) -> dict[str, Any]:
    """Return what would run, what should be known of it, and why it cannot be added."""
    notes = {"notes": [note.message for note in server.notes]} if server.notes else {}
    problem = {"problem": server.problem.as_dict()} if server.problem is not None else {}
    return {**server.runs, **notes, **problem}


async def _test(core: Core, args: argparse.Namespace) -> int:
    server = core.servers.named(args.name).server
    if args.yes:
        unwrap(await core.servers.confirm(server.id, server.fingerprint))
    elif not server.is_confirmed:
        described = [core.servers.describe(server.id)]
        message = f"{server.name!r} is not confirmed as it is now; with --yes you agree to run it"
        raise Refused("not_confirmed", message + _warning(described), servers=described)
    tested = await core.servers.test(server.id)
    if isinstance(tested, Failed):
        write_line({"error": tested.as_dict()})
        return FAILED
    write_line(server_line(tested.data))
    return SUCCESS


async def _sign_in(core: Core, args: argparse.Namespace) -> int:
    """Open the page of the sign-in in the browser; its address is also on stderr, for a machine without one."""
    secret = None
    if args.client_secret_env is not None and not (secret := os.environ.get(args.client_secret_env)):
        raise Refused("bad_input", f"the variable {args.client_secret_env} is not set")
    if secret is not None and args.client_id is None:
        raise Refused("usage", "--client-secret-env goes with --client-id")

    def open_page(url: str) -> None:
        write_error_line({"sign_in": url})
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)

    client = ClientId(args.client_id, secret) if args.client_id is not None else None
    signed = await core.servers.sign_in(core.servers.named(args.name).server.id, open_page, client)
    if isinstance(signed, Failed):
        write_line({"error": signed.as_dict()})
        return FAILED
    write_line(server_line(signed.data))
    return SUCCESS


def _installed_line(found: InstalledConfiguration) -> dict[str, Any]:
    """Return a configuration as a line: what each of its servers would run."""
    line: dict[str, Any] = {"app": found.app, "path": str(found.path)}
    if found.preview is None:
        return {**line, "problem": found.problem.as_dict() if found.problem is not None else None}
    left_out = [problem.as_dict() for problem in found.preview.pasted.left_out]
    return {**line, "servers": [_described(server) for server in found.preview.servers], "left_out": left_out}


def _warning(described: Sequence[Mapping[str, Any]]) -> str:
    """Return a warning of the variables that decide which code runs, or ""."""
    names = sorted({name for launch in described for name in launch.get("changes_code", ())})
    return f". Warning: {', '.join(names)} can make other code run than the command names" if names else ""


def _read_config(name: str) -> bytes:
    """Return the configuration in a file or on stdin. Raises Refused `bad_input`."""
    return sys.stdin.buffer.read() if name == "-" else read_file(Path(name))


def _folder_of(name: str) -> Path:
    """Return where relative things in a configuration begin: in its project, else in the current folder."""
    path = Path(name).absolute()
    return project_of(path) or Path.cwd()
