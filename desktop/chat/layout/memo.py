"""What was made of a turn before, by key, so that making it again costs only what is new. Pure."""

from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any

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
from desktop.chat.layout.markdown_blocks import CodeGroups, MarkdownBlocks, code_blocks
from desktop.chat.layout.outputs import Json, MarkdownText, Shown, Table, as_markdown, shown_output, shown_value
from desktop.chat.layout.segments import Label


class Memo:
    """One for each turn. `groups` tells about its code, `tables` has the sources of its tables, by group."""

    def __init__(self) -> None:
        self.groups: CodeGroups = {}
        self.tables: dict[str, str] = {}
        self._texts: dict[str, MarkdownBlocks] = {}
        self._values: dict[str, tuple[Any, Shown]] = {}

    def markdown(self, key: str, text: str, within: Within = OUTSIDE) -> list[Block]:
        known = self._texts.get(key)
        if known is None:
            known = self._texts[key] = MarkdownBlocks(key, self.groups, within)
        return known.update(text)

    def output(self, key: str, text: str) -> Iterable[Block]:
        """What a template's run gave back."""
        yield from self._shown(key, self._remembered(key, text, shown_output), OUTSIDE)

    def value(self, key: str, value: Any, within: Within, caption: CaptionKind) -> Iterable[Block]:
        """A value that a line unfolds, under a caption."""
        shown = self._remembered(key, value, shown_value)
        if isinstance(shown, Json):
            yield CaptionBlock(key=f"{key}h", within=within, kind=caption, group=key)
            yield from code_blocks(key, shown.text, "json", self.groups, within)
        else:
            yield CaptionBlock(key=f"{key}h", within=within, kind=caption)
            yield from self._shown(key, shown, within)

    def attached(self, key: str, name: str, text: str, within: Within) -> Iterable[Block]:
        """A text that went along with a message, in a frame."""
        language = PurePath(name).suffix[1:]
        label = Label(name, language)
        yield CaptionBlock(
            key=f"{key}h", within=within.card(CardKind.CODE, key), kind=CaptionKind.CODE, group=key, label=label
        )
        yield from code_blocks(key, text, language, self.groups, within.card(CardKind.CODE, key))

    def source(self, group: str, blocks: Iterable[Block]) -> str:
        """What the copy button of a group copies: its code or the JSON of its table, whole and as it came."""
        if group in self.tables:
            return self.tables[group]
        return "".join(block.text for block in blocks if isinstance(block, CodeBlock) and block.group == group)

    def _remembered(self, key: str, value: Any, show: Callable[[Any], Shown]) -> Shown:
        known = self._values.get(key)
        if known is None or known[0] is not value:
            known = self._values[key] = (value, show(value))
        return known[1]

    def _shown(self, key: str, shown: Shown, within: Within) -> Iterable[Block]:
        match shown:
            case MarkdownText(text=text):
                yield from self.markdown(key, text, within)
            case Json(text=text):
                framed = within.card(CardKind.CODE, key)
                head = Label("", "json")
                yield CaptionBlock(key=f"{key}h", within=framed, kind=CaptionKind.CODE, group=key, label=head)
                yield from code_blocks(key, text, "json", self.groups, framed)
            case Table():
                yield from self._table(key, shown, within.card(CardKind.CODE, key))

    def _table(self, key: str, table: Table, within: Within) -> Iterable[Block]:
        self.tables[key] = table.source
        yield CaptionBlock(key=f"{key}t", within=within, kind=CaptionKind.TABLE, group=key, count=table.total)
        yield ProseBlock(key=key, within=within, text=as_markdown(table))
        if (more := table.total - len(table.rows)) > 0:
            yield CaptionBlock(key=f"{key}m", within=within, kind=CaptionKind.MORE_ROWS, count=more)
