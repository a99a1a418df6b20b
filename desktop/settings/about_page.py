"""What this is: its version, where it keeps its data, and whose work it contains."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.settings.licence_row import LicenceRow
from desktop.settings.licences import licences
from desktop.settings.page import Page
from desktop.settings.page_names import PageId
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card


@dataclass(frozen=True, slots=True)
class About:
    """`data_folder` holds everything that the app keeps."""

    version: str
    data_folder: Path


class AboutPage(Page):
    """The copied path is the folder's, as the system writes it."""

    def __init__(self, theme: Theme, about: About, parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.ABOUT, parent)
        self._about = about
        self._is_copied = False
        self._version = Paragraph("", "label", "muted")
        self._data = Label("", "strong")
        self._data_help = Paragraph("", "label", "muted")
        self._path = Paragraph(str(about.data_folder), "code_small")
        self._copy = Button(theme, icon=Icon.COPY, is_small=True)
        self._copy.clicked.connect(self._copy_path)
        self._licences = Label("", "strong")
        self._rows = [LicenceRow(theme, licence) for licence in licences()]
        self._card_columns: list[QVBoxLayout] = []
        self.add(self._version, self._version.text)
        self._add_data()
        self._add_licences()
        self.adapt_to(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self._version.setText(self.tr("Metier {version}").format(version=self._about.version))
        self._data.setText(self.tr("Your data"))
        self._data_help.setText(self.tr("Everything that Metier keeps is in this folder, on this computer."))
        self._path.setAccessibleName(self.tr("Data folder"))
        self._path.setAccessibleDescription(self._path.text())
        self._copy.setText(self.tr("Copied") if self._is_copied else self.tr("Copy path"))
        self._licences.setText(self.tr("Licences"))
        for row, licence in zip(self._rows, licences(), strict=True):
            row.describe(licence)

    def dress(self) -> None:
        super().dress()
        sizes = self._theme.sizes
        for column in self._card_columns:
            column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
            column.setSpacing(sizes.space_s)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_copied = False
        self.retranslate()

    def _add_data(self) -> None:
        column = self._add_card(self._searched_data)
        column.addWidget(self._data)
        column.addWidget(self._data_help)
        column.addWidget(self._path)
        column.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_licences(self) -> None:
        column = self._add_card(self._searched_licences)
        column.addWidget(self._licences)
        for row in self._rows:
            column.addWidget(row)

    def _add_card(self, searched: Callable[[], str]) -> QVBoxLayout:
        card = Card()
        column = QVBoxLayout(card)
        self._card_columns.append(column)
        self.add(card, searched)
        return column

    def _searched_data(self) -> str:
        return f"{self._data.text()} {self._data_help.text()} {self._path.text()}"

    def _searched_licences(self) -> str:
        works = (f"{licence.work} {licence.purpose} {licence.terms}" for licence in licences())
        return " ".join([self._licences.text(), *works])

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self._about.data_folder))
        self._is_copied = True
        self.retranslate()
