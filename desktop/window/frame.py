"""The window itself: empty at first, filled when the rest is loaded. Imports PySide6 and the standard library alone."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPaintEvent, QPalette
from PySide6.QtWidgets import QMainWindow

from desktop.window_state import Geometry

SMALLEST = (800, 500)  # a laptop of 1366×768 at 150 % has 911×512
USUAL = (1200, 800)
_LEAST_VISIBLE = 100


class MainWindow(QMainWindow):
    """Never closes by itself: `closing` says that a person wants it to."""

    closing = Signal()
    painted = Signal()
    """The first paint is done."""

    def __init__(self, background: str, geometry: Geometry | None) -> None:
        super().__init__()
        self._is_painted = False
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, QColor(background))
        self.setPalette(palette)
        self.setWindowTitle("Metier")
        self.setMinimumSize(*SMALLEST)
        self._place(geometry)

    def kept_geometry(self) -> Geometry:
        """Where it stands when it is neither maximized nor full screen, to be given back at the next start."""
        box = self.normalGeometry()
        return Geometry(box.x(), box.y(), box.width(), box.height(), is_maximized=self.isMaximized())

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.closing.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    def _place(self, geometry: Geometry | None) -> None:
        """Put it where it was; what would lie off every screen comes back onto one."""
        if geometry is None:
            self.resize(*USUAL)
            return
        self.setGeometry(geometry.x, geometry.y, geometry.width, geometry.height)
        box = self.geometry()
        seen = [screen.availableGeometry().intersected(box) for screen in QGuiApplication.screens()]
        if not any(part.width() >= _LEAST_VISIBLE and part.height() >= _LEAST_VISIBLE for part in seen):
            screen = QGuiApplication.primaryScreen().availableGeometry()
            box.setSize(box.size().boundedTo(screen.size()))
            box.moveCenter(screen.center())
            self.setGeometry(box)
        if geometry.is_maximized:
            self.showMaximized()
