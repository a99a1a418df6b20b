"""What a call changes in a text file, line by line. Pure.

Lines that occur once in both texts are the anchors (a patience diff): they keep moved blocks readable and cut the work
into small parts, which `difflib` compares. A large part without an anchor counts as replaced.
"""

import bisect
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

Span = tuple[int, int]
Region = tuple[int, int, int, int]
"""The lines of both texts that differ: first and last of the old, first and last of the new, as slices have them."""

CONTEXT_LINES = 3
MAX_CHARACTERS = 2_000_000  # of either text
MAX_LINES = 20_000  # that are shown
MAX_LINE_CHARACTERS = 2_000
_MATCHED_PAIRS = 60_000  # of a part without an anchor: `difflib` takes up to 50 ms for it
_STEPS = 1_000
_PIECE_LINES = 256


class LineKind(StrEnum):
    """What becomes of a line. `gap` stands for lines that stay and are not shown."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a diff. `number` counts from 1 in the old text for a removed line, else in the new one; of a gap it is
    the number of lines left out. `secrets` are places in `text`, which ends before the `end` of the line; that is
    among what changes where `end_differs`.
    """

    kind: LineKind
    text: str
    number: int
    end: str = "\n"
    secrets: tuple[Span, ...] = ()
    end_differs: bool = False


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The changed lines of a text with some lines around them, and how many were added and removed."""

    lines: tuple[DiffLine, ...]
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a call would do to the file at `path`. `diff` is None where it cannot be shown.

    `problem` is the code of the reason, which is also set where the call will be refused as things are. `is_certain`:
    our own tool, not a guess from the names of the arguments of another. `state` tells one state of the file from
    another; None if there is no file. `covered` are the arguments that the diff shows.
    """

    path: str
    diff: FileDiff | None = None
    is_new: bool = False
    is_certain: bool = True
    problem: str | None = None
    state: tuple[int, ...] | None = None
    covered: tuple[str, ...] = ()


def compare(
    before: str, after: str, secrets_before: Sequence[Span] = (), secrets_after: Sequence[Span] = ()
) -> Generator[None, None, FileDiff | None]:
    """Compare two texts, in pieces of work; None if they are too large, or a shown line is too long."""
    if max(len(before), len(after)) > MAX_CHARACTERS:
        return None
    old, new = list(_lines(before)), list(_lines(after))
    yield
    regions = yield from _regions(old, new)
    if sum(end - start + last - first for start, end, first, last in regions) > MAX_LINES:
        return None
    lines: list[DiffLine] = []
    old_starts, new_starts = _starts(old), _starts(new)
    odd_old, odd_new = _odd_ends(old, new, regions)
    yield
    for hunk in _hunks(regions, len(new)):
        for kind, at in hunk:
            if kind is LineKind.GAP:
                lines.append(DiffLine(kind, "", at))
                continue
            is_old = kind is LineKind.REMOVED
            line, start = (old[at], old_starts[at]) if is_old else (new[at], new_starts[at])
            text = _content(line)
            if len(text) > MAX_LINE_CHARACTERS:
                return None
            secrets = _within(secrets_before if is_old else secrets_after, start, start + len(text))
            is_odd = kind is not LineKind.SAME and at in (odd_old if is_old else odd_new)
            lines.append(DiffLine(kind, text, at + 1, line[len(text) :], secrets, is_odd))
            if len(lines) % _PIECE_LINES == 0:
                yield
    added = sum(last - first for _, _, first, last in regions)
    removed = sum(end - start for start, end, _, _ in regions)
    return FileDiff(tuple(lines), added, removed)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends. Only line feeds end lines, as the tools count them."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _content(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _odd_ends(old: Sequence[str], new: Sequence[str], regions: Sequence[Region]) -> tuple[set[int], set[int]]:
    """Return the lines of the old and of the new text whose ends are among what changes."""
    odd_old, odd_new = set[int](), set[int]()
    for start, end, first, last in regions:
        before, after = ({line[len(_content(line)) :] for line in part} for part in (old[start:end], new[first:last]))
        if before and after and before != after:
            odd_old.update(range(start, end))
            odd_new.update(range(first, last))
    return odd_old, odd_new


def _starts(lines: Sequence[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    return starts


def _within(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """Return the parts of the spans, which are in order, between the places, counted from `start`."""
    found = []
    for first, last in spans[bisect.bisect_right(spans, start, key=lambda span: span[1]) :]:
        if first >= end:
            break
        found.append((max(first, start) - start, min(last, end) - start))
    return tuple(found)


def _regions(old: Sequence[str], new: Sequence[str]) -> Generator[None, None, list[Region]]:
    """Return where the lines differ, in order."""
    regions: list[Region] = []
    todo: list[Region] = [(0, len(old), 0, len(new))]
    while todo:
        start, end, first, last = yield from _trimmed(old, new, todo.pop())
        if start == end or first == last:
            if start < end or first < last:
                regions.append((start, end, first, last))
            continue
        anchors = yield from _anchors(old, new, (start, end, first, last))
        if anchors:
            # from the last to the first, since the last of the list is taken next
            for at, other in reversed(anchors):
                todo.append((at, end, other, last))
                end, last = at, other
            todo.append((start, end, first, last))
        elif (end - start) * (last - first) <= _MATCHED_PAIRS:
            matcher = SequenceMatcher(None, old[start:end], new[first:last], autojunk=False)
            regions += [
                (start + i1, start + i2, first + j1, first + j2)
                for tag, i1, i2, j1, j2 in matcher.get_opcodes()
                if tag != "equal"
            ]
            yield
        else:
            regions.append((start, end, first, last))
    return regions


def _trimmed(old: Sequence[str], new: Sequence[str], region: Region) -> Generator[None, None, Region]:
    """Return the region without the equal lines at its beginning and its end."""
    start, end, first, last = region
    steps = 0
    while start < end and first < last and old[start] == new[first]:
        start, first, steps = start + 1, first + 1, steps + 1
        if steps % _STEPS == 0:
            yield
    while start < end and first < last and old[end - 1] == new[last - 1]:
        end, last, steps = end - 1, last - 1, steps + 1
        if steps % _STEPS == 0:
            yield
    yield
    return start, end, first, last


def _anchors(old: Sequence[str], new: Sequence[str], region: Region) -> Generator[None, None, list[tuple[int, int]]]:
    """Return the lines that occur once on both sides, as far as they are in the same order: the longest such row."""
    start, end, first, last = region
    in_old, in_new = Counter(old[start:end]), Counter(new[first:last])
    yield
    places = {new[at]: at for at in range(first, last) if in_new[new[at]] == 1 and in_old.get(new[at]) == 1}
    yield
    # patience sorting: the piles' tops, and for each line the one before it
    tops: list[int] = []
    rows: list[tuple[int, int, int]] = []  # old, new, the index of the one before
    on_top: list[int] = []
    for at in range(start, end):
        other = places.get(old[at])
        if other is None:
            continue
        pile = bisect.bisect_left(tops, other)
        rows.append((at, other, on_top[pile - 1] if pile else -1))
        if pile == len(tops):
            tops.append(other)
            on_top.append(len(rows) - 1)
        else:
            tops[pile], on_top[pile] = other, len(rows) - 1
        if len(rows) % _STEPS == 0:
            yield
    anchors, index = [], on_top[-1] if on_top else -1
    while index >= 0:
        at, other, index = rows[index]
        anchors.append((at, other))
    anchors.reverse()
    return anchors


def _hunks(regions: Sequence[Region], length: int) -> Iterator[Iterator[tuple[LineKind, int]]]:
    """Yield for each region its lines, after the lines between it and the one before. A gap has the number of lines
    left out, any other the index of a line. Equal texts have none."""
    shown = 0  # lines of the new text
    for number, (start, end, first, last) in enumerate(regions):
        yield _between(shown, first, is_first=number == 0, is_last=False)
        yield iter([(LineKind.REMOVED, at) for at in range(start, end)])
        yield iter([(LineKind.ADDED, at) for at in range(first, last)])
        shown = last
    if regions:
        yield _between(shown, length, is_first=False, is_last=True)


def _between(start: int, end: int, *, is_first: bool, is_last: bool) -> Iterator[tuple[LineKind, int]]:
    head = 0 if is_first else CONTEXT_LINES
    tail = 0 if is_last else CONTEXT_LINES
    left_out = end - start - head - tail
    if left_out <= 1:  # a line takes no more room than the mark of a gap
        yield from ((LineKind.SAME, at) for at in range(start, end))
        return
    yield from ((LineKind.SAME, at) for at in range(start, start + head))
    yield LineKind.GAP, left_out
    yield from ((LineKind.SAME, at) for at in range(end - tail, end))
