"""The first line of the card: who asks, for what, how long there is, and which of how many."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.domain.interruption import InterruptionKind
from core.stores.questions import Question
from desktop.attention.words import kind_words, who_asks
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.formats import duration, number
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, IconButton
from desktop.widgets.chips import Chip, KeyHint
from desktop.widgets.icon_label import IconLabel
from desktop.widgets.labels import ElidedLabel, Label, plain_tool_tip
from desktop.widgets.visibility import show_when

_SECOND_MS = 1_000


class Head(Adaptive, QWidget):
    """`stepped` asks for the next request (1) or the one before (-1), `unfolded` for the whole card."""

    stepped = Signal(int)
    unfolded = Signal()

    def __init__(self, theme: Theme, now: Callable[[], datetime], focus_keys: QKeySequence) -> None:
        super().__init__()
        self._theme = theme
        self._now = now
        self._focus_keys = focus_keys
        self._previous_keys, self._next_keys = QKeySequence("PgUp"), QKeySequence("PgDown")
        self._is_folded = False
        self._expires_at: datetime | None = None
        self._goes_on = False
        self._place = (1, 1)
        self._sign = IconLabel(theme, Icon.MESSAGE_CIRCLE_QUESTION_MARK, "sign_warn")
        self._who = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self._kind = Chip()
        self._left = Label("", "secondary", "muted")
        self._count = Label("", "secondary", "muted")
        self._previous = IconButton(theme, Icon.CHEVRON_LEFT)
        self._next = IconButton(theme, Icon.CHEVRON_RIGHT)
        self._unfold = Button(theme, "", "link", is_small=True)
        self._keys = KeyHint()
        self._tick = QTimer(self)
        self._tick.setInterval(_SECOND_MS)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._sign)
        self._row.addWidget(self._kind)
        self._row.addWidget(self._who, 1)
        for widget in (self._left, self._count, self._previous, self._next, self._unfold, self._keys):
            self._row.addWidget(widget)
        self._previous.clicked.connect(self._go_back)
        self._next.clicked.connect(self._go_on)
        self._unfold.clicked.connect(self.unfolded)
        self._tick.timeout.connect(self._say_time_left)
        self.fold(is_folded=False)
        self.adapt_to(theme)

    def say(self, workflow: str, question: Question, place: tuple[int, int], *, is_open: bool) -> None:
        """`place`: which one of how many, from 1."""
        self._who.setText(who_asks(workflow, question))
        self._kind.setText(kind_words(question.kind))
        self._place = place
        for widget in (self._count, self._previous, self._next):
            show_when(widget, place[1] > 1)
        self._expires_at = question.expires_at if is_open else None
        self._goes_on = question.kind is InterruptionKind.QUESTION
        self._say_time_left()
        self.retranslate()

    def set_keys(self, focus_keys: QKeySequence, previous: QKeySequence, following: QKeySequence) -> None:
        """It names these: what leads to the card, and to another request in it."""
        self._focus_keys = focus_keys
        self._previous_keys, self._next_keys = previous, following
        self.fold(is_folded=self._is_folded)
        self.retranslate()

    def rest(self) -> None:
        """Nothing is shown, so nothing expires."""
        self._expires_at = None
        self._say_time_left()

    def fold(self, *, is_folded: bool) -> None:
        """Folded, it is all that is seen of the card."""
        self._is_folded = is_folded
        show_when(self._unfold, is_folded)
        self._keys.set_keys(self._focus_keys if is_folded else None)

    def retranslate(self) -> None:
        at, count = self._place
        words = self.tr("{number} of {count}").format(number=number(at), count=number(count))
        self._count.setText(words)
        self._previous.describe(self.tr("Previous request"), self._previous_keys)
        self._next.describe(self.tr("Next request"), self._next_keys)
        self._unfold.setText(self.tr("Show"))

    def dress(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)

    def _say_time_left(self) -> None:
        show_when(self._left, self._expires_at is not None)
        if self._expires_at is None:
            self._tick.stop()
            return
        left_s = max(1.0, (self._expires_at - self._now()).total_seconds())
        self._left.setText(self.tr("{time} left").format(time=duration(left_s)))
        after = self.tr("Then it goes on without an answer.") if self._goes_on else ""
        self._left.setToolTip(plain_tool_tip(after))
        self._left.setAccessibleDescription(after)
        if not self._tick.isActive():
            self._tick.start()

    def _go_back(self) -> None:
        self.stepped.emit(-1)

    def _go_on(self) -> None:
        self.stepped.emit(1)
