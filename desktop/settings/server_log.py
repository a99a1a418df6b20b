"""What a server said last."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.settings.server_words import visible
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.value_section import ValueSection
from desktop.widgets.value_text import SHOWN_CHARACTERS
from desktop.widgets.visibility import show_when


class ServerLog(Adaptive, QWidget):
    """Its last lines, at their end. It waits with new ones while some are selected. `read` gives them all."""

    def __init__(self, theme: Theme, read: Callable[[], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._read = read
        self._empty = Paragraph("", "label", "muted")
        self._lines = ValueSection(theme, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)
        column.addWidget(self._lines)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._lines.value.text

    def refresh(self) -> None:
        """Show what there is by now."""
        value = self._lines.value
        if value.textCursor().hasSelection():
            return
        bar = value.verticalScrollBar()
        is_at_end = bar.value() == bar.maximum()
        text = "\n".join(map(visible, self._read()))
        if len(text) >= SHOWN_CHARACTERS:
            text = "…\n" + text[2 - SHOWN_CHARACTERS :].partition("\n")[2]
        show_when(self._empty, not text)
        if text != value.text:
            self._lines.show_text(text)
            if is_at_end:
                bar.setValue(bar.maximum())
        show_when(self._lines, bool(text))

    def retranslate(self) -> None:
        self._lines.describe(self.tr("Log"))
        self._empty.setText(self.tr("Nothing yet: what it says on its standard error is written down here."))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
