"""Text that is shown and never taken for markup: whoever wrote it, it stands as it is."""

from html import escape
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop.shortcuts.key_strings import key_name
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import SIZES, ColorName
from desktop.theme.typography import TextRole, make_face, text_styles
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.painting import draw_line
from desktop.widgets.visibility import show_when

Tone = Literal["text", "muted", "accent", "ok", "warn", "error", "on_accent"]

_UNWRAPPED = 80
"""Characters that a tool tip may have in a line."""


def set_plain_tool_tip(widget: QWidget, text: str) -> None:
    """The same of a widget that has no other description: it is read without the markup that Qt needs."""
    widget.setToolTip(plain_tool_tip(text))
    widget.setAccessibleDescription(text)


def plain_tool_tip(text: str) -> str:
    """The text as a tool tip, for `setToolTip` and `ToolTipRole`: Qt would take `<img …>` in it for an image.

    What is short and has nothing of the kind stands as it is, for a screen reader has it read where a widget has no
    description.
    """
    if len(text) <= _UNWRAPPED and not any(sign in text for sign in "<&\n"):
        return text
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if text else ""


class Label(QLabel):
    """One line or more of plain text in a role of the theme."""

    def __init__(
        self, text: str = "", role: TextRole = "label", tone: Tone = "text", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(make_face(text_styles(SIZES)[role]))  # the style sheet adds size and weight
        self.setProperty("role", role)
        self.setProperty("tone", tone)
        self.setText(text)

    def set_tone(self, tone: Tone) -> None:
        if tone != self.property("tone"):
            self.setProperty("tone", tone)
            restyle(self)


def restyle(widget: QWidget) -> None:
    """Looks up the style sheet again, after a property that it selects by has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class ElidedLabel(Label):
    """One line, cut with an ellipsis where it is too long; the tool tip then has the whole.

    `text()` and the screen reader always have the whole.
    """

    def __init__(
        self,
        text: str = "",
        role: TextRole = "label",
        tone: Tone = "text",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", role, tone, parent)
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_tool_tip()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("…") * 2, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._line()) + 2, metrics.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._update_tool_tip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tool_tip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        box = self.contentsRect()
        line = self.fontMetrics().elidedText(self._line(), self._mode, box.width())
        draw_line(painter, box, line, self.alignment())

    def _line(self) -> str:
        return " ".join(self.text().split())

    def _update_tool_tip(self) -> None:
        is_cut = self.fontMetrics().horizontalAdvance(self._line()) > self.contentsRect().width()
        set_plain_tool_tip(self, self.text() if is_cut else "")


class ShorteningLabel(ElidedLabel):
    """Says the longest of its texts that it has room for; even the last one is cut where it has to be.

    Its width may not depend on what it says: it stands where it gets what others leave.
    """

    _texts: tuple[str, ...] = ()

    def offer(self, *texts: str) -> None:
        """The longest first."""
        self._texts = texts
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        fitting = next((one for one in self._texts if metrics.horizontalAdvance(one) <= room), self._texts[-1])
        if fitting != self.text():
            self.setText(fitting)


IconSize = Literal["icon_s", "icon_m", "icon_l"]


class IconLabel(Adaptive, QWidget):
    """Sized by the token `size`; has no accessible name of its own, since the words beside it say the same."""

    def __init__(
        self,
        theme: Theme,
        icon: Icon,
        color: ColorName = "muted",
        size: IconSize = "icon_s",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._color: ColorName = color
        self._size: IconSize = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.adapt_to(theme)

    def set_icon(self, icon: Icon, color: ColorName) -> None:
        self._icon = icon
        self._color = color
        self.update()

    def sizeHint(self) -> QSize:
        side: int = getattr(self._theme.sizes, self._size)
        return QSize(side, side)

    def apply_theme(self) -> None:
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        side = self.sizeHint().width()
        pixmap = self._theme.pixmap(self._icon, self._color, side, self.devicePixelRatioF())
        QPainter(self).drawPixmap((self.width() - side) // 2, (self.height() - side) // 2, pixmap)


class Chip(Label):
    """Words on a soft ground of the accent."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, "chip", "accent", parent)
        self.setProperty("chip", "soft")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class KeyHint(Label):
    """A key cap. Hidden where the action has no keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "meta", "muted", parent)
        self.setProperty("chip", "key")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_keys(None)

    def set_keys(self, keys: QKeySequence | None) -> None:
        text = "" if keys is None else key_name(keys)
        self.setText(text)
        show_when(self, bool(text))
