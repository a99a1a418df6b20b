"""The picker of agent and model: opens below the header, filters by typing, closes on Esc."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.list_search import ListSearch, matches
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface
from desktop.window.base.options import OPTION_ROLE, Option, OptionDelegate, OptionHeading

_ModelIndex = QModelIndex | QPersistentModelIndex
_MOST_ROWS = 9


class Picker(Adaptive, Surface):
    """Emits the `chosen` option. It closes by `close_up`, or when it loses the focus."""

    chosen = Signal(object)
    """The Option."""
    closed = Signal()
    """It was closed, and the focus should go back."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._ground = parent
        self._entries: list[OptionHeading | Option] = []
        self._field = QLineEdit(self)
        self._rows = QStandardItemModel(self)
        self._list = QListView(self)
        self._problem = Paragraph("", "label", "error", parent=self)
        self._column = QVBoxLayout(self)
        for widget in (self._field, self._list, self._problem):
            self._column.addWidget(widget)
        self._list.setModel(self._rows)
        self._delegate = OptionDelegate(theme, self._list)
        self._list.setItemDelegate(self._delegate)
        self._field.textChanged.connect(self._narrow)
        keys = ListSearch(theme, self._field, self._list)
        keys.taken.connect(self._take)
        keys.escaped.connect(self.close_up)
        keys.abandoned.connect(self.hide)
        keys.tabbed.connect(self.close_up)
        self._list.selectionModel().currentChanged.connect(self._announce_current)
        self.hide()
        self.adapt_to(theme)

    def open_below(self, place: QRect, entries: Sequence[OptionHeading | Option], pane: QRect | None = None) -> None:
        """Show the options below `place`, a rectangle of the parent, with the focus in the field; inside `pane` if they
        fit.
        """
        self._entries = list(entries)
        self._field.clear()
        self.show_problem("")
        self._narrow()
        self._place(place, pane or self._ground.rect())
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_problem(self, problem: str) -> None:
        """Show why the choice was rejected. The picker stays open."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if problem:
            announce(self, problem, is_urgent=True)
            self._fit()

    def close_up(self) -> None:
        if self.isVisible():
            self.hide()
            self.closed.emit()

    @property
    def ground(self) -> QWidget:
        """The widget that it covers."""
        return self._ground

    @property
    def problem(self) -> str:
        return self._problem.text()

    def shown(self) -> list[Option]:
        """Return the options that match the filter."""
        entries = (self._rows.index(row, 0).data(OPTION_ROLE) for row in range(self._rows.rowCount()))
        return [entry for entry in entries if isinstance(entry, Option)]

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Find an agent or a model"))
        self._field.setAccessibleName(self.tr("Find an agent or a model"))
        self._list.setAccessibleName(self.tr("Who answers"))
        self.setAccessibleName(self.tr("Who answers"))
        if self.isVisible():
            self.close_up()  # its options are in the previous language

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)
        self._column.setSpacing(sizes.space_xs)
        self._problem.setContentsMargins(sizes.space_s, 0, sizes.space_s, sizes.space_xs)

    def _narrow(self) -> None:
        query = self._field.text()
        self._rows.clear()
        heading: OptionHeading | None = None
        current = -1
        for entry in self._entries:
            if isinstance(entry, OptionHeading):
                heading = entry
                continue
            if not matches(query, f"{entry.title} {entry.note}"):
                continue
            if heading is not None:
                self._add(heading, heading.title, is_enabled=False)
                heading = None
            row = self._add(entry, _spoken_text(entry), is_enabled=True)
            if current < 0 or (entry.is_current and not query):
                current = row
        if current >= 0:
            self._list.setCurrentIndex(self._rows.index(current, 0))
        self._fit()

    def _add(self, entry: OptionHeading | Option, text: str, *, is_enabled: bool) -> int:
        item = QStandardItem(text)
        item.setData(entry, OPTION_ROLE)
        if not is_enabled:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._rows.appendRow(item)
        return self._rows.rowCount() - 1

    def _take(self, index: _ModelIndex) -> None:
        entry = index.data(OPTION_ROLE) if index.isValid() else None
        if isinstance(entry, Option):
            self.chosen.emit(entry)

    def _announce_current(self, index: _ModelIndex) -> None:
        entry = index.data(OPTION_ROLE) if index.isValid() else None
        if isinstance(entry, Option) and self.isVisible():
            announce(self, _spoken_text(entry))

    def _place(self, place: QRect, pane: QRect) -> None:
        sizes = self._theme.sizes
        available = self._ground.width()
        margins = self._column.contentsMargins()
        rows = [self._delegate.width_of(entry) for entry in self._entries if isinstance(entry, Option)]
        needed = max(rows, default=0) + margins.left() + margins.right() + 2 * self._list.frameWidth()
        # as wide as its longest option, but not wider than the text of the chat, and right-aligned with its button
        width = min(max(sizes.user_bubble, needed), sizes.chat_column, available - 2 * sizes.space_m)
        left = max(pane.left() + sizes.space_m, place.right() - width)
        left = max(sizes.space_m, min(left, available - width - sizes.space_m))
        self.setGeometry(left, place.bottom() + sizes.space_xs, width, sizes.row)
        self._fit()

    def _fit(self) -> None:
        """Set the height: at most nine rows, and within the window."""
        sizes = self._theme.sizes
        rows = min(_MOST_ROWS, self._rows.rowCount())
        height = sum(self._list.sizeHintForRow(row) for row in range(rows)) + 2 * self._list.frameWidth()
        self._list.setFixedHeight(max(height, sizes.control))
        margins = self._column.contentsMargins()
        inner = self.width() - margins.left() - margins.right()
        wanted = margins.top() + margins.bottom() + self._field.sizeHint().height() + self._list.height()
        wanted += self._column.spacing()
        if not self._problem.isHidden():
            wanted += self._column.spacing() + self._problem.heightForWidth(inner) + sizes.space_s
        available = self._ground.height() - self.y() - sizes.space_m
        if wanted > available:
            self._list.setFixedHeight(max(sizes.control, self._list.height() - (wanted - available)))
        self.resize(self.width(), min(wanted, available))


def _spoken_text(entry: Option) -> str:
    return f"{entry.title}, {entry.note}"
