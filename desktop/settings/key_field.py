"""A field that takes the keys that are pressed in it, in the place of text (UI §8)."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.shortcuts.chords import Mod, pressed
from desktop.shortcuts.digit_keys import digit_of
from desktop.shortcuts.names import key_name
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive

_TAB = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_CLEARING = "Backspace"
_SHIFTED = (Mod.ControlModifier | Mod.ShiftModifier,)


class KeyField(Adaptive, QLineEdit):
    """Shows a key. Tab leads on, Esc gives up what is begun, Backspace clears; any other key is `recorded`."""

    recorded = Signal(str, str)
    """The normal name of the key, and the one that it has as a key of the digit row, empty for others."""
    cleared = Signal()
    given_up = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chord = ""
        self.setReadOnly(True)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.adapt_to(theme)

    def show_chord(self, chord: str) -> None:
        """The key by its normal name; empty for none."""
        self._chord = chord
        self.retranslate()

    @property
    def chord(self) -> str:
        return self._chord

    def retranslate(self) -> None:
        self.setText(key_name(self._chord))
        self.setPlaceholderText(self.tr("Press keys…") if self.hasFocus() else self.tr("None"))

    def event(self, event: QEvent) -> bool:
        """No shortcut takes a key from it, and none but Tab leads elsewhere."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() not in _TAB:
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        chord = pressed(event)
        if not chord or event.isAutoRepeat():
            return
        if chord == "Esc":
            self.given_up.emit()
        elif chord == _CLEARING:
            self.cleared.emit()
        else:
            self.recorded.emit(*_names(event, chord))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.retranslate()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.retranslate()


def _names(event: QKeyEvent, chord: str) -> tuple[str, str]:
    platform = QGuiApplication.platformName()
    shifted = digit_of(event, platform, _SHIFTED)
    if shifted is not None:
        return f"Ctrl+Shift+{shifted}", ""
    number = digit_of(event, platform)
    if number is None:
        return chord, ""
    modifier = "Ctrl" if event.modifiers() & Mod.ControlModifier else "Alt"
    return chord, f"{modifier}+{number}"
