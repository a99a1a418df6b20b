"""What will run, before a person agrees to it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.mcp_server import ServerState, ServerStatus, Transport
from desktop.settings.server_words import runs_words
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.value_section import ValueSection
from desktop.widgets.value_text import SHOWN_CHARACTERS
from desktop.widgets.visibility import show_when

_SAID_CHARACTERS = 1000


class ServerConsent(Adaptive, QWidget):
    """Hidden once somebody agreed. `agreed` tells the fingerprint of what was shown."""

    agreed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status: ServerStatus | None = None
        self._about = Paragraph("", "label")
        self._runs = ValueSection(theme, self)
        self._allow = Button(theme, kind="primary", icon=Icon.SHIELD)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._about)
        self._column.addWidget(self._runs)
        self._column.addWidget(self._allow, 0, Qt.AlignmentFlag.AlignLeft)
        self._allow.clicked.connect(self._agree)
        self.adapt_to(theme)

    def show_status(self, status: ServerStatus) -> None:
        self._status = status
        show_when(self, status.state is ServerState.UNCONFIRMED)
        self.retranslate()

    def retranslate(self) -> None:
        if self._status is None:
            return
        server = self._status.server
        runs = runs_words(server.what_runs())
        if server.transport is Transport.STDIO:
            about = self.tr(
                "This program has not run yet, or was changed since. It runs with your rights and can do whatever you "
                "can: allow it if you know where it comes from."
            )
            self._allow.setText(self.tr("Allow it to run"))
        else:
            about = self.tr(
                "This address has not been used yet, or was changed since. What agents ask of it is sent there: allow "
                "it if you trust it."
            )
            self._allow.setText(self.tr("Allow the connection"))
        if len(runs) > SHOWN_CHARACTERS:
            about += " " + self.tr("It is too long to be shown whole: copy it to read the rest.")
        self._about.setText(about)
        self._allow.setAccessibleName(f"{self._allow.text()}: {server.name}")
        self._allow.setAccessibleDescription(runs[:_SAID_CHARACTERS])
        self._runs.describe(self.tr("What will run"))
        self._runs.show_text(runs)

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)

    def _agree(self) -> None:
        if self._status is not None:
            self.agreed.emit(self._status.server.fingerprint)
