"""Texts of configurations of other apps: where a problem is, what it is, and what is noted about a server."""

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication

from core.services.outcome import Failed
from desktop.settings.servers.server_strings import printable, server_refusal_text
from desktop.translation import number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def problem_location(location: str) -> str:
    """Return the location of a problem in a configuration."""
    if location == "the whole":
        return translate("Servers", "The whole text")
    if match := re.fullmatch(r"line (\d+), column (\d+)", location):
        text = translate("Servers", "Line {line}, column {column}")
        return text.format(line=number(int(match[1])), column=number(int(match[2])))
    return printable(location)


def problem_text(problem: Mapping[str, Any]) -> str:
    """Return a problem of a configuration, or a note; a parser's own message stays in English."""
    given: Mapping[str, Any] = problem.get("about") or {}
    # only what is from the text: the words around it have blanks of their own
    about = {name: printable(value) if isinstance(value, str) else value for name, value in given.items()}
    text = {
        "too_long": translate("Servers", "It is too long."),
        "encoding": translate("Servers", "It is neither UTF-8 nor UTF-16 text: save it as UTF-8."),
        "no_object": translate("Servers", "This is no object with servers, no command line and no address."),
        "no_servers": translate("Servers", "There are no servers in it: one of {names} was expected."),
        "no_list": translate("Servers", "A list was expected."),
        "no_id": translate("Servers", "An object with an id was expected."),
        "no_group": translate("Servers", "An object with a server for each name was expected."),
        "empty": translate("Servers", "There is no server in it."),
        "too_many_inputs": translate("Servers", "More than {most} values are asked for."),
        "too_many": translate("Servers", "There are more than {most} servers."),
        "no_server": translate("Servers", "Left out: an object was expected."),
        "same_name": translate("Servers", "Left out: another entry has the same name."),
        "app_part": translate("Servers", "Left out: it is a part of the other app, not a server."),
        "hub": translate("Servers", "Left out: the other app fetches it ({uses}). Paste what its documentation has."),
        "sse": translate("Servers", "The SSE transport is not spoken here; give the address for streamable HTTP."),
        "kind": translate("Servers", "“stdio” or “http” was expected, not {kind}."),
        "both": translate("Servers", "There are a command and an address; one of them was expected."),
        "neither": translate("Servers", "There is neither a command nor an address."),
        "no_seconds": translate("Servers", "A number of seconds was expected."),
        "no_text": translate("Servers", "A text was expected."),
        "no_texts": translate("Servers", "A list of texts was expected."),
        "no_names": translate("Servers", "An object with a text for each name was expected."),
        "syntax": translate("Servers", "It looks like {format} and cannot be read: {message}"),
        "approvals": translate("Servers", "It asks that these need no consent: {names}. That is not taken over."),
        "ignored": translate("Servers", "Not understood and ignored: {names}"),
        "env_file": translate("Servers", "{count} variables are from {path}."),
        "env_file_missing": translate("Servers", "Its file of variables cannot be read: {path}"),
        "relative": translate("Servers", "These paths start at {folder}: {names}"),
        "relative_nowhere": translate("Servers", "These paths need a working folder to start at: {names}"),
        "dashes": translate("Servers", "The long dash of {names} was read as two short ones."),
        "only_tools": translate("Servers", "Only these of its tools are offered: {names}"),
        "without_tools": translate("Servers", "These of its tools are not offered: {names}"),
    }
    code = str(problem.get("code"))
    if code in ("name_taken", "bad_input"):
        return server_refusal_text(Failed(code, str(problem["message"]), details=given))
    match = text.get(code)
    return match.format(**about) if match is not None else printable(str(problem["message"]))
