"""What stands under the title of a card: two lines of message, the whole of it on demand, and buttons."""

import re

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.theme.theme import Theme
from desktop.toasts.action_row import ActionRow
from desktop.toasts.long_text import LongText
from desktop.toasts.words import Words
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface

GO = "go"
DETAILS = "details"
COPY = "copy"

_LINES = 2
_BREAKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]+")  # not those that hold words together
_LINE_CHARACTERS = 400
"""No two lines hold more, so that no more is laid out."""


class Body(Adaptive, QWidget):
    """Emits `acted` with the id of a button: `go`, `details`, or an action of the words."""

    acted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = Words("")
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

    def say(self, words: Words, *, can_go: bool) -> None:
        self._words, self._can_go = words, can_go
        self._message.setText(_BREAKS.sub(" ", words.message[:_LINE_CHARACTERS]).strip())
        self._message.setVisible(self._has_message(is_unfolded=self.is_unfolded))
        if self.is_unfolded:
            self.text.show_text(self._details())
        self.retranslate()

    def fit(self, width: int, *, is_title_cut: bool, is_unfolded: bool) -> int:
        """Offer what is needed at this width; the height that it takes, without the unfolded text itself."""
        inner = width
        for margins in (self._column.contentsMargins(), self._line.contentsMargins()):
            inner -= margins.left() + margins.right()
        self._message.ensurePolished()
        height = self._message.heightForWidth(inner)
        self._message.resize(inner, height)
        is_long = len(self._words.message) > _LINE_CHARACTERS or self._message.is_cut()
        self._is_title_cut = is_title_cut
        self._has_details = bool(self._words.details) or is_long or is_title_cut
        self.retranslate()
        return (height if self._has_message(is_unfolded=is_unfolded) else 0) + self._actions.wanted_height()

    def unfolded_height(self, lines: int) -> int:
        """What `unfold` needs for so many lines."""
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
        """What the words offer first; else the workflow, where it can be gone to; else nothing."""
        offered = [action for action, _ in self._words.actions]
        return offered[0] if offered else GO if self._can_go else ""

    def press_focused(self) -> bool:
        """Press the button that has the focus. False: none of its has it."""
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

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_m + sizes.icon_m, 0, sizes.space_s, 0)
        self._line.setContentsMargins(sizes.space_s, 0, sizes.space_s, 0)
        self._inside.setContentsMargins(sizes.space_xs, sizes.space_s, sizes.space_xs, sizes.space_s)
        self.text.setFont(self._theme.font("secondary"))

    def _has_message(self, *, is_unfolded: bool) -> bool:
        """Unfolded, the frame may say the same."""
        return bool(self._words.message) and (bool(self._words.details) or not is_unfolded)

    def _details(self) -> str:
        """The whole message, and the title before it where that is cut."""
        whole = self._words.details or self._words.message
        return "\n\n".join(part for part in (self._words.title * self._is_title_cut, whole) if part)

    def _press(self, action: str) -> None:
        if action == COPY:
            self.text.copy_all()
        else:
            self.acted.emit(action)
