"""The Data page: the folder, backups, export and import."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from desktop.settings.data.backup_section import BackupSection
from desktop.settings.data.folder_section import FolderSection
from desktop.settings.parts.page import Page, PageId
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.widgets import Adaptive, Button, Card, Label, Paragraph


class TransferSection(Adaptive, Card):
    """Opens export and import in the window."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._theme = context.theme
        self._title = Label("", "strong")
        self._help = Paragraph("", "label", "muted")
        self.export = Button(context.theme, icon=Icon.UPLOAD, is_small=True)
        self.import_ = Button(context.theme, icon=Icon.DOWNLOAD, is_small=True)
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        self._column.addWidget(self._title)
        self._column.addWidget(self._help)
        for button in (self.export, self.import_):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._buttons.addStretch(1)
        self._column.addLayout(self._buttons)
        self.export.clicked.connect(context.transfer.export_requested)
        self.import_.clicked.connect(context.transfer.import_requested)
        self.adapt_to(context.theme)

    def search_text(self) -> str:
        return " ".join([self._title.text(), self._help.text(), self.export.text(), self.import_.text()])

    def retranslate(self) -> None:
        self._title.setText(self.tr("Export and import"))
        self._help.setText(
            self.tr(
                "Take workflows, templates, agents and settings along in a file, or bring them in from such a file. "
                "Keys and other secrets are never exported."
            )
        )
        self.export.setText(self.tr("Export…"))
        self.import_.setText(self.tr("Import…"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._buttons.setSpacing(sizes.space_s)


class DataPage(Page):
    """What the user can do with the data as a whole."""

    page_id = PageId.DATA

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        folder, backups = FolderSection(context), BackupSection(context)
        self.add(folder, folder.search_text)
        self.add(backups, backups.search_text)
        self.transfer = TransferSection(context)
        self.add(self.transfer, self.transfer.search_text)
        self.adapt_to(context.theme)
