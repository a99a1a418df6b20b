"""The list of results: its model, and its delegate, which marks the search terms."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.text.hidden import placeholders
from core.domain.text.search import Span
from desktop.search.results import GroupRow, HitRow, MoreRow, ResultRow
from desktop.search.search_strings import ResultStrings, hit_icon
from desktop.theme import TextRole, Theme
from desktop.widgets import (
    ROW_ROLE,
    RowModel,
    background_color,
    paint_ground,
    paint_icon,
    paint_note,
    paint_sign,
    paint_text,
    paint_unread_mark,
)

_Index = QModelIndex | QPersistentModelIndex


class ResultModel(RowModel[ResultRow]):
    """The rows of results."""

    def __init__(self, strings: ResultStrings, parent: QObject) -> None:
        super().__init__(strings.accessible_text, parent)

    def find_row(self, row: ResultRow | None) -> QModelIndex:
        """Return the current position of a row; a workflow is found by its id, since its count may have changed."""
        if isinstance(row, GroupRow):
            return self.find(lambda other: isinstance(other, GroupRow) and other.workflow_id == row.workflow_id)
        return self.find(lambda other: other == row)

    def first(self) -> QModelIndex:
        """Return the first hit; a workflow that was found by its title alone is a hit."""
        for at, row in enumerate(self.rows):
            below = self.rows[at + 1] if at + 1 < len(self.rows) else None
            if isinstance(row, HitRow) or (isinstance(row, GroupRow) and isinstance(below, GroupRow | MoreRow | None)):
                return self.index(at)
        return QModelIndex()


class ResultDelegate(QStyledItemDelegate):
    """Paints a workflow or a snippet. Notes and times stand at the right at their full width; the rest gets the
    remaining width.
    """

    def __init__(self, theme: Theme, strings: ResultStrings, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._strings = strings

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        sizes = self._theme.sizes
        gap = sizes.space_s if isinstance(index.data(ROW_ROLE), GroupRow) and index.row() > 0 else 0
        return QSize(sizes.control, sizes.control + gap)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row, sizes, theme = index.data(ROW_ROLE), self._theme.sizes, self._theme
        box = QRect(option.rect)
        box.setTop(box.bottom() - sizes.control + 1)
        if (color := background_color(option)) is not None:
            paint_ground(painter, theme, box, sizes.radius_row, color)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        match row:
            case GroupRow():
                label = row.label
                inner = paint_sign(painter, theme, label.sign, inner, option.widget)
                inner = paint_note(painter, theme, self._strings.note(row), inner)
                if label.is_unread:
                    inner = paint_unread_mark(painter, theme, inner)
                paint_marked(painter, theme, row.title, row.marks, inner, "row_unread")
            case HitRow(hit=hit):
                inner = paint_icon(painter, theme, hit_icon(hit), inner.adjusted(sizes.space_s, 0, 0, 0))
                inner = paint_note(painter, theme, self._strings.time(hit), inner)
                paint_marked(painter, theme, hit.snippet, hit.marks, inner, "row")
            case MoreRow():
                indent = sizes.icon_s + 2 * sizes.space_s if row.workflow_id is not None else 0
                paint_text(painter, theme, self._strings.more(row), inner.adjusted(indent, 0, 0, 0), "row", "accent")


def paint_marked(
    painter: QPainter, theme: Theme, text: str, marks: tuple[Span, ...], box: QRect, role: TextRole
) -> None:
    """Paint a line of text with these spans highlighted."""
    font = theme.font(role)
    line_text = placeholders(text).replace("\n", " ")
    elided = QFontMetrics(font).elidedText(line_text, Qt.TextElideMode.ElideRight, box.width())
    layout = QTextLayout(elided, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats([_mark_format(theme, elided, mark) for mark in marks if mark.end <= len(elided)])
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
    format_range = QTextLayout.FormatRange()
    format_range.start = _utf16_length(text[: mark.start])
    format_range.length = _utf16_length(text[mark.start : mark.end])
    char_format = QTextCharFormat()
    char_format.setBackground(theme.color("found"))
    char_format.setForeground(theme.color("text"))
    char_format.setFontWeight(QFont.Weight.DemiBold)
    format_range.format = char_format
    return format_range


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, in which Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
