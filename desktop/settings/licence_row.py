"""A licence in a line; its text unfolds below."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.settings.licences import Licence
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.paragraph import Paragraph


class LicenceRow(Adaptive, QWidget):
    """The text is read when it is first unfolded."""

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
        """Its words in the language of now."""
        self._licence = licence
        self.retranslate()

    def retranslate(self) -> None:
        licence = self._licence
        self._name.setText(licence.work)
        self._terms.setText(f"{licence.purpose} · {licence.terms}")
        words = self.tr("Hide the licence of {work}") if self._is_open else self.tr("Read the licence of {work}")
        self._fold.describe(words.format(work=licence.work))
        self._text.setAccessibleName(self.tr("Licence of {work}").format(work=licence.work))

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._row.setSpacing(sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._text.setFont(self._theme.font("code_small"))
        self._text.setFixedHeight(sizes.composer_max)

    @property
    def _is_open(self) -> bool:
        return not self._text.isHidden()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._name)
        words.addWidget(self._terms)
        self._row = QHBoxLayout()
        self._row.addLayout(words, 1)
        self._row.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
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
