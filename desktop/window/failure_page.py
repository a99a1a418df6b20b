"""What the window shows when the data cannot be opened: what happened, what is safe, what to do."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.services.outcome import Failed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.failures import failure_words
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface


class FailurePage(Adaptive, Surface):
    """One failure, and the way out."""

    quit_requested = Signal()

    def __init__(self, theme: Theme, failed: Failed, parent: QWidget | None = None) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._failed = failed
        self._title = Label("", "heading", parent=self)
        self._text = Paragraph("", parent=self)
        self._details = Paragraph(failed.message, "secondary", "muted", parent=self)
        self._quit = Button(theme, "", "primary", Icon.X, parent=self)
        outer, self._column = QHBoxLayout(self), QVBoxLayout()
        outer.addStretch(1)
        outer.addLayout(self._column, 2)
        outer.addStretch(1)
        self._column.addStretch(2)
        for widget in (self._title, self._text, self._details, self._quit):
            self._column.addWidget(widget)
        self._column.addStretch(3)
        self._quit.clicked.connect(self.quit_requested)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Your data cannot be opened"))
        self._text.setText(failure_words(self._failed.code, self._failed.message))
        self._quit.setText(self.tr("Quit"))

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
