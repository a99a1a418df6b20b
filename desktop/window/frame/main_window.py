"""The main window: empty at first, filled when the rest is loaded. Imports PySide6 and the standard library only."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QMainWindow, QWidget

from desktop.window_state import Geometry

MIN_SIZE = (800, 500)
"""What a laptop of 1366×768 has room for at 150 %; on a smaller screen, that screen."""
DEFAULT_SIZE = (1200, 800)
_MIN_VISIBLE = 100
_ON_LIGHT, _ON_DARK = QColor("#5F5F5F"), QColor("#A8A8A8")


class MainWindow(QMainWindow):
    """Ignores close events and emits `closing` instead. Until it has a content, it shows the text `opening`."""

    closing = Signal()
    painted = Signal()
    """The first paint is done."""

    def __init__(self, background: str, geometry: Geometry | None, opening: str = "") -> None:
        super().__init__()
        self._opening = opening
        self.setAccessibleDescription(opening)
        self.early_keys = EarlyKeys(self)
        self._is_painted = False
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, QColor(background))
        self.setPalette(palette)
        self.setWindowTitle("Metier")
        self._place(geometry)

    def saved_geometry(self) -> Geometry:
        """Return the geometry of the normal state, to restore at the next start."""
        box = self.normalGeometry()
        return Geometry(box.x(), box.y(), box.width(), box.height(), is_maximized=self.isMaximized())

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.closing.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._opening:
            painter = QPainter(self)
            is_light = self.palette().color(QPalette.ColorRole.Window).lightness() > 127
            painter.setPen(_ON_LIGHT if is_light else _ON_DARK)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._opening)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    def setCentralWidget(self, widget: QWidget) -> None:
        self._opening = ""
        self.setAccessibleDescription("")
        super().setCentralWidget(widget)

    def _place(self, geometry: Geometry | None) -> None:
        """Restore the geometry; a window off every screen, or larger than its screen, is moved onto one."""
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        primary = QGuiApplication.primaryScreen().availableGeometry()
        if geometry is None:
            self.setMinimumSize(QSize(*MIN_SIZE).boundedTo(primary.size()))
            self.resize(QSize(*DEFAULT_SIZE).boundedTo(primary.size()))
            return
        box = QRect(geometry.x, geometry.y, geometry.width, geometry.height)
        screen = max(screens, key=lambda screen: _area(screen.intersected(box)), default=primary)
        self.setMinimumSize(QSize(*MIN_SIZE).boundedTo(screen.size()))
        box.setSize(box.size().expandedTo(self.minimumSize()))  # Qt makes it so, wherever that leads to
        self.setGeometry(
            box if _is_reachable(box, screens) else _moved_onto(box, screen if _is_seen_on(box, screen) else primary)
        )
        if geometry.is_maximized:
            self.showMaximized()


class EarlyKeys(QObject):
    """Keeps the keys that are pressed while the window is opening, until it can use them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._kept: list[QKeyEvent] = []

    def begin(self) -> None:
        """Keep keys from now on."""
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(self)

    def take(self) -> list[QKeyEvent]:
        """Return the key presses in order, and keep no more."""
        app = QCoreApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        kept, self._kept = self._kept, []
        return kept

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget) or watched.window() is not self._window:
            return False
        event.accept()  # the override too: no shortcut may act on what is half there
        if event.type() == QEvent.Type.KeyPress:
            self._kept.append(event.clone())
        return True


def _area(box: QRect) -> int:
    return max(0, box.width()) * max(0, box.height())


def _is_seen_on(box: QRect, screen: QRect) -> bool:
    part = screen.intersected(box)
    return part.width() >= _MIN_VISIBLE and part.height() >= _MIN_VISIBLE


def _is_reachable(box: QRect, screens: Sequence[QRect]) -> bool:
    """Return whether enough of the window, including its title bar, is visible, and it fits the screens."""
    union = QRect()
    for screen in screens:
        union = union.united(screen)
    fits = box.width() <= union.width() and box.height() <= union.height()
    return fits and any(_is_seen_on(box, screen) and screen.top() <= box.top() for screen in screens)


def _moved_onto(box: QRect, screen: QRect) -> QRect:
    """Return the rectangle moved and shrunk as little as needed to fit the screen."""
    moved = QRect(box.topLeft(), box.size().boundedTo(screen.size()))
    moved.moveLeft(min(max(moved.left(), screen.left()), screen.right() + 1 - moved.width()))
    moved.moveTop(min(max(moved.top(), screen.top()), screen.bottom() + 1 - moved.height()))
    return moved
