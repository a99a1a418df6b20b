"""Messages within the window: a banner, the placeholder of an empty list, and a short question."""

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMessageBox, QVBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import IconLabel, KeyHint, Label
from desktop.widgets.layouts import Surface, show_when
from desktop.widgets.paragraph import Paragraph

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


class EmptyState(Adaptive, QWidget):
    """Emits `acted` when its button is pressed; without an action it has no button."""

    acted = Signal()

    def __init__(self, theme: Theme, icon: Icon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = IconLabel(theme, icon, "faint", "icon_l")
        self._title = Label("", "title")
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text = Paragraph("", "label", "muted")
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._button = Button(theme, "", "secondary")
        self._button.clicked.connect(self._act)
        self._keys = KeyHint()
        self._lay_out()
        self.describe("", "")
        self.adapt_to(theme)

    def describe(self, title: str, text: str, action: str = "", keys: QKeySequence | None = None) -> None:
        """Set the translated texts."""
        self._title.setText(title)
        self._text.setText(text)
        self._button.setText(action)
        show_when(self._button, bool(action))
        self._keys.set_keys(keys if action else None)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_xl, sizes.space_m, sizes.space_xl, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._action_row.setContentsMargins(0, sizes.space_s, 0, 0)
        self._action_row.setSpacing(sizes.space_m)
        self._text.setMaximumWidth(sizes.empty_state)

    def _lay_out(self) -> None:
        self._action_row = QHBoxLayout()
        self._action_row.addStretch()
        self._action_row.addWidget(self._button)
        self._action_row.addWidget(self._keys)
        self._action_row.addStretch()
        self._column = QVBoxLayout(self)
        self._column.addStretch()
        self._column.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addWidget(self._title)
        self._column.addWidget(self._text, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addLayout(self._action_row)
        self._column.addStretch()

    def _act(self) -> None:
        self.acted.emit()


class QuestionBox(QMessageBox):
    """A message box of plain text that deletes itself once it is answered."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def showEvent(self, event: QShowEvent) -> None:
        """Remove the indent that Qt gives the text of a box without an icon."""
        grid = self.layout()
        if isinstance(grid, QGridLayout):
            grid.setHorizontalSpacing(0)
            for at in range(grid.count()):
                item = grid.itemAt(at)
                spacer = item.spacerItem() if item is not None else None
                if spacer is not None:
                    spacer.changeSize(0, 0)
            grid.invalidate()
        super().showEvent(event)
