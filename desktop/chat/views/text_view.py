"""Text that can be selected, copied and read aloud, as tall as its content. It loads and opens nothing."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from operator import itemgetter
from typing import Any, cast

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextDocument,
    QTextLine,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from desktop.chat.views.prose_style import ascii_url, is_allowed_link
from desktop.chat.views.view_context import ViewContext
from desktop.widgets import opens_menu, plain_tool_tip

_Key = QKeySequence.StandardKey
_SELECTION_KEYS = (
    _Key.SelectNextChar,
    _Key.SelectPreviousChar,
    _Key.SelectNextWord,
    _Key.SelectPreviousWord,
    _Key.SelectNextLine,
    _Key.SelectPreviousLine,
    _Key.SelectStartOfLine,
    _Key.SelectEndOfLine,
    _Key.SelectStartOfBlock,
    _Key.SelectEndOfBlock,
    _Key.SelectStartOfDocument,
    _Key.SelectEndOfDocument,
)
_Flag = Qt.TextInteractionFlag
_INITIAL_WIDTH = 720


class TextView(QTextBrowser):
    """The base of all text views. Keys that only move or copy are left to the transcript."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self.intents = context.intents
        self._is_pressed = False
        self._target = ""
        self._found: Sequence[tuple[int, int]] = ()
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setLineWrapColumnOrWidth(_INITIAL_WIDTH)  # at none, a text would be laid out a letter to a line
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            _Flag.TextSelectableByMouse
            | _Flag.TextSelectableByKeyboard
            | _Flag.LinksAccessibleByMouse
            | _Flag.LinksAccessibleByKeyboard
        )
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._on_anchor)
        self.highlighted.connect(self._on_highlighted)
        self.selectionChanged.connect(self._on_selection)

    def fit(self, width: int) -> int:
        """Return the height of the text at this width."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        return ceil(self.document().size().height())

    def selected_text(self) -> str:
        """Return the selected text as it is to be copied."""
        return self.textCursor().selection().toPlainText()

    def select(self, anchor: int, position: int) -> None:
        """Select a range, clipped to the text, without emitting a signal."""
        last = self.document().characterCount() - 1
        cursor = self.textCursor()
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        if (cursor.anchor(), cursor.position()) != (self.textCursor().anchor(), self.textCursor().position()):
            # setTextCursor scrolls to the cursor, which would undo the user's scrolling
            sideways = self.horizontalScrollBar().value()
            was_blocked = self.blockSignals(True)
            self.setTextCursor(cursor)
            self.blockSignals(was_blocked)
            self.horizontalScrollBar().setValue(sideways)

    def box_of(self, start: int, end: int) -> QRect:
        """Return the rectangle where a range begins, scrolled sideways to it where it is cut off."""
        last = self.document().characterCount() - 1
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(end, last))
        right = self.cursorRect(cursor)
        cursor.setPosition(min(start, last))
        left = self.cursorRect(cursor)
        bar = self.horizontalScrollBar()
        if bar.maximum() > 0 and not (left.left() >= 0 and right.right() <= self.viewport().width()):
            bar.setValue(bar.value() + left.left() - self.viewport().width() // 3)
            left = self.cursorRect(cursor)
        return left

    def set_found(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Mark ranges, in order, behind the text. Painting takes time for what is in sight alone."""
        if self._found or ranges:
            self._found = ranges
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._found:
            self._paint_found(event.rect())
        super().paintEvent(event)

    def _paint_found(self, sight: QRect) -> None:
        first, last = (self.cursorForPosition(corner).position() for corner in (sight.topLeft(), sight.bottomRight()))
        start = bisect_left(self._found, first, key=itemgetter(1))
        end = bisect_right(self._found, last, key=itemgetter(0))
        painter = QPainter(self.viewport())
        painter.translate(-self.horizontalScrollBar().value(), 0)
        color = self._theme.color("found")
        for begin, stop in self._found[start:end]:
            for box in self._boxes(begin, stop):
                painter.fillRect(box, color)
        painter.end()

    def _boxes(self, start: int, end: int) -> Iterator[QRectF]:
        """Yield the rectangles of a range, one a line."""
        block = self.document().findBlock(start)
        while block.isValid() and block.position() < end:
            layout, origin = block.layout(), self.document().documentLayout().blockBoundingRect(block).topLeft()
            begin, stop = max(0, start - block.position()), min(block.length() - 1, end - block.position())
            while begin < stop:
                line = layout.lineForTextPosition(begin)
                line_end = min(stop, line.textStart() + line.textLength())
                if not line.isValid() or line_end <= begin:
                    break
                left, right = _x_of(line, begin), _x_of(line, line_end)
                yield QRectF(origin.x() + left, origin.y() + line.y(), right - left, line.height()).normalized()
                begin = line_end
            block = block.next()

    def deselect(self) -> None:
        """Clear the selection without emitting a signal."""
        if self.textCursor().hasSelection():
            self.select(self.textCursor().position(), self.textCursor().position())

    def position_at(self, point: QPoint) -> int:
        """Return the text position nearest to a global point: an end of the text for a point above or below."""
        inside = self.viewport().mapFromGlobal(point)
        if inside.y() < 0:
            return 0
        if inside.y() > self.viewport().height():
            return self.document().characterCount() - 1
        return self.cursorForPosition(inside).position()

    @contextmanager
    def keeping_selection(self) -> Iterator[None]:
        """Restore the selection after the text was set, if the text up to its end is unchanged.

        Without a selection, the cursor is at the beginning: Qt scrolls to it, and a new text moves it to the end.
        """
        cursor = self.textCursor()
        ends = cursor.anchor(), cursor.position()
        before = self.toPlainText()[: max(ends)] if cursor.hasSelection() else ""
        was_blocked = self.blockSignals(True)
        yield
        is_same = self.toPlainText().startswith(before)
        if not before:
            self.select(0, 0)
        elif is_same:
            self.select(*ends)
        self.blockSignals(was_blocked)
        if not is_same:
            self.intents.select.emit(self)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return empty data for every resource: for None, Qt would read the file itself."""
        if kind == QTextDocument.ResourceType.ImageResource.value:
            pixel = QImage(1, 1, QImage.Format.Format_ARGB32)
            pixel.fill(Qt.GlobalColor.transparent)
            return pixel
        return b" "

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return plain text: our colours and fonts do not belong in other documents."""
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if opens_menu(event):
            self.intents.menu.emit(self, self.viewport().mapToGlobal(self.cursorRect().center()))
            return
        # Enter opens the focused link; any other key belongs to the transcript
        is_for_link = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_for_link or any(event.matches(key) for key in _SELECTION_KEYS):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        moved = super().focusNextPrevChild(is_next)
        if moved and self.hasFocus():
            self._on_highlighted(QUrl(self.textCursor().charFormat().anchorHref()))
        return moved

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._on_highlighted(QUrl())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._on_highlighted(QUrl())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._on_highlighted(QUrl())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu for the mouse only: some systems send both a key event and this event for the keyboard."""
        if event.reason() is not QContextMenuEvent.Reason.Keyboard:
            self.intents.menu.emit(self, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press(event, super().mousePressEvent)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._press(event, super().mouseDoubleClickEvent)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self._is_pressed:
            self.intents.drag.emit(self, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        event.accept()
        if self._is_pressed and event.button() is Qt.MouseButton.LeftButton:
            self._is_pressed = False
            self.intents.release.emit(self)

    def _press(self, event: QMouseEvent, react: Callable[[QMouseEvent], None]) -> None:
        """Handle a press. While the button is down, what Qt selects in this view is only a part of the selection."""
        self._is_pressed = self._is_pressed or event.button() is Qt.MouseButton.LeftButton
        react(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self.intents.press.emit(self, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def link_at(self, point: QPoint) -> str:
        """Return the target of the link at a global point, if it may be opened; else an empty string."""
        target = self.anchorAt(self.viewport().mapFromGlobal(point))
        return ascii_url(QUrl(target)) if is_allowed_link(target) else ""

    def _on_anchor(self, url: QUrl) -> None:
        target = ascii_url(url)
        if is_allowed_link(target):
            self.intents.open_link.emit(target)

    def _on_highlighted(self, url: QUrl) -> None:
        """Show the link under the mouse or the focus; an empty URL means none."""
        target = "" if url.isEmpty() else ascii_url(url)
        if target != self._target:
            self._target = target
            self.setToolTip(plain_tool_tip(target))
            self.setAccessibleDescription(target)
            self.intents.point_at_link.emit(target)

    def _on_selection(self) -> None:
        if not self._is_pressed:
            self.intents.select.emit(self)


def _x_of(line: QTextLine, position: int) -> float:
    """Return where a position stands in its line."""
    x, _ = cast(
        "tuple[float, int]", line.cursorToX(position)
    )  # the types of PySide forget the position that it returns
    return x
