"""Splits streaming Markdown into segments that never change again and a short open tail. Pure.

The result does not depend on how the text is divided into pieces. A cut falls where both sides read the same apart:
around fenced code, and at blank lines outside lists. Text without such a place is cut at a line end when it is too
long, and a single line anywhere; so no segment is slow to lay out.
"""

import re
from copy import copy
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown without fenced code. `is_plain`: a piece of a line that is too long to be parsed as Markdown."""

    text: str
    is_plain: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Fenced code, or a piece of it; the pieces of a fence share its `number`, and their texts join to the whole.

    The whole is the text between the fences, without the line end before the closing fence.
    """

    number: int
    info: str
    text: str
    is_first: bool = True
    is_last: bool = True
    is_closed: bool = True


Segment = Prose | Code


@dataclass(frozen=True, slots=True)
class CodeLabel:
    """The header of a code frame. Either field may be empty."""

    title: str
    language: str


_LANGUAGE = re.compile(r"[^\s{}:,=]*")
_TITLE = re.compile(r"""(?:title|file|filename)=(?:"([^"]*)"|'([^']*)'|(\S+))""")
_FILE_NAME = re.compile(r"[\w./\\-]+\.\w+")


def parse_fence_info(info: str) -> CodeLabel:
    """Parse language and file name from the words after a fence: `python invoices.py`, `python:invoices.py`,
    `title="…"`.
    """
    match = _LANGUAGE.match(info)
    language = match[0] if match else ""
    rest = info[len(language) :]
    title = _TITLE.search(rest)
    if title:
        return CodeLabel(title[1] or title[2] or title[3] or "", language)
    file_name = _FILE_NAME.fullmatch(rest.strip(" :"))
    return CodeLabel(file_name[0] if file_name else "", language)


# From this size on, prose is cut at the next paragraph. Sizes are characters, plus 30 for each line and 20 for each
# `|`, which may separate cells: laying out a cell takes Qt as long as a word.
SOFT_LIMIT = 1_500
# From this size on, prose and code are cut at the next line, and lists at their next item.
HARD_LIMIT = 6_000
# A line of code is cut at this length: it is shown in rows, and each piece is a view with a cost of its own.
CODE_LINE_LIMIT = 2 * HARD_LIMIT
_LINE_COST = 30
_CELL_COST = 20
# A line with more cells becomes a segment of its own, not a table: each cell would be two letters wide, and a screen of
# them takes Qt a quarter of a second.
_MAX_COLUMNS = 30

_FENCE = re.compile(r"( *)(`{3,}(?=[^`]*$)|~{3,})(.*)")
_LIST_MARKER = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_LINK_DEFINITION = re.compile(r" {0,3}\[([^\]\[^][^\]\[]*)\]:[ \t]*\S")
_TABLE_RULER = re.compile(r" {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")


@dataclass(slots=True)
class _Fence:
    number: int
    mark: str
    indent: int
    info: str
    is_first: bool = True


class MarkdownSplitter:
    """Appends to `frozen` and never changes it; `definitions` are the targets of reference links, by label.

    With `is_code`, all text belongs to one fence that no line closes.
    """

    def __init__(self, *, is_code: bool = False) -> None:
        self.frozen: list[Segment] = []
        self.definitions: dict[str, str] = {}
        self._partial = ""  # the line that has not ended
        self._is_rest = False  # it goes on after a cut
        self._lines: list[str] = []  # what the next segment is made of
        self._size = 0
        self._is_code = is_code
        self._fence = _Fence(0, "\n", 0, "") if is_code else None
        self._fences = 0
        self._is_in_list = False
        self._shift = 0  # by how much the lines after code in a list are indented with it
        self._table: list[str] = []  # the head of the table that the lines are in

    def feed(self, text: str) -> None:
        """Add the next piece of text."""
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines:
            self._take_line(self._cut_long(line) if len(line) >= HARD_LIMIT else line)
            self._is_rest = False
        # a line without an end may grow without limit, so that its beginning is frozen before the rest arrives
        self._partial = self._cut_long(self._partial)

    def close(self) -> list[Segment]:
        """End the text, and return the segments that were not frozen before."""
        count = len(self.frozen)
        if self._partial or self._is_code:
            self._take_line(self._partial)
        self._freeze(is_last=True)
        return self.frozen[count:]

    def __copy__(self) -> Self:
        other = type(self)()
        own = {"frozen": [], "definitions": {}, "_lines": [*self._lines], "_table": [*self._table]}
        other.__dict__.update(self.__dict__, _fence=copy(self._fence), **own)
        return other

    def _cut_long(self, line: str) -> str:
        """Freeze the beginning of a line that is too long, and return its rest."""
        while len(line) >= (most := CODE_LINE_LIMIT if self._fence else HARD_LIMIT):
            if not self._is_rest:
                self._freeze()
            # code is cut anywhere; prose preferably at a space near the limit, so that no word is torn
            cut = most if self._fence else line.rfind(" ", HARD_LIMIT - 200, HARD_LIMIT) + 1 or HARD_LIMIT
            self._put(line[:cut], is_plain=True)
            line, self._is_rest = line[cut:], True
        return line

    def _take_line(self, line: str) -> None:
        if self._fence is not None:
            self._take_code(self._fence, line)
        elif self._is_rest:
            self._put(line, is_plain=True)
        else:
            self._take_prose(self._shifted(line) if self._shift else line)

    def _take_code(self, fence: _Fence, line: str) -> None:
        if not self._is_rest:
            if self._closes(fence, line):
                self._freeze(is_last=True, is_closed=True)
                self._is_in_list = self._is_in_list and fence.indent > 0
                # text after code within a list item is indented with it, and would read as code otherwise
                self._shift = fence.indent if self._is_in_list else 0
                self._fence = None
                return
            indent = len(line) - len(line.lstrip(" "))
            line = line[min(indent, fence.indent) :]
        if self._size >= HARD_LIMIT:
            self._freeze()
        self._add(line)

    def _closes(self, fence: _Fence, line: str) -> bool:
        bare = line.strip(" \t\r")
        indent = len(line) - len(line.lstrip(" "))
        is_mark = len(bare) >= len(fence.mark) and not bare.strip(fence.mark[0])
        return is_mark and (indent <= 3 or fence.indent > 0)

    def _take_prose(self, line: str) -> None:
        if not line.strip():
            self._table = []
            if self._lines:
                self._add(line)
            return
        first = line.lstrip(" ")[0]
        if first in "`~" and self._opens(line):
            return
        follows_blank = not self._lines or not self._lines[-1].strip()
        is_item = first in "-*+0123456789" and _LIST_MARKER.match(line) is not None
        if self._size >= SOFT_LIMIT and self._is_cut_before(line, follows_blank=follows_blank, is_item=is_item):
            self._freeze()
            # a table that is cut repeats its header, or its rest would not be a table
            for head in self._table:
                self._add(head)
        if is_item:
            self._is_in_list = True
        elif follows_blank and line[0] not in " \t":
            self._is_in_list = False
        if first == "[" and (match := _LINK_DEFINITION.match(line)) is not None:
            self.definitions.setdefault(match[1].casefold(), line.strip())
        if first in "|:-" and self._lines and "|" in self._lines[-1] and not self._table and _TABLE_RULER.match(line):
            self._table = [self._lines[-1], line]
        self._add(line)

    def _opens(self, line: str) -> bool:
        """Return whether code begins with this line; if so, freeze the text before it."""
        match = _FENCE.match(line)
        if match is None or (len(match[1]) > 3 and not self._is_in_list):
            return False
        self._freeze()
        self._fence = _Fence(self._fences, match[2], len(match[1]), match[3].strip())
        self._fences += 1
        self._table = []
        return True

    def _is_cut_before(self, line: str, *, follows_blank: bool, is_item: bool) -> bool:
        if follows_blank and line[0] not in " \t" and not (self._is_in_list and is_item):
            return True
        return self._size >= HARD_LIMIT and (is_item or not self._is_in_list or self._size >= 2 * HARD_LIMIT)

    def _shifted(self, line: str) -> str:
        if line.strip() and not line.startswith(" " * self._shift):
            self._shift = 0
        return line[self._shift :]

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + _LINE_COST
        if self._fence is None:
            # Qt lays out a table cell by cell, which costs more than its characters suggest
            strokes = line.count("|")
            self._size += _CELL_COST * strokes if strokes <= _MAX_COLUMNS + 1 else HARD_LIMIT

    def _freeze(self, *, is_last: bool = False, is_closed: bool = False) -> None:
        """Append the collected lines as a segment; for code, also an empty segment when its fence closes."""
        text = "\n".join(self._lines)
        has_lines = bool(self._lines)
        self._lines.clear()
        self._size = 0
        if self._fence is None:
            self._put(text)
        elif is_last:
            self._put(text.removesuffix("\r") if is_closed else text, is_last=True, is_closed=is_closed)
        elif has_lines:
            self._put(text + "\n")

    def _put(self, text: str, *, is_plain: bool = False, is_last: bool = False, is_closed: bool = False) -> None:
        if self._fence is not None:
            first, self._fence.is_first = self._fence.is_first, False
            self.frozen.append(Code(self._fence.number, self._fence.info, text, first, is_last, is_closed))
        elif text.strip():
            self.frozen.append(Prose(text if is_plain else text.rstrip(), is_plain))


def split_plain(text: str) -> list[str]:
    """Return the pieces of plain text, each short enough to be laid out at once; they join to the whole."""
    splitter = MarkdownSplitter(is_code=True)
    splitter.feed(text)
    splitter.close()
    return [piece.text for piece in splitter.frozen]


def split(text: str) -> list[Segment]:
    """Return the segments of a complete text."""
    splitter = MarkdownSplitter()
    splitter.feed(text)
    splitter.close()
    return splitter.frozen
