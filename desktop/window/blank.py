"""What stands where nothing was said yet: what to do, and what the signs in the composer are for (UI §10)."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.empty_state import EmptyState

_PLACED = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)


class Blank(EmptyState):
    """Lies over all of `ground`, while it is wanted; clicks go through it."""

    def __init__(self, theme: Theme, ground: QWidget) -> None:
        super().__init__(theme, Icon.MESSAGE_CIRCLE, ground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._is_wanted = False
        self._above: list[QWidget] = []
        self.hide()
        ground.installEventFilter(self)

    def want(self, is_wanted: bool) -> None:
        """Whether nothing was said yet."""
        self._is_wanted = is_wanted
        self._appear()

    def give_way(self, *above: QWidget) -> None:
        """While one of these lies over its words, it is not there: they would be cut in half."""
        self._above.extend(above)
        for one in above:
            one.installEventFilter(self)

    def retranslate(self) -> None:
        self.describe(
            self.tr("What is to be done?"),
            self.tr("Write it below. / names a template or a prompt, @ an agent, a model or a file."),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched in self._above:
            if event.type() in _PLACED:
                self._appear()
        elif event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
            self._appear()
        return False

    def _appear(self) -> None:
        is_below = any(self._is_below(one) for one in self._above if one.isVisible())
        self.setVisible(self._is_wanted and self._has_room() and not is_below)

    def _has_room(self) -> bool:
        return self._column.totalMinimumHeightForWidth(self.width()) <= self.height()

    def _is_below(self, above: QWidget) -> bool:
        self._column.activate()  # its words have their places
        words = self._icon.geometry().united(self._text.geometry())
        corner = self.mapFromGlobal(above.mapToGlobal(QPoint(0, 0)))
        return words.intersects(QRect(corner, above.size()))
