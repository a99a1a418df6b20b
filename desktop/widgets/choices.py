"""What the rows and columns of choices share: one of them holds, and Tab stops at that one."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QPushButton,
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
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph

B = TypeVar("B", bound=QAbstractButton)


class Choices(Adaptive, QFrame, Generic[B]):
    """Tab reaches the chosen one, the arrows choose another. `chosen` is emitted when a person chose."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, B] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._tell)
        self._group.buttonToggled.connect(_stop_tab)

    @property
    def current(self) -> str | None:
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def set_current(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def _offer(self, key: str, button: B) -> None:
        """One more. Who derives from this puts it in its place."""
        self._buttons[key] = button
        self._group.addButton(button)
        _stop_tab(button, button.isChecked())

    def _tell(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)


def _stop_tab(button: QAbstractButton, is_chosen: bool) -> None:
    """As Qt has it too, but only from the time that one of them had focus."""
    policy, tab = button.focusPolicy(), Qt.FocusPolicy.TabFocus
    button.setFocusPolicy(policy | tab if is_chosen else policy & ~tab)


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

    def apply_theme(self) -> None:
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

    def apply_theme(self) -> None:
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


class Segmented(Choices[QPushButton]):
    """Side by side. `focus` is the policy of the chosen one: with the usual one a click leaves focus where it is.

    `is_tight`: many of them share little room.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        focus: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus,
        is_tight: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("surface", "track")
        self._theme = theme
        self._focus = focus
        self._is_tight = is_tight
        self._row = QHBoxLayout(self)
        self._row.setSpacing(0)
        self.adapt_to(theme)

    def set_segments(self, segments: Sequence[tuple[str, str]]) -> None:
        """Id and words of each, in order: made once, and said again in another language or with another count. The
        words may have two lines."""
        for key, words in segments:
            if key not in self._buttons:
                self._add(key)
            self._buttons[key].setText(words.replace("&", "&&"))
            self._buttons[key].setAccessibleName(" ".join(words.split()))

    def apply_theme(self) -> None:
        margin = self._theme.sizes.space_xs // 2
        self._row.setContentsMargins(margin, margin, margin, margin)

    def _add(self, key: str) -> None:
        button = QPushButton(self)
        button.setProperty("kind", "segment")
        button.setProperty("tight", self._is_tight)
        button.setCheckable(True)
        button.setAutoDefault(False)
        button.setFocusPolicy(self._focus)
        button.setChecked(not self._buttons)
        self._offer(key, button)
        self._row.addWidget(button)
