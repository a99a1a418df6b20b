"""Prose: Markdown of an answer, or plain text of the user."""

import re
from math import ceil

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QStyle, QStyleOptionButton, QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import PlainBlock, ProseBlock
from desktop.chat.views.prose_style import (
    DocumentFeatures,
    blocks_in,
    has_painted_marker,
    is_code,
    marker_of,
    quote_level,
    set_markdown,
    set_plain,
)
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import ViewContext
from desktop.tokens import Colors, Sizes

_Marker = QTextBlockFormat.MarkerType
_State = QStyle.StateFlag
_QUOTE_BAR_WIDTH = 3
_DOT = 5
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class ProseView(TextView):
    """A piece of prose. Where it has links, Tab focuses it at its first link, and goes from link to link."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self._features = DocumentFeatures(has_links=False, has_quotes=False)
        self._markdown: tuple[str, Colors, Sizes] | None = None
        # a bubble is narrower than the column that its text is wrapped in: Qt would move it to the cursor
        self.horizontalScrollBar().valueChanged.connect(self._stay)

    def show_block(self, block: ProseBlock | PlainBlock) -> None:
        """Show a block. The selection stays where the text up to its end is the same."""
        text = reveal(block.text)
        with self.keeping_selection():
            if isinstance(block, ProseBlock) and not block.is_plain:
                self._show_markdown(text)
            else:
                self._markdown = None
                self._show_plain(text.removesuffix("\n"), is_note=isinstance(block, PlainBlock) and not block.cards)
        has_links = self._features.has_links
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.ClickFocus)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _BY_TAB and self._features.has_links:
            self.focusNextPrevChild(event.reason() is Qt.FocusReason.TabFocusReason)

    def content_width(self) -> int:
        """Return the width of the text: the whole width where it wraps or runs from right to left."""
        blocks = list(blocks_in(self.document()))
        if any(block.textDirection() is Qt.LayoutDirection.RightToLeft for block in blocks):
            return self.lineWrapColumnOrWidth()
        lines = (block.layout().lineAt(n) for block in blocks for n in range(block.layout().lineCount()))
        return ceil(max((line.naturalTextWidth() for line in lines), default=0)) + 1

    def _stay(self) -> None:
        self.horizontalScrollBar().setValue(0)

    def _show_markdown(self, text: str) -> None:
        look = self._theme.colors, self._theme.sizes
        before, *before_look = self._markdown or ("",)
        # after a change of theme the formats in the document are outdated, whatever the text
        if tuple(before_look) != look or not append_words(self.document(), before, text):
            self._features = set_markdown(self.document(), text, self._theme)
        self._markdown = text, *look

    def _show_plain(self, text: str, *, is_note: bool) -> None:
        theme, line = self._theme, self._theme.sizes.body_line
        self._features = DocumentFeatures(has_links=False, has_quotes=False)
        if is_note:
            set_plain(self.document(), text, theme.font("secondary"), line, theme.color("muted"))
        else:
            set_plain(self.document(), text, theme.font("body"), line)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._features.has_quotes:
            self._paint_quotes()
        if self._features.has_markers:
            self._paint_markers()

    def _paint_quotes(self) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("border_strong"))
        layout, step = self.document().documentLayout(), self._theme.sizes.space_l
        for block in blocks_in(self.document()):
            box = layout.blockBoundingRect(block)
            for level in range(quote_level(block)):
                painter.drawRoundedRect(QRectF(level * step, box.top(), _QUOTE_BAR_WIDTH, box.height()), 1, 1)
        painter.end()

    def _paint_markers(self) -> None:
        """Paint a check box before each task, as the style draws it, and a dot before each item of a list."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("text"))
        layout, sizes = self.document().documentLayout(), self._theme.sizes
        option = QStyleOptionButton()
        for block in blocks_in(self.document()):
            lines = block.layout()
            if not has_painted_marker(block) or not lines.lineCount():
                continue
            line = lines.lineAt(0).naturalTextRect().translated(layout.blockBoundingRect(block).topLeft())
            is_left = block.textDirection() is not Qt.LayoutDirection.RightToLeft
            marker = marker_of(block)
            side = _DOT if marker is _Marker.NoMarker else sizes.icon_s
            left = line.left() - sizes.space_s - side if is_left else line.right() + sizes.space_s
            top = line.center().y() - side / 2
            if marker is _Marker.NoMarker:
                painter.drawEllipse(QRectF(left, top, side, side))
                continue
            option.rect = QRect(round(left), round(top), side, side)
            is_done = marker is _Marker.Checked
            option.state = _State.State_Enabled | (_State.State_On if is_done else _State.State_Off)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, option, painter, self)
        painter.end()


# The last word of a text and what follows it: single spaces, and no character with a meaning in Markdown. It has a
# letter, so that its line is no rule or underline; markup before it is closed, or stays literal.
_WORDS = re.compile(r"[\"'(\u201c\u2018\xab]*[^\W\d_](?:[^\s\\`*_\[\]<>#|&~@/)\x00-\x1f\x7f-\x9f]| (?! ))*")
# The start of an automatic link that has neither `/` nor `@`.
_LINK = re.compile("www", re.IGNORECASE)
# The definition of a link target may span lines, and is not displayed.
_DEFINITION = "]:"


def append_words(document: QTextDocument, before: str, after: str) -> bool:
    """Update a document that shows the Markdown `before` to show `after`. Return False, with nothing done, where that
    is not certain to be right.

    A token is mostly a word at the end of a paragraph, but parsing the Markdown again would lay out all of it, twice.
    Where nothing in the new text can be markup, the words are inserted at the end of the document, with the same
    result.
    """
    text = before.rstrip(" ")
    start = max(text.rfind(blank) for blank in (" ", "\n")) + 1
    if start == len(text) or not after.startswith(before) or _DEFINITION in before:
        return False
    appended = _WORDS.fullmatch(after, start)
    if appended is None or _LINK.search(appended[0]):
        return False
    cursor = QTextCursor(document)
    cursor.setPosition(document.characterCount() - 1)
    block = cursor.block()
    if cursor.currentTable() is not None or is_code(block.blockFormat()) or not block.text().endswith(text[start:]):
        return False
    cursor.insertText(after[len(text) :].rstrip(" "))
    return True
