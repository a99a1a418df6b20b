"""What the system says about how windows should look."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication


class SystemLook(QObject):
    """`changed` when the desktop's colour scheme or its contrast changes. Needs a QGuiApplication."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Held, since PySide takes a wrapper of them that nobody holds for deleted.
        self._hints = QGuiApplication.styleHints()
        self._accessibility = self._hints.accessibility()
        self._hints.colorSchemeChanged.connect(self._tell)
        self._accessibility.contrastPreferenceChanged.connect(self._tell)

    @property
    def scheme(self) -> Qt.ColorScheme:
        """`Unknown` where the system does not say."""
        return self._hints.colorScheme()

    @property
    def has_high_contrast(self) -> bool:
        return self._accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast

    def prefer(self, scheme: Qt.ColorScheme) -> None:
        """Gives title bars and native dialogs this scheme; `Unknown` leaves them to the system."""
        self._hints.setColorScheme(scheme)

    def _tell(self) -> None:
        self.changed.emit()
