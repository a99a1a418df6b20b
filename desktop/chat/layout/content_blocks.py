"""Markdown, values and tables as blocks, cached per turn so that an update costs only what is new. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from core.domain.file_diff import FileDiff
from desktop.chat.layout.blocks import (
    TOP_LEVEL,
    Block,
    CaptionBlock,
    CaptionKind,
    CardKind,
    CodeBlock,
    Nesting,
    ProseBlock,
)
from desktop.chat.layout.markdown_splitter import (
    Code,
    CodeLabel,
    MarkdownSplitter,
    Prose,
    Segment,
    parse_fence_info,
    split_plain,
)
from desktop.chat.layout.outputs import (
    JsonText,
    MarkdownText,
    Presentation,
    Table,
    diff_text,
    present_output,
    present_value,
    table_markdown,
)

TAB_COLUMNS = 4

_REFERENCE_LINK = re.compile(r"\[([^\]\[]+)\](?:\[([^\]\[]*)\])?(?![(:])")


@dataclass(slots=True)
class CodeGroup:
    """What the pieces of a code frame share: the longest line, the length so far, and whether it is complete."""

    columns: int = 0
    characters: int = 0
    is_complete: bool = False

    def take(self, text: str, start: int, *, is_complete: bool) -> None:
        """Add a piece that begins at `start`."""
        self.characters = start + len(text)
        self.columns = max(self.columns, *map(_column_count, text.split("\n")))
        self.is_complete = is_complete


CodeGroups = dict[str, CodeGroup]


class MarkdownBlocks:
    """The blocks of one text, and in `groups` its code frames.

    A streaming answer grows at its end. The splitter freezes every segment that later text cannot change; frozen
    segments keep their blocks, and only the open tail is split again for each update, on a copy of the splitter. Two
    cases start over: the text does not begin with the previous text, or a new link definition may change the links of
    any earlier paragraph.
    """

    def __init__(self, key: str, groups: CodeGroups, within: Nesting = TOP_LEVEL) -> None:
        self._key = key
        self._groups = groups
        self._within = within
        self._text = ""
        self._splitter = MarkdownSplitter()
        self._targets: dict[str, str] = {}
        self._forget_blocks()

    def update(self, text: str) -> list[Block]:
        """Return the blocks of `text`; cheap if it begins with the previous text."""
        if not text.startswith(self._text):
            self._begin_anew()
        self._splitter.feed(text[len(self._text) :])
        self._text = text
        # closing a copy gives the blocks of the unfinished tail, while the splitter itself can be fed further
        end = copy(self._splitter)
        tail = end.close()
        targets = {**end.definitions, **self._splitter.definitions}
        if targets != self._targets:
            self._targets = targets
            self._forget_blocks()  # any text before may mean the new target
        # only segments frozen since the last update become new blocks; all others are reused as they are
        fresh = self._splitter.frozen[self._done :]
        self._frozen.extend(self._blocks_of(fresh, self._starts))
        self._done += len(fresh)
        return [*self._frozen, *self._blocks_of(tail, dict(self._starts))]

    def _begin_anew(self) -> None:
        self._text, self._splitter = "", MarkdownSplitter()
        self._forget_blocks()
        # the frames of the previous text are gone, and their keys may be used again
        for group in [group for group in self._groups if group.startswith(f"{self._key}#")]:
            del self._groups[group]

    def _forget_blocks(self) -> None:
        self._frozen: list[Block] = []
        self._done = 0
        self._starts: dict[int, int] = {}

    def _blocks_of(self, segments: Sequence[Segment], starts: dict[int, int]) -> Iterable[Block]:
        """Yield the blocks of segments. `starts` holds the length of each fence so far, and is updated."""
        for number, segment in enumerate(segments, self._done):
            key = f"{self._key}.{number}"
            if isinstance(segment, Code):
                yield from self._code(segment, key, starts.get(segment.number, 0))
                starts[segment.number] = starts.get(segment.number, 0) + len(segment.text)
            else:
                yield self._prose(segment, key)

    def _prose(self, prose: Prose, key: str) -> Block:
        targets = self._targets
        text = with_link_targets(prose.text, targets) if targets and not prose.is_plain else prose.text
        return ProseBlock(key=key, nesting=self._within, text=text, is_plain=prose.is_plain)

    def _code(self, code: Code, key: str, start: int) -> Iterable[Block]:
        group = f"{self._key}#{code.number}"
        within = self._within.card(CardKind.CODE, group)
        label = parse_fence_info(code.info)
        self._groups.setdefault(group, CodeGroup()).take(code.text, start, is_complete=code.is_closed)
        if code.is_first:
            yield CaptionBlock(
                key=f"{key}h",
                nesting=within,
                kind=CaptionKind.CODE,
                group=group,
                label=label,
            )
        yield CodeBlock(
            key=key,
            nesting=within,
            group=group,
            language=label.language,
            text=code.text,
            start=start,
            is_last=code.is_last,
        )


def code_blocks(group: str, text: str, language: str, groups: CodeGroups, within: Nesting) -> Iterable[Block]:
    """Yield complete code in pieces, without a header. `group` is the prefix of their keys."""
    start = 0
    pieces = split_plain(text)
    for number, piece in enumerate(pieces):
        groups.setdefault(group, CodeGroup()).take(piece, start, is_complete=True)
        yield CodeBlock(
            key=f"{group}.{number}",
            nesting=within,
            group=group,
            language=language,
            text=piece,
            start=start,
            is_last=number == len(pieces) - 1,
        )
        start += len(piece)


def _column_count(line: str) -> int:
    """Return the approximate width of a line of code in columns: non-Latin characters may take two."""
    expanded = line.expandtabs(TAB_COLUMNS)
    return len(expanded) if expanded.isascii() else sum(1 if sign < "\u1100" else 2 for sign in expanded)


def with_link_targets(text: str, definitions: Mapping[str, str]) -> str:
    """Append to `text` the definitions of its reference links that stand elsewhere."""
    used = {(label or name).casefold() for name, label in _REFERENCE_LINK.findall(text)}
    lines = [definitions[label] for label in sorted(used & definitions.keys()) if definitions[label] not in text]
    return "\n".join([text, "", *lines]) if lines else text


class BlockCache:
    """The blocks of one turn by key, from one derivation to the next. `groups` are its code frames, `tables` the
    sources of its tables, by group.
    """

    def __init__(self) -> None:
        self.groups: CodeGroups = {}
        self.tables: dict[str, str] = {}
        self._texts: dict[str, MarkdownBlocks] = {}
        self._values: dict[str, tuple[Any, Presentation]] = {}
        self._diffs: dict[str, tuple[FileDiff, list[Block]]] = {}

    def markdown(self, key: str, text: str, within: Nesting = TOP_LEVEL) -> list[Block]:
        cached = self._texts.get(key)
        if cached is None:
            cached = self._texts[key] = MarkdownBlocks(key, self.groups, within)
        return cached.update(text)

    def output(self, key: str, text: str) -> Iterable[Block]:
        """Yield the result of a template's run."""
        yield from self._shown(key, self._remembered(key, text, present_output), TOP_LEVEL)

    def value(self, key: str, value: Any, within: Nesting, caption: CaptionKind) -> Iterable[Block]:
        """Yield a value of an unfolded line, below a caption."""
        shown = self._remembered(key, value, present_value)
        if isinstance(shown, JsonText):
            yield CaptionBlock(key=f"{key}h", nesting=within, kind=caption, group=key)
            yield from code_blocks(key, shown.text, "json", self.groups, within)
        else:
            yield CaptionBlock(key=f"{key}h", nesting=within, kind=caption)
            yield from self._shown(key, shown, within)

    def attached(self, key: str, name: str, text: str, within: Nesting) -> Iterable[Block]:
        """Yield an attached text, in a frame."""
        language = PurePath(name).suffix[1:]
        label = CodeLabel(name, language)
        yield CaptionBlock(
            key=f"{key}h", nesting=within.card(CardKind.CODE, key), kind=CaptionKind.CODE, group=key, label=label
        )
        yield from code_blocks(key, text, language, self.groups, within.card(CardKind.CODE, key))

    def diff(self, key: str, path: str, diff: FileDiff, within: Nesting) -> Iterable[Block]:
        """Yield the differences of a file, in a frame."""
        known = self._diffs.get(key)
        if known is None or known[0] is not diff:
            framed, label = within.card(CardKind.CODE, key), CodeLabel(PurePath(path).name, "diff")
            head = CaptionBlock(key=f"{key}h", nesting=framed, kind=CaptionKind.CODE, group=key, label=label)
            self.groups.pop(key, None)  # of the differences before
            known = self._diffs[key] = diff, [head, *code_blocks(key, diff_text(diff), "diff", self.groups, framed)]
        return known[1]

    def source(self, group: str, blocks: Iterable[Block]) -> str:
        """Return what the copy button of a group copies: its code or the JSON of its table, complete and unchanged."""
        if group in self.tables:
            return self.tables[group]
        return "".join(block.text for block in blocks if isinstance(block, CodeBlock) and block.group == group)

    def _remembered(self, key: str, value: Any, show: Callable[[Any], Presentation]) -> Presentation:
        cached = self._values.get(key)
        # by identity: comparing large values costs as much as formatting them
        if cached is None or cached[0] is not value:
            cached = self._values[key] = (value, show(value))
        return cached[1]

    def _shown(self, key: str, shown: Presentation, within: Nesting) -> Iterable[Block]:
        match shown:
            case MarkdownText(text=text):
                yield from self.markdown(key, text, within)
            case JsonText(text=text):
                framed = within.card(CardKind.CODE, key)
                head = CodeLabel("", "json")
                yield CaptionBlock(key=f"{key}h", nesting=framed, kind=CaptionKind.CODE, group=key, label=head)
                yield from code_blocks(key, text, "json", self.groups, framed)
            case Table():
                yield from self._table(key, shown, within.card(CardKind.CODE, key))

    def _table(self, key: str, table: Table, within: Nesting) -> Iterable[Block]:
        self.tables[key] = table.source
        yield CaptionBlock(key=f"{key}t", nesting=within, kind=CaptionKind.TABLE, group=key, count=table.total)
        yield ProseBlock(key=key, nesting=within, text=table_markdown(table))
        if (more := table.total - len(table.rows)) > 0:
            yield CaptionBlock(key=f"{key}m", nesting=within, kind=CaptionKind.MORE_ROWS, count=more)
