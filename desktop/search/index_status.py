"""The progress of the search index, with a button to stop or continue (UI §10: long work has progress and a cancel)."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label

_TAB = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """`done` of `total` are indexed; `is_stopped`: by the user; `has_problem`: the index cannot be written."""

    done: int = 0
    total: int = 0
    is_stopped: bool = False
    has_problem: bool = False


class IndexStatusBar(QWidget):
    """Hidden while the index is complete and works."""

    stopped = Signal()
    continued = Signal()
    left = Signal()
    """Focus is to go back to the field."""
    abandoned = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = IndexProgress()
        self._label = Label("", "meta", "muted", parent=self)
        self._button = Button(theme, "", "link", is_small=True, parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._label)
        row.addWidget(self._button)
        self._button.clicked.connect(self._press)
        self._button.installEventFilter(self)
        self.show_words(IndexProgress())

    @property
    def is_behind(self) -> bool:
        return self._words.done < self._words.total

    def show_words(self, words: IndexProgress) -> None:
        self._words = words
        self.retranslate()

    def take_focus(self) -> None:
        if not self.isHidden():
            self._button.setFocus(Qt.FocusReason.TabFocusReason)

    def retranslate(self) -> None:
        words = self._words
        told = {"done": number(words.done), "total": number(words.total)}
        if words.has_problem:
            self._label.setText(self.tr("The index cannot be written"))
            self._button.setText(self.tr("Try again"))
        elif words.is_stopped:
            self._label.setText(self.tr("Indexed: {done} of {total}").format(**told))
            self._button.setText(self.tr("Go on"))
        else:
            self._label.setText(self.tr("Indexing: {done} of {total}").format(**told))
            self._button.setText(self.tr("Stop"))
        is_told = words.has_problem or self.is_behind
        if not is_told and self._button.hasFocus():
            self.left.emit()
        self.setVisible(is_told)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _TAB:
            self.left.emit()
            return True
        if event.type() == QEvent.Type.FocusOut:
            self.abandoned.emit()
        return False

    def _press(self) -> None:
        if self._words.has_problem or self._words.is_stopped:
            self.continued.emit()
        else:
            self.stopped.emit()
