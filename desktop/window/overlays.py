"""What lies over the content of the window: toasts, and the lists that open above them."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from desktop.toasts.overlay import ToastOverlay


class Overlays:
    """Children of the window itself, which go with the content. No toast lies on a widget of `kept_clear`."""

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
        """The content is in the window: lie over it."""
        self._toasts.show()  # a child that is made when its window is on the screen already
        self._toasts.raise_()

    def keep_clear(self) -> None:
        """The widgets come, go and move."""
        areas = [_in_window(one, self._window) for one in self._kept_clear if one.isVisible()]
        self._toasts.set_keep_clear(areas)

    def leave(self) -> None:
        for one in (self._toasts, *self._lists):
            one.deleteLater()


def _in_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
