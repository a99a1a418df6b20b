"""The workflows viewed last, listed over the window while the key that goes through them is held (UI §4)."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QVBoxLayout, QWidget

from desktop.theme.theme import Theme
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.offer_painter import ENTRY, OfferDelegate
from desktop.window.offers import Offer

HELD_MS = 150
"""A key that is let go before this was tapped, and shows no list."""
_ROWS = 9


class RecentList(Adaptive, Surface):
    """Takes no focus: the keys stay where they are, and it shows where they have come to."""

    clicked = Signal(int)
    """The row."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__("raised", parent=window)
        self.setObjectName("recent")
        self._theme = theme
        self._ground = window
        self._rows = QStandardItemModel(self)
        self._list = QListView(self)
        self._list.setModel(self._rows)
        self._list.setItemDelegate(OfferDelegate(theme, self._list))
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._on_clicked)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._list)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(HELD_MS)
        self._delay.timeout.connect(self._appear)
        self.hide()
        self.adapt_to(theme)

    def offer(self, entries: Sequence[Offer]) -> None:
        """Show these in a moment, if they are still wanted then."""
        self._rows.clear()
        for entry in entries:
            item = QStandardItem(entry.title)
            item.setData(entry, ENTRY)
            self._rows.appendRow(item)
        self._delay.start()

    def go_to(self, row: int) -> None:
        """The keys have come to this row."""
        self._list.setCurrentIndex(self._rows.index(row, 0))
        announce(self, str(self._rows.index(row, 0).data()))

    def appear_now(self) -> None:
        """The key was pressed again: it is no tap."""
        if self._delay.isActive():
            self._delay.stop()
            self._appear()

    def put_away(self) -> None:
        self._delay.stop()
        self.hide()

    def shown(self) -> list[str]:
        """The titles, from the top down."""
        return [str(self._rows.index(row, 0).data()) for row in range(self._rows.rowCount())]

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Viewed last"))
        self._list.setAccessibleName(self.tr("Viewed last"))

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)

    def _appear(self) -> None:
        sizes, ground = self._theme.sizes, self._ground
        margins = self._column.contentsMargins()
        height = sum(self._list.sizeHintForRow(row) for row in range(min(_ROWS, self._rows.rowCount())))
        height += margins.top() + margins.bottom() + 2 * (self.frameWidth() + self._list.frameWidth())
        width = min(sizes.user_bubble, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        height = min(height, ground.height() - top - sizes.space_l)
        self.setGeometry((ground.width() - width) // 2, top, width, height)
        self.show()
        self.raise_()
        self._list.scrollTo(self._list.currentIndex())

    def _on_clicked(self, index: QModelIndex) -> None:
        self.clicked.emit(index.row())
