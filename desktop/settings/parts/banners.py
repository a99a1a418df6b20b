"""Banners of settings pages: a confirmation, and a note on pending requests."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.theme import Theme
from desktop.widgets import Adaptive, Banner, Button, announce


class ConfirmationBanner(Adaptive, QWidget):
    """Asks for confirmation inside a row. Hidden until `ask`; the safe button gets focus, and Esc presses it. Focus
    returns to the asker afterwards.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._confirm: Callable[[], object] = lambda: None
        self._cancel: Callable[[], object] = lambda: None
        self._asker: QWidget | None = None
        self._banner = Banner(theme, "warning")
        self.cancel_button, self.confirm_button = Button(theme, kind="secondary"), Button(theme, kind="secondary")
        self._column, self._row = QVBoxLayout(self), QHBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._banner)
        self._column.addLayout(self._row)
        self._row.addStretch(1)
        for button in (self.cancel_button, self.confirm_button):
            self._row.addWidget(button)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.confirm_button.clicked.connect(self._on_confirm)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._banner.text

    def ask(
        self,
        text: str,
        keep_words: str,
        act_words: str,
        act: Callable[[], object],
        keep: Callable[[], object],
        asker: QWidget,
    ) -> None:
        """Show the warning; then call `confirm` or `cancel` and return focus to `asker`."""
        self._confirm, self._cancel, self._asker = act, keep, asker
        self._banner.set_text(text)
        self.cancel_button.setText(keep_words)
        self.confirm_button.setText(act_words)
        for button in (self.cancel_button, self.confirm_button):
            button.setAccessibleDescription(text)
        self.show()
        self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, text, is_urgent=True)

    def dismiss(self) -> None:
        """Hide the question."""
        # Hiding a focused widget would pass the focus to an arbitrary neighbour.
        had_focus = self.cancel_button.hasFocus() or self.confirm_button.hasFocus()
        if had_focus and self._asker is not None:
            self._asker.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def event(self, event: QEvent) -> bool:
        """Accept Esc while focused, which would close the dialog otherwise."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self._on_cancel()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            # Enter outside of the buttons must be as safe as Esc.
            (self.confirm_button if self.confirm_button.hasFocus() else self.cancel_button).click()
        else:
            super().keyPressEvent(event)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._row.setSpacing(self._theme.sizes.space_s)

    def _on_cancel(self) -> None:
        self.dismiss()
        self._cancel()

    def _on_confirm(self) -> None:
        self.dismiss()
        self._confirm()


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape and event.modifiers() == Qt.KeyboardModifier.NoModifier


class PendingRequestsBanner(Banner):
    """Visible only while `make_text` returns a text for the pending requests."""

    def __init__(self, context: SettingsContext, make_text: Callable[[PendingRequests], str]) -> None:
        self._pending = context.pending
        self._make_text = make_text
        super().__init__(context.theme, "info")
        self.setObjectName("waiting_note")
        self._is_wanted = True
        context.pending.changed.connect(self._refresh)
        self._refresh()

    def setVisible(self, visible: bool) -> None:
        """Stay hidden without a text, also where a page shows all of its sections."""
        self._is_wanted = visible
        super().setVisible(visible and bool(self.text))

    def search_text(self) -> str:
        return self.text

    def retranslate(self) -> None:
        text = self._make_text(self._pending)
        if text != self.text:
            self._text.setText(text)
        super().retranslate()

    def _refresh(self) -> None:
        self.retranslate()
        if self.parentWidget() is not None:  # without a parent it would become a window
            self.setVisible(self._is_wanted)
