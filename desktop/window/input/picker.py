"""The picker of agent and model: opens below the header, filters by typing, closes on Esc."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets import Paragraph, RowModel, SearchOverlay, announce, matches
from desktop.window.base.options import OPTION_ROLE, Option, OptionDelegate, OptionHeading

_ModelIndex = QModelIndex | QPersistentModelIndex
_MAX_ROWS = 9


class Picker(SearchOverlay):
    """Emits the `chosen` option, and stays open until it is closed by `close_up`, or loses the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self._entries: list[OptionHeading | Option] = []
        self._rows = RowModel[OptionHeading | Option](_accessible_text, self, lambda row: isinstance(row, Option))
        self._problem = Paragraph("", "label", "error", parent=self)
        self._delegate = OptionDelegate(theme, self._list)
        self.set_rows(self._rows, self._delegate, self._problem)
        self._field.textChanged.connect(self._narrow)
        self._keys.abandoned.connect(self.hide)
        self._keys.tabbed.connect(self.close_up)
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
        self.show_field()

    def show_problem(self, problem: str) -> None:
        """Show why the choice was rejected. The picker stays open."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if problem:
            announce(self, problem, is_urgent=True)
            self._fit()

    @property
    def ground(self) -> QWidget:
        """The widget that it covers."""
        return self._ground

    @property
    def problem(self) -> str:
        return self._problem.text()

    def shown(self) -> list[Option]:
        """Return the options that match the filter."""
        return [row for row in self._rows.rows if isinstance(row, Option)]

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Find an agent or a model"))
        self._field.setAccessibleName(self.tr("Find an agent or a model"))
        self._list.setAccessibleName(self.tr("Who answers"))
        self.setAccessibleName(self.tr("Who answers"))
        if self.isVisible():
            self.close_up()  # its options are in the previous language

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        self._problem.setContentsMargins(sizes.space_s, 0, sizes.space_s, sizes.space_xs)

    def _narrow(self) -> None:
        query = self._field.text()
        rows: list[OptionHeading | Option] = []
        heading: OptionHeading | None = None
        for entry in self._entries:
            if isinstance(entry, OptionHeading):
                heading = entry
            elif matches(query, f"{entry.title} {entry.note}"):
                # A heading is added with its first match, so that none stands over nothing.
                rows += [heading, entry] if heading is not None else [entry]
                heading = None
        self._rows.show(rows)
        current = self._rows.find(lambda row: isinstance(row, Option) and row.is_current and not query)
        if not current.isValid():
            current = self._rows.find(lambda row: isinstance(row, Option))
        if current.isValid():
            self._list.setCurrentIndex(current)
        self._fit()

    def _take(self, index: _ModelIndex) -> None:
        entry = index.data(OPTION_ROLE) if index.isValid() else None
        if isinstance(entry, Option):
            self.chosen.emit(entry)

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
        rows = min(_MAX_ROWS, self._rows.rowCount())
        height = sum(self._list.sizeHintForRow(row) for row in range(rows)) + 2 * self._list.frameWidth()
        self._list.setFixedHeight(max(height, sizes.control))
        margins = self._column.contentsMargins()
        inner = self.width() - margins.left() - margins.right()
        needed_height = margins.top() + margins.bottom() + self._field.sizeHint().height() + self._list.height()
        needed_height += self._column.spacing()
        if not self._problem.isHidden():
            needed_height += self._column.spacing() + self._problem.heightForWidth(inner) + sizes.space_s
        available = self._ground.height() - self.y() - sizes.space_m
        if needed_height > available:
            self._list.setFixedHeight(max(sizes.control, self._list.height() - (needed_height - available)))
        self.resize(self.width(), min(needed_height, available))


def _accessible_text(row: OptionHeading | Option) -> str:
    return row.title if isinstance(row, OptionHeading) else f"{row.title}, {row.note}"
