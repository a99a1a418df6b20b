"""Painting of list rows: background, focus ring and text."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from core.domain.text.hidden import reveal
from desktop.theme import Icon, TextRole, Theme, paint_focus_ring
from desktop.tokens import ColorName

_State = QStyle.StateFlag


def background_color(option: QStyleOptionViewItem) -> ColorName | None:
    """Return the background of a selected or hovered row."""
    if option.state & _State.State_Selected:
        return "selected"
    return "hover" if option.state & _State.State_MouseOver else None


def paint_ground(painter: QPainter, theme: Theme, box: QRect, radius: int, color: ColorName) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color(color))
    painter.drawRoundedRect(box, radius, radius)
    painter.restore()


def paint_cursor(painter: QPainter, theme: Theme, option: QStyleOptionViewItem, box: QRect, radius: int) -> None:
    """Paint the focus ring of the current row."""
    if option.state & _State.State_HasFocus:
        paint_focus(painter, theme, box, radius)


def paint_focus(painter: QPainter, theme: Theme, box: QRect | QRectF, radius: float) -> None:
    """Paint the focus ring within a box."""
    paint_focus_ring(painter, QRectF(box), radius, theme.color("accent"), theme.sizes.focus_ring)


def paint_outline(painter: QPainter, theme: Theme, box: QRect, radius: int, color: ColorName) -> None:
    """Paint a line of one pixel within a box."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color(color), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.restore()


def paint_text(
    painter: QPainter,
    theme: Theme,
    words: str,
    box: QRect,
    role: TextRole,
    color: ColorName,
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Paint a line of text, with marks for its hidden characters; `cut` is the side of the ellipsis."""
    words, font = reveal(words), theme.font(role)
    painter.setFont(font)
    painter.setPen(theme.color(color))
    draw_line(painter, box, QFontMetrics(font).elidedText(words, cut, box.width()), alignment)


def paint_icon(painter: QPainter, theme: Theme, icon: Icon, box: QRect, color: ColorName = "muted") -> QRect:
    """Paint a small icon at the left of the box, and return the remaining box."""
    side = theme.sizes.icon_s
    pixmap = theme.pixmap(icon, color, side, painter.device().devicePixelRatio())
    painter.drawPixmap(box.left(), box.top() + (box.height() - side) // 2, pixmap)
    return box.adjusted(side + theme.sizes.space_s, 0, 0, 0)


def paint_note(painter: QPainter, theme: Theme, text: str, box: QRect, role: TextRole = "secondary") -> QRect:
    """Paint a note at the right of the box, at its full width up to half of the box, and return the remaining box."""
    width = min(box.width() // 2, QFontMetrics(theme.font(role)).horizontalAdvance(reveal(text)) + 1)
    at_right = box.adjusted(box.width() - width, 0, 0, 0)
    paint_text(painter, theme, text, at_right, role, "muted", Qt.AlignmentFlag.AlignRight)
    return box.adjusted(0, 0, -width - theme.sizes.space_m, 0)


def draw_line(
    painter: QPainter, box: QRect, words: str, alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
) -> None:
    """Draw a line in the direction of its own first strong letter, whatever the window's direction; `alignment` is
    absolute.
    """
    painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    absolute = alignment | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, absolute | Qt.TextFlag.TextSingleLine, words)
