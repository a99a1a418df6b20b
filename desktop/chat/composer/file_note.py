"""The note about what becomes of the attached files, above the text, before the message is sent."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, IconLabel, Paragraph


class FileNote(Adaptive, QWidget):
    """A sentence, with the way to another model where that helps. Hidden without a text."""

    model_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = IconLabel(theme, Icon.TRIANGLE_ALERT, "warn", parent=self)
        self._text = Paragraph("", "meta", "muted", parent=self)
        self._button = Button(theme, "", "link", is_small=True, parent=self)
        self._button.clicked.connect(self.model_requested)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._text, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._text.text()

    def show_text(self, text: str, *, offers_model: bool = False) -> None:
        """Show a text; empty hides it."""
        self._text.setText(text)
        self._icon.setVisible(offers_model)
        self._button.setVisible(offers_model)
        self.setVisible(bool(text))

    def retranslate(self) -> None:
        self._button.setText(self.tr("Choose another model"))

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)
