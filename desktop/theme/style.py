"""Fusion with our own check boxes, radio buttons, fields, arrows and focus ring, for every control alike."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from desktop.theme.controls import ControlPainter
from desktop.theme.icon_names import Icon

_Element = QStyle.PrimitiveElement
_Control = QStyle.ComplexControl
_Part = QStyle.SubControl

_SIGNS = {
    _Element.PE_IndicatorArrowDown: Icon.CHEVRON_DOWN,
    _Element.PE_IndicatorArrowUp: Icon.CHEVRON_UP,
    _Element.PE_IndicatorArrowLeft: Icon.CHEVRON_LEFT,
    _Element.PE_IndicatorArrowRight: Icon.CHEVRON_RIGHT,
    _Element.PE_IndicatorMenuCheckMark: Icon.CHECK,
}

_FIELD_SIGNS = {
    _Control.CC_ComboBox: {_Part.SC_ComboBoxArrow: Icon.CHEVRON_DOWN},
    _Control.CC_SpinBox: {_Part.SC_SpinBoxUp: Icon.CHEVRON_UP, _Part.SC_SpinBoxDown: Icon.CHEVRON_DOWN},
}


_ITEM_PADDING = 8
_COMBO_INDENT = 4  # Fusion's text stands nearer to the edge than that of our line edits


_KEPT = "_metier_style"


def style_of(app: QApplication, painter: ControlPainter) -> "MetierStyle":
    """Return the application's style, which draws with this painter from now on.

    An application gets its style once. When a style is replaced, Qt visits all widgets, also widgets that are being
    destroyed, and may never return.
    """
    style = getattr(app, _KEPT, None)
    if not isinstance(style, MetierStyle):
        style = MetierStyle(painter)
        app.setStyle(style)
        setattr(app, _KEPT, style)
    style.use(painter)
    return style


class MetierStyle(QProxyStyle):
    """Draws with the painter last passed to `use`."""

    def __init__(self, painter: ControlPainter) -> None:
        super().__init__("Fusion")
        self._controls = painter

    def use(self, painter: ControlPainter) -> None:
        """Draw with this painter from the next paint on."""
        self._controls = painter

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        if element is _Element.PE_FrameFocusRect:
            self._controls.focus_ring(option, painter, widget)
        elif element is _Element.PE_IndicatorCheckBox:
            self._controls.check_box(option, painter)
        elif element is _Element.PE_IndicatorRadioButton:
            self._controls.radio_button(option, painter)
        elif element is _Element.PE_PanelItemViewItem:
            self._controls.item(option, painter)
        elif element is _Element.PE_PanelLineEdit and isinstance(_parent_of(widget), QAbstractSpinBox | QComboBox):
            pass  # the field that it stands in has a ground
        elif element in _SIGNS:
            self._controls.sign(_SIGNS[element], option.rect, option, painter)
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control not in _FIELD_SIGNS:
            super().drawComplexControl(control, option, painter, widget)
            return
        self._controls.field(option, painter)
        for part, sign in _FIELD_SIGNS[control].items():
            self._controls.sign(sign, self.subControlRect(control, option, part, widget), option, painter)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        box = super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]  # Qt takes None
        if control is _Control.CC_ComboBox and part is _Part.SC_ComboBoxEditField:
            return box.adjusted(_COMBO_INDENT, 0, 0, 0)
        return box

    def sizeFromContents(
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: QWidget | None = None
    ) -> QSize:
        size_hint = super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]  # Qt takes None
        if kind is QStyle.ContentsType.CT_ItemViewItem:  # not by the style sheet: views measure before they have it
            size_hint.setHeight(size_hint.height() + _ITEM_PADDING)
        elif kind is QStyle.ContentsType.CT_ComboBox:
            size_hint.setWidth(size_hint.width() + 2 * _COMBO_INDENT)
        return size_hint


def _parent_of(widget: QWidget | None) -> QWidget | None:
    return None if widget is None else widget.parentWidget()
