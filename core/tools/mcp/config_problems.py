"""What is wrong with a configuration, and what is noted about it, as codes with words of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MESSAGES = {
    "too_long": "it has more than {most:,} characters",
    "encoding": "it is neither UTF-8 nor UTF-16 text: save it as UTF-8",
    "syntax": "this looks like {format}, and cannot be read: {message}",
    "no_object": "it is not an object with servers, nor a command line or an address of one",
    "no_servers": "there are no servers in it: one of {names} was expected",
    "no_list": "a list was expected",
    "no_id": "an object with an id was expected",
    "no_group": "an object with a server for each name was expected",
    "empty": "there is no server in it",
    "too_many_inputs": "more than {most} values are asked for",
    "too_many": "there are more than {most} servers",
    "no_server": "an object was expected, this is {kind}",
    "same_name": "another entry has the same name",
    "app_part": "it is a part of the other app, not a server",
    "hub": "it only names a server that the other app fetches ({uses}); paste what its documentation has",
    "sse": "the SSE transport is not spoken here; give the address for streamable HTTP",
    "kind": "stdio or http was expected, not {kind}",
    "both": "a command or a url was expected, one of them; there are both",
    "neither": "a command or a url was expected, one of them; there is neither",
    "no_seconds": "a number of seconds was expected",
    "no_text": "a text was expected, this is {kind}",
    "no_texts": "a list of texts was expected, this is {kind}",
    "no_names": "an object with a text for each name was expected, this is {kind}",
    "approvals": "it asks that calls need no consent: {names}; that is not taken over",
    "ignored": "not understood and ignored: {names}",
    "env_file": "{count} variables are from {path}",
    "env_file_missing": "the variables of {path} are missing: the file cannot be read",
    "relative": "{names}: relative to {folder}",
    "relative_nowhere": "{names}: relative to the folder that Metier happens to be started in; set a working folder",
    "dashes": "the long dash of {names} was read as --",
    "only_tools": "of its tools, only these are offered: {names}",
    "without_tools": "of its tools, these are not offered: {names}",
}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem of a configuration, or a note about an entry that can be used all the same. `place` is line and column,
    or names from the outermost inwards, or `the whole`. `code` is a stable key of MESSAGES, for user interfaces with
    their own strings; `about` holds its parameters.
    """

    place: str
    code: str
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        return MESSAGES[self.code].format(**self.about)

    def as_dict(self) -> dict[str, Any]:
        return {"place": self.place, "message": self.message, "code": self.code, "about": dict(self.about)}
