"""The page shown while a backup is put in the place of the data."""

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from desktop.theme import Theme
from desktop.widgets import Adaptive, Label, Paragraph, Surface


class RestorePage(Adaptive, Surface):
    """Shows how much of the backup is loaded."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._title = Label("", "heading", parent=self)
        self._text = Paragraph("", parent=self)
        self._bar = QProgressBar(self)
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        outer, self._column = QHBoxLayout(self), QVBoxLayout()
        outer.addStretch(1)
        outer.addLayout(self._column, 2)
        outer.addStretch(1)
        self._column.addStretch(2)
        for widget in (self._title, self._text, self._bar):
            self._column.addWidget(widget)
        self._column.addStretch(3)
        self.adapt_to(theme)

    def show_progress(self, progress: dict[str, Any]) -> None:
        """Show {rows, of}."""
        self._bar.setRange(0, max(progress["of"], 1))
        self._bar.setValue(progress["rows"])

    def retranslate(self) -> None:
        self._title.setText(self.tr("Restoring the backup…"))
        self._text.setText(self.tr("Your present data stays as it is until all of the backup is loaded and compared."))
        self._bar.setAccessibleName(self._title.text())

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
