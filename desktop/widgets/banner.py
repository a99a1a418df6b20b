"""A remark above its subject: information or a warning, with an icon and wrapped text."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import IconLabel
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface

BannerKind = Literal["info", "warning"]

_SIGNS: dict[BannerKind, tuple[Icon, ColorName]] = {
    "info": (Icon.INFO, "accent"),
    "warning": (Icon.TRIANGLE_ALERT, "sign_warn"),
}


class Banner(Adaptive, Surface):
    """An icon and a text; a screen reader reads the kind before the text."""

    def __init__(self, theme: Theme, kind: BannerKind, parent: QWidget | None = None) -> None:
        super().__init__(kind, parent=parent)
        self._theme = theme
        self._kind = kind
        self._icon = IconLabel(theme, *_SIGNS[kind])
        self._text = Paragraph()
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._text, 1)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    def set_text(self, text: str) -> None:
        self._text.setText(text)
        self.retranslate()

    def retranslate(self) -> None:
        kind = self.tr("Warning") if self._kind == "warning" else self.tr("Information")
        self.setAccessibleName(kind)
        self.setAccessibleDescription(self.text)
        self._icon.setAccessibleName(kind)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_m, sizes.space_m, sizes.space_l, sizes.space_m)
        self._row.setSpacing(sizes.space_m)
