"""The layout of the window: panes, overlays, and which side panels are folded (UI §1, §12)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.activity.panel import ActivityPanel
from desktop.sidebar.sidebar import Sidebar
from desktop.theme.theme import Theme
from desktop.theme.tokens import SIZES
from desktop.toasts.overlay import ToastOverlay
from desktop.window_state import WindowState


def arrange(
    content: QWidget, sidebar: QWidget, heads: Sequence[QWidget], centre: QWidget, activity: QWidget, status: QWidget
) -> None:
    """Lay out the sidebar, the centre below `heads`, the activity panel, and the status line below all."""
    middle = QWidget(content)
    column = QVBoxLayout(middle)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for head in heads:
        column.addWidget(head)
    column.addWidget(centre, 1)
    outer = QVBoxLayout(content)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.setSpacing(0)
    row = QHBoxLayout()
    row.setSpacing(0)
    outer.addLayout(row, 1)
    outer.addWidget(status)
    row.addWidget(sidebar)
    row.addWidget(middle, 1)
    row.addWidget(activity)


class Overlays:
    """The toasts and lists over the content, as children of the window. Toasts avoid the widgets of `kept_clear`."""

    def __init__(
        self, window: QWidget, toasts: ToastOverlay, lists: Sequence[QWidget], kept_clear: Sequence[QWidget]
    ) -> None:
        self._window = window
        self._toasts = toasts
        self._lists = lists
        self._kept_clear = kept_clear
        for above in lists:
            toasts.stay_below(above)

    def begin(self) -> None:
        """Show the overlays, once the content is in its window."""
        self._toasts.show()  # a child that is made when its window is on the screen already
        self._toasts.raise_()

    def keep_clear(self) -> None:
        """Update the areas that toasts avoid."""
        areas = [_in_window(one, self._window) for one in self._kept_clear if one.isVisible()]
        self._toasts.set_keep_clear(areas)

    def leave(self) -> None:
        for one in (self._toasts, *self._lists):
            one.deleteLater()


def _in_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


ACTIVITY_MIN_WIDTH = 1280
"""Under this width, in pixels of the usual size, the activity folds by itself."""
SIDEBAR_MIN_WIDTH = 960
"""Under this width the sidebar does."""
_MIN_CENTRE_WIDTH = 430


class PanelFolding:
    """Folds the sidebar and the activity panel as the user chose and as the width allows (UI §12).

    The user's choice wins in a narrow window too. Where both panels do not fit beside the centre, opening one folds the
    other.
    """

    def __init__(self, sidebar: Sidebar, activity: ActivityPanel, theme: Theme, state: WindowState) -> None:
        self._sidebar = sidebar
        self._activity = activity
        self._theme = theme
        self._scale = theme.sizes.sidebar
        self._width = 0
        self._is_sidebar_folded = state.is_sidebar_collapsed
        self._is_activity_folded = state.is_activity_collapsed

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {"view.sidebar": self.toggle_sidebar, "view.activity": self.toggle_activity}

    def kept(self, state: WindowState) -> WindowState:
        """Return the state with the user's choice."""
        return replace(
            state, is_sidebar_collapsed=self._is_sidebar_folded, is_activity_collapsed=self._is_activity_folded
        )

    def fit(self, width: int) -> None:
        """Fold the panels that do not fit a window of this width, in physical pixels."""
        self._width = width
        self._sidebar.set_collapsed(self._is_sidebar_folded or self._room < SIDEBAR_MIN_WIDTH)
        self._activity.set_collapsed(self._is_activity_folded or self._room < ACTIVITY_MIN_WIDTH)

    def apply_theme(self) -> None:
        """Another zoom leaves more or less room."""
        if self._scale != self._theme.sizes.sidebar:
            self._scale = self._theme.sizes.sidebar
            self.fit(self._width)

    def toggle_sidebar(self) -> None:
        self.fold_sidebar(not self._sidebar.is_collapsed)

    def toggle_activity(self) -> None:
        self.fold_activity(not self._activity.is_collapsed)

    def fold_sidebar(self, is_folded: bool) -> None:
        self._is_sidebar_folded = is_folded
        self._sidebar.set_collapsed(is_folded)
        if not is_folded and not self._has_room_for_both:
            self._activity.set_collapsed(True)

    def fold_activity(self, is_folded: bool) -> None:
        self._is_activity_folded = is_folded
        self._activity.set_collapsed(is_folded)
        if not is_folded and not self._has_room_for_both:
            self._sidebar.set_collapsed(True)

    @property
    def _has_room_for_both(self) -> bool:
        """Whether the centre stays wide enough with both panels open."""
        return self._room - SIZES.sidebar - SIZES.activity >= _MIN_CENTRE_WIDTH

    @property
    def _room(self) -> float:
        """The window's width in unzoomed pixels: at 200 %, 1440 pixels count as 720."""
        return self._width * SIZES.sidebar / self._theme.sizes.sidebar
