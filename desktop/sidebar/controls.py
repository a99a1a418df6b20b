"""The controls of the sidebar: its header, its buttons and the search field."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from desktop.theme import Icon, Theme, app_mark
from desktop.widgets import Adaptive, Button, ButtonKind, IconButton, KeyHint, Label


class CollapsibleButton(Adaptive, QWidget):
    """A button across the sidebar, with text and shortcut; in the collapsed sidebar only its icon. Emits `pressed`."""

    pressed = Signal()

    def __init__(self, theme: Theme, kind: ButtonKind, icon: Icon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._wide = Button(theme, "", kind, icon)
        self._wide.setStyleSheet("QPushButton { text-align: left; }")
        self._small = IconButton(theme, icon, is_large=True)
        self._small.hide()
        self._keys = KeyHint()
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._wide.clicked.connect(self.pressed)
        self._small.clicked.connect(self.pressed)
        self._inner = QHBoxLayout(self._wide)
        self._inner.addWidget(self._keys, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._wide)
        outer.addWidget(self._small, 0, Qt.AlignmentFlag.AlignCenter)
        self.adapt_to(theme)

    def describe(self, text: str, keys: QKeySequence) -> None:
        """Set the text, and the shortcut that does the same."""
        self._wide.setText(text)
        self._keys.set_keys(keys)
        self._small.describe(text, keys)

    def fold(self, is_folded: bool) -> None:
        has_focus = self._wide.hasFocus() or self._small.hasFocus()
        self._wide.setVisible(not is_folded)
        self._small.setVisible(is_folded)
        if has_focus:
            (self._small if is_folded else self._wide).setFocus()

    def apply_theme(self) -> None:
        self._inner.setContentsMargins(0, 0, self._theme.sizes.space_m, 0)


_LIST_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchField(Adaptive, QLineEdit):
    """Filters workflows by title while it is typed. Emits `left` on Down and Enter, to continue in the list, and
    `closed` on Esc.
    """

    left = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.addAction(theme.icon(Icon.SEARCH), QLineEdit.ActionPosition.LeadingPosition)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self.setPlaceholderText(self.tr("Find by name"))
        self.setAccessibleName(self.tr("Find a workflow by name"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() in _LIST_KEYS:
            self.left.emit()
        else:
            super().keyPressEvent(event)


APP_NAME = "Metier"


class AppMark(QWidget):
    """The logo. The name beside it serves as its accessible name."""

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


class SidebarHeader(Adaptive, QWidget):
    """A row with logo, name, search and collapse button; in the collapsed sidebar a column of what fits."""

    search_toggled = Signal(bool)
    fold_pressed = Signal()

    def __init__(self, theme: Theme, fold_keys: QKeySequence, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fold_keys = fold_keys
        self._is_folded = False
        self._mark = AppMark(theme)
        self._name = Label(APP_NAME, "title")
        self._search = IconButton(theme, Icon.SEARCH)
        self._search.setCheckable(True)
        self._search.toggled.connect(self.search_toggled)
        self._fold = IconButton(theme, Icon.PANEL_LEFT)
        self._fold.clicked.connect(self.fold_pressed)
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
        self.apply_theme()

    def set_keys(self, fold_keys: QKeySequence) -> None:
        """Set the shortcut that the button names."""
        self._fold_keys = fold_keys
        self.retranslate()

    def set_searching(self, is_searching: bool) -> None:
        self._search.setChecked(is_searching)

    def retranslate(self) -> None:
        self._search.describe(self.tr("Find a workflow"))
        name = self.tr("Expand the sidebar") if self._is_folded else self.tr("Collapse the sidebar")
        self._fold.describe(name, self._fold_keys)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        if self._is_folded:
            self._line.setContentsMargins(0, sizes.space_l, 0, 0)
            self._line.setSpacing(sizes.space_m)
            self.setMinimumHeight(0)
        else:
            self._line.setContentsMargins(sizes.space_l, 0, sizes.space_s, 0)
            self._line.setSpacing(sizes.space_s)
            self.setMinimumHeight(sizes.header)
