"""A warning in a row of the settings, before a change is made that something waits on."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.settings.sources.pending_requests import PendingRequests
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.banner import Banner
from desktop.widgets.buttons import Button


class ConfirmationBanner(Adaptive, QWidget):
    """Hidden until `ask`. Focus is on the button that changes nothing; Esc is the same. Focus goes back then."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._act: Callable[[], object] = lambda: None
        self._keep: Callable[[], object] = lambda: None
        self._asker: QWidget | None = None
        self._banner = Banner(theme, "warning")
        self.keep_button, self.act_button = Button(theme, kind="secondary"), Button(theme, kind="secondary")
        self._column, self._row = QVBoxLayout(self), QHBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._banner)
        self._column.addLayout(self._row)
        self._row.addStretch(1)
        for button in (self.keep_button, self.act_button):
            self._row.addWidget(button)
        self.keep_button.clicked.connect(self._on_keep)
        self.act_button.clicked.connect(self._on_act)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._banner.text

    def ask(
        self,
        words: str,
        keep_words: str,
        act_words: str,
        act: Callable[[], object],
        keep: Callable[[], object],
        asker: QWidget,
    ) -> None:
        """Say this; then `act` or `keep` is done, and `asker` has the focus again."""
        self._act, self._keep, self._asker = act, keep, asker
        self._banner.set_text(words)
        self.keep_button.setText(keep_words)
        self.act_button.setText(act_words)
        for button in (self.keep_button, self.act_button):
            button.setAccessibleDescription(words)
        self.show()
        self.keep_button.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, words, is_urgent=True)

    def rest(self) -> None:
        """Nothing is asked any more."""
        had_focus = self.keep_button.hasFocus() or self.act_button.hasFocus()
        if had_focus and self._asker is not None:
            self._asker.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def event(self, event: QEvent) -> bool:
        """With focus in it, Esc is its own: else the settings would close."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self._on_keep()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            (self.act_button if self.act_button.hasFocus() else self.keep_button).click()
        else:
            super().keyPressEvent(event)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._row.setSpacing(self._theme.sizes.space_s)

    def _on_keep(self) -> None:
        self.rest()
        self._keep()

    def _on_act(self) -> None:
        self.rest()
        self._act()


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape and event.modifiers() == Qt.KeyboardModifier.NoModifier


class PendingRequestsBanner(Banner):
    """Seen only while something waits that `words` gives a sentence for."""

    def __init__(self, theme: Theme, waiting: PendingRequests | None, words: Callable[[PendingRequests], str]) -> None:
        self._waiting = waiting
        self._words = words
        super().__init__(theme, "info")
        self.setObjectName("waiting_note")
        self._is_wanted = True
        if waiting is not None:
            waiting.changed.connect(self._look)
        self._look()

    def setVisible(self, visible: bool) -> None:
        """Also where a page shows all of its sections."""
        self._is_wanted = visible
        super().setVisible(visible and bool(self.text))

    def searched(self) -> str:
        return self.text

    def retranslate(self) -> None:
        said = self._words(self._waiting) if self._waiting is not None else ""
        if said != self.text:
            self._text.setText(said)
        super().retranslate()

    def _look(self) -> None:
        self.retranslate()
        if self.parentWidget() is not None:
            self.setVisible(self._is_wanted)
