"""The progress of the search index, with a button to stop or continue (UI §10: long work has progress and a cancel)."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Theme
from desktop.translation import number
from desktop.widgets import Button, Label

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
    """The focus should go back to the field."""
    abandoned = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._progress = IndexProgress()
        self._label = Label("", "meta", "muted", parent=self)
        self._button = Button(theme, "", "link", is_small=True, parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._label)
        row.addWidget(self._button)
        self._button.clicked.connect(self._press)
        self._button.installEventFilter(self)
        self.show_progress(IndexProgress())

    @property
    def is_behind(self) -> bool:
        return self._progress.done < self._progress.total

    def show_progress(self, progress: IndexProgress) -> None:
        self._progress = progress
        self.retranslate()

    def take_focus(self) -> None:
        if not self.isHidden():
            self._button.setFocus(Qt.FocusReason.TabFocusReason)

    def retranslate(self) -> None:
        progress = self._progress
        counts = {"done": number(progress.done), "total": number(progress.total)}
        if progress.has_problem:
            self._label.setText(self.tr("The index cannot be written"))
            self._button.setText(self.tr("Try again"))
        elif progress.is_stopped:
            self._label.setText(self.tr("Indexed: {done} of {total}").format(**counts))
            self._button.setText(self.tr("Go on"))
        else:
            self._label.setText(self.tr("Indexing: {done} of {total}").format(**counts))
            self._button.setText(self.tr("Stop"))
        is_shown = progress.has_problem or self.is_behind
        # A hidden button would leave the focus nowhere.
        if not is_shown and self._button.hasFocus():
            self.left.emit()
        self.setVisible(is_shown)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _TAB:
            self.left.emit()
            return True
        if event.type() == QEvent.Type.FocusOut:
            self.abandoned.emit()
        return False

    def _press(self) -> None:
        if self._progress.has_problem or self._progress.is_stopped:
            self.continued.emit()
        else:
            self.stopped.emit()
