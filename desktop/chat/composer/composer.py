"""The box to say something in, with its buttons and a line that says what Enter does or why nothing can be sent."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.chat.composer.draft import MOST_CHARACTERS, ComposerState, Draft
from desktop.chat.composer.text_box import TextBox
from desktop.shortcuts.names import key_name
from desktop.theme.drawing import paint_focus_ring
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import ElidedLabel
from desktop.widgets.surfaces import Surface

_NAME_CHARACTERS = 60


class Composer(Adaptive, Surface):
    """Keeps its text until it is told that it was taken, so that a message that cannot be sent is not lost."""

    send_requested = Signal(str)
    """The text as it was written. Nothing more is sent until `sending_worked`, `sending_failed` or `set_draft`."""
    stop_requested = Signal()
    edited = Signal()
    """The text is another one, whoever changed it."""
    drafted = Signal()
    """The text is one that nobody typed now: another workflow's, or none after one was sent."""
    edit_last_requested = Signal()
    """Up was pressed in an empty box."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("composer", parent=parent)
        self._theme = theme
        self._state = ComposerState()
        self._is_sending = False
        self._complaint = ""
        self._remark = ""
        self._send_keys: QKeySequence | None = None
        self._box = TextBox(theme, self)
        self._hint = ElidedLabel("", "meta", "muted", parent=self)
        self._send = Button(theme, "", "primary", Icon.ARROW_UP, parent=self)
        self._stop = Button(theme, "", "secondary", Icon.SQUARE, parent=self)
        self._column = QVBoxLayout(self)
        self._row = QHBoxLayout()
        self._build()
        self.adapt_to(theme)

    # What it is for

    def set_state(self, state: ComposerState) -> None:
        """Nothing here touches the text, the cursor, the focus or an input method at work."""
        if state != self._state:
            self._state = state
            self.retranslate()

    @property
    def needs_ctrl(self) -> bool:
        """Whether it takes Ctrl+Enter to send, so that Enter begins a line."""
        return self._box.needs_ctrl

    @needs_ctrl.setter
    def needs_ctrl(self, value: bool) -> None:
        self._box.needs_ctrl = value
        self.retranslate()

    def set_send_keys(self, keys: QKeySequence) -> None:
        """What its hint names in the place of the usual keys; nothing, where these are none."""
        self._send_keys = keys
        self._update()

    # The text

    def draft(self) -> Draft:
        return self._box.draft()

    def set_draft(self, draft: Draft) -> None:
        """Another workflow's text, or one that could not be sent."""
        self._box.set_draft(draft)
        self._settle("")
        self.drafted.emit()

    def take_up(self, text: str) -> None:
        """A message is to be written anew. What stands here already stays, after it."""
        self._box.take_up(text)
        self.focus_text()

    def replace(self, text: str) -> None:
        """Another text in the place of what was written, to be sent by the person; it can be undone."""
        self._box.replace(text)
        self._settle("")
        self.focus_text()

    @property
    def text_box(self) -> TextBox:
        return self._box

    def remark(self, words: str) -> None:
        """What there is to say of the text, in the place of how it is sent; nothing: that again."""
        if words != self._remark:
            self._remark = words
            self._box.setAccessibleDescription(words)
            self._update()

    def sending_worked(self, text: str) -> None:
        """This was taken: it goes, unless another text stands here by now."""
        if self._box.text() == text:
            self.set_draft(Draft())
        else:
            self._settle("")

    def sending_failed(self, reason: str) -> None:
        """The text was not taken: it stays, and the hint says why, in the words given."""
        self._settle(reason)

    def focus_text(self) -> None:
        self._box.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # What Qt tells

    def retranslate(self) -> None:
        name = self._state.workflow
        name = name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + "…"
        words = self.tr("Message {workflow}").format(workflow=name) if name else self.tr("Message")
        self._box.setPlaceholderText(words)
        self._box.setAccessibleName(words)
        self._send.setText(self.tr("Send"))
        self._stop.setText(self.tr("Stop"))
        self._update()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_s + 2, sizes.space_s + 2)
        self._column.setSpacing(sizes.space_s)
        self._row.setSpacing(sizes.space_m)
        self.setMaximumWidth(sizes.composer)
        self._box.dress()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.sizes.composer, super().sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Its edge belongs to the text."""
        self._box.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._box.hasFocus():
            sizes, color = self._theme.sizes, self._theme.color("accent")
            paint_focus_ring(QPainter(self), QRectF(self.rect()), sizes.radius_composer, color, sizes.focus_ring)

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self._box)
        self._row.addWidget(self._hint, 1)
        self._row.addWidget(self._stop)
        self._row.addWidget(self._send)
        self._column.addWidget(self._box)
        self._column.addLayout(self._row)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._box.submitted.connect(self._submit)
        self._box.went_up.connect(self.edit_last_requested)
        self._box.textChanged.connect(self._on_text)
        self._box.paste_refused.connect(self._on_paste_refused)
        self._box.focus_changed.connect(self.update)
        self._send.clicked.connect(self._submit)
        self._stop.clicked.connect(self.stop_requested)

    def _submit(self) -> None:
        if self._obstacle() or self._is_sending or self._box.is_blank():
            return
        self._is_sending = True
        self._complaint = ""
        self._update()
        self.send_requested.emit(self._box.text())

    def _settle(self, complaint: str) -> None:
        self._is_sending = False
        self._complaint = complaint
        self._update()

    def _on_text(self) -> None:
        self._complaint = ""
        self._update()
        self.edited.emit()

    def _on_paste_refused(self) -> None:
        self._complaint = self._too_long()
        self._update()

    def _update(self) -> None:
        obstacle = self._obstacle()
        self._hint.setText(self._complaint or obstacle or self._remark or self._how_to_send())
        self._hint.set_tone("error" if self._complaint else "muted")
        self._send.setVisible(not self._state.is_running)
        self._stop.setVisible(self._state.is_running)
        self._send.setEnabled(not obstacle and not self._is_sending and not self._box.is_blank())
        self._send.setAccessibleDescription(obstacle)

    def _obstacle(self) -> str:
        """Why nothing can be sent, or nothing if it can."""
        if self._state.is_running:
            return self.tr("You can send when this run has ended")
        return self._too_long() if self._box.characters > MOST_CHARACTERS else ""

    def _too_long(self) -> str:
        return self.tr("A message has at most {limit} characters").format(limit=number(MOST_CHARACTERS))

    def _how_to_send(self) -> str:
        usual = QKeySequence("Ctrl+Return" if self.needs_ctrl else "Return")
        keys = key_name(usual if self._send_keys is None else self._send_keys)
        return self.tr("{keys} to send").format(keys=keys) if keys else ""
