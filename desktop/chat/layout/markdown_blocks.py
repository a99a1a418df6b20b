"""Markdown as blocks, brought up to date at the cost of what is new. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from desktop.chat.layout.blocks import (
    OUTSIDE,
    Block,
    CaptionBlock,
    CaptionKind,
    CardKind,
    CodeBlock,
    ProseBlock,
    Within,
)
from desktop.chat.layout.segments import Code, Prose, Segment, label_of
from desktop.chat.layout.splitter import Splitter, split_plain

TAB_COLUMNS = 4

_REFERENCE = re.compile(r"\[([^\]\[]+)\](?:\[([^\]\[]*)\])?(?![(:])")


@dataclass(slots=True)
class CodeGroup:
    """What the pieces of one code frame share: its longest line, its length so far, whether all of it is there."""

    columns: int = 0
    characters: int = 0
    is_complete: bool = False

    def take(self, text: str, start: int, *, is_complete: bool) -> None:
        """A piece begins at `start`."""
        self.characters = start + len(text)
        self.columns = max(self.columns, *map(_columns, text.split("\n")))
        self.is_complete = is_complete


CodeGroups = dict[str, CodeGroup]


class MarkdownBlocks:
    """The blocks of one text. What is frozen keeps its blocks as long as the text only grows.

    `groups` is told about its code.
    """

    def __init__(self, key: str, groups: CodeGroups, within: Within = OUTSIDE) -> None:
        self._key = key
        self._groups = groups
        self._within = within
        self._text = ""
        self._splitter = Splitter()
        self._targets: dict[str, str] = {}
        self._forget_blocks()

    def update(self, text: str) -> list[Block]:
        """The blocks of `text`: cheap where it is the text before and more."""
        if not text.startswith(self._text):
            self._begin_anew()
        self._splitter.feed(text[len(self._text) :])
        self._text = text
        end = copy(self._splitter)
        tail = end.close()
        targets = {**end.definitions, **self._splitter.definitions}
        if targets != self._targets:
            self._targets = targets
            self._forget_blocks()  # any text before may mean the new target
        fresh = self._splitter.frozen[self._done :]
        self._frozen.extend(self._blocks_of(fresh, self._starts))
        self._done += len(fresh)
        return [*self._frozen, *self._blocks_of(tail, dict(self._starts))]

    def _begin_anew(self) -> None:
        self._text, self._splitter = "", Splitter()
        self._forget_blocks()
        for group in [group for group in self._groups if group.startswith(f"{self._key}#")]:
            del self._groups[group]

    def _forget_blocks(self) -> None:
        self._frozen: list[Block] = []
        self._done = 0
        self._starts: dict[int, int] = {}

    def _blocks_of(self, segments: Sequence[Segment], starts: dict[int, int]) -> Iterable[Block]:
        """`starts` says how long each fence is so far, and is brought up to date."""
        for number, segment in enumerate(segments, self._done):
            key = f"{self._key}.{number}"
            if isinstance(segment, Code):
                yield from self._code(segment, key, starts.get(segment.number, 0))
                starts[segment.number] = starts.get(segment.number, 0) + len(segment.text)
            else:
                yield self._prose(segment, key)

    def _prose(self, prose: Prose, key: str) -> Block:
        targets = self._targets
        text = with_targets(prose.text, targets) if targets and not prose.is_plain else prose.text
        return ProseBlock(key=key, within=self._within, text=text, is_plain=prose.is_plain)

    def _code(self, code: Code, key: str, start: int) -> Iterable[Block]:
        group = f"{self._key}#{code.number}"
        within = self._within.card(CardKind.CODE, group)
        label = label_of(code.info)
        self._groups.setdefault(group, CodeGroup()).take(code.text, start, is_complete=code.is_closed)
        if code.is_first:
            yield CaptionBlock(
                key=f"{key}h",
                within=within,
                kind=CaptionKind.CODE,
                group=group,
                label=label,
            )
        yield CodeBlock(
            key=key,
            within=within,
            group=group,
            language=label.language,
            text=code.text,
            start=start,
            is_last=code.is_last,
        )


def code_blocks(group: str, text: str, language: str, groups: CodeGroups, within: Within) -> Iterable[Block]:
    """Code that is whole, in pieces, without a head. `group` is the key that theirs begin with."""
    start = 0
    pieces = split_plain(text)
    for number, piece in enumerate(pieces):
        groups.setdefault(group, CodeGroup()).take(piece, start, is_complete=True)
        yield CodeBlock(
            key=f"{group}.{number}",
            within=within,
            group=group,
            language=language,
            text=piece,
            start=start,
            is_last=number == len(pieces) - 1,
        )
        start += len(piece)


def _columns(line: str) -> int:
    """How many columns a line of code takes, more or less: characters that are not Latin may take two."""
    expanded = line.expandtabs(TAB_COLUMNS)
    return len(expanded) if expanded.isascii() else sum(1 if sign < "\u1100" else 2 for sign in expanded)


def with_targets(text: str, definitions: Mapping[str, str]) -> str:
    """`text` with the targets of those of its reference links that are defined elsewhere."""
    used = {(label or name).casefold() for name, label in _REFERENCE.findall(text)}
    lines = [definitions[label] for label in sorted(used & definitions.keys()) if definitions[label] not in text]
    return "\n".join([text, "", *lines]) if lines else text
