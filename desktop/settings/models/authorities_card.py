"""The card of the user's own certificate authorities, such as those of a company."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QVBoxLayout

from core.services.outcome import Failed
from desktop.settings.parts.form import show_message
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.widgets import Adaptive, Button, Card, Paragraph, Tone, show_when


class AuthoritiesCard(Adaptive, Card):
    """Chooses a file of certificate authorities, which is read before it is used."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._context = context
        self._theme = theme = context.theme
        self._title = Paragraph("", "title")
        self._help = Paragraph("", "label", "muted")
        self._path = Paragraph("", "code_small", most_lines=3)
        self._message = Paragraph("", "label", "error")
        self._choose = Button(theme, icon=Icon.FOLDER, is_small=True)
        self._remove = Button(theme, kind="link", is_small=True)
        self._column = QVBoxLayout(self)
        for part in (self._title, self._help, self._path, self._message):
            self._column.addWidget(part)
        self._column.addWidget(ResponsiveRow(theme, [self._choose, self._remove], compact=True))
        self._choose.clicked.connect(self._open_dialog)
        self._remove.clicked.connect(self._forget)
        self._show_message("")
        self.adapt_to(theme)

    def search_text(self) -> str:
        return f"{self._title.text()} {self._help.text()} TLS SSL CA"

    def retranslate(self) -> None:
        file = self._context.current.authorities_file
        self._title.setText(self.tr("Certificates of your own"))
        self._help.setText(
            self.tr(
                "Servers whose certificate is signed by an authority of your company are trusted with its file, beside "
                "those that this computer trusts."
            )
        )
        self._path.setText(file or "")
        show_when(self._path, file is not None)
        self._choose.setText(self.tr("Choose a file…"))
        self._choose.setAccessibleName(self.tr("Choose a file of certificate authorities"))
        self._remove.setText(self.tr("Do not use it"))
        show_when(self._remove, file is not None)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)

    def use(self, file: str) -> None:
        """Use this file, if it has certificates."""
        self._change(file)

    def _open_dialog(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Choose a file of certificate authorities"))
        dialog.setObjectName("authorities_file")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.use)
        dialog.open()

    def _forget(self) -> None:
        self._choose.setFocus(Qt.FocusReason.OtherFocusReason)
        self._change(None)

    def _change(self, file: str | None) -> None:
        self._context.operations.run(
            self._context.core_settings.change(authorities_file=file),
            "choose certificate authorities",
            success=lambda _settings: self._show_used(file),
            failure=self._show_failure,
        )

    def _show_used(self, file: str | None) -> None:
        self.retranslate()
        self._show_message(self.tr("It is used from now on.") if file is not None else "", "ok")

    def _show_failure(self, failed: Failed) -> None:
        match failed.details.get("why"):
            case "not_pem":
                self._show_message(self.tr("This file has no certificates in PEM form."))
            case "unreadable":
                self._show_message(self.tr("This file cannot be read."))
            case _:
                self._show_message(self.tr("It could not be saved."))

    def _show_message(self, text: str, tone: Tone = "error") -> None:
        show_message(self, self._message, text, tone)
