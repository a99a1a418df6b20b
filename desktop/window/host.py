"""What the content needs of the session that it lives in."""

from typing import Protocol

from core.wiring import Folders
from desktop.theme.theme import Theme
from desktop.translation.languages import Translation
from desktop.window.presenter import Presenter
from desktop.window_state import WindowState


class Host(Protocol):
    """One life of the window, as its content sees it."""

    theme: Theme
    translation: Translation
    presenter: Presenter
    folders: Folders

    @property
    def state(self) -> WindowState:
        """How the window is kept now."""
        ...

    def save(self, state: WindowState) -> None:
        """Keep how the window is. Raises OSError where the disk refuses."""
        ...

    def end(self) -> None:
        """Leave, as soon as what is at work is written down."""
        ...
