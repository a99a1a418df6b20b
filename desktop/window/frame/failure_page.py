"""The page shown when the data cannot be opened."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.text.masking import masked_text
from core.services.outcome import Failed
from desktop.theme import Icon, Theme
from desktop.translation import failure_text
from desktop.widgets import Adaptive, Button, Label, Paragraph, Surface


class FailurePage(Adaptive, Surface):
    """Shows a failure of `folder` with buttons to try again, copy the details, or quit."""

    quit_requested = Signal()
    retry_requested = Signal()

    def __init__(self, theme: Theme, failed: Failed, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._failed = failed
        self._title = Label("", "heading", parent=self)
        self._text = Paragraph("", parent=self)
        self._place = str(folder)
        self._folder = Paragraph("", parent=self)
        self._details = Paragraph(masked_text(failed.message), "secondary", "muted", parent=self)
        self._retry = Button(theme, "", "primary", Icon.ROTATE_CCW, parent=self)
        self._copy = Button(theme, "", "secondary", Icon.COPY, parent=self)
        self._quit = Button(theme, "", "secondary", Icon.X, parent=self)
        self._buttons = QHBoxLayout()
        for button in (self._retry, self._copy, self._quit):
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)
        outer, self._column = QHBoxLayout(self), QVBoxLayout()
        outer.addStretch(1)
        outer.addLayout(self._column, 2)
        outer.addStretch(1)
        self._column.addStretch(2)
        for widget in (self._title, self._text, self._folder, self._details):
            self._column.addWidget(widget)
        self._column.addLayout(self._buttons)
        self._column.addStretch(3)
        self._retry.setDefault(True)
        self._retry.clicked.connect(self.retry_requested)
        self._copy.clicked.connect(self._on_copy)
        self._quit.clicked.connect(self.quit_requested)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Your data cannot be opened"))
        self._text.setText(failure_text(self._failed.code, self._failed.message))
        self._folder.setText(self.tr("Data folder: {folder}").format(folder=self._place))
        self._retry.setText(self.tr("Try again"))
        self._copy.setText(self.tr("Copy details"))
        self._quit.setText(self.tr("Quit"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
        self._buttons.setSpacing(self._theme.sizes.space_s)

    def _on_copy(self) -> None:
        lines = (self._title.text(), self._text.text(), self._folder.text(), self._details.text())
        QGuiApplication.clipboard().setText("\n".join(lines))
