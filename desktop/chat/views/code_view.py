"""Code, or a piece of long code: never wrapped, scrolled sideways, copied unchanged."""

from bisect import bisect_left, bisect_right
from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.chat.layout.blocks import CodeBlock
from desktop.chat.layout.content_blocks import TAB_COLUMNS
from desktop.chat.layout.display_text import display_code, to_characters, to_units
from desktop.chat.views.prose_style import blocks_in, set_plain
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import BlockContext, ViewContext
from desktop.widgets import paint_focus
from desktop.widgets.syntax import Span, Spans

_STEP_COLUMNS = 4
_STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class CodeView(TextView):
    """A piece of code. Where it is wider than its frame, Tab focuses it, and Left and Right scroll it."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self._block: CodeBlock | None = None
        self._shown = display_code("")
        self._columns = 0
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)

    def show_block(self, block: CodeBlock, context: BlockContext) -> None:
        """Show a piece of code. The pieces of a frame scroll together; the last piece has the scroll bar.

        Text that only grew is appended: nothing before it is laid out again.
        """
        before, self._shown = self._shown, display_code(block.text.removesuffix("\n"))
        has_grown = self._block is not None and self._block.key == block.key and before.text
        self._block, self._columns = block, context.columns
        with self.keeping_selection():
            # streaming code grows at its end: inserting there keeps the layout of thousands of lines
            if has_grown and self._shown.text.startswith(before.text) and self._has_theme_font():
                end = QTextCursor(self.document())
                end.movePosition(QTextCursor.MoveOperation.End)
                end.insertText(self._shown.text[len(before.text) :])
            else:
                font, line = self._theme.font("code"), self._theme.sizes.code_line
                left_to_right = Qt.LayoutDirection.LeftToRight
                set_plain(self.document(), self._shown.text, font, line, direction=left_to_right)
                self.setTabStopDistance(self._column() * TAB_COLUMNS)

    def fit(self, width: int) -> int:
        content = max(ceil(self.document().idealWidth()), ceil(self._columns * self._column()))
        is_wide = content > width
        has_bar = is_wide and self._block is not None and self._block.is_last
        policy = Qt.ScrollBarPolicy
        self.setHorizontalScrollBarPolicy(policy.ScrollBarAlwaysOn if has_bar else policy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_wide else Qt.FocusPolicy.ClickFocus)
        height = super().fit(max(width, content))
        return height + (self.horizontalScrollBar().sizeHint().height() if has_bar else 0)

    def color(self, block: CodeBlock, spans: Spans) -> None:
        """Apply syntax colours if this block is shown; `spans` count from the beginning of its frame.

        Code with marks for hidden characters stays plain, since the spans apply to the text without them.
        """
        if block != self._block or self._shown.text != self._shown.source:
            return
        starts, ends = [span.start for span in spans], [span.end for span in spans]
        at = block.start
        for line, text in zip(blocks_in(self.document()), self._shown.text.split("\n"), strict=True):
            inside = spans[bisect_right(ends, at) : bisect_left(starts, at + len(text))]
            line.layout().setFormats([self._range(span, at, text) for span in inside])
            at += len(text) + 1
        # formats set on layouts do not notify the document
        self.document().markContentsDirty(0, self.document().characterCount())

    def selected_text(self) -> str:
        """Return the selected source, byte for byte."""
        cursor, text = self.textCursor(), self._shown.text
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        return self._shown.original(to_characters(text, start), to_characters(text, end))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = _STEPS.get(event.key(), 0)
        if steps and event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() + round(steps * _STEP_COLUMNS * self._column()))
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        is_sideways = abs(delta.x()) > abs(delta.y()) or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        bar = self.horizontalScrollBar()
        if is_sideways and bar.maximum() > 0:
            bar.setValue(bar.value() - (delta.x() or delta.y()))
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and self.focusPolicy() is Qt.FocusPolicy.StrongFocus:
            painter = QPainter(self.viewport())
            paint_focus(painter, self._theme, self.viewport().rect(), self._theme.sizes.radius_small)
            painter.end()

    def _has_theme_font(self) -> bool:
        return self.document().defaultFont() == self._theme.font("code")

    def _column(self) -> float:
        return QFontMetricsF(self._theme.font("code")).horizontalAdvance(" ")

    def _range(self, span: Span, at: int, text: str) -> QTextLayout.FormatRange:
        """Return the part of a span within the line `text`, which begins at `at`."""
        colored = QTextLayout.FormatRange()
        colored.start = to_units(text, max(0, span.start - at))
        colored.length = to_units(text, min(len(text), span.end - at)) - colored.start
        colored.format.setForeground(self._theme.color(span.color))
        return colored

    def _on_scrolled(self, value: int) -> None:
        self.intents.scroll_code.emit(self, value)
