"""The text field of the composer: plain text, as tall as its content within limits, safe with input methods."""

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QWidget

from desktop.chat.composer.document_text import LongLines, delete_emoji_before
from desktop.chat.composer.draft import MAX_MESSAGE_CHARACTERS, MAX_PASTE_BYTES, Draft, local_files, utf16_length
from desktop.theme import Theme
from desktop.widgets import Preedit

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MODIFIERS = Qt.KeyboardModifier
_PLAIN = (_MODIFIERS.NoModifier, _MODIFIERS.KeypadModifier)
_WITH_CTRL = (_MODIFIERS.ControlModifier, _MODIFIERS.ControlModifier | _MODIFIERS.KeypadModifier)
_WITH_CTRL_SHIFT = _MODIFIERS.ControlModifier | _MODIFIERS.ShiftModifier
_WITH_SHIFT = (_MODIFIERS.ShiftModifier, _MODIFIERS.ShiftModifier | _MODIFIERS.KeypadModifier)


class TextHistory:
    """A document with its undo history, while it is shown in no box."""

    def __init__(self, document: QTextDocument, lines: LongLines, paste_to_undo: tuple[str, int] | None) -> None:
        self.document = document
        self.lines = lines
        self.paste_to_undo = paste_to_undo

    def is_of(self, draft: Draft) -> bool:
        """Return whether this is the history of the draft's text."""
        return self.document.characterCount() - 1 >= len(draft.text) and self.lines.text() == draft.text


class TextBox(QPlainTextEdit):
    """Enter submits and Shift+Enter inserts a line break; with `needs_ctrl`, Ctrl+Enter submits and Enter inserts a
    line break.

    While an input method composes, every key belongs to it.
    """

    submitted = Signal()
    up_pressed = Signal()
    """Up was pressed in the empty box."""
    paste_refused = Signal()
    """The paste would exceed the limit of a message; nothing was inserted."""
    pasted_long = Signal(str)
    """Carries a paste that is too long for the text; nothing was inserted."""
    pasted_files = Signal(object)
    """The paths of pasted or dropped files; nothing was inserted. No list: Qt's loses bytes that are not UTF-8."""
    pasted_picture = Signal(object)
    """Carries the QImage."""
    focus_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preedit = Preedit()
        self._text, self._lines = _empty_document()
        self._paste_to_undo: tuple[str, int] | None = None
        self.undo_paste: Callable[[], None] | None = None
        """Called when the paste of an attached text is undone, before the text is inserted."""
        self.needs_ctrl = False
        self.setObjectName("composer")
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDocument(self._text)
        self.textChanged.connect(self._fit)

    @property
    def characters(self) -> int:
        """The length of the text in UTF-16 units."""
        return self.document().characterCount() - 1

    def is_blank(self) -> bool:
        """Return whether there is only white space; a long text is not scanned."""
        return self.characters < _MAX_BLANK_CHECK and not self.toPlainText().strip()

    def text(self) -> str:
        """Return the text as written. `toPlainText` would split long lines and replace no-break spaces."""
        return self._lines.text()

    @property
    def is_composing(self) -> bool:
        """Whether an input method has uncommitted text."""
        return bool(self._preedit.text)

    def commit_preedit(self) -> None:
        """Commit what an input method composes, before the text is read for good."""
        self._preedit.commit(self)

    def first_line(self) -> str:
        """Return the first line, or the first piece of a long line; a long text is not scanned."""
        return self.document().firstBlock().text()

    def has_more_lines(self) -> bool:
        """Return whether there is more than the first line or piece."""
        return self.document().blockCount() > 1

    def clear_selection(self) -> bool:
        """Clear the selection and keep the cursor. Return whether anything was selected."""
        cursor = self.textCursor()
        was_selected = cursor.hasSelection()
        if was_selected:
            cursor.clearSelection()
            self.setTextCursor(cursor)
        return was_selected

    def before_cursor(self) -> str:
        """Return the text before the cursor in its line, or in its piece of a long line; empty with a selection."""
        cursor = self.textCursor()
        start = cursor.block().position()
        return "" if cursor.hasSelection() else self._lines.text_between(start, cursor.position())

    def replace_before(self, characters: int, text: str) -> None:
        """Replace so many UTF-16 units before the cursor; can be undone."""
        cursor = self.textCursor()
        cursor.setPosition(cursor.position() - characters, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self._insert(text)

    def replace(self, text: str) -> None:
        """Replace the whole text, with the cursor at its end; can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        self.setTextCursor(cursor)
        self._insert(text)

    def draft(self) -> Draft:
        cursor = self.textCursor()
        scroll = self.verticalScrollBar().value()
        text, to_text = self.text(), self._lines.to_text
        return Draft(text, to_text(cursor.position()), to_text(cursor.anchor()), scroll=scroll)

    def take_history(self) -> TextHistory:
        """Return the document with its undo history, which belongs to its workflow, and show an empty document."""
        history = TextHistory(self._text, self._lines, self._paste_to_undo)
        self._use_document(*_empty_document())
        return history

    def set_draft(self, draft: Draft, history: TextHistory | None = None) -> None:
        """Show a draft. If `history` is that of its text, its changes can be undone; else there is nothing to undo, and
        never another workflow's text.
        """
        # a history of another text would let undo restore what belongs elsewhere
        if history is not None and history.is_of(draft):
            self._use_document(history.document, history.lines, history.paste_to_undo)
            self.textChanged.emit()  # Qt emits no change when the document is replaced
        else:
            self._paste_to_undo = None
            self._lines.set_text(draft.text)
        cursor = self.textCursor()
        cursor.setPosition(self._lines.to_document(draft.anchor))
        cursor.setPosition(self._lines.to_document(draft.cursor), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        if draft.scroll:
            self.verticalScrollBar().setValue(draft.scroll)

    def prepend(self, text: str) -> None:
        """Insert a text before the present text; can be undone."""
        if not self.characters:
            end = utf16_length(text)
            self.set_draft(Draft(text, end, end))
            return
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self._insert(f"{text}\n\n")

    def remove_prefix(self, text: str) -> None:
        """Remove a text from the beginning; the cursor stays where it is in the rest."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._lines.to_document(utf16_length(text)), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _use_document(
        self, text: QTextDocument, lines: LongLines, paste_to_undo: tuple[str, int] | None = None
    ) -> None:
        self._text, self._lines, self._paste_to_undo = text, lines, paste_to_undo
        text.setDefaultFont(self.font())
        self.setDocument(text)
        self._fit()

    def apply_theme(self) -> None:
        """Apply changed fonts and sizes."""
        self.setFont(self._theme.font("body"))
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self.is_composing:
            event.accept()  # or a shortcut of the window would take the key from the input method
            return True
        return super().event(event)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Leave Tab to an input method that composes."""
        return not self.is_composing and super().focusNextPrevChild(is_next)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if self._preedit.take(event):  # first: what it commits is a change like any other
            super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers()
        if self.is_composing:
            event.accept()
        elif event.key() in _ENTER and modifiers in (_WITH_CTRL if self.needs_ctrl else (*_PLAIN, *_WITH_CTRL)):
            self.submitted.emit()
        elif event.key() in _ENTER and modifiers in (*_PLAIN, *_WITH_SHIFT):
            self._insert("\n")
        elif event.key() == Qt.Key.Key_V and modifiers == _WITH_CTRL_SHIFT:
            self.paste_plain()
        elif (event.matches(QKeySequence.StandardKey.Undo) and self._undo_paste()) or (
            event.key() == Qt.Key.Key_Backspace and modifiers in _PLAIN and delete_emoji_before(self.textCursor())
        ):
            event.accept()
        elif event.key() == Qt.Key.Key_Up and modifiers in _PLAIN and not self.characters:
            self.up_pressed.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source)) or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Attach files and long text, insert other text, and refuse anything else."""
        if files := local_files(source):
            self.pasted_files.emit(files)
        # what an office program copies is a text first, and a picture of it too
        elif source.hasImage() and (source.hasUrls() or not source.text().strip()):
            self.pasted_picture.emit(source.imageData())
        elif len(text := _normalize_line_ends(source.text())) > MAX_MESSAGE_CHARACTERS:
            self.paste_refused.emit()
        # a cheap bound first: a character has at most four bytes
        elif len(text) > MAX_PASTE_BYTES // 4 and is_long_paste(text):
            self._paste_to_undo = text, self.document().availableUndoSteps()
            self.pasted_long.emit(text)
        else:
            self._insert_pasted(text)

    def paste_plain(self) -> None:
        """Paste the clipboard's text as text, whatever its length."""
        self._insert_pasted(_normalize_line_ends(QGuiApplication.clipboard().text()))

    def _undo_paste(self) -> bool:
        """Insert the text of a paste that was attached, if that was the last change."""
        if self._paste_to_undo is None or self._paste_to_undo[1] != self.document().availableUndoSteps():
            return False
        text = self._paste_to_undo[0]
        if self.characters + len(text) > MAX_MESSAGE_CHARACTERS:
            self.paste_refused.emit()  # it stays what it is
            return True
        self._paste_to_undo = None
        if self.undo_paste is not None:
            self.undo_paste()
        self._insert_pasted(text)
        return True

    def _insert_pasted(self, text: str) -> None:
        if self.characters + len(text) > MAX_MESSAGE_CHARACTERS:
            self.paste_refused.emit()
        elif text:
            self._insert(text)

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
        """Set the height to that of the text within the limits of the design; only lines that may fit are measured."""
        sizes = self._theme.sizes
        block, height = self.document().firstBlock(), 0.0
        while block.isValid() and height < sizes.composer_max:
            height += self.blockBoundingRect(block).height()
            block = block.next()
        fitting = min(max(ceil(height) + 1, sizes.composer_min), sizes.composer_max)
        policy = Qt.ScrollBarPolicy
        is_full = fitting == sizes.composer_max
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if is_full else policy.ScrollBarAlwaysOff)
        if self.height() != fitting:
            self.setFixedHeight(fitting)


def _empty_document() -> tuple[QTextDocument, LongLines]:
    """Return a new document that the box does not delete when it shows another."""
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setDocumentMargin(0)
    document.setDefaultCursorMoveStyle(Qt.CursorMoveStyle.VisualMoveStyle)  # where directions are mixed
    return document, LongLines(document)


def is_long_paste(text: str) -> bool:
    """Return whether a paste is too long to be inserted as text."""
    return len(text.encode("utf-8", "surrogatepass")) > MAX_PASTE_BYTES


def _normalize_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_MAX_BLANK_CHECK = 1000
