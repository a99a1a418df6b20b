"""The About page: version and licences."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.settings.parts.page import Page, PageId
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Card, IconButton, Label, Paragraph, column_of

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Licence:
    """`purpose` is translated; `path` is the file with the full text."""

    work: str
    purpose: str
    terms: str
    path: Path


def licences() -> list[Licence]:
    fonts, icons, sandbox = _ROOT / "resources" / "fonts", _ROOT / "resources" / "icons", _ROOT / "core" / "sandbox"
    return [
        Licence("Metier", translate("Licences", "This app"), "Apache 2.0", _ROOT / "LICENSE"),
        Licence("Inter", translate("Licences", "Font of texts"), "SIL OFL 1.1", fonts / "Inter-LICENSE.txt"),
        Licence(
            "JetBrains Mono", translate("Licences", "Font of code"), "SIL OFL 1.1", fonts / "JetBrainsMono-LICENSE.txt"
        ),
        Licence("Lucide", translate("Licences", "Icons"), "ISC", icons / "lucide" / "LICENSE"),
        Licence(
            "Sucrase", translate("Licences", "TypeScript in code steps"), "MIT", sandbox / "vendor" / "sucrase.LICENSE"
        ),
    ]


class LicenceRow(Adaptive, QWidget):
    """Reads the text when it is first unfolded."""

    def __init__(self, theme: Theme, licence: Licence, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._licence = licence
        self._name = Paragraph("", "strong")
        self._terms = Paragraph("", "label", "muted")
        self._fold = IconButton(theme, Icon.CHEVRON_RIGHT)
        self._fold.clicked.connect(self._toggle)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.hide()
        self._lay_out()
        self.adapt_to(theme)

    def describe(self, licence: Licence) -> None:
        """Replace the texts after a language change."""
        self._licence = licence
        self.retranslate()

    def retranslate(self) -> None:
        licence = self._licence
        self._name.setText(licence.work)
        self._terms.setText(f"{licence.purpose} · {licence.terms}")
        text = self.tr("Hide the licence of {work}") if self._is_open else self.tr("Read the licence of {work}")
        self._fold.describe(text.format(work=licence.work))
        self._text.setAccessibleName(self.tr("Licence of {work}").format(work=licence.work))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setSpacing(sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._text.setFont(self._theme.font("code_small"))
        self._text.setFixedHeight(sizes.composer_max)

    @property
    def _is_open(self) -> bool:
        return not self._text.isHidden()

    def _lay_out(self) -> None:
        text = QVBoxLayout()
        text.setSpacing(0)
        text.addWidget(self._name)
        text.addWidget(self._terms)
        self._row = QHBoxLayout()
        self._row.addLayout(text, 1)
        self._row.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column = column_of(self)
        self._column.addLayout(self._row)
        self._column.addWidget(self._text)

    def _toggle(self) -> None:
        if not self._text.document().characterCount() > 1:
            self._text.setPlainText(self._read())
        self._text.setVisible(not self._is_open)
        self._fold.set_icon(Icon.CHEVRON_DOWN if self._is_open else Icon.CHEVRON_RIGHT)
        self.retranslate()

    def _read(self) -> str:
        try:
            return self._licence.path.read_text(encoding="utf-8")
        except OSError:
            return self.tr("The text of this licence was removed from the app's folder.")


class AboutPage(Page):
    """Version and licences."""

    page_id = PageId.ABOUT

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._app = context.app
        self._version = Paragraph("", "label", "muted")
        self._licences = Label("", "strong")
        self._rows = [LicenceRow(theme, licence) for licence in licences()]
        self._card_columns: list[QVBoxLayout] = []
        self.add(self._version, self._version.text)
        self._add_licences()
        self.adapt_to(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self._version.setText(self.tr("Metier {version}").format(version=self._app.version))
        self._licences.setText(self.tr("Licences"))
        for row, licence in zip(self._rows, licences(), strict=True):
            row.describe(licence)

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        for column in self._card_columns:
            column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
            column.setSpacing(sizes.space_s)

    def _add_licences(self) -> None:
        column = self._add_section(self._licences_search_text)
        column.addWidget(self._licences)
        for row in self._rows:
            column.addWidget(row)

    def _add_section(self, searched: Callable[[], str]) -> QVBoxLayout:
        card = Card()
        column = QVBoxLayout(card)
        self._card_columns.append(column)
        self.add(card, searched)
        return column

    def _licences_search_text(self) -> str:
        works = (f"{licence.work} {licence.purpose} {licence.terms}" for licence in licences())
        return " ".join([self._licences.text(), *works])
