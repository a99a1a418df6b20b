"""What Markdown is cut into, and how a fence names what is in it. Pure."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown without fenced code. Plain: a piece of a line that is too long to be read as Markdown."""

    text: str
    is_plain: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Fenced code, or a piece of it; the pieces of a fence share its `number` and their texts join to the whole.

    The whole is what stands between the fences, without the line end before the closing one.
    """

    number: int
    info: str
    text: str
    is_first: bool = True
    is_last: bool = True
    is_closed: bool = True


Segment = Prose | Code


@dataclass(frozen=True, slots=True)
class Label:
    """What the head of a code frame says. Either may be empty."""

    title: str
    language: str


_LANGUAGE = re.compile(r"[^\s{}:,=]*")
_TITLE = re.compile(r"""(?:title|file|filename)=(?:"([^"]*)"|'([^']*)'|(\S+))""")
_FILE = re.compile(r"[\w./\\-]+\.\w+")


def label_of(info: str) -> Label:
    """Language and file name from the words after a fence: `python invoices.py`, `python:invoices.py`, `title="…"`."""
    found = _LANGUAGE.match(info)
    language = found[0] if found else ""
    rest = info[len(language) :]
    titled = _TITLE.search(rest)
    if titled:
        return Label(titled[1] or titled[2] or titled[3] or "", language)
    named = _FILE.fullmatch(rest.strip(" :"))
    return Label(named[0] if named else "", language)
