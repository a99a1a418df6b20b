"""The command palette: a field, and the list of commands, workflows and templates that match."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.palette.entries import Entry, Heading, Kind, Query, parse_query
from desktop.theme import Theme
from desktop.widgets import (
    ROW_ROLE,
    Label,
    RowModel,
    SearchOverlay,
    announce,
    background_color,
    paint_ground,
    paint_icon,
    paint_note,
    paint_sign,
    paint_text,
    paint_unread_mark,
    unread_text,
)

_Index = QModelIndex | QPersistentModelIndex


class EntryModel(RowModel[Heading | Entry]):
    """The rows of the palette. Headings cannot be selected."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(_accessible_text, parent, lambda row: isinstance(row, Entry))

    @property
    def entries(self) -> list[Entry]:
        """The rows that can be selected."""
        return [row for row in self.rows if isinstance(row, Entry)]

    def first(self) -> QModelIndex:
        """Return the first selectable row; invalid if there is none."""
        return self.find(lambda row: isinstance(row, Entry))

    def find_target(self, entry: Heading | Entry | None) -> QModelIndex:
        """Return the row with the same target as `entry`, whose note may have changed; invalid if it is gone."""
        if not isinstance(entry, Entry):
            return QModelIndex()
        target = (entry.kind, entry.key, entry.title)
        return self.find(lambda row: isinstance(row, Entry) and (row.kind, row.key, row.title) == target)


class EntryDelegate(QStyledItemDelegate):
    """Paints an icon, the title, and a note or keys at the right; headings small. The note gets the width it needs, up
    to half; the title the rest.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(ROW_ROLE), Heading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row, sizes, theme = index.data(ROW_ROLE), self._theme.sizes, self._theme
        box = QRect(option.rect)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        if isinstance(row, Heading):
            paint_text(painter, theme, row.title, inner, "section", "muted")
        elif isinstance(row, Entry):
            if (color := background_color(option)) is not None:
                paint_ground(painter, theme, box, sizes.radius_row, color)
            if row.sign is None:
                inner = paint_icon(painter, theme, row.icon, inner, row.color)
            else:
                inner = paint_sign(painter, theme, row.sign, inner, option.widget)
            inner = paint_note(painter, theme, row.note, inner, "code_small" if row.has_keys else "secondary")
            if row.is_unread:
                inner = paint_unread_mark(painter, theme, inner)
            paint_text(painter, theme, row.title, inner, "row_unread" if row.is_unread else "row", "text")


def _accessible_text(row: Heading | Entry) -> str:
    if isinstance(row, Heading):
        return row.title
    return ", ".join(filter(None, (row.title, row.note, unread_text() if row.is_unread else "")))


EntrySearch = Callable[[Query], Sequence[Heading | Entry]]
"""What a query finds, in the order in which it is shown."""

_MAX_ROWS = 12


class Palette(SearchOverlay):
    """Shown by `open`; `chosen` carries the Entry."""

    def __init__(self, theme: Theme, search: EntrySearch, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("palette")
        self._search = search
        self._rows = EntryModel(self)
        self._empty = Label("", "secondary", "muted", parent=self)
        self._hint = Label("", "meta", "muted", parent=self)
        self.set_rows(self._rows, EntryDelegate(theme, self._list), self._empty, self._hint)
        self._field.textChanged.connect(self._find)
        self._keys.abandoned.connect(self.hide)
        self.adapt_to(theme)

    def open(self, kind: Kind = Kind.WORKFLOW) -> None:
        """Show the palette with the list of `kind`; the same shortcut again closes it."""
        if self.isVisible() and parse_query(self._field.text()).kind is kind:
            self.close_up()
            return
        self._field.setText(kind.value)
        self._find()
        self.show_field()

    def refresh(self) -> None:
        """Search again after a change of the entries, and keep the current row."""
        if not self.isVisible():
            return
        before = self._list.currentIndex()
        current = self._rows.rows[before.row()] if before.isValid() else None
        scrolled = self._list.verticalScrollBar().value()
        self._find()
        # By its target, since a new state or time changes the entry.
        again = self._rows.find_target(current)
        if again.isValid():
            self._list.setCurrentIndex(again)
            self._list.verticalScrollBar().setValue(scrolled)

    def shown(self) -> list[Entry]:
        """Return the selectable entries."""
        return self._rows.entries

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Go to a workflow by its name"))
        self._field.setAccessibleName(self.tr("Go to anything"))
        self._list.setAccessibleName(self.tr("What was found"))
        self.setAccessibleName(self.tr("Go to anything"))
        self._hint.setText(self.tr("> commands    # templates    @ who answers    ! inbox    ? keys"))
        if self.isVisible():
            self._find()

    def apply_theme(self) -> None:
        super().apply_theme()
        sizes = self._theme.sizes
        for label in (self._empty, self._hint):
            label.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_s, sizes.space_xs)
        self._fit()

    def _find(self) -> None:
        query = parse_query(self._field.text())
        self._rows.show(self._search(query))
        first = self._rows.first()
        self._list.setCurrentIndex(first)
        self._list.scrollToTop()
        is_empty_inbox = query.kind is Kind.INBOX and not query.words
        message = (
            self.tr("Nothing has happened yet. What needs you, finishes or fails stands here. Esc goes back.")
            if is_empty_inbox
            else self.tr("Nothing has that name. Fewer letters find more; Esc goes back.")
        )
        self._empty.setText(message)
        self._empty.setVisible(not first.isValid())
        self._list.setVisible(first.isValid())
        self._fit()
        if self.isVisible() and not first.isValid():
            announce(self, self._empty.text())

    def _take(self, index: _Index) -> None:
        entry = self._rows.rows[index.row()] if index.isValid() else None
        if isinstance(entry, Entry):
            self.hide()
            self.chosen.emit(entry)

    def _fit(self) -> None:
        """Centre in the window's upper part, as high as the rows, up to twelve, and the window allow."""
        sizes, ground = self._theme.sizes, self._ground
        width = min(sizes.chat_column, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        rows = min(_MAX_ROWS, self._rows.rowCount())
        height = sum(self._list.sizeHintForRow(row) for row in range(rows)) + 2 * self._list.frameWidth()
        margins = self._column.contentsMargins()
        widgets = [widget for widget in (self._field, self._empty, self._hint) if not widget.isHidden()]
        frame = margins.top() + margins.bottom() + sum(widget.sizeHint().height() for widget in widgets)
        frame += len(widgets) * self._column.spacing()
        available = ground.height() - top - sizes.space_l
        height = max(0, min(height, available - frame))
        self._list.setFixedHeight(height)
        self.setGeometry((ground.width() - width) // 2, top, width, frame + (height if rows else 0))
