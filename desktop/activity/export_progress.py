"""Progress of an export, with a button to cancel it (UI §10)."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from desktop.theme import Theme
from desktop.translation import number
from desktop.widgets import Adaptive, Button, Label, Surface

_HIDDEN_MS = 200


class ExportProgress(Adaptive, Surface):
    """Hidden while nothing is exported, and in the first 200 ms."""

    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("app", "top", parent)
        self._theme = theme
        self._done = self._total = 0
        self._words = Label("", "secondary", "muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._cancel = Button(theme, "", "secondary", is_small=True)
        self._cancel.clicked.connect(self.cancelled)
        self._row = QHBoxLayout()
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self._cancel)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._row)
        self._column.addWidget(self._bar)
        self._soon = QTimer(self, singleShot=True, interval=_HIDDEN_MS)
        self._soon.timeout.connect(self.show)
        self.hide()
        self.adapt_to(theme)

    def begin(self, total: int) -> None:
        self._total = total
        self.set_done(0)
        self._soon.start()

    def set_done(self, done: int) -> None:
        """Set the number of exported items."""
        self._done = done
        self._bar.setRange(0, self._total)
        self._bar.setValue(done)
        self.retranslate()

    def end(self) -> None:
        self._soon.stop()
        self.hide()

    def retranslate(self) -> None:
        words = self.tr("Exporting: {done} of {total}")
        self._words.setText(words.format(done=number(self._done), total=number(self._total)))
        self._bar.setAccessibleName(self._words.text())
        self._cancel.setText(self.tr("Cancel"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_s, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)
        self._bar.setFixedHeight(sizes.space_xs)
