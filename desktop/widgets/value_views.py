"""Long values to read, select and copy in a view of limited height."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from core.domain.text.hidden import reveal
from desktop.theme import Icon, Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.labels import Label
from desktop.widgets.layouts import Surface


class ReadOnlyText(QPlainTextEdit):
    """A read-only text view. A subclass lays out as much as there is time for, of what `_take` reports as new."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setReadOnly(True)
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)

    @property
    def text(self) -> str:
        """The whole text, however much is laid out yet."""
        return self._text

    def copy_all(self) -> None:
        """Copy the whole text to the clipboard, unchanged."""
        QGuiApplication.clipboard().setText(self._text)

    def _take(self, text: str) -> bool:
        """Return False if the text is unchanged: selection and scroll position then stay."""
        if text == self._text:
            return False
        self._text = text
        return True

    def lines_shown(self, most: int) -> int:
        """Return how many lines the text takes as it is wrapped, counted up to `most`."""
        layout, block, lines = self.document().documentLayout(), self.document().firstBlock(), 0
        while block.isValid() and lines < most:
            layout.blockBoundingRect(block)  # lays out this paragraph, which counts as one line before
            lines += max(1, block.layout().lineCount())
            block = block.next()
        return min(max(1, lines), most)

    def height_of(self, lines: int) -> int:
        """Return the height for this many lines."""
        around = 2 * ceil(self.document().documentMargin()) + 2  # without these 2 it would scroll by a line
        return lines * self.fontMetrics().lineSpacing() + around


class GrowingText(ReadOnlyText):
    """As high as its text, up to a number of lines that its surroundings set; a longer text scrolls, and ends with a
    whole line.
    """

    def __init__(self, parent: QWidget, most_lines: int) -> None:
        super().__init__(parent)
        self._most_lines = most_lines

    def set_most_lines(self, lines: int) -> None:
        if lines != self._most_lines:
            self._most_lines = lines
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
        self._end_with_a_line()

    def _end_with_a_line(self) -> None:
        line, margin = self.fontMetrics().lineSpacing(), ceil(self.document().documentMargin())
        room = self.contentsRect().height() - margin
        is_cut = self.lines_shown(room // line + 1) * line > room
        bottom = room % line if is_cut and room > line else 0
        margins = self.viewportMargins()
        if bottom != margins.bottom():
            self.setViewportMargins(margins.left(), 0, 0, bottom)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height_of(self.lines_shown(self._most_lines)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height_of(self.lines_shown(_LEAST_LINES)))


SHOWN_CHARACTERS = 16_000
"""What is laid out; copying takes all of it."""

MOST_LINES = 12
_LEAST_LINES = 2
_MOST_MARKED = 200  # in colour; all of them are marks by their text


class ValueText(Adaptive, GrowingText):
    """A text to read, with marks for what is not seen as itself."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, MOST_LINES)
        self._theme = theme
        self._laid_out = ""
        self._marks: tuple[tuple[int, int], ...] = ()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.adapt_to(theme)

    def show_text(self, text: str) -> None:
        """Show a text. The same text, or the same with more appended, keeps selection and scroll position."""
        if not self._take(text):
            return
        before = self._laid_out
        self._laid_out = reveal(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "\n…")
        if before and self._laid_out.startswith(before):
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(self._laid_out[len(before) :])
        else:
            self.setPlainText(self._laid_out)
        self.updateGeometry()
        self._end_with_a_line()

    def show_end(self, text: str) -> None:
        """Show a text that goes on, and follow it, unless the user has scrolled back."""
        bar = self.verticalScrollBar()
        place, is_at_end = bar.value(), bar.value() >= bar.maximum()
        self.show_text(text)
        bar.setValue(bar.maximum() if is_at_end else place)

    def show_marked(self, text: str, shown: str, marks: Sequence[tuple[int, int]]) -> None:
        """Show `shown` for a text that `copy_all` copies; the marks stand for something else, and look like it."""
        self._text, self._laid_out, self._marks = text, shown, tuple(marks)
        self.setPlainText(shown)
        self._color_marks()
        self.updateGeometry()
        self._end_with_a_line()

    def apply_theme(self) -> None:
        self.setFont(self._theme.font("code_small"))
        self._color_marks()
        self.updateGeometry()

    def _color_marks(self) -> None:
        selections = []
        for start, end in self._marks[:_MOST_MARKED]:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(_units(self._laid_out[:start]))
            cursor.setPosition(_units(self._laid_out[:end]), QTextCursor.MoveMode.KeepAnchor)
            mark_format = QTextCharFormat()
            mark_format.setForeground(self._theme.color("warn"))
            selection.cursor, selection.format = cursor, mark_format
            selections.append(selection)
        self.setExtraSelections(selections)


def _units(text: str) -> int:
    """Return the length in UTF-16 units, in which a document counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class ValueSection(Adaptive, QWidget):
    """A value with a title and a button that copies all of it, however much is shown. `is_field`: it is among the
    fields of a form.
    """

    def __init__(self, theme: Theme, parent: QWidget, *, is_field: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Label("", "strong") if is_field else Label("", "section", "muted")
        self.copy_button = IconButton(theme, Icon.COPY)
        self.copy_button.clicked.connect(self._copy)
        frame = Surface("code", parent=self)
        self.value = ValueText(theme, frame)
        self._inside = QVBoxLayout(frame)
        self._inside.addWidget(self.value)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.copy_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(frame, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.adapt_to(theme)

    def describe(self, title: str) -> None:
        """Set the translated texts."""
        self._title.setText(title)
        self.value.setAccessibleName(title)
        self.copy_button.describe(self.tr("Copy: {title}").format(title=title))

    def show_text(self, text: str) -> None:
        self.value.show_text(text)
        self.show()

    def show_end(self, text: str) -> None:
        """Show a text that goes on (`ValueText.show_end`)."""
        self.value.show_end(text)
        self.show()

    def show_marked(self, text: str, shown: str, marks: Sequence[tuple[int, int]]) -> None:
        """Show a text with marks (`ValueText.show_marked`)."""
        self.value.show_marked(text, shown, marks)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._inside.setContentsMargins(sizes.space_xs, sizes.space_xs, sizes.space_xs, sizes.space_xs)

    def _copy(self) -> None:
        self.value.copy_all()
