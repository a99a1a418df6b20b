"""What a turn reads as once the marks of Markdown are gone: the plain text that *Copy message* takes."""

from collections.abc import Iterable, Iterator

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextDocument, QTextFrame, QTextTable, QTextTableCell

from core.domain.message import Role
from desktop.chat.layout.blocks import Block, CodeBlock, ProseBlock
from desktop.chat.layout.outputs import MarkdownText, shown_output
from desktop.chat.layout.turn_layout import TurnLayout
from desktop.chat.transcript.copying import PARAGRAPH
from desktop.chat.values import Output, Text
from desktop.chat.views.prose_style import MARKDOWN, is_code

_TASKS = {QTextBlockFormat.MarkerType.Checked: "[x] ", QTextBlockFormat.MarkerType.Unchecked: "[ ] "}
_PICTURE = "\N{OBJECT REPLACEMENT CHARACTER}"


def pieces_of_turn(layout: TurnLayout) -> Iterator[str]:
    """Piece by piece, since a long one takes its time: they join to the whole.

    Code is as it came, and so is what a person wrote and an output that is no Markdown.
    """
    joint = ""
    for number, part in enumerate(layout.turn.parts):
        match part:
            case Text(text=text) if layout.turn.role is Role.ASSISTANT:
                pieces = _read(layout.memo.markdown(f"{number}", text))
            case Output(text=text) if isinstance(shown_output(text), MarkdownText):
                pieces = _read(layout.memo.markdown(f"{number}", text))
            case Text(text=text) | Output(text=text):
                pieces = iter((text,))
            case _:
                continue
        for piece in pieces:
            yield joint + piece if joint else piece
            joint = ""
        joint = PARAGRAPH


def read_markdown(text: str) -> str:
    """A piece of Markdown as plain text: lists keep their marks, the cells of a table stand between tabs."""
    document = QTextDocument()
    document.setMarkdown(text, MARKDOWN)
    return "".join(_joined(_lines_of(document.rootFrame())))


def _read(blocks: Iterable[Block]) -> Iterator[str]:
    """The pieces of one frame, or of one endless line, follow each other; all else is a paragraph of its own."""
    before: Block | None = None
    for block in blocks:
        match block:
            case CodeBlock(text=text):
                is_more = isinstance(before, CodeBlock) and before.group == block.group
            case ProseBlock(text=text, is_plain=True):
                is_more = isinstance(before, ProseBlock) and before.is_plain
            case ProseBlock(text=text):
                is_more, text = False, read_markdown(text)
            case _:
                continue
        yield text if before is None or is_more else PARAGRAPH + text
        before = block


def _lines_of(frame: QTextFrame) -> Iterator[tuple[str, str]]:
    """What kind of line each one is, and the line."""
    place = frame.begin()
    while not place.atEnd():
        child, block = place.currentFrame(), place.currentBlock()
        if isinstance(child, QTextTable):
            yield from (("table", row) for row in _rows_of(child))
        elif child is None and block.isValid():
            kind, text = _kind_of(block), _text_of(block)
            if text or kind != "paragraph":  # Qt begins and ends tables and rules with empty ones
                yield kind, _mark_of(block) + text
        place += 1


def _joined(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    before: str | None = None
    for kind, line in lines:
        if before is not None:
            yield "\n" if kind == before and kind != "paragraph" else PARAGRAPH
        yield line
        before = kind


def _rows_of(table: QTextTable) -> Iterator[str]:
    for row in range(table.rows()):
        yield "\t".join(_text_of_cell(table.cellAt(row, column)) for column in range(table.columns()))


def _text_of_cell(cell: QTextTableCell) -> str:
    place = cell.begin()
    words: list[str] = []
    while not place.atEnd():
        words += _text_of(place.currentBlock()).split()
        place += 1
    return " ".join(words)


def _text_of(block: QTextBlock) -> str:
    """Its words, with its own line breaks; a picture is its description."""
    text = block.text().replace("\N{LINE SEPARATOR}", "\n")
    if _PICTURE not in text:
        return text
    pieces, place = [], block.begin()
    while not place.atEnd():
        form = place.fragment().charFormat()
        if form.isImageFormat():
            pieces.append(form.stringProperty(form.Property.ImageAltText) or form.toImageFormat().name())
        else:
            pieces.append(place.fragment().text().replace("\N{LINE SEPARATOR}", "\n"))
        place += 1
    return "".join(pieces)


def _kind_of(block: QTextBlock) -> str:
    if block.textList() is not None:
        return "list"
    return "code" if is_code(block.blockFormat()) else "paragraph"


def _mark_of(block: QTextBlock) -> str:
    """The bullet, the number or the box of an item, as deep as it stands."""
    items = block.textList()
    if items is None:
        return ""
    indent = "  " * max(0, items.format().indent() - 1)
    if (task := _TASKS.get(block.blockFormat().marker())) is not None:
        return indent + task
    number = items.itemText(block)
    return f"{indent}{number} " if number[:1].isalnum() else f"{indent}- "
