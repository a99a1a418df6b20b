"""The layout of the window: panes, overlays, and which side panels are folded (UI §1, §12)."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.activity.panel import ActivityPanel
from desktop.chat.transcript.transcript import Transcript
from desktop.shortcuts.command import command
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.tokens import SIZES
from desktop.window.base.context import WindowContext
from desktop.window_state import WindowState


def arrange(
    content: QWidget, sidebar: QWidget, headers: Sequence[QWidget], centre: QWidget, activity: QWidget, status: QWidget
) -> None:
    """Lay out the sidebar, the centre below `headers`, the activity panel, and the status line below all."""
    middle = QWidget(content)
    column = QVBoxLayout(middle)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for header in headers:
        column.addWidget(header)
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
    """The toasts and lists over the content, as children of the window. Toasts never cover the widgets of `avoided`;
    those of the viewed workflow nothing of its `transcript` either.
    """

    def __init__(
        self,
        window: QWidget,
        toasts: ToastOverlay,
        lists: Sequence[QWidget],
        avoided: Sequence[QWidget],
        transcript: Transcript,
    ) -> None:
        self._window = window
        self._toasts = toasts
        self._transcript = transcript
        self._lists = lists
        self._avoided = avoided
        for popup in lists:
            toasts.stay_below(popup)
        toasts.set_text_area(self._text_area)
        transcript.placed.connect(toasts.on_text_moved)

    def begin(self) -> None:
        """Show the overlays, once the content is in its window."""
        self._toasts.show()  # Qt does not show a child that is created while its window is visible
        self._toasts.raise_()

    def update_avoided(self) -> None:
        """Update the areas that toasts avoid."""
        areas = [_in_window(widget, self._window) for widget in self._avoided if widget.isVisible()]
        self._toasts.set_keep_clear(areas)

    def close(self) -> None:
        for overlay in (self._toasts, *self._lists):
            overlay.deleteLater()

    def _text_area(self) -> QRect:
        viewport = self._transcript.viewport()
        if not (viewport.isVisible() and self._window.isAncestorOf(viewport)):
            return QRect()
        area = self._transcript.text_area()
        return QRect(viewport.mapTo(self._window, area.topLeft()), area.size())


def _in_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


ACTIVITY_MIN_WIDTH = 1280
"""In a narrower window, in unzoomed pixels, the activity panel is folded."""
SIDEBAR_MIN_WIDTH = 960
"""In a narrower window the sidebar is folded too."""
_MIN_CENTRE_WIDTH = 430


class PanelFolding:
    """Folds the sidebar and the activity panel as the user chose and as the width allows (UI §12).

    The user's choice wins in a narrow window too. Where both panels do not fit beside the centre, opening one folds the
    other.
    """

    def __init__(self, context: WindowContext, sidebar: Sidebar, activity: ActivityPanel) -> None:
        self._sidebar = sidebar
        self._activity = activity
        self._theme = context.theme
        self._zoomed_width = self._theme.sizes.sidebar
        self._width = 0
        state = context.session.state
        self._is_sidebar_folded = state.is_sidebar_collapsed
        self._is_activity_folded = state.is_activity_collapsed

    def updated(self, state: WindowState) -> WindowState:
        """Return the state with the user's choice."""
        return replace(
            state, is_sidebar_collapsed=self._is_sidebar_folded, is_activity_collapsed=self._is_activity_folded
        )

    def fit(self, width: int) -> None:
        """Fold the panels that do not fit a window of this width, in physical pixels."""
        self._width = width
        self._sidebar.set_collapsed(self._is_sidebar_folded or self._unzoomed_width < SIDEBAR_MIN_WIDTH)
        self._activity.set_collapsed(self._is_activity_folded or self._unzoomed_width < ACTIVITY_MIN_WIDTH)

    def apply_theme(self) -> None:
        """Fit again after a change of zoom."""
        if self._zoomed_width != self._theme.sizes.sidebar:
            self._zoomed_width = self._theme.sizes.sidebar
            self.fit(self._width)

    @command("view.sidebar")
    def toggle_sidebar(self) -> None:
        self.fold_sidebar(not self._sidebar.is_collapsed)

    @command("view.activity")
    def toggle_activity(self) -> None:
        self.fold_activity(not self._activity.is_collapsed)

    def fold_sidebar(self, is_folded: bool) -> None:
        self._is_sidebar_folded = is_folded
        self._sidebar.set_collapsed(is_folded)
        if not is_folded and not self._both_fit:
            self._activity.set_collapsed(True)

    def fold_activity(self, is_folded: bool) -> None:
        self._is_activity_folded = is_folded
        self._activity.set_collapsed(is_folded)
        if not is_folded and not self._both_fit:
            self._sidebar.set_collapsed(True)

    @property
    def _both_fit(self) -> bool:
        """Whether the centre stays wide enough with both panels open."""
        return self._unzoomed_width - SIZES.sidebar - SIZES.activity >= _MIN_CENTRE_WIDTH

    @property
    def _unzoomed_width(self) -> float:
        """The window's width in unzoomed pixels: at 200 %, 1440 pixels count as 720."""
        return self._width * SIZES.sidebar / self._theme.sizes.sidebar
