"""The find bar: a field above the conversation, the number of matches, and buttons to step through them."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from desktop.theme import Icon, Theme
from desktop.translation import number
from desktop.widgets import Adaptive, IconButton, Label, Surface, announce

# The count is announced to screen readers when it has not changed for this long.
ANNOUNCE_DELAY_MS = 500

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FindBar(Adaptive, Surface):
    """Enter goes to the next match, Shift+Enter to the previous match, Esc closes the bar."""

    edited = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("raised", parent=parent)
        self.setObjectName("find_bar")
        self._theme = theme
        self._next_keys, self._previous_keys = QKeySequence(), QKeySequence()
        self._shown_count: tuple[int, int, bool] = (0, 0, False)
        self._field = QLineEdit(self)
        self._count = Label("", "secondary", "muted", self)
        self._previous = IconButton(theme, Icon.CHEVRON_UP, parent=self)
        self._next = IconButton(theme, Icon.CHEVRON_DOWN, parent=self)
        self._close = IconButton(theme, Icon.X, parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self._field, self._count, self._previous, self._next, self._close):
            self._row.addWidget(widget)
        self._row.setStretch(0, 1)
        self._announce_timer = QTimer(self, singleShot=True, interval=ANNOUNCE_DELAY_MS)
        self._announce_timer.timeout.connect(self._announce)
        self._field.textEdited.connect(self.edited)
        self._field.installEventFilter(self)
        self._previous.clicked.connect(self._go_back)
        self._next.clicked.connect(self._go_on)
        self._close.clicked.connect(self.closed)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._field.text()

    def set_text(self, text: str) -> None:
        """Set the text without emitting `edited`."""
        if text != self._field.text():
            self._field.setText(text)

    def take_focus(self) -> None:
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_count(self, ordinal: int, total: int, *, is_at_work: bool) -> None:
        """Show *3 of 17*; `is_at_work`: there may be more matches."""
        if (ordinal, total, is_at_work) != self._shown_count:
            self._shown_count = ordinal, total, is_at_work
            self._announce_timer.start()
        self._show_total()

    def set_keys(self, following: QKeySequence, previous: QKeySequence) -> None:
        """Set the shortcuts that the buttons name."""
        self._next_keys, self._previous_keys = following, previous
        self.retranslate()

    def retranslate(self) -> None:
        self._field.setPlaceholderText(self.tr("Find in this workflow"))
        self._field.setAccessibleName(self.tr("Find in this workflow"))
        self.setAccessibleName(self.tr("Find in this workflow"))
        self._previous.describe(self.tr("Previous match"), self._previous_keys)
        self._next.describe(self.tr("Next match"), self._next_keys)
        self._close.describe(self.tr("Close"), QKeySequence(Qt.Key.Key_Escape))
        self._show_total()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setMaximumWidth(sizes.user_bubble)
        self._row.setContentsMargins(sizes.space_s, sizes.space_xs, sizes.space_xs, sizes.space_xs)
        self._row.setSpacing(sizes.space_xs)

    def eventFilter(self, _field: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.key() not in _ENTER:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if is_back else 1)
            return True
        return False

    def _go_on(self) -> None:
        self.stepped.emit(1)

    def _go_back(self) -> None:
        self.stepped.emit(-1)

    def _show_total(self) -> None:
        ordinal, total, is_at_work = self._shown_count
        if not self._field.text():
            text = ""
        elif total:
            text = self.tr("{number} of {total}").format(number=number(ordinal), total=number(total))
        else:
            text = "" if is_at_work else self.tr("Not found")
        self._count.setText(f"{text}…" if text and is_at_work else text)
        self._row.activate()  # else a longer count would be painted once in the width of the one before
        for button in (self._previous, self._next):
            button.setEnabled(total > 0)

    def _announce(self) -> None:
        if self.isVisible() and self._count.text():
            announce(self, self._count.text())
