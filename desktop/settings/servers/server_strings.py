"""Texts of MCP servers: states, launch summaries, failures and errors."""

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication

from core.domain.mcp_server import McpServer, ServerState, ServerStatus, Transport
from core.domain.run import ErrorInfo
from core.domain.text.hidden import reveal
from core.services.outcome import Failed
from desktop.theme import Icon
from desktop.tokens import ColorName
from desktop.translation import connection_advice, connection_failure_text, duration, failure_text
from desktop.translation.formats import moment
from desktop.widgets import Tone

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


LOCATION_CHARACTERS = 400


class StateBadge(NamedTuple):
    """A state's label, icon and colours."""

    label: str
    icon: Icon
    color: ColorName
    tone: Tone


def state_badge(status: ServerStatus) -> StateBadge:
    if status.paused_s is not None:
        word = translate("Servers", "Paused after several failures")
        return StateBadge(word, Icon.TRIANGLE_ALERT, "sign_warn", "warn")
    return {
        ServerState.DISABLED: StateBadge(translate("Servers", "Off"), Icon.MINUS, "sign_idle", "muted"),
        ServerState.UNCONFIRMED: StateBadge(translate("Servers", "Waits for you"), Icon.SHIELD, "sign_warn", "warn"),
        ServerState.STOPPED: StateBadge(translate("Servers", "Not started"), Icon.CIRCLE, "sign_idle", "muted"),
        ServerState.STARTING: StateBadge(translate("Servers", "Starting"), Icon.LOADER_CIRCLE, "accent", "accent"),
        ServerState.RUNNING: StateBadge(translate("Servers", "Running"), Icon.CIRCLE_CHECK, "sign_ok", "ok"),
        ServerState.SIGNED_OUT: StateBadge(
            translate("Servers", "Waits for your sign-in"), Icon.SHIELD, "sign_warn", "warn"
        ),
        ServerState.FAILED: StateBadge(translate("Servers", "Failed"), Icon.CIRCLE_X, "sign_error", "error"),
    }[status.state]


def printable(text: str) -> str:
    """Return the text on a single line, with marks for hidden characters and escapes for the rest of what does not
    print.
    """
    text = reveal(text)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape", "replace").decode() for sign in text)


def location_text(server: McpServer) -> str:
    """Return the command line or address, shortened if it is very long."""
    line = (server.url or "") if server.command is None else shlex.join([server.command, *server.args])
    return printable(line if len(line) <= LOCATION_CHARACTERS else line[:LOCATION_CHARACTERS] + "…")


def launch_summary(runs: Mapping[str, Any]) -> str:
    """Return what would run, line by line: a command as a shell would take it, so that no argument can pass for two."""
    lines = []
    if "url" in runs:
        lines.append(translate("Servers", "Address: {url}").format(url=printable(str(runs["url"]))))
    if "command" in runs:
        words = [printable(str(word)) for word in (runs["command"], *(runs.get("args") or ()))]
        lines.append(translate("Servers", "Command: {command}").format(command=shlex.join(words)))
    if runs.get("cwd"):
        lines.append(translate("Servers", "Folder: {folder}").format(folder=printable(str(runs["cwd"]))))
    values = runs.get("values") or {}
    for part, label in (
        ("env", translate("Servers", "Environment: {names}")),
        ("headers", translate("Servers", "Headers: {names}")),
    ):
        if runs.get(part):
            named = [f"{name}={values[name]}" if name in values else str(name) for name in runs[part]]
            lines.append(label.format(names=", ".join(map(printable, named))))
    return "\n".join(lines)


def launch_warning(runs: Mapping[str, Any]) -> str:
    """Return a warning of variables that decide which code runs, or ""."""
    names = ", ".join(printable(str(name)) for name in runs.get("changes_code", ()))
    text = translate("Servers", "{names} can make other code run than the command names. Allow only values you know.")
    return text.format(names=names) if names else ""


# Failures


def error_text(error: ErrorInfo, server: McpServer) -> tuple[str, str]:
    """Return why the server failed, a sentence per cause, and what to do about it (UI §10)."""
    about = error.parameters
    command = printable(server.command or "")
    # A sentence per cause, since the next step differs (UI §10).
    match about.get("cause"):
        case "command_not_found":
            return (
                translate("Servers", "There is no program “{command}”.").format(command=command),
                translate(
                    "Servers",
                    "Install it, or write its whole path. Programs are looked for in the folders of PATH, which are "
                    "below; apps that are started from the desktop may have others than a terminal.",
                ),
            )
        case "bad_folder":
            return (
                translate("Servers", "Its working folder is not there: {folder}").format(
                    folder=printable(server.cwd or "")
                ),
                translate("Servers", "Edit it and choose another folder."),
            )
        case "not_started":
            return (
                translate("Servers", "“{command}” could not be started.").format(command=command),
                translate("Servers", "See whether it is a program that you may run."),
            )
        case "exited":
            return (
                _exit_text(about.get("exit_code"), is_start=True),
                translate("Servers", "Its last lines, below, often say what is missing: a key, a file, an argument."),
            )
        case "silent":
            limit = duration(server.start_limit_s)
            return (
                translate("Servers", "It did not answer within {time} of its start.").format(time=limit),
                translate(
                    "Servers", "Test it again: a first start may have to download. Or edit it and give it more time."
                ),
            )
        case "variables":
            names = ", ".join(map(printable, map(str, about.get("variables") or ())))
            return (
                translate("Servers", "It needs values that are not set: {names}.").format(names=names),
                translate("Servers", "Fill them in, or set them in the environment that Metier starts in."),
            )
        case "not_mcp":
            return (
                translate("Servers", "It answers, but not as an MCP server does."),
                translate("Servers", "See in its documentation which command or address starts the MCP server."),
            )
        case "protocol":
            return (
                translate("Servers", "It speaks a version of the protocol that is not known here."),
                translate("Servers", "Update Metier, or use another version of the server."),
            )
        case "sign_in":
            return (
                translate("Servers", "It asks who you are."),
                translate("Servers", "Sign in to it at Settings, MCP servers."),
            )
        case "unreachable" if (sentence := connection_failure_text(about)) is not None:
            return f"{sentence}.", connection_advice(about) or ""
        case "unreachable":
            return (
                translate("Servers", "Nothing answers at its address."),
                translate("Servers", "See whether it runs, and whether the address is right."),
            )
        case "refused":
            if server.transport is Transport.STDIO:
                return (
                    translate("Servers", "It refused the connection."),
                    translate("Servers", "Its last lines and its documentation may say what it needs."),
                )
            status = about.get("http_status")
            refused = translate("Servers", "It refused the connection, with HTTP {status}.").format(status=status)
            return (
                refused if isinstance(status, int) else translate("Servers", "It refused the connection."),
                translate("Servers", "See whether the address is right, and whether a header has a valid key."),
            )
        case "ended":
            return (
                _exit_text(about.get("exit_code"), is_start=False),
                translate("Servers", "It is started again when it is needed. Its last lines may say why it ended."),
            )
        case _:
            return error.message, translate("Servers", "Edit it, or test it again.")


def _exit_text(exit_code: Any, *, is_start: bool) -> str:
    if not isinstance(exit_code, int):
        return translate("Servers", "It closed the connection.")
    if exit_code < 0:
        return translate("Servers", "It was ended by signal {number}.").format(number=-exit_code)
    if is_start:
        return translate("Servers", "It ended at its start, with exit code {number}.").format(number=exit_code)
    return translate("Servers", "It ended by itself, with exit code {number}.").format(number=exit_code)


def error_details(error: ErrorInfo) -> str:
    """Return details for experts: last lines, exit code, launch summary, PATH."""
    about = error.parameters
    parts = []
    if isinstance(at := about.get("at"), str):
        when = moment(datetime.fromisoformat(at).astimezone(), datetime.now().astimezone())
        parts.append(translate("Servers", "Last failure: {when}").format(when=when))
    if stderr := about.get("stderr"):
        lines = [f"  {printable(str(line))}" for line in stderr]
        parts.append("\n".join([translate("Servers", "Its last lines:"), *lines]))
    if (exit_code := about.get("exit_code")) is not None:
        parts.append(translate("Servers", "Exit code: {number}").format(number=exit_code))
    if isinstance(runs := about.get("runs"), Mapping):
        parts.append(launch_summary(runs))
    if path := about.get("path"):
        parts.append(translate("Servers", "PATH: {path}").format(path=printable(str(path))))
    parts.append(printable(error.message.partition(". Its last output: ")[0]))
    return "\n\n".join(parts)


def server_refusal_text(failed: Failed) -> str:
    """Return why a request about a server failed."""
    match failed.code, str(failed.details.get("field", "")).partition("/")[0]:
        case "name_taken", _:
            return translate("Servers", "Another server has this name.")
        case "bad_input", "name":
            return translate("Servers", "A name has 1 to 64 characters that can be shown.")
        case "bad_input", "url":
            return translate("Servers", "An address begins with http:// or https://.")
        case "bad_input", "command":
            return translate("Servers", "Write the command that starts it.")
        case "bad_input", "env":
            return translate("Servers", "A variable has a name without “=”, and a value of at most 20,000 characters.")
        case "bad_input", "headers":
            return translate("Servers", "A header has a name of letters, digits and hyphens, and a value on one line.")
        case "bad_input", "args" if "stands for a secret" in failed.message:
            return translate("Servers", "An argument that was kept as a secret has moved: write it again.")
        case "keys_not_writable" | "keys_unreadable", _:
            return translate("Servers", "The file of keys cannot be read or written, so nothing was changed.")
        case "no_keyring", _:
            return translate("Servers", "The keyring does not answer, so nothing was changed.")
        case "changed", _:
            return translate("Servers", "It was changed meanwhile: look at what will run again.")
        case _:
            return failure_text(failed.code, failed.message)
