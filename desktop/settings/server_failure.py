"""Why a server failed: a sentence, a next step, and the details to be read and copied."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.mcp_server import ServerState, ServerStatus
from desktop.settings.server_words import error_details, error_words
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.value_section import ValueSection
from desktop.widgets.visibility import show_when


class ServerFailure(Adaptive, QWidget):
    """Hidden where nothing failed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status: ServerStatus | None = None
        self._what = Paragraph("", "label", "error")
        self._next = Paragraph("", "label")
        self._details = ValueSection(theme, self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self._what, self._next, self._details):
            self._column.addWidget(widget)
        self.adapt_to(theme)

    @property
    def words(self) -> str:
        return self._what.text()

    def show_status(self, status: ServerStatus) -> None:
        self._status = status
        show_when(self, status.error is not None and status.state is ServerState.FAILED)
        self.retranslate()

    def retranslate(self) -> None:
        self._details.describe(self.tr("Details"))
        if self._status is None or (error := self._status.error) is None:
            return
        what, then = error_words(error, self._status.server)
        self._what.setText(what)
        self._next.setText(then)
        self._details.show_text(error_details(error))

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)
