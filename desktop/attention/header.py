"""The header of the card: asker, kind of request, position among the open requests, and time left."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.stores.questions import Question
from desktop.attention.attention_strings import asker_path, kind_label
from desktop.attention.keys import CardKeys
from desktop.attention.time_left import TimeLeft
from desktop.theme import Icon, Theme
from desktop.translation import number
from desktop.widgets import (
    Adaptive,
    Button,
    Chip,
    ElidedLabel,
    IconButton,
    IconLabel,
    KeyHint,
    Label,
    column_of,
    show_when,
)


class CardHeader(Adaptive, QWidget):
    """Emits `stepped` for the next request (1) or the previous (-1), `unfolded` to show the card, and `whole_wanted` to
    show it in the whole pane or no longer.

    `time_left_changed` is emitted when the accessible `time_left` has changed.
    """

    stepped = Signal(int)
    time_left_changed = Signal()
    unfolded = Signal()
    whole_wanted = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], focus_keys: QKeySequence) -> None:
        super().__init__()
        self._theme = theme
        self._focus_keys = focus_keys
        self._previous_keys, self._next_keys = QKeySequence("PgUp"), QKeySequence("PgDown")
        self._whole_keys = QKeySequence()
        self._is_folded = self._is_whole = False
        self._position = (1, 1)
        self._icon = IconLabel(theme, Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn")
        self._asker = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self._kind = Chip()
        self._time_left = TimeLeft(now)
        self._count = Label("", "secondary", "muted")
        self._previous = IconButton(theme, Icon.CHEVRON_LEFT)
        self._next = IconButton(theme, Icon.CHEVRON_RIGHT)
        self.whole_button = IconButton(theme, Icon.CHEVRON_UP)
        self._unfold = Button(theme, "", "link", is_small=True)
        self._keys = KeyHint()
        self._column = column_of(self)
        self._row = QHBoxLayout()
        self._column.addLayout(self._row)
        self._column.addWidget(self._time_left)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._kind)
        self._row.addWidget(self._asker, 1)
        for widget in (self._count, self._previous, self._next, self.whole_button, self._unfold, self._keys):
            self._row.addWidget(widget)
        self._previous.clicked.connect(self._step_back)
        self._next.clicked.connect(self._step_forward)
        self.whole_button.clicked.connect(self.whole_wanted)
        self._unfold.clicked.connect(self.unfolded)
        self._time_left.accessible_text_changed.connect(self.time_left_changed)
        self.fold(is_folded=False)
        self.adapt_to(theme)

    def show_question(self, workflow: str, question: Question, position: tuple[int, int], *, is_open: bool) -> None:
        """Show a question; `place` is its position and the number of open requests, from 1."""
        self._asker.setText(asker_path(workflow, question))
        self._kind.setText(kind_label(question.kind))
        self._position = position
        for widget in (self._count, self._previous, self._next):
            # A single request needs no paging.
            show_when(widget, position[1] > 1)
        self._time_left.set_question(question if is_open else None)
        self.retranslate()

    @property
    def spoken(self) -> str:
        """The kind of request, its asker, and which of several it is."""
        position = self._count.text() if self._position[1] > 1 else ""
        return ", ".join(part for part in (self._kind.text(), self._asker.text(), position) if part)

    @property
    def time_left(self) -> str:
        """The time left and what happens then; empty for a request without a limit."""
        return self._time_left.accessibleName()

    def set_shortcuts(self, keys: CardKeys) -> None:
        """Set the displayed shortcuts."""
        self._focus_keys = keys.focus
        self._previous_keys, self._next_keys, self._whole_keys = keys.previous, keys.next, keys.whole
        self.fold(is_folded=self._is_folded)
        self.retranslate()

    def show_whole(self, *, is_whole: bool) -> None:
        """Show whether the card takes the whole pane."""
        self._is_whole = is_whole
        self.whole_button.set_icon(Icon.CHEVRON_DOWN if is_whole else Icon.CHEVRON_UP)
        self.retranslate()

    def clear(self) -> None:
        """Stop the countdown."""
        self._time_left.set_question(None)

    def fold(self, *, is_folded: bool) -> None:
        """Show the header alone, with a button that unfolds the card."""
        self._is_folded = is_folded
        show_when(self._unfold, is_folded)
        show_when(self.whole_button, not is_folded)
        self._keys.set_keys(self._focus_keys if is_folded else None)

    def retranslate(self) -> None:
        at, count = self._position
        text = self.tr("{number} of {count}").format(number=number(at), count=number(count))
        self._count.setText(text)
        self._previous.describe(self.tr("Previous request"), self._previous_keys)
        self._next.describe(self.tr("Next request"), self._next_keys)
        whole = self.tr("Smaller again") if self._is_whole else self.tr("Show in the whole pane")
        self.whole_button.describe(whole, self._whole_keys)
        self._unfold.setText(self.tr("Show"))
        self._time_left.refresh()

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _step_back(self) -> None:
        self.stepped.emit(-1)

    def _step_forward(self) -> None:
        self.stepped.emit(1)
