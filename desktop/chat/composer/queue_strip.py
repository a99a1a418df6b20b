"""The messages queued behind the running turn, above the composer (UI §5).

Keys: Up and Down move between rows, Ctrl+Up and Ctrl+Down reorder, Enter edits in the composer, Ctrl+Enter sends now,
Delete removes, Esc returns to the text. The mouse reorders by dragging.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import (
    Adaptive,
    ElidedLabel,
    IconButton,
    Surface,
    announce,
    has_focus_within,
    paint_focus,
    set_role,
)

# Rows that are visible at once.
_MAX_ROWS = 3
_LINE_CHARACTERS = 300
_CTRL = Qt.KeyboardModifier.ControlModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEYPAD = Qt.KeyboardModifier.KeypadModifier


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A queued message; `files` is the number of attached texts."""

    id: str
    text: str
    files: int = 0


class QueueStrip(Adaptive, Surface):
    """Shows the queue and emits what the user requests; hidden while the queue is empty."""

    edit_requested = Signal(str)
    send_requested = Signal(str)
    remove_requested = Signal(str)
    move_requested = Signal(str, int)
    """The message, and its new position from 0."""
    text_requested = Signal()
    """The focus is to return to the text."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("card", parent=parent)
        self.setObjectName("queue")
        set_role(QueueStrip, QAccessible.Role.List)
        set_role(_Row, QAccessible.Role.ListItem)
        self._theme = theme
        self._waiting: tuple[WaitingMessage, ...] = ()
        self._reason = ""
        self._rows: list[_Row] = []
        self._title = ElidedLabel("", "meta", "muted", parent=self)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        self._list = QVBoxLayout(self._content)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._scroll.setWidget(self._content)
        self._content.setAutoFillBackground(False)  # the card shows through
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._title)
        self._column.addWidget(self._scroll)
        self.hide()
        self.adapt_to(theme)

    @property
    def messages(self) -> tuple[WaitingMessage, ...]:
        return self._waiting

    @property
    def title(self) -> str:
        """The line above the rows: their number, or why they are held."""
        return self._title.text()

    def show_queue(self, waiting: Sequence[WaitingMessage], reason: str) -> None:
        """Show the queue. `reason` is why the messages are held, empty while they are sent on."""
        if (tuple(waiting), reason) == (self._waiting, self._reason):
            return
        # rows are rebuilt, so that the focus is restored by message, not by widget
        focused = next((row.message.id for row in self._rows if row.has_focus), None)
        at = next((position for position, message in enumerate(self._waiting) if message.id == focused), 0)
        self._waiting, self._reason = tuple(waiting), reason
        self._fill()
        self.setVisible(bool(waiting))
        if focused is not None:
            index = next((position for position, message in enumerate(waiting) if message.id == focused), at)
            self._focus(min(index, len(waiting) - 1))

    def take_focus(self) -> bool:
        """Focus the last row. Return False if the queue is empty."""
        self._focus(len(self._rows) - 1)
        return bool(self._rows)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Queued messages"))
        self._fill()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setMaximumWidth(sizes.composer)
        self._column.setContentsMargins(sizes.space_m, sizes.space_s, sizes.space_s, sizes.space_xs)
        self._column.setSpacing(sizes.space_xs)
        self._title.setContentsMargins(sizes.space_xs, 0, 0, 0)  # as its rows
        self._fit()

    # Callbacks of the rows

    def on_key(self, row: "_Row", event: QKeyEvent) -> bool:
        """Handle a key of a row. Return whether it was handled."""
        at, key = self._rows.index(row), event.key()
        modifiers = event.modifiers() & ~_KEYPAD
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(key))
        is_enter = key in _ENTER
        if modifiers == _CTRL and by is not None:
            self._move(row, at + by)
        elif modifiers == _CTRL and is_enter:
            self.send_requested.emit(row.message.id)
        elif modifiers != Qt.KeyboardModifier.NoModifier:
            return False
        elif by is not None and at + by >= len(self._rows):
            self.text_requested.emit()
        elif by is not None:
            self._focus(max(0, at + by))
        elif is_enter or key == Qt.Key.Key_F2:
            self.edit_requested.emit(row.message.id)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_requested.emit(row.message.id)
        elif key == Qt.Key.Key_Escape:
            self.text_requested.emit()
        else:
            return False
        return True

    def drop_at(self, row: "_Row", at: QPoint) -> None:
        """Move a dragged row to the position `at` in the list."""
        step = max(1, row.height())
        self._move(row, max(0, min(at.y() // step, len(self._rows) - 1)))

    def _move(self, row: "_Row", position: int) -> None:
        if 0 <= position < len(self._rows) and self._rows[position] is not row:
            self.move_requested.emit(row.message.id, position)
            announce(
                self, self.tr("Position {position} of {count}").format(position=position + 1, count=len(self._rows))
            )

    # Layout

    def _fill(self) -> None:
        for row in self._rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(message) for message in self._waiting]
        count = self.tr("%n message(s) wait(s) for the end of this turn", None, len(self._rows))
        self._title.setText(self._reason or count)
        self._title.set_tone("warn" if self._reason else "muted")
        self._fit()

    def _row(self, waiting: WaitingMessage) -> "_Row":
        row = _Row(self._theme, waiting, self)
        row.edit.describe(self.tr("Edit"), QKeySequence(Qt.Key.Key_Return))
        row.send.describe(self.tr("Send now"), QKeySequence("Ctrl+Return"))
        row.remove.describe(self.tr("Remove"), QKeySequence(Qt.Key.Key_Delete))
        files = self.tr("%n file(s)", None, waiting.files) if waiting.files else ""
        row.show_words(" · ".join(part for part in (files, " ".join(waiting.text[:_LINE_CHARACTERS].split())) if part))
        row.setAccessibleDescription(
            self.tr("Enter edits, Ctrl+Enter sends now, Ctrl+Up and Ctrl+Down move, Delete removes")
        )
        row.edit.clicked.connect(partial(self._on_button, self.edit_requested, waiting.id))
        row.send.clicked.connect(partial(self._on_button, self.send_requested, waiting.id))
        row.remove.clicked.connect(partial(self._on_button, self.remove_requested, waiting.id))
        self._list.addWidget(row)
        row.show()
        return row

    def _on_button(self, signal: SignalInstance, message_id: str, _is_checked: bool = False) -> None:
        signal.emit(message_id)

    def _fit(self) -> None:
        shown = self._rows[:_MAX_ROWS]
        self._scroll.setFixedHeight(sum(row.sizeHint().height() for row in shown))

    def _focus(self, at: int) -> None:
        if at < 0:
            self.text_requested.emit()
            return
        self._list.activate()  # a row that was made just now has its position
        self._rows[at].setFocus(Qt.FocusReason.TabFocusReason)
        self._scroll.ensureWidgetVisible(self._rows[at], 0, 0)


class _Row(QWidget):
    """A line of a message, with its buttons."""

    def __init__(self, theme: Theme, waiting: WaitingMessage, strip: QueueStrip) -> None:
        super().__init__(strip)
        self.message = waiting
        self._theme = theme
        self._strip = strip
        self._pressed_at: QPoint | None = None
        self._words = ElidedLabel("", "row", "text", parent=self)
        self.send = IconButton(theme, Icon.ARROW_UP, parent=self)
        self.edit = IconButton(theme, Icon.PENCIL, parent=self)
        self.remove = IconButton(theme, Icon.X, parent=self)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.sizes.space_xs, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._words, 1)
        for button in (self.send, self.edit, self.remove):
            row.addWidget(button)

    @property
    def has_focus(self) -> bool:
        return has_focus_within(self)

    def show_words(self, text: str) -> None:
        self._words.setText(text)
        self.setAccessibleName(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Click the focused button on Enter: buttons leave that key to their parent."""
        is_enter = event.key() in _ENTER and event.modifiers() in (Qt.KeyboardModifier.NoModifier, _KEYPAD)
        focused = next((button for button in (self.send, self.edit, self.remove) if button.hasFocus()), None)
        if is_enter and focused is not None:
            focused.click()
        elif not self._strip.on_key(self, event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed_at, self._pressed_at = self._pressed_at, None
        self.unsetCursor()
        at = event.position().toPoint()
        far = QApplication.startDragDistance()
        if pressed_at is not None and (at - pressed_at).manhattanLength() >= far:
            self._strip.drop_at(self, self.mapToParent(at))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            paint_focus(QPainter(self), self._theme, self.rect(), self._theme.sizes.radius_row)
