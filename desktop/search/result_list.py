"""The list of results: its model, and its delegate, which marks the search terms."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.text.search import Span
from core.ports.search import Hit
from desktop.search.results import GroupRow, HitRow, MoreRow, ResultRow
from desktop.search.search_strings import ResultStrings, hit_icon
from desktop.theme.theme import Theme
from desktop.theme.typography import TextRole
from desktop.widgets.painting import ground_color, paint_ground, paint_words

ROW_ROLE = Qt.ItemDataRole.UserRole
"""The ResultRow."""

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ResultModel(QAbstractListModel):
    """The rows of results."""

    def __init__(self, words: ResultStrings, parent: QObject) -> None:
        super().__init__(parent)
        self._words = words
        self.rows: Sequence[ResultRow] = ()

    def show(self, rows: Sequence[ResultRow]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def place_of(self, row: ResultRow | None) -> QModelIndex:
        """Return the current position of a row; a workflow is found by its id, since its count may have changed."""
        if isinstance(row, GroupRow):
            found = (at for at, one in enumerate(self.rows) if _is_group(one, row))
        else:
            found = (at for at, one in enumerate(self.rows) if one == row)
        at = next(found, -1)
        return self.index(at) if at >= 0 else QModelIndex()

    def first(self) -> QModelIndex:
        """Return the first hit; a workflow that was found by its title alone is a hit."""
        for at, row in enumerate(self.rows):
            below = self.rows[at + 1] if at + 1 < len(self.rows) else None
            if isinstance(row, HitRow) or (isinstance(row, GroupRow) and isinstance(below, GroupRow | MoreRow | None)):
                return self.index(at)
        return QModelIndex()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return self._words.spoken(row) if is_text else None

    def flags(self, _index: _Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def _is_group(one: ResultRow, row: GroupRow) -> bool:
    return isinstance(one, GroupRow) and one.workflow_id == row.workflow_id


_Right = Qt.AlignmentFlag.AlignRight


class ResultDelegate(QStyledItemDelegate):
    """Paints a workflow or a snippet. Notes and times stand at the right at their full width; the rest gets the
    remaining width.
    """

    def __init__(self, theme: Theme, words: ResultStrings, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        gap = sizes.space_s if isinstance(index.data(ROW_ROLE), GroupRow) and index.row() > 0 else 0
        return QSize(sizes.control, sizes.control + gap)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row, sizes, theme = index.data(ROW_ROLE), self._theme.sizes, self._theme
        box = QRect(option.rect)
        box.setTop(box.bottom() - sizes.control + 1)
        if (color := ground_color(option)) is not None:
            paint_ground(painter, theme, box, sizes.radius_row, color)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        match row:
            case GroupRow():
                inner = self._paint_right(painter, self._words.note(row), inner)
                paint_marked(painter, theme, row.title, row.marks, inner, "row_unread")
            case HitRow(hit=hit):
                self._paint_hit(painter, hit, inner)
            case MoreRow():
                left = sizes.icon_s + 2 * sizes.space_s if row.workflow_id is not None else 0
                paint_words(painter, theme, self._words.more(row), inner.adjusted(left, 0, 0, 0), "row", "accent")

    def _paint_hit(self, painter: QPainter, hit: Hit, inner: QRect) -> None:
        sizes, side = self._theme.sizes, self._theme.sizes.icon_s
        inner = inner.adjusted(sizes.space_s, 0, 0, 0)
        pixmap = self._theme.pixmap(hit_icon(hit), "muted", side, painter.device().devicePixelRatio())
        painter.drawPixmap(inner.left(), inner.top() + (inner.height() - side) // 2, pixmap)
        inner.setLeft(inner.left() + side + sizes.space_s)
        inner = self._paint_right(painter, self._words.time(hit), inner)
        paint_marked(painter, self._theme, hit.snippet, hit.marks, inner, "row")

    def _paint_right(self, painter: QPainter, words: str, inner: QRect) -> QRect:
        """Paint the text at the right, and return the remaining box."""
        width = min(inner.width() // 2, QFontMetrics(self._theme.font("secondary")).horizontalAdvance(words) + 1)
        box = inner.adjusted(inner.width() - width, 0, 0, 0)
        paint_words(painter, self._theme, words, box, "secondary", "muted", _Right)
        return inner.adjusted(0, 0, -width - self._theme.sizes.space_m, 0)


def paint_marked(
    painter: QPainter, theme: Theme, text: str, marks: tuple[Span, ...], box: QRect, role: TextRole
) -> None:
    """Paint a line of text with these spans highlighted."""
    font = theme.font(role)
    line_text = text.replace("\n", " ")
    shown = QFontMetrics(font).elidedText(line_text, Qt.TextElideMode.ElideRight, box.width())
    layout = QTextLayout(shown, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats([_mark_format(theme, shown, mark) for mark in marks if mark.end <= len(shown)])
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(box.width())
    layout.endLayout()
    painter.save()
    painter.setClipRect(box)
    painter.setPen(theme.color("text"))
    layout.draw(painter, QPointF(box.left(), box.top() + (box.height() - line.height()) / 2))
    painter.restore()


def _mark_format(theme: Theme, text: str, mark: Span) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start = _utf16_length(text[: mark.start])
    found.length = _utf16_length(text[mark.start : mark.end])
    form = QTextCharFormat()
    form.setBackground(theme.color("found"))
    form.setForeground(theme.color("text"))
    form.setFontWeight(QFont.Weight.DemiBold)
    found.format = form
    return found


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, in which Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
