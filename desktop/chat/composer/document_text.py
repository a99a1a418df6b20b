"""The text of an editor's document: overlong lines in pieces, and emoji that Backspace deletes at once.

Qt lays out a paragraph anew at each key, which takes seconds for a line of a megabyte. Such a line is stored as several
paragraphs, of which all but the first carry a format property; `LongLines` joins them on reading. Unlike `toPlainText`,
it also keeps no-break spaces.
"""

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QTextBoundaryFinder
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat

from desktop.widgets import raw_text

# Length of a piece, in characters.
PIECE_CHARACTERS = 4_000

_IS_CONTINUATION = QTextFormat.Property.UserProperty.value + 1


class LongLines:
    """Reads and writes the text of `document`. Positions are in UTF-16 units as in Qt."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._has_pieces = False  # most texts have none, and need no looking through

    def insert(self, cursor: QTextCursor, text: str) -> None:
        """Replace the selection of the cursor with `text`, as a single undo step."""
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        is_first = True
        for is_long, lines in groupby(text.split("\n"), key=_is_long):
            for line in lines if is_long else ["\n".join(lines)]:
                if not is_first:
                    cursor.insertBlock(QTextBlockFormat())
                is_first = False
                self._insert_pieces(cursor, line) if is_long else _insert_lines(cursor, line)
        cursor.endEditBlock()

    def set_text(self, text: str) -> None:
        """Replace all text and drop the undo history."""
        self._has_pieces = False
        self._document.setUndoRedoEnabled(False)
        cursor = QTextCursor(self._document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setBlockFormat(QTextBlockFormat())
        self.insert(cursor, text)
        self._document.setUndoRedoEnabled(True)

    def text(self) -> str:
        if not self._has_pieces:
            return raw_text(self._document)
        return self.text_between(0, self._document.characterCount() - 1)

    def text_between(self, start: int, end: int) -> str:
        """Return the text between two positions of the document."""
        pieces = []
        for block in self._blocks_from(start):
            if block.position() > end:
                break
            if block.position() > start and not _is_continuation(block):
                pieces.append("\n")
            first, last = start - block.position(), end - block.position()
            whole = first <= 0 and last >= block.length() - 1
            pieces.append(block.text() if whole else _units(block.text(), max(0, first), last))
        return "".join(pieces).replace("\N{LINE SEPARATOR}", "\n")

    def to_text(self, position: int) -> int:
        """Return the offset in the text at a position of the document."""
        if not self._has_pieces:
            return position
        return position - sum(_is_continuation(block) for block in self._blocks_from(0) if block.position() <= position)

    def to_document(self, at: int) -> int:
        """Return the position of an offset in the text; the end for offsets beyond it."""
        joints = 0
        for block in self._blocks_from(0) if self._has_pieces else ():
            joints += _is_continuation(block)
            if at + joints < block.position() + block.length():
                break
        return min(at + joints, self._document.characterCount() - 1)

    def _insert_pieces(self, cursor: QTextCursor, line: str) -> None:
        self._has_pieces = True
        cursor.insertText(line[:PIECE_CHARACTERS])
        for start in range(PIECE_CHARACTERS, len(line), PIECE_CHARACTERS):
            cursor.insertBlock(_continuation_format())
            cursor.insertText(line[start : start + PIECE_CHARACTERS])

    def _blocks_from(self, position: int) -> Iterator[QTextBlock]:
        block = self._document.findBlock(position)
        while block.isValid():
            yield block
            block = block.next()


def _insert_lines(cursor: QTextCursor, lines: str) -> None:
    """Insert the lines. Only the first may continue a piece that it is inserted in."""
    first, separator, rest = lines.partition("\n")
    cursor.insertText(first)
    if separator:
        cursor.insertBlock(QTextBlockFormat())
        cursor.insertText(rest)


def _units(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def _is_long(line: str) -> bool:
    return len(line) > PIECE_CHARACTERS


def _is_continuation(block: QTextBlock) -> bool:
    return block.blockFormat().boolProperty(_IS_CONTINUATION)


def _continuation_format() -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setProperty(_IS_CONTINUATION, True)
    return form


# UTF-16 units before the cursor; no emoji is that long.
_MAX_EMOJI_UNITS = 64
_JOINING = "\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
# Skin tones, the letters of flags, and the tags of regions.
_PARTS = {*range(0x1F3FB, 0x1F400), *range(0x1F1E6, 0x1F200), *range(0xE0020, 0xE0080)}


def delete_emoji_before(cursor: QTextCursor) -> bool:
    """Delete the emoji before the cursor if it consists of several characters; else do nothing.

    Of anything else Qt deletes the last character, so that an accent can be typed anew (UAX #29 §3, and what other
    platforms do).
    """
    if cursor.hasSelection() or cursor.atBlockStart():
        return False
    before = cursor.block().text().encode("utf-16-le", "surrogatepass")[: 2 * cursor.positionInBlock()]
    tail = before[-2 * _MAX_EMOJI_UNITS :].decode("utf-16-le", "replace")
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, tail)
    finder.toEnd()
    length = len(tail.encode("utf-16-le")) // 2 - finder.toPreviousBoundary()
    grapheme = before[-2 * length :].decode("utf-16-le", "replace")
    if len(grapheme) < 2 or not any(character in _JOINING or ord(character) in _PARTS for character in grapheme):
        return False
    cursor.setPosition(cursor.position() - length, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    return True
