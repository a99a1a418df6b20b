"""The text of a message that is being written: plain, as tall as it is within bounds, safe with input methods."""

from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from desktop.chat.composer.draft import MOST_CHARACTERS, Draft
from desktop.chat.composer.long_lines import LongLines
from desktop.theme.theme import Theme

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MODIFIERS = Qt.KeyboardModifier
_PLAIN = (_MODIFIERS.NoModifier, _MODIFIERS.KeypadModifier)
_WITH_CTRL = (_MODIFIERS.ControlModifier, _MODIFIERS.ControlModifier | _MODIFIERS.KeypadModifier)
_WITH_SHIFT = (_MODIFIERS.ShiftModifier, _MODIFIERS.ShiftModifier | _MODIFIERS.KeypadModifier)


class TextBox(QPlainTextEdit):
    """Enter submits and Shift+Enter begins a line; with `needs_ctrl`, Ctrl+Enter submits and Enter begins a line.

    While an input method composes, no key does anything but what the method makes of it.
    """

    submitted = Signal()
    went_up = Signal()
    """Up was pressed while there is no text."""
    paste_refused = Signal()
    """What was pasted would make the text longer than a message may be; nothing was inserted."""
    focus_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_composing = False
        self._lines = LongLines(self.document())
        self.needs_ctrl = False
        self.setObjectName("composer")
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.textChanged.connect(self._fit)

    @property
    def characters(self) -> int:
        """How long the text is, in UTF-16 units."""
        return self.document().characterCount() - 1

    def is_blank(self) -> bool:
        """Whether there is nothing but spaces; a long text is not looked through."""
        return self.characters < _LOOKED_THROUGH and not self.toPlainText().strip()

    def text(self) -> str:
        """As it was written. Not `toPlainText`, which knows neither long lines nor no-break spaces."""
        return self._lines.text()

    @property
    def is_composing(self) -> bool:
        """Whether an input method has something that it has not committed yet."""
        return self._is_composing

    def beginning(self) -> str:
        """The first line, or the first characters of a long one; a long text is not looked through."""
        return self.document().firstBlock().text()

    def has_lines(self) -> bool:
        """Whether there is more than that."""
        return self.document().blockCount() > 1

    def clear_selection(self) -> bool:
        """Select nothing any more, with the cursor where it is; false if nothing was selected."""
        cursor = self.textCursor()
        was_selected = cursor.hasSelection()
        if was_selected:
            cursor.clearSelection()
            self.setTextCursor(cursor)
        return was_selected

    def replace(self, text: str) -> None:
        """Put a text in the place of all that was written, the cursor at its end; that can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        self.setTextCursor(cursor)
        self._insert(text)

    def draft(self) -> Draft:
        cursor = self.textCursor()
        return Draft(self.text(), self._lines.to_text(cursor.position()), self._lines.to_text(cursor.anchor()))

    def set_draft(self, draft: Draft) -> None:
        """The history of undoing begins anew: it never brings back another workflow's text."""
        self._lines.set_text(draft.text)
        cursor = self.textCursor()
        cursor.setPosition(self._lines.to_document(draft.anchor))
        cursor.setPosition(self._lines.to_document(draft.cursor), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def take_up(self, text: str) -> None:
        """Put a text before what was written, if anything was; that can be undone."""
        if not self.characters:
            end = len(text.encode("utf-16-le", "surrogatepass")) // 2
            self.set_draft(Draft(text, end, end))
            return
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self._insert(f"{text}\n\n")

    def dress(self) -> None:
        """Fonts and lengths are others."""
        self.setFont(self._theme.font("body"))
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._is_composing:
            event.accept()  # or a shortcut of the window would take the key from the input method
            return True
        return super().event(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())  # first: what it commits is a change like any other
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers()
        if self._is_composing:
            event.accept()
        elif event.key() in _ENTER and modifiers in (_WITH_CTRL if self.needs_ctrl else (*_PLAIN, *_WITH_CTRL)):
            self.submitted.emit()
        elif event.key() in _ENTER and modifiers in (*_PLAIN, *_WITH_SHIFT):
            self._insert("\n")
        elif event.key() == Qt.Key.Key_Up and modifiers in _PLAIN and not self.characters:
            self.went_up.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.characters + len(source.text()) > MOST_CHARACTERS:
            self.paste_refused.emit()
        else:
            self._insert(source.text().replace("\r\n", "\n").replace("\r", "\n"))

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor, data = self.textCursor(), QMimeData()
        data.setText(self._lines.text_between(cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.sizes.user_bubble // 4, self._theme.sizes.composer_min)

    def _insert(self, text: str) -> None:
        cursor = self.textCursor()
        self._lines.insert(cursor, text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _fit(self) -> None:
        """As tall as the text, between the two sizes of the design; only lines that may fit are looked at."""
        sizes = self._theme.sizes
        block, height = self.document().firstBlock(), 0.0
        while block.isValid() and height < sizes.composer_max:
            height += self.blockBoundingRect(block).height()
            block = block.next()
        wanted = min(max(ceil(height) + 1, sizes.composer_min), sizes.composer_max)
        policy = Qt.ScrollBarPolicy
        is_full = wanted == sizes.composer_max
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if is_full else policy.ScrollBarAlwaysOff)
        if self.height() != wanted:
            self.setFixedHeight(wanted)


_LOOKED_THROUGH = 1000
