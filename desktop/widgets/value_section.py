"""A titled value: arguments, a result, errors."""

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.labels import Label
from desktop.widgets.surfaces import Surface
from desktop.widgets.value_text import ValueText


class ValueSection(Adaptive, QWidget):
    """A button copies all of the value, however much of it is shown. `is_field`: among the fields of a form."""

    def __init__(self, theme: Theme, parent: QWidget, *, is_field: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Label("", "strong") if is_field else Label("", "section", "muted")
        self.copy_button = IconButton(theme, Icon.COPY)
        self.copy_button.clicked.connect(self._copy)
        frame = Surface("code", parent=self)
        self.value = ValueText(theme, frame)
        self._inside = QVBoxLayout(frame)
        self._inside.addWidget(self.value)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.copy_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(frame, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.adapt_to(theme)

    def describe(self, title: str) -> None:
        """Its words in the language of now."""
        self._title.setText(title)
        self.value.setAccessibleName(title)
        self.copy_button.describe(self.tr("Copy: {title}").format(title=title))

    def show_text(self, text: str) -> None:
        self.value.show_text(text)
        self.show()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._inside.setContentsMargins(sizes.space_xs, sizes.space_xs, sizes.space_xs, sizes.space_xs)

    def _copy(self) -> None:
        self.value.copy_all()
