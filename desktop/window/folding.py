"""Which of the two sidebars are folded: as a person wants it, and as there is room (UI §12)."""

from collections.abc import Callable
from dataclasses import replace

from desktop.activity.panel import ActivityPanel
from desktop.sidebar.sidebar import Sidebar
from desktop.theme.theme import Theme
from desktop.theme.tokens import SIZES
from desktop.window_state import WindowState

NARROW = 1280
"""Under this width, in pixels of the usual size, the activity folds by itself."""
NARROWER = 960
"""Under this width the sidebar does."""
_LEAST_CENTRE = 430


class Folding:
    """What a person wants is remembered, and holds also where the window is narrow. Where both sidebars have no room
    beside the centre, opening one folds the other."""

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
        """The state with how a person arranged it."""
        return replace(
            state, is_sidebar_collapsed=self._is_sidebar_folded, is_activity_collapsed=self._is_activity_folded
        )

    def fit(self, width: int) -> None:
        """Fold what has no room in a window so wide, in pixels as they are seen."""
        self._width = width
        self._sidebar.set_collapsed(self._is_sidebar_folded or self._room < NARROWER)
        self._activity.set_collapsed(self._is_activity_folded or self._room < NARROW)

    def dress(self) -> None:
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
        """Whether both sidebars, open, leave the centre wide enough for its cards and buttons."""
        return self._room - SIZES.sidebar - SIZES.activity >= _LEAST_CENTRE

    @property
    def _room(self) -> float:
        """The width of the window in pixels of the usual size: zoomed to 200 %, 1440 are as many as 720."""
        return self._width * SIZES.sidebar / self._theme.sizes.sidebar
