"""Buttons with a text, or with an icon and an accessible name."""

from typing import Literal

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter, QToolButton, QWidget

from core.domain.text.hidden import reveal
from desktop.shortcuts.key_strings import key_name
from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.widgets.labels import plain_tool_tip

ButtonKind = Literal["primary", "secondary", "ghost", "link"]

_ICON_COLORS: dict[ButtonKind, ColorName] = {
    "primary": "on_accent",
    "secondary": "muted",
    "ghost": "muted",
    "link": "accent",
}


class Button(QPushButton):
    """A button with plain text: an `&` is shown, not taken for a mnemonic. Reached by Tab; a click does not move the
    focus.

    Enter presses it only as an explicit default (`setDefault`), never because it is the first button of a dialog.
    """

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        kind: ButtonKind = "secondary",
        icon: Icon | None = None,
        *,
        is_small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keys = ""
        self.setProperty("kind", kind)
        self.setProperty("small", is_small)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        if icon is not None:
            self.setIcon(theme.icon(icon, _ICON_COLORS[kind]))
        self.setText(text)
        self._size_icon()
        theme.changed.connect(self._size_icon)

    def setText(self, text: str) -> None:
        super().setText(reveal(text).replace("&", "&&"))
        self.setAccessibleName(reveal(text))

    def set_keys(self, keys: QKeySequence | None) -> None:
        """Show the keys of the action on a key cap behind the text; None hides it."""
        name = "" if keys is None else key_name(keys)
        if name != self._keys:
            self._keys = name
            self.updateGeometry()
            self.update()

    @property
    def shown_keys(self) -> str:
        """The name of the keys that the button shows; empty without."""
        return self._keys

    @property
    def keys_width(self) -> int:
        """The width of the key cap, with the space before it."""
        return self._cap_width(self._keys)

    def width_with(self, keys: QKeySequence | None) -> int:
        """Return the width that the button needs with these keys on it."""
        return super().sizeHint().width() + self._cap_width("" if keys is None else key_name(keys))

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(self.keys_width, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._keys:
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        inner = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        label = QStyleOptionButton(option)
        label.rect = inner.adjusted(0, 0, -self.keys_width, 0)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonLabel, label)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option)
        self._paint_cap(painter, inner)

    def _paint_cap(self, painter: QPainter, inner: QRect) -> None:
        sizes, is_primary = self._theme.sizes, self.property("kind") == "primary"
        ink: ColorName = "on_accent" if is_primary else "muted"
        edge: ColorName = "on_accent" if is_primary else "border_strong"
        width = self.keys_width - sizes.space_s
        height = QFontMetrics(self._theme.font("meta")).height() + 2
        cap = QRect(inner.right() + 1 - width, inner.center().y() + 1 - height // 2, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.color(edge if self.isEnabled() else "border"))
        painter.drawRoundedRect(QRectF(cap).adjusted(0.5, 0.5, -0.5, -0.5), sizes.radius_small, sizes.radius_small)
        painter.setPen(self._theme.color(ink if self.isEnabled() else "faint"))
        painter.setFont(self._theme.font("meta"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._keys)

    def _cap_width(self, name: str) -> int:
        sizes = self._theme.sizes
        text = QFontMetrics(self._theme.font("meta")).horizontalAdvance(name)
        return text + 2 * sizes.space_xs + sizes.space_s if name else 0

    def _size_icon(self) -> None:
        sizes = self._theme.sizes
        self.setIconSize(QSize(sizes.icon_s + sizes.space_xs, sizes.icon_s))  # Qt leaves but 4 px before the words


class IconButton(QToolButton):
    """A square button with an icon. `name` describes the action: it is the accessible name and the tool tip."""

    def __init__(
        self,
        theme: Theme,
        icon: Icon,
        name: str = "",
        keys: QKeySequence | None = None,
        *,
        color: ColorName = "muted",
        is_large: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_large = is_large
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_icon(icon, color)
        self.describe(name, keys)
        self._size()
        theme.changed.connect(self._size)

    def set_icon(self, icon: Icon, color: ColorName = "muted") -> None:
        self.setIcon(self._theme.icon(icon, color))

    def describe(self, name: str, keys: QKeySequence | None = None) -> None:
        """Set the translated name and the keys of the same action."""
        self.setAccessibleName(reveal(name))
        self.setToolTip(plain_tool_tip(with_keys(name, keys)))

    def _size(self) -> None:
        sizes = self._theme.sizes
        side, icon = (sizes.control, sizes.icon_m) if self._is_large else (sizes.control_small, sizes.icon_s)
        self.setFixedSize(side, side)
        self.setIconSize(QSize(icon, icon))


def with_keys(name: str, keys: QKeySequence | None) -> str:
    """Return `Show the sidebar (Ctrl+B)`, with the keys in the system's notation."""
    if keys is None or keys.isEmpty():
        return name
    return f"{name} ({key_name(keys)})"
