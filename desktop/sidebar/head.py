"""The top of the sidebar: our mark and name, the search, and folding."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.icons import app_mark
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import IconButton
from desktop.widgets.labels import Label

NAME = "Metier"


class Mark(QWidget):
    """Our mark. It has no name of its own: the words beside it say the same."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._drawn = QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = self._theme.sizes.icon_m
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        scale = self.devicePixelRatioF()
        side = round(self.width() * scale)
        if self._drawn.width() != side:
            self._drawn = app_mark(side)
        self._drawn.setDevicePixelRatio(scale)
        QPainter(self).drawPixmap(0, 0, self._drawn)


class SidebarHead(Adaptive, QWidget):
    """A line; of the collapsed sidebar a column with what has room there."""

    search_toggled = Signal(bool)
    fold_pressed = Signal()

    def __init__(self, theme: Theme, fold_keys: QKeySequence, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fold_keys = fold_keys
        self._is_folded = False
        self._mark = Mark(theme)
        self._name = Label(NAME, "title")
        self._search = IconButton(theme, Icon.SEARCH)
        self._search.setCheckable(True)
        self._search.toggled.connect(self.search_toggled)
        self._fold = IconButton(theme, Icon.PANEL_LEFT)
        self._fold.clicked.connect(self._on_fold)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignCenter)
        self._line.addWidget(self._name, 1)
        self._line.addWidget(self._search, 0, Qt.AlignmentFlag.AlignCenter)
        self._line.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignCenter)
        self.adapt_to(theme)

    def fold(self, is_folded: bool) -> None:
        self._is_folded = is_folded
        direction = QBoxLayout.Direction.TopToBottom if is_folded else QBoxLayout.Direction.LeftToRight
        self._line.setDirection(direction)
        self._name.setVisible(not is_folded)
        self._search.setVisible(not is_folded)
        self.retranslate()
        self.dress()

    def set_keys(self, fold_keys: QKeySequence) -> None:
        """Its button names these."""
        self._fold_keys = fold_keys
        self.retranslate()

    def set_searching(self, is_searching: bool) -> None:
        self._search.setChecked(is_searching)

    def retranslate(self) -> None:
        self._search.describe(self.tr("Find a workflow"))
        name = self.tr("Expand the sidebar") if self._is_folded else self.tr("Collapse the sidebar")
        self._fold.describe(name, self._fold_keys)

    def dress(self) -> None:
        sizes = self._theme.sizes
        if self._is_folded:
            self._line.setContentsMargins(0, sizes.space_l, 0, 0)
            self._line.setSpacing(sizes.space_m)
            self.setMinimumHeight(0)
        else:
            self._line.setContentsMargins(sizes.space_l, 0, sizes.space_s, 0)
            self._line.setSpacing(sizes.space_s)
            self.setMinimumHeight(sizes.header)

    def _on_fold(self) -> None:
        self.fold_pressed.emit()
