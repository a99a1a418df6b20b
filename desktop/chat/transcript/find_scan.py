"""A search in a conversation: the query, its matches, and the scan of a turn in slices. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextDocument

from core.domain.text.hidden import reveal
from core.domain.text.search import find_spans, fold_case, parse_query, terms_pattern, text_pattern
from desktop.chat.layout.block_builder import blocks_of
from desktop.chat.layout.blocks import (
    Block,
    CaptionBlock,
    CodeBlock,
    PlainBlock,
    ProseBlock,
    StepBlock,
    SubAgentBlock,
    ThoughtBlock,
    ToolBlock,
    ToolGroupBlock,
)
from desktop.chat.layout.content_blocks import BlockCache
from desktop.chat.layout.display_text import display_code, to_units
from desktop.chat.turn_parts import Output, Text, Thought, Turn
from desktop.chat.views.prose_style import MARKDOWN, set_markdown
from desktop.theme import Theme

_NON_LETTERS = re.compile(r"[\W_]+")
# Markup that is not displayed: link targets, list numbers, and check boxes of tasks.
_HIDDEN_MARKUP = re.compile(
    r"\]\([^)\n]*\)|\]\[[^\]\n]*\]|^[ \t>]*(?:\d{1,9}[.)]|[-*+][ \t]+\[[ xX]\])[ \t]", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FindQuery:
    """A literal text, or, where it `matches_words`, the words of a search. Case and accents do not count."""

    text: str
    matches_words: bool = False

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The compiled pattern; None where there is nothing to search for."""
        return terms_pattern(parse_query(self.text)) if self.matches_words else text_pattern(self.text)

    @property
    def letters(self) -> tuple[str, ...]:
        """Letters of which every matching text contains at least one entry; empty where that excludes nothing."""
        texts = (
            (" ".join(term.words) for term in parse_query(self.text)) if self.matches_words else (fold_case(self.text),)
        )
        letters = tuple(map(_letters, texts))
        return letters if all(letters) else ()


@dataclass(frozen=True, slots=True)
class FindMatch:
    """A range in the text of a block, in UTF-16 units as in Qt; `is_whole`: a line that can only be marked entirely.
    `folds` are the lines to be unfolded to show it.
    """

    key: str
    start: int
    end: int
    folds: tuple[str, ...] = ()
    is_whole: bool = False


def may_contain(text: str, letters: tuple[str, ...]) -> bool:
    """Return whether Markdown of this text can contain a match: fast, and without false negatives.

    Only letters are compared, since what stands between them may be markup.
    """
    if not letters or "&" in text:  # an entity stands for another sign
        return True
    bare = fold_case(text)
    seen = _HIDDEN_MARKUP.sub("", bare)
    # both forms: what looks like markup may be displayed in a different context
    texts = {_letters(bare), _letters(seen)}
    return any(needle in haystack for needle in letters for haystack in texts)


def plain_texts(turn: Turn) -> list[str] | None:
    """Return the texts of a turn that has nothing but texts, else None."""
    texts: list[str] = []
    for part in turn.parts:
        if not isinstance(part, Text | Thought | Output):
            return None
        texts.append(part.text)
    return texts


def _letters(bare: str) -> str:
    return _NON_LETTERS.sub("", bare)


_LINES = (ToolBlock, ToolGroupBlock, ThoughtBlock, StepBlock, SubAgentBlock)


class _AllUnfolded(Mapping[str, bool]):
    """Folds in which every line is unfolded."""

    def __getitem__(self, key: str) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


ALL_UNFOLDED = _AllUnfolded()


class TurnScan:
    """Searches one turn, repeatedly while it grows; unchanged blocks are not searched again."""

    def __init__(self, theme: Theme, sought: FindQuery) -> None:
        self._theme = theme
        self._pattern = sought.pattern
        self._letters = sought.letters
        self._memo = BlockCache()
        self._known: dict[str, tuple[Block, list[FindMatch]]] = {}

    def blocks(self, turn: Turn) -> Sequence[Block]:
        """Return all blocks that the turn can show. Pure, so that it may run in a thread."""
        return blocks_of(turn, ALL_UNFOLDED, self._memo)

    def matches(self, blocks: Iterable[Block]) -> Iterator[list[FindMatch]]:
        """Yield the matches in each block, so that the caller can pause between blocks."""
        lines: list[Block] = []
        scanned: dict[str, tuple[Block, list[FindMatch]]] = {}
        for block in blocks:
            # the lines that must be unfolded for this block to be visible are those above it with less depth
            while lines and lines[-1].nesting.depth >= block.nesting.depth:
                lines.pop()
            cached = self._known.get(block.key)
            if cached is not None and (cached[0] is block or cached[0] == block):
                matches = cached[1]
            else:
                matches = list(self._found(block, tuple(line.key for line in lines)))
            scanned[block.key] = block, matches
            yield matches
            if isinstance(block, _LINES):
                lines.append(block)
        self._known = scanned

    def _found(self, block: Block, folds: tuple[str, ...]) -> Iterator[FindMatch]:
        if self._pattern is None:
            return
        line = _line_text(block)
        if line:
            if next(find_spans(self._pattern, line), None) is not None:
                yield FindMatch(block.key, 0, 0, folds, is_whole=True)
            return
        text = self._text(block)
        for span in find_spans(self._pattern, text):
            if span.end > span.start:
                yield FindMatch(block.key, to_units(text, span.start), to_units(text, span.end), folds)

    def _text(self, block: Block) -> str:
        """Return the text that the view of a block displays, character by character."""
        match block:
            case PlainBlock(text=text):
                return reveal(text).removesuffix("\n")
            case ProseBlock(text=text, is_plain=True):
                return reveal(text).removesuffix("\n")
            case ProseBlock(text=text) if may_contain(text, self._letters):
                return self._markdown(reveal(text))
            case CodeBlock(text=text):
                return display_code(text.removesuffix("\n")).text
            case _:
                return ""

    def _markdown(self, text: str) -> str:
        document = QTextDocument()
        if "![" in text or ("|" in text and ">" in text):  # what is dressed reads otherwise
            set_markdown(document, text, self._theme)
        else:
            document.setMarkdown(text, MARKDOWN)
        return document.toPlainText()


def _line_text(block: Block) -> str:
    """Return the text of a line that is painted, not laid out as a document."""
    match block:
        case CaptionBlock(text=text):
            return reveal(text)
        case ToolBlock(line=tool):
            return reveal(tool.target)
        case StepBlock(line=step):
            return step.name
        case SubAgentBlock(line=agent):
            return agent.name
        case _:
            return ""
