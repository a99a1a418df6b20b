"""The upper line of a card: icon, title, number of repetitions, and ×."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.domain.toast import ToastType
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.labels import Chip, ElidedLabel, IconLabel

_SIGNS: dict[ToastType, tuple[Icon, ColorName]] = {
    ToastType.SUCCESS: (Icon.CIRCLE_CHECK, "sign_ok"),
    ToastType.ERROR: (Icon.CIRCLE_X, "sign_error"),
    ToastType.INFO: (Icon.INFO, "accent"),
    ToastType.WARNING: (Icon.TRIANGLE_ALERT, "sign_warn"),
    ToastType.USER_QUESTION: (Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn"),
}


class Head(Adaptive, QWidget):
    """Emits `closed` when × is pressed."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._repeated = 1
        self._icon = IconLabel(theme, Icon.INFO, "accent", "icon_m")
        self._title = ElidedLabel("", "strong")
        self._count = Chip()
        self.close_button = IconButton(theme, Icon.X)
        self.close_button.clicked.connect(self._close)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._title, 1)
        self._row.addWidget(self._count)
        self._row.addWidget(self.close_button)
        self._row.setAlignment(self._icon, Qt.AlignmentFlag.AlignVCenter)
        self.adapt_to(theme)

    def say(self, kind: ToastType, title: str, repeated: int) -> None:
        self._icon.set_icon(*_SIGNS[kind])
        self._title.setText(title)
        self._repeated = repeated
        self._count.setVisible(repeated > 1)
        self.retranslate()

    def fit(self, width: int) -> int:
        """Lay out for this width and return the height."""
        self.resize(width, self._row.sizeHint().height())
        self._row.activate()
        return self.height()

    def is_cut(self) -> bool:
        """Return whether the title is elided."""
        return bool(self._title.toolTip())

    def retranslate(self) -> None:
        self.close_button.describe(self.tr("Close"))
        self._count.setText(f"×{self._repeated}")
        self._count.setAccessibleName(self.tr("Said %n times", "", self._repeated))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_m, 0, sizes.space_s, 0)
        self._row.setSpacing(sizes.space_s)

    def _close(self) -> None:
        self.closed.emit()
