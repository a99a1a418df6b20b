"""What is copied from a conversation: source text unchanged, or Markdown as plain text."""

import json
from collections.abc import Iterable, Iterator
from time import thread_time

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import (
    QGuiApplication,
    QTextBlock,
    QTextBlockFormat,
    QTextDocument,
    QTextFrame,
    QTextTable,
    QTextTableCell,
)

from core.domain.messages import Role
from desktop.chat.layout.blocks import Block, CodeBlock, ProseBlock
from desktop.chat.layout.column import Column
from desktop.chat.layout.outputs import MarkdownText, present_output
from desktop.chat.layout.turn_layout import TurnLayout
from desktop.chat.turn_parts import Failure, Output, Text, Turn
from desktop.chat.views.prose_style import MARKDOWN, is_code

# Separates items that are copied together.
PARAGRAPH_BREAK = "\n\n"
_FENCES = ("```", "~~~")


def source_of_group(layout: TurnLayout, group: str) -> str:
    """Return the code of a frame, or the JSON of a table."""
    return layout.cache.source(group, layout.blocks)


def source_of_turn(turn: Turn) -> str:
    """Return the text of a turn as it was written."""
    return PARAGRAPH_BREAK.join(part.text.strip("\n") for part in turn.parts if isinstance(part, Text | Output))


def last_answer(column: Column) -> str | None:
    """Return the newest answer of the conversation that has text."""
    texts = (source_of_turn(layout.turn) for layout in reversed(column.layouts) if layout.turn.role is Role.ASSISTANT)
    return next((text for text in texts if text), None)


def last_code(column: Column) -> str | None:
    """Return the last code frame of the conversation."""
    for number in range(len(column.layouts) - 1, -1, -1):
        if not any(fence in source_of_turn(column.layouts[number].turn) for fence in _FENCES):
            continue  # most turns have no code, and need no layout to show that
        layout = column.laid_out(number)
        groups = [block.group for block in layout.blocks if isinstance(block, CodeBlock)]
        if groups:
            return source_of_group(layout, groups[-1])
    return None


def failure_details(failure: Failure) -> str:
    """Return everything that is known of a failure, as JSON."""
    fields = {
        "code": failure.code,
        "message": failure.message,
        "failed_step": failure.step,
        "failed_during": failure.during,
        "tool_name": failure.tool,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({**present, **failure.details}, indent=2, ensure_ascii=False, default=str)


FIRST_SLICE_S = 0.03
SLICE_S = 0.006


def copy_text(text: str) -> None:
    """Copy a text to the clipboard."""
    QGuiApplication.clipboard().setText(text)


class Copier(QObject):
    """Copies long text in slices: 30 ms at once, the rest while the event loop runs. Any other copy, here or elsewhere,
    wins.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pieces: Iterator[str] = iter(())
        self._gathered: list[str] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)
        # a later copy must not be overwritten when this one completes
        QGuiApplication.clipboard().dataChanged.connect(self._give_up)

    def copy(self, pieces: Iterator[str]) -> None:
        """Copy what the pieces join to, unless that is empty."""
        self._pieces, self._gathered = pieces, []
        self._gather(FIRST_SLICE_S)

    def _give_up(self) -> None:
        self._timer.stop()
        self._gathered = []

    def _go_on(self) -> None:
        self._gather(SLICE_S)

    def _gather(self, seconds: float) -> None:
        self._timer.stop()
        until = thread_time() + seconds
        for piece in self._pieces:
            self._gathered.append(piece)
            if thread_time() >= until:
                self._timer.start()
                return
        text, self._gathered = "".join(self._gathered), []
        if text:
            copy_text(text)


_TASKS = {QTextBlockFormat.MarkerType.Checked: "[x] ", QTextBlockFormat.MarkerType.Unchecked: "[ ] "}
_IMAGE = "\N{OBJECT REPLACEMENT CHARACTER}"


def turn_text_pieces(layout: TurnLayout) -> Iterator[str]:
    """Yield the plain text of a turn in pieces that join to the whole, since a long turn takes time.

    Code, a user's message, and an output other than Markdown are unchanged.
    """
    separator = ""
    for number, part in enumerate(layout.turn.parts):
        match part:
            case Text(text=text) if layout.turn.role is Role.ASSISTANT:
                pieces = _block_text_pieces(layout.cache.markdown(f"{number}", text))
            case Output(text=text) if isinstance(present_output(text), MarkdownText):
                pieces = _block_text_pieces(layout.cache.markdown(f"{number}", text))
            case Text(text=text) | Output(text=text):
                pieces = iter((text,))
            case _:
                continue
        for piece in pieces:
            yield separator + piece if separator else piece
            separator = ""
        separator = PARAGRAPH_BREAK


def markdown_to_text(text: str) -> str:
    """Return Markdown as plain text: lists keep their markers, cells of tables are separated by tabs."""
    document = QTextDocument()
    document.setMarkdown(text, MARKDOWN)
    return "".join(_join_lines(_frame_lines(document.rootFrame())))


def _block_text_pieces(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of blocks. Pieces of one frame or of one long line are contiguous; all else is a paragraph."""
    before: Block | None = None
    for block in blocks:
        match block:
            case CodeBlock(text=text):
                is_more = isinstance(before, CodeBlock) and before.group == block.group
            case ProseBlock(text=text, is_plain=True):
                is_more = isinstance(before, ProseBlock) and before.is_plain
            case ProseBlock(text=text):
                is_more, text = False, markdown_to_text(text)
            case _:
                continue
        yield text if before is None or is_more else PARAGRAPH_BREAK + text
        before = block


def _frame_lines(frame: QTextFrame) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each line of a frame."""
    iterator = frame.begin()
    while not iterator.atEnd():
        child, block = iterator.currentFrame(), iterator.currentBlock()
        if isinstance(child, QTextTable):
            yield from (("table", row) for row in _table_rows(child))
        elif child is None and block.isValid():
            kind, text = _line_kind(block), _block_text(block)
            if text or kind != "paragraph":  # Qt begins and ends tables and rules with empty ones
                yield kind, _item_marker(block) + text
        iterator += 1


def _join_lines(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    before: str | None = None
    for kind, line in lines:
        if before is not None:
            yield "\n" if kind == before and kind != "paragraph" else PARAGRAPH_BREAK
        yield line
        before = kind


def _table_rows(table: QTextTable) -> Iterator[str]:
    for row in range(table.rows()):
        yield "\t".join(_cell_text(table.cellAt(row, column)) for column in range(table.columns()))


def _cell_text(cell: QTextTableCell) -> str:
    iterator = cell.begin()
    words: list[str] = []
    while not iterator.atEnd():
        words += _block_text(iterator.currentBlock()).split()
        iterator += 1
    return " ".join(words)


def _block_text(block: QTextBlock) -> str:
    """Return the text of a paragraph with its line breaks; an image becomes its description."""
    text = block.text().replace("\N{LINE SEPARATOR}", "\n")
    if _IMAGE not in text:
        return text
    pieces, iterator = [], block.begin()
    while not iterator.atEnd():
        form = iterator.fragment().charFormat()
        if form.isImageFormat():
            pieces.append(form.stringProperty(form.Property.ImageAltText) or form.toImageFormat().name())
        else:
            pieces.append(iterator.fragment().text().replace("\N{LINE SEPARATOR}", "\n"))
        iterator += 1
    return "".join(pieces)


def _line_kind(block: QTextBlock) -> str:
    if block.textList() is not None:
        return "list"
    return "code" if is_code(block.blockFormat()) else "paragraph"


def _item_marker(block: QTextBlock) -> str:
    """Return the bullet, number or check box of a list item, indented by its level."""
    items = block.textList()
    if items is None:
        return ""
    indent = "  " * max(0, items.format().indent() - 1)
    if (task := _TASKS.get(block.blockFormat().marker())) is not None:
        return indent + task
    number = items.itemText(block)
    return f"{indent}{number} " if number[:1].isalnum() else f"{indent}- "
