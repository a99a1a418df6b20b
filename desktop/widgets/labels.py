"""Labels of plain text: foreign text is never interpreted as markup, and what it hides is shown as marks."""

from html import escape
from typing import Literal

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.domain.text.hidden import reveal
from desktop.shortcuts.key_strings import key_name
from desktop.theme import Icon, TextRole, Theme, make_face, text_styles
from desktop.tokens import SIZES, ColorName
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.layouts import show_when
from desktop.widgets.painting import draw_line

Tone = Literal["text", "muted", "accent", "ok", "warn", "error", "on_accent"]

_UNWRAPPED = 80
"""Characters that a tool tip may have in a line."""


def set_plain_tool_tip(widget: QWidget, text: str) -> None:
    """Set a plain tool tip, and the same text as description, so that a screen reader reads it without Qt's markup."""
    widget.setToolTip(plain_tool_tip(text))
    widget.setAccessibleDescription(reveal(text))


def plain_tool_tip(text: str) -> str:
    """Return the text for `setToolTip` or `ToolTipRole`, escaped where Qt would take it for markup (`<img …>` would
    load an image). Hidden characters become marks.

    Short text without markup stays as it is, since a screen reader reads the tool tip of a widget without description.
    """
    text = reveal(text)
    if len(text) <= _UNWRAPPED and not any(sign in text for sign in "<&\n"):
        return text
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if text else ""


class Label(QLabel):
    """Plain text in a role of the theme, on one line or more. Hidden characters become marks, also in `text()`."""

    def __init__(
        self, text: str = "", role: TextRole = "label", tone: Tone = "text", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(make_face(text_styles(SIZES)[role]))  # the style sheet adds size and weight
        self.setProperty("role", role)
        self.setProperty("tone", tone)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(reveal(text))

    def set_tone(self, tone: Tone) -> None:
        if tone != self.property("tone"):
            self.setProperty("tone", tone)
            restyle(self)


def restyle(widget: QWidget) -> None:
    """Apply the style sheet again after a property that it selects by has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class ElidedLabel(Label):
    """A line of text, elided where it is too long; the tool tip then shows the whole text.

    `text()` and the screen reader always return the whole text.
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
    """Shows the longest of its texts that fits; even the shortest is elided if necessary.

    Its size hint does not depend on the text shown, since it takes the room that its neighbours leave.
    """

    _texts: tuple[str, ...] = ()

    def offer(self, *texts: str) -> None:
        """Set the texts, longest first."""
        self._texts = texts
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        fitting = next((text for text in self._texts if metrics.horizontalAdvance(text) <= room), self._texts[-1])
        if fitting != self.text():
            self.setText(fitting)


IconSize = Literal["icon_s", "icon_m", "icon_l"]


class IconLabel(Adaptive, QWidget):
    """An icon that cannot be pressed, sized by the token `size`. It has no accessible name, since the text beside it
    says the same.
    """

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
    """A short text on a soft accent background."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, "chip", "accent", parent)
        self.setProperty("chip", "soft")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class KeyHint(Label):
    """A key cap. Hidden while the action has no keys."""

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
