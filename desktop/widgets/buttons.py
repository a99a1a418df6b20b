"""Buttons with a text, or with an icon and an accessible name."""

from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

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
