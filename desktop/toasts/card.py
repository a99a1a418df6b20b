"""The card of a toast: it asks for nothing and can be dismissed."""

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.toast import Toast, ToastId
from desktop.shortcuts.chords import is_pressed
from desktop.theme import Theme
from desktop.toasts import card_parts
from desktop.toasts.card_parts import Body, CardHeader
from desktop.toasts.slide import Slide
from desktop.toasts.toast_strings import kind_text, toast_text
from desktop.widgets import Adaptive, Surface


class ToastCard(Adaptive, Surface):
    """Emits the user's intents: dismiss, go to the workflow, fold or unfold, or an action."""

    dismissed = Signal(str)
    unfold_toggled = Signal(str)
    go_requested = Signal(str)
    acted = Signal(str, str)
    hovered = Signal()
    left = Signal()

    def __init__(self, theme: Theme, toast: Toast, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self._theme = theme
        self._toast = toast
        self.glide = Slide(self)
        self._head = CardHeader(theme, self)
        self._head.closed.connect(self._dismiss)
        self._body = Body(theme, self)
        self._body.acted.connect(self._act)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(0)
        self._column.addWidget(self._head)
        self._column.addWidget(self._body)
        self._column.addStretch(1)
        self.adapt_to(theme)

    @property
    def id(self) -> ToastId:
        return self._toast.id

    @property
    def toast(self) -> Toast:
        return self._toast

    @property
    def spoken(self) -> str:
        """The full text, for a screen reader."""
        words = toast_text(self._toast)
        return ". ".join(part for part in (kind_text(self._toast.type), words.title, words.message[:400]) if part)

    def show_toast(self, toast: Toast) -> None:
        if toast != self._toast:
            self._toast = toast
            self.retranslate()

    def measure(self, width: int, *, is_unfolded: bool) -> int:
        """Return the height at this width, without the unfolded text."""
        self.ensurePolished()  # its border comes with the style sheet
        frame = self.contentsMargins()
        inner = width - frame.left() - frame.right()
        head = frame.top() + self._head.fit(inner) + frame.bottom() + 2 * self._theme.sizes.space_s
        return head + self._body.fit(inner, is_title_cut=self._head.is_cut(), is_unfolded=is_unfolded)

    def take_shape(self, text_height: int) -> None:
        """Unfold the whole text at this height, or fold it at 0."""
        if text_height > 0:
            self._body.unfold(text_height)
        elif self._body.is_unfolded:
            self._body.fold()

    def unfolded_height(self, lines: int) -> int:
        """Return the additional height for so many lines of the whole text."""
        return self._body.unfolded_height(lines)

    def leave(self, target: QPoint, duration_ms: int) -> None:
        """Slide to this position, out of reach of the mouse, and be deleted; emits `left` at the end."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.glide.arrived.connect(self._vanish)
        self.glide.to(target, duration_ms)

    def take_focus(self) -> None:
        self._head.close_button.setFocus(Qt.FocusReason.TabFocusReason)

    def retranslate(self) -> None:
        words = toast_text(self._toast)
        can_go = self._toast.workflow_id is not None and not self._toast.is_viewed and not words.actions
        self._head.say(self._toast.type, words.title, self._toast.repeated)
        self._body.say(words, can_go=can_go)
        self.setAccessibleName(self.spoken)
        self.updateGeometry()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(0, sizes.space_s, 0, sizes.space_s)
        self.updateGeometry()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit()

    def event(self, event: QEvent) -> bool:
        """Accept Esc while the focus is inside, whatever shortcut of the window has that key."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and is_pressed("Esc", event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_pressed("Esc", event) or is_pressed("Del", event):
            self._dismiss()
        elif is_pressed("Return", event) and not event.isAutoRepeat():
            if not self._body.press_focused():
                self._act(self._body.main_action)
        else:
            super().keyPressEvent(event)

    def _vanish(self) -> None:
        self.hide()
        self.deleteLater()
        self.left.emit()

    def _dismiss(self) -> None:
        self.dismissed.emit(self.id)

    def _act(self, action: str) -> None:
        match action:
            case "":
                pass
            case card_parts.DETAILS:
                self.unfold_toggled.emit(self.id)
            case card_parts.GO:
                self.go_requested.emit(self.id)
            case _:
                self.acted.emit(action, self.id)
