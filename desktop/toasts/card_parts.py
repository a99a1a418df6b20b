"""The parts of a toast's card: the header, the message, the whole text on demand, and buttons."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from core.domain.text.hidden import reveal
from core.domain.toast import ToastType
from desktop.theme import Icon, Theme
from desktop.toasts.toast_strings import ToastText
from desktop.tokens import ColorName
from desktop.widgets import Adaptive, Button, Chip, IconButton, IconLabel, Paragraph, ReadOnlyText, Surface

TOAST_SIGNS: dict[ToastType, tuple[Icon, ColorName]] = {
    ToastType.SUCCESS: (Icon.CIRCLE_CHECK, "sign_ok"),
    ToastType.ERROR: (Icon.CIRCLE_X, "sign_error"),
    ToastType.INFO: (Icon.INFO, "accent"),
    ToastType.WARNING: (Icon.TRIANGLE_ALERT, "sign_warn"),
    ToastType.USER_QUESTION: (Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn"),
}


_LINES = 2
"""Shown of a title or message that is longer than `_MOST_LINES`; the rest follows on demand."""
_MOST_LINES = 4
"""A message up to this length is shown whole."""


class CardHeader(Adaptive, QWidget):
    """Emits `closed` when × is pressed."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._repeated = 1
        self._icon = IconLabel(theme, Icon.INFO, "accent", "icon_m")
        self._title = Paragraph("", "strong", most_lines=_LINES)
        self._count = Chip()
        self.close_button = IconButton(theme, Icon.X)
        self.close_button.clicked.connect(self._close)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._title, 1)
        self._row.addWidget(self._count)
        self._row.addWidget(self.close_button)
        for widget in (self._icon, self._title):
            self._row.setAlignment(widget, Qt.AlignmentFlag.AlignVCenter)
        self.adapt_to(theme)

    def say(self, kind: ToastType, title: str, repeated: int) -> None:
        self._icon.set_icon(*TOAST_SIGNS[kind])
        self._title.setText(title)
        self._repeated = repeated
        self._count.setVisible(repeated > 1)
        self.retranslate()

    def fit(self, width: int) -> int:
        """Lay out for this width and return the height."""
        self._title.ensurePolished()
        self.resize(width, self._row.totalHeightForWidth(width))
        self._row.activate()
        return self.height()

    def is_cut(self) -> bool:
        """Return whether the title is elided."""
        return self._title.is_cut()

    def retranslate(self) -> None:
        self.close_button.describe(self.tr("Close"))
        self._count.setText(f"×{self._repeated}")
        self._count.setAccessibleName(self.tr("Said %n times", "", self._repeated))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_m, 0, sizes.space_s, 0)
        self._row.setSpacing(sizes.space_s)

    def _close(self) -> None:
        self.closed.emit()


PIECE = 16_000
"""Characters that are laid out at once: more would hold up the window."""

SHOWN = 200_000
"""Characters that are laid out at all; copying everything takes the rest too."""


class LongText(ReadOnlyText):
    """Shows the first part of a text at once, and the rest when there is time."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._at = 0
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_piece)

    def show_text(self, text: str) -> None:
        """Show a text; the same text keeps scroll position and selection."""
        if not self._take(text):
            return
        self._at = min(PIECE, SHOWN)
        self.setPlainText(reveal(text[: self._at]))
        if len(text) > self._at:
            self._timer.start()
        else:
            self._timer.stop()

    def _add_piece(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        end = min(self._at + PIECE, SHOWN)
        cursor.insertText(reveal(self._text[self._at : end]))
        self._at = end
        if self._at >= min(len(self._text), SHOWN):
            self._timer.stop()


class ActionRow(Adaptive, QWidget):
    """A row of link buttons; `pressed` is emitted with the id of a button. The first button is flush with text at the
    left edge.
    """

    pressed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[str, Button] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._tell)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self.adapt_to(theme)

    def offer(self, actions: Sequence[tuple[str, str]]) -> None:
        """Replace the buttons, as id and text, from left to right."""
        offered = dict(actions)
        for number, (action, words) in enumerate(actions):
            button = self._buttons.get(action) or self._make(action)
            button.setText(words)
            if self._row.indexOf(button) != number:  # else each offer would ask for another layout
                self._row.insertWidget(number, button)
        for action, button in self._buttons.items():
            button.setVisible(action in offered)
        self.setVisible(bool(offered))

    def press_focused(self) -> bool:
        """Press the focused button; return False if none has focus."""
        focused = next((button for button in self._buttons.values() if button.hasFocus()), None)
        if focused is not None:
            focused.click()
        return focused is not None

    def wanted_height(self) -> int:
        """Return the height, 0 without buttons."""
        return 0 if self.isHidden() else self._theme.sizes.control_small

    def apply_theme(self) -> None:
        self.setFixedHeight(self._theme.sizes.control_small)

    def _make(self, action: str) -> Button:
        button = Button(self._theme, "", "link", is_small=True, parent=self)
        button.setObjectName(action)
        self._buttons[action] = button
        self._group.addButton(button)
        return button

    def _tell(self, button: QAbstractButton) -> None:
        self.pressed.emit(button.objectName())


GO = "go"
DETAILS = "details"
COPY = "copy"

_BREAKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]+")  # not those that hold words together
_LINE_CHARACTERS = 400
"""No two lines hold more, so that no more is laid out."""


class Body(Adaptive, QWidget):
    """Emits `acted` with the id of a button: `go`, `details`, or an action of the toast."""

    acted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ToastText("")
        self._can_go = False
        self._has_details = False
        self._is_title_cut = False
        self._message = Paragraph("", "secondary", "muted", _LINES)
        self._frame = Surface("code", parent=self)
        self._frame.hide()
        self.text = LongText(self._frame)
        self._inside = QVBoxLayout(self._frame)
        self._inside.addWidget(self.text)
        self._actions = ActionRow(theme, self)
        self._actions.pressed.connect(self._press)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(0)
        self._line = QHBoxLayout()
        self._line.addWidget(self._message)
        self._column.addLayout(self._line)
        self._column.addWidget(self._frame)
        self._column.addWidget(self._actions)
        self.adapt_to(theme)

    @property
    def is_unfolded(self) -> bool:
        return not self._frame.isHidden()

    def say(self, words: ToastText, *, can_go: bool) -> None:
        self._words, self._can_go = words, can_go
        self._message.setText(_BREAKS.sub(" ", words.message[:_LINE_CHARACTERS]).strip())
        self._message.setVisible(self._has_message(is_unfolded=self.is_unfolded))
        if self.is_unfolded:
            self.text.show_text(self._details())
        self.retranslate()

    def fit(self, width: int, *, is_title_cut: bool, is_unfolded: bool) -> int:
        """Lay out for this width and return the height, without the unfolded text."""
        inner = width
        for margins in (self._column.contentsMargins(), self._line.contentsMargins()):
            inner -= margins.left() + margins.right()
        self._message.ensurePolished()
        self._message.set_most_lines(_LINES if self._message.line_count(inner) > _MOST_LINES else _MOST_LINES)
        height = self._message.heightForWidth(inner)
        self._message.resize(inner, height)
        is_long = len(self._words.message) > _LINE_CHARACTERS or self._message.is_cut()
        self._is_title_cut = is_title_cut
        self._has_details = bool(self._words.details) or is_long or is_title_cut
        self.retranslate()
        return (height if self._has_message(is_unfolded=is_unfolded) else 0) + self._actions.wanted_height()

    def unfolded_height(self, lines: int) -> int:
        """Return the height that `unfold` needs for so many lines."""
        around = self._inside.contentsMargins()
        margins = 2 * round(self.text.document().documentMargin()) + 2 + around.top() + around.bottom()
        return lines * self.text.fontMetrics().lineSpacing() + margins + 2 * self._frame.frameWidth()

    def unfold(self, height: int) -> None:
        """Show the whole text as well, in a frame of this height."""
        self.text.show_text(self._details())
        self._frame.setFixedHeight(height)
        self._frame.show()
        self._message.setVisible(self._has_message(is_unfolded=True))
        self.retranslate()

    def fold(self) -> None:
        self._frame.hide()
        self._message.setVisible(self._has_message(is_unfolded=False))
        self.retranslate()

    @property
    def main_action(self) -> str:
        """The first action of the toast; else going to its workflow, if it has one; else None."""
        offered = [action for action, _ in self._words.actions]
        return offered[0] if offered else GO if self._can_go else ""

    def press_focused(self) -> bool:
        """Press the focused button; return False if none has focus."""
        return self._actions.press_focused()

    def retranslate(self) -> None:
        actions = list(self._words.actions)
        if self._can_go:
            actions.append((GO, self.tr("Go to workflow")))
        if self._has_details:
            actions.append((DETAILS, self.tr("Less") if self.is_unfolded else self.tr("Details")))
        if self.is_unfolded:
            actions.append((COPY, self.tr("Copy")))
        self._actions.offer(actions)
        self.text.setAccessibleName(self.tr("Details"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_m + sizes.icon_m, 0, sizes.space_s, 0)
        self._line.setContentsMargins(sizes.space_s, 0, sizes.space_s, 0)
        self._inside.setContentsMargins(sizes.space_xs, sizes.space_s, sizes.space_xs, sizes.space_s)
        self.text.setFont(self._theme.font("secondary"))

    def _has_message(self, *, is_unfolded: bool) -> bool:
        """Return whether the message is shown; unfolded, the frame may show the same text."""
        return bool(self._words.message) and (bool(self._words.details) or not is_unfolded)

    def _details(self) -> str:
        """Return the whole message, preceded by the title if that is elided."""
        whole = self._words.details or self._words.message
        return "\n\n".join(part for part in (self._words.title * self._is_title_cut, whole) if part)

    def _press(self, action: str) -> None:
        if action == COPY:
            self.text.copy_all()
        else:
            self.acted.emit(action)
