"""Exclusive choices: as cards in a column, or as segments in a row. Tab stops at the chosen button."""

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

from desktop.theme import Theme, paint_focus_ring
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph

B = TypeVar("B", bound=QAbstractButton)


class Choices(Adaptive, QFrame, Generic[B]):
    """Exclusive buttons. Tab reaches the chosen button, the arrow keys choose another; `chosen` is emitted for the
    user's choice.
    """

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
        """Add a button. The subclass puts it into its layout."""
        self._buttons[key] = button
        self._group.addButton(button)
        _stop_tab(button, button.isChecked())

    def _tell(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)


def _stop_tab(button: QAbstractButton, is_chosen: bool) -> None:
    """Make Tab stop at the chosen button only. Qt does so too, but only after a button of the group had focus."""
    policy, tab = button.focusPolicy(), Qt.FocusPolicy.TabFocus
    button.setFocusPolicy(policy | tab if is_chosen else policy & ~tab)


class ChoiceCards(Choices["ChoiceCard"]):
    """Cards in a column."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.adapt_to(theme)

    def set_choice(self, key: str, title: str, text: str) -> None:
        """Add a card, or set its texts again."""
        if key not in self._buttons:
            self._offer(key, ChoiceCard(self._theme, self))
            self._column.addWidget(self._buttons[key])
        self._buttons[key].describe(title, text)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)


class ChoiceCard(Adaptive, QRadioButton):
    """A radio button drawn as a card, with the accessible role of a radio button."""

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
    """Segments in a row. `focus` is the focus policy of the chosen segment; with the default a click does not move the
    focus.

    `is_tight` is for many segments in little room.
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
        """Set id and text of each segment, in order. Later calls update the texts, for another language or count, and
        hide what is not among them; a text may have two lines.
        """
        shown = {key for key, _ in segments}
        for key, button in self._buttons.items():
            button.setHidden(key not in shown)
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
