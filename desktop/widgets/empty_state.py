"""The placeholder of an empty list: what belongs here, and the next step with its keys."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import IconLabel, KeyHint, Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when


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
