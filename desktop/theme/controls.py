"""Paints the parts of standard controls that a style sheet cannot draw."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyleOption,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from desktop.theme.drawing import paint_focus_ring
from desktop.theme.icon_names import Icon
from desktop.theme.icons import Icons, scale_of
from desktop.tokens import ColorName, Colors, Sizes

_State = QStyle.StateFlag
_Place = QStyleOptionViewItem.ViewItemPosition

_EDGE = 1.5


class ControlPainter:
    """Paints in the colours of the theme. Each `option` is the style option that Qt passes to the style."""

    def __init__(self, icons: Icons, colors: Colors, sizes: Sizes) -> None:
        self._icons = icons
        self._colors = colors
        self._sizes = sizes

    def focus_ring(self, option: QStyleOption, painter: QPainter, widget: QWidget | None) -> None:
        box, radius, color = QRectF(option.rect), self._sizes.radius_small, self._color("accent")
        if isinstance(widget, QPushButton | QToolButton):
            box, radius = QRectF(widget.rect()), self._sizes.radius_button
            if widget.property("kind") == "primary":  # accent on accent would not be seen: a ring within the button
                inset = self._sizes.focus_ring
                box, radius = box.adjusted(inset, inset, -inset, -inset), radius - inset
                color = self._color("on_accent")
        elif isinstance(widget, QCheckBox | QRadioButton):
            box = QRectF(widget.rect())
            box.setRight(min(box.right(), option.rect.right() + self._sizes.space_xs))
        paint_focus_ring(painter, box, radius, color, self._sizes.focus_ring)

    def check_box(self, option: QStyleOption, painter: QPainter) -> None:
        mark = None
        if option.state & _State.State_On:
            mark = Icon.CHECK
        elif option.state & _State.State_NoChange:
            mark = Icon.MINUS
        radius = self._sizes.radius_small - 1
        with _antialiased(painter):
            self._set_indicator_colors(painter, option, is_filled=mark is not None)
            painter.drawRoundedRect(_within_edge(option), radius, radius)
            if mark is not None:
                self._icon(mark, option.rect, painter, "on_accent", option.rect.height() - 4)

    def radio_button(self, option: QStyleOption, painter: QPainter) -> None:
        box = _within_edge(option)
        is_on = bool(option.state & _State.State_On)
        with _antialiased(painter):
            self._set_indicator_colors(painter, option, is_filled=is_on)
            painter.drawEllipse(box)
            if is_on:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._color("on_accent"))
                painter.drawEllipse(box.center(), box.width() / 5, box.width() / 5)

    def sign(self, name: Icon, box: QRect, option: QStyleOption, painter: QPainter) -> None:
        """Paint an arrow or a check mark in the middle of `box`."""
        size = min(self._sizes.icon_s, box.width())
        self._icon(name, box, painter, "muted" if option.state & _State.State_Enabled else "faint", size)

    def field(self, option: QStyleOption, painter: QPainter) -> None:
        """Paint the background of a combo box or a spin box like that of a line edit; with focus it has the ring."""
        is_enabled = bool(option.state & _State.State_Enabled)
        box, radius = QRectF(option.rect), self._sizes.radius_button
        with _antialiased(painter):
            painter.setPen(QPen(self._color("border_strong" if is_enabled else "border"), 1))
            painter.setBrush(self._color("canvas" if is_enabled else "app"))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if option.state & _State.State_HasFocus:
            paint_focus_ring(painter, box, radius, self._color("accent"), self._sizes.focus_ring)

    def item(self, option: QStyleOption, painter: QPainter) -> None:
        """Paint the background of a list item."""
        if option.state & _State.State_Selected:
            color = self._color("selected")
        elif option.state & _State.State_MouseOver and option.state & _State.State_Enabled:
            color = self._color("hover")
        else:
            return
        radius = self._sizes.radius_small
        box = QRectF(option.rect)
        position = getattr(option, "viewItemPosition", _Place.OnlyOne)
        with _antialiased(painter):
            painter.setClipRect(option.rect, Qt.ClipOperation.IntersectClip)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            if position in (_Place.Middle, _Place.End):  # of a row with columns: round at its ends alone
                box.setLeft(box.left() - radius)
            if position in (_Place.Beginning, _Place.Middle):
                box.setRight(box.right() + radius)
            painter.drawRoundedRect(box, radius, radius)

    def _set_indicator_colors(self, painter: QPainter, option: QStyleOption, *, is_filled: bool) -> None:
        is_enabled = bool(option.state & _State.State_Enabled)
        fill: ColorName = ("accent" if is_enabled else "faint") if is_filled else ("canvas" if is_enabled else "hover")
        edge: ColorName = fill if is_filled else "sign_idle" if is_enabled else "border"
        painter.setPen(QPen(self._color(edge), _EDGE))
        painter.setBrush(self._color(fill))

    def _icon(self, name: Icon, box: QRect, painter: QPainter, color: ColorName, size: int) -> None:
        target = QRect(0, 0, size, size)
        target.moveCenter(box.center())
        painter.drawPixmap(target, self._icons.pixmap(name, color, size, scale_of(painter)))

    def _color(self, name: ColorName) -> QColor:
        return QColor(getattr(self._colors, name))


def _within_edge(option: QStyleOption) -> QRectF:
    inset = _EDGE / 2
    return QRectF(option.rect).adjusted(inset, inset, -inset, -inset)


@contextmanager
def _antialiased(painter: QPainter) -> Iterator[None]:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    yield
    painter.restore()
