"""Choices that need a sentence each: cards of which one holds."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from desktop.theme.drawing import paint_focus_ring
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.choices import Choices
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph


class ChoiceCards(Choices["ChoiceCard"]):
    """One below the other."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.adapt_to(theme)

    def set_choice(self, key: str, title: str, text: str) -> None:
        """Adds a card, or says its words again."""
        if key not in self._buttons:
            self._offer(key, ChoiceCard(self._theme, self))
            self._column.addWidget(self._buttons[key])
        self._buttons[key].describe(title, text)

    def dress(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)


class ChoiceCard(Adaptive, QRadioButton):
    """A radio button drawn as a card; a screen reader takes it for what it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Label("", "strong")
        self._text = Paragraph("", "label", "muted")
        self._row = QHBoxLayout(self)
        self._words = QVBoxLayout()
        self._words.addWidget(self._title)
        self._words.addWidget(self._text)
        self._row.addLayout(self._words, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        for words in (self._title, self._text):
            words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.adapt_to(theme)

    def describe(self, title: str, text: str) -> None:
        self._title.setText(title)
        self._text.setText(text)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(
            sizes.space_m + sizes.icon_s + sizes.space_m, sizes.space_m, sizes.space_l, sizes.space_m
        )
        self._words.setSpacing(sizes.space_xs // 2)

    def hitButton(self, point: QPoint) -> bool:
        return self.rect().contains(point)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._row.totalHeightForWidth(width)

    def sizeHint(self) -> QSize:
        return self._row.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._row.totalMinimumSize()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sizes = self._theme.sizes
        box = QRectF(self.rect())
        is_on = self.isChecked()
        painter.setBrush(self._theme.color("accent_soft" if is_on else "hover" if self.underMouse() else "canvas"))
        painter.setPen(QPen(self._theme.color("accent" if is_on else "border_strong"), 1))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), sizes.radius_card, sizes.radius_card)
        self._paint_radio(painter)
        if self.hasFocus():
            paint_focus_ring(painter, box, sizes.radius_card, self._theme.color("accent"), sizes.focus_ring)

    def _paint_radio(self, painter: QPainter) -> None:
        sizes = self._theme.sizes
        option = QStyleOptionButton()
        self.initStyleOption(option)
        middle = self._title.geometry().center().y()
        option.rect.setRect(sizes.space_m, middle - sizes.icon_s // 2, sizes.icon_s, sizes.icon_s)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorRadioButton, option, painter, self)
