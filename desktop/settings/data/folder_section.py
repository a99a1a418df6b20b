"""Where the data is, and what takes how much space."""

import asyncio

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from core.services.data_folder import folder_bytes
from core.services.outcome import Ok, Outcome
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.translation.formats import byte_size
from desktop.widgets import Adaptive, Button, Card, Label, Paragraph


class FolderSection(Adaptive, Card):
    """Measures the folder each time it is shown."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._theme = context.theme
        self._operations = context.operations
        self._data = context.data
        self._sizes: dict[str, int] = {}
        self._is_copied = False
        self._title = Label("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._path = Paragraph(str(self._data.folder), "code_small")
        self._size_line = Paragraph("", "label", "muted")
        self._open = Button(self._theme, icon=Icon.EXTERNAL_LINK, is_small=True)
        self._copy = Button(self._theme, icon=Icon.COPY, is_small=True)
        self._column = QVBoxLayout(self)
        for widget in (self._title, self._help, self._path, self._size_line):
            self._column.addWidget(widget)
        self._column.addWidget(ResponsiveRow(self._theme, [self._open, self._copy], compact=True))
        self._open.clicked.connect(self._open_folder)
        self._copy.clicked.connect(self._copy_path)
        self.adapt_to(self._theme)

    def search_text(self) -> str:
        return " ".join([self._title.text(), self._help.text(), self._path.text(), self._size_line.text()])

    def measure(self) -> None:
        """Measure the parts of the folder and show them."""
        self._operations.run(self._measured(), "measure the data folder", success=self._show_sizes)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Data folder"))
        self._help.setText(self.tr("Everything that Metier keeps is in this folder, on this computer."))
        self._path.setAccessibleName(self.tr("Data folder"))
        self._path.setAccessibleDescription(self._path.text())
        self._open.setText(self.tr("Open folder"))
        self._copy.setText(self.tr("Copied") if self._is_copied else self.tr("Copy path"))
        self._size_line.setText(self._size_text())
        self._size_line.setVisible(bool(self._sizes))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self.measure)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_copied = False
        self.retranslate()

    async def _measured(self) -> Outcome[dict[str, int]]:
        return Ok(await asyncio.to_thread(folder_bytes, self._data.parts))

    def _show_sizes(self, sizes: dict[str, int]) -> None:
        self._sizes = sizes
        self.retranslate()

    def _size_text(self) -> str:
        names = {
            "store": self.tr("conversations and runs {size}"),
            "backups": self.tr("backups {size}"),
            "copies": self.tr("copies of changed files {size}"),
            "search": self.tr("search {size}"),
            "logs": self.tr("logs {size}"),
        }
        parts = [names[name].format(size=byte_size(size)) for name, size in self._sizes.items()]
        total = self.tr("{size} in all:").format(size=byte_size(sum(self._sizes.values())))
        return f"{total} {' · '.join(parts)}"

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._data.folder)))

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self._data.folder))
        self._is_copied = True
        self.retranslate()
