"""Markdown that arrives in pieces, cut into segments that never change again and a short open tail. Pure.

Fed in any pieces, a text gives the segments that it gives as a whole. A cut falls where both sides read the same
apart: around fenced code, and at blank lines outside lists. What goes on too long without such a place is cut where
a line ends, a single line anywhere; so no segment is long to lay out.
"""

import re
from copy import copy
from dataclasses import dataclass
from typing import Self

from desktop.chat.layout.segments import Code, Prose, Segment

ENOUGH = 1_500
"""From this size on, prose is cut at the next good place. Sizes are characters, 30 more for each line, and 20 more for
each stroke that may be the side of a cell, which Qt takes as long for as for a word."""
MOST = 6_000
"""From this size on, prose and code are cut at the next line, and lists at their next item."""
MOST_OF_LINE = 2 * MOST
"""A line of code that goes on is cut there: it is shown in rows, and each piece is a view with a cost of its own."""
_LINE = 30
_CELL = 20
_COLUMNS = 30
"""A line of more cells is for itself, and no table: each of them would be two letters wide, and a screen of them takes
Qt a quarter of a second."""

_FENCE = re.compile(r"( *)(`{3,}(?=[^`]*$)|~{3,})(.*)")
_MARKER = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_DEFINITION = re.compile(r" {0,3}\[([^\]\[^][^\]\[]*)\]:[ \t]*\S")
_RULER = re.compile(r" {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")


@dataclass(slots=True)
class _Fence:
    number: int
    mark: str
    indent: int
    info: str
    is_first: bool = True


class Splitter:
    """`frozen` grows and never changes; `definitions` are the targets of reference links, by label.

    One that `is_code` takes everything for the text of one fence that no line ends.
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
        """Take in what comes next."""
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines:
            self._take_line(self._cut_long(line) if len(line) >= MOST else line)
            self._is_rest = False
        self._partial = self._cut_long(self._partial)

    def close(self) -> list[Segment]:
        """This is the end: nothing can be fed any more. The segments that were not frozen."""
        known = len(self.frozen)
        if self._partial or self._is_code:
            self._take_line(self._partial)
        self._freeze(is_last=True)
        return self.frozen[known:]

    def __copy__(self) -> Self:
        other = type(self)()
        own = {"frozen": [], "definitions": {}, "_lines": [*self._lines], "_table": [*self._table]}
        other.__dict__.update(self.__dict__, _fence=copy(self._fence), **own)
        return other

    def _cut_long(self, line: str) -> str:
        """Freeze the beginning of a line that is too long, and give back its rest."""
        while len(line) >= (most := MOST_OF_LINE if self._fence else MOST):
            if not self._is_rest:
                self._freeze()
            cut = most if self._fence else line.rfind(" ", MOST - 200, MOST) + 1 or MOST
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
                self._shift = fence.indent if self._is_in_list else 0
                self._fence = None
                return
            indent = len(line) - len(line.lstrip(" "))
            line = line[min(indent, fence.indent) :]
        if self._size >= MOST:
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
        is_item = first in "-*+0123456789" and _MARKER.match(line) is not None
        if self._size >= ENOUGH and self._is_cut_before(line, follows_blank=follows_blank, is_item=is_item):
            self._freeze()
            for head in self._table:
                self._add(head)
        if is_item:
            self._is_in_list = True
        elif follows_blank and line[0] not in " \t":
            self._is_in_list = False
        if first == "[" and (found := _DEFINITION.match(line)) is not None:
            self.definitions.setdefault(found[1].casefold(), line.strip())
        if first in "|:-" and self._lines and "|" in self._lines[-1] and not self._table and _RULER.match(line):
            self._table = [self._lines[-1], line]
        self._add(line)

    def _opens(self, line: str) -> bool:
        """Whether code begins with this line; if so, what stood before it is frozen."""
        found = _FENCE.match(line)
        if found is None or (len(found[1]) > 3 and not self._is_in_list):
            return False
        self._freeze()
        self._fence = _Fence(self._fences, found[2], len(found[1]), found[3].strip())
        self._fences += 1
        self._table = []
        return True

    def _is_cut_before(self, line: str, *, follows_blank: bool, is_item: bool) -> bool:
        if follows_blank and line[0] not in " \t" and not (self._is_in_list and is_item):
            return True
        return self._size >= MOST and (is_item or not self._is_in_list or self._size >= 2 * MOST)

    def _shifted(self, line: str) -> str:
        if line.strip() and not line.startswith(" " * self._shift):
            self._shift = 0
        return line[self._shift :]

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + _LINE
        if self._fence is None:
            strokes = line.count("|")
            self._size += _CELL * strokes if strokes <= _COLUMNS + 1 else MOST

    def _freeze(self, *, is_last: bool = False, is_closed: bool = False) -> None:
        """Make a segment of the lines; of code, also of none where its fence ends."""
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
    """Pieces of a text that is no Markdown, each short enough to be laid out at once; they join to the whole."""
    splitter = Splitter(is_code=True)
    splitter.feed(text)
    splitter.close()
    return [piece.text for piece in splitter.frozen]


def split(text: str) -> list[Segment]:
    """The segments of a text that is whole."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.close()
    return splitter.frozen
