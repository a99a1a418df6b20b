"""The box that a message is written in, with its buttons and a hint: what Enter does, or why nothing can be sent."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from core.domain.messages import attached_text
from desktop.chat.composer.attachments import FileStrip
from desktop.chat.composer.draft import MAX_MESSAGE_CHARACTERS, ComposerState, Draft, DraftFile, kept_file
from desktop.chat.composer.file_note import FileNote
from desktop.chat.composer.text_box import TextBox, TextHistory
from desktop.chat.pictures.cache import PictureCache
from desktop.shortcuts.key_strings import key_name
from desktop.theme import Icon, Theme
from desktop.translation import number
from desktop.widgets import Adaptive, Button, IconButton, ShorteningLabel, Surface, paint_focus

_NAME_CHARACTERS = 60


class Composer(Adaptive, Surface):
    """Keeps its text until the message has been accepted, so that a message that cannot be sent is not lost."""

    send_requested = Signal(object, bool, bool)
    """The Draft, whether the running turn is to be stopped for it, and whether its turn may wait for a free slot.
    Nothing else is sent until `message_accepted`, `message_refused` or `set_draft`."""
    attach_requested = Signal(object)
    """Attach the files at these paths (`show_files`); empty to open a file dialog."""
    picture_pasted = Signal(object)
    """Carries the QImage."""
    file_opened = Signal(object)
    """Carries the DraftFile to be previewed."""
    stop_requested = Signal()
    edited = Signal()
    """The text has changed, by typing or otherwise."""
    draft_replaced = Signal()
    """The draft was replaced: by that of another workflow, or cleared after sending."""
    edit_last_requested = Signal()
    """Up was pressed in the empty box."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("composer", parent=parent)
        self._theme = theme
        self._state = ComposerState()
        self._is_sending = False
        self._error = ""
        self._note = ""
        self._send_keys: QKeySequence | None = None
        self._send_now_keys = QKeySequence("Ctrl+Shift+Return")
        self._pasted: DraftFile | None = None
        self._files = FileStrip(theme, self)
        self.file_note = FileNote(theme, self)
        self._box = TextBox(theme, self)
        self._hint = ShorteningLabel("", "meta", "muted", parent=self)
        self._send = Button(theme, "", "primary", Icon.ARROW_UP, parent=self)
        self._stop = Button(theme, "", "secondary", Icon.SQUARE, parent=self)
        self._attach = IconButton(theme, Icon.PAPERCLIP, parent=self)
        self._column = QVBoxLayout(self)
        self._row = QHBoxLayout()
        self._build()
        self.adapt_to(theme)

    def set_state(self, state: ComposerState) -> None:
        """Set the state without touching the text, the cursor, the focus or an active input method."""
        if state != self._state:
            self._state = state
            self.retranslate()

    @property
    def needs_ctrl(self) -> bool:
        """Whether Ctrl+Enter sends, so that Enter inserts a line break."""
        return self._box.needs_ctrl

    @needs_ctrl.setter
    def needs_ctrl(self, value: bool) -> None:
        self._box.needs_ctrl = value
        self.retranslate()

    def set_send_keys(self, keys: QKeySequence, now: QKeySequence) -> None:
        """Set the shortcuts that the hint names: the send shortcut, and the shortcut that sends `now` while a turn
        runs. Empty sequences are not named.
        """
        self._send_keys, self._send_now_keys = keys, now
        self._update()

    def draft(self) -> Draft:
        return replace(self._box.draft(), files=self._files.files)

    def take_history(self) -> TextHistory:
        """Return the text with its undo history and clear the box, before another workflow's draft is set. Call `draft`
        first.
        """
        return self._box.take_history()

    def set_draft(self, draft: Draft, history: TextHistory | None = None) -> None:
        """Set the draft of another workflow, with its undo history if that is cached, or a draft that could not be
        sent.
        """
        self._box.set_draft(draft, history)
        self._files.show_files(draft.files)
        self._settle("")
        self.draft_replaced.emit()

    def prepend(self, text: str, files: Sequence[DraftFile] = ()) -> None:
        """Insert a message that is edited again, before the text that is already here."""
        self._box.prepend(text)
        self.show_files([*files, *self._files.files])
        self.focus_text()

    @property
    def files(self) -> tuple[DraftFile, ...]:
        """The attached files."""
        return self._files.files

    def show_files(self, files: Sequence[DraftFile]) -> None:
        """Attach these files, without duplicates."""
        unique: list[DraftFile] = []
        for file in files:
            number = next((number for number, other in enumerate(unique) if other.is_same(file)), len(unique))
            unique[number : number + 1] = [file]  # the later one has the newer content
        self._files.show_files(unique)
        self._on_text()

    def show_pictures_of(self, cache: PictureCache) -> None:
        """Show the pictures of this cache on the chips of files."""
        self._files.show_pictures_of(cache)

    def show_error(self, text: str) -> None:
        """Show an error until the text changes."""
        self._error = text
        self._update()

    def submit(self, *, interrupts: bool = False, queued: bool = False) -> None:
        """Send the message; `interrupts`: stop the running turn for it; `queued`: its turn may wait for a slot."""
        self.commit_preedit()
        if self._obstacle() or self._is_sending or self.is_empty:
            return
        self._is_sending = True
        self._error = ""
        self._update()
        self.send_requested.emit(self.draft(), interrupts, queued)

    def commit_preedit(self) -> None:
        """Commit what an input method composes, before the draft is taken away."""
        self._box.commit_preedit()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send."""
        return self._box.is_blank() and not self._files.files

    def replace(self, text: str) -> None:
        """Replace the text; the user sends it, and can undo the change."""
        self._box.replace(text)
        self._settle("")
        self.focus_text()

    @property
    def text_box(self) -> TextBox:
        return self._box

    def show_note(self, text: str) -> None:
        """Show a note about the text in place of the hint; empty restores the hint."""
        if text != self._note:
            self._note = text
            self._box.setAccessibleDescription(text)
            self._update()

    def message_accepted(self, text: str, hashes: Sequence[str] = (), *, is_from_here: bool = False) -> None:
        """Clear the composer after the message was accepted, unless its content has changed since. Text written after a
        message that `is_from_here` stays.
        """
        draft = self.draft()
        # the user may have switched or typed on while the message was on its way
        if draft.is_sent_as(text, hashes):
            self.set_draft(Draft())
            return
        if is_from_here and draft.text.startswith(text):
            self._box.remove_prefix(text)
            self._files.show_files(draft.without(text, hashes).files)
        self._settle("")

    def mark_sending(self) -> None:
        """Mark the content as being sent already."""
        self._is_sending = True
        self._update()

    def message_refused(self, reason: str) -> None:
        """Keep the text, and show why the message was not accepted."""
        self._settle(reason)

    def focus_text(self) -> None:
        self._box.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Qt

    def retranslate(self) -> None:
        name = self._state.workflow
        name = name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + "…"
        text = self.tr("Message {workflow}").format(workflow=name) if name else self.tr("Message")
        self._box.setPlaceholderText(text)
        self._box.setAccessibleName(text)
        self._send.setText(self.tr("Queue") if self._state.is_running else self.tr("Send"))
        self._attach.describe(self.tr("Attach files"), QKeySequence("Ctrl+O"))
        self._stop.setText(self.tr("Stop"))
        self._update()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_s + 2, sizes.space_s + 2)
        self._column.setSpacing(sizes.space_s)
        self._row.setSpacing(sizes.space_m)
        self.setMaximumWidth(sizes.composer)
        self._box.apply_theme()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.sizes.composer, super().sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Focus the text: the margin belongs to it."""
        self._box.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._box.hasFocus():
            paint_focus(QPainter(self), self._theme, self.rect(), self._theme.sizes.radius_composer)

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self._box)
        for widget in (self._attach, self._hint, self._stop, self._send):
            self._row.addWidget(widget)
        self._row.setStretchFactor(self._hint, 1)
        self._column.addWidget(self._files)
        self._column.addWidget(self.file_note)
        self._column.addWidget(self._box)
        self._column.addLayout(self._row)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._box.submitted.connect(self.submit)
        self._box.up_pressed.connect(self._on_up)
        self._box.pasted_long.connect(self._on_long_paste)
        self._box.pasted_files.connect(self.attach_requested)
        self._box.pasted_picture.connect(self.picture_pasted)
        self._box.undo_paste = self._undo_paste
        self._files.removed.connect(self._on_removed)
        self._files.opened.connect(self.file_opened)
        self._files.text_requested.connect(self.focus_text)
        self._attach.clicked.connect(self._on_attach)
        self._box.textChanged.connect(self._on_text)
        self._box.paste_refused.connect(self._on_paste_refused)
        self._box.focus_changed.connect(self.update)
        self._send.clicked.connect(self._on_send)
        self._stop.clicked.connect(self.stop_requested)

    def _on_send(self) -> None:
        self.submit()

    def _on_attach(self) -> None:
        self.attach_requested.emit([])

    def _on_up(self) -> None:
        """Go to the most recent item: an attachment, a queued message, the last message."""
        if not self._files.focus_last():
            self.edit_last_requested.emit()

    def _on_removed(self, file: DraftFile) -> None:
        self.show_files([attached for attached in self._files.files if attached is not file])

    def _on_long_paste(self, text: str) -> None:
        """Attach the pasted text as a file without a path; undoing the paste inserts it as text."""
        digest = attached_text("", text).about.hash
        attached = (file for file in self._files.files if file.path is None and file.hash == digest)
        self._pasted = next(attached, None)
        if self._pasted is None:
            title, taken = self.tr("Pasted text"), {file.name for file in self._files.files}
            names = chain((f"{title}.txt",), (f"{title} {number}.txt" for number in count(2)))
            name = next(name for name in names if name not in taken)
            self._pasted = kept_file(attached_text(name, text))
            self.show_files([*self._files.files, self._pasted])

    def _undo_paste(self) -> None:
        self.show_files([file for file in self._files.files if file is not self._pasted])

    def _settle(self, error: str) -> None:
        self._is_sending = False
        self._error = error
        self._update()

    def _on_text(self) -> None:
        self._error = ""
        self._update()
        self.edited.emit()

    def _on_paste_refused(self) -> None:
        self.show_error(self._too_long())

    def _update(self) -> None:
        obstacle = self._obstacle()
        note = self._error or obstacle or self._note
        self._hint.offer(*([note] if note else self._how_to_send()))
        self._hint.set_tone("error" if self._error else "muted")
        self._send.setVisible(not self._state.is_running or not self.is_empty)
        self._stop.setVisible(self._state.is_running)
        self._send.setEnabled(not obstacle and not self._is_sending and not self.is_empty)
        self._send.setAccessibleDescription(obstacle)

    def _obstacle(self) -> str:
        """Return why nothing can be sent, or an empty string."""
        return self._too_long() if self._box.characters > MAX_MESSAGE_CHARACTERS else ""

    def _too_long(self) -> str:
        return self.tr("A message can have at most {limit} characters").format(limit=number(MAX_MESSAGE_CHARACTERS))

    def _how_to_send(self) -> Sequence[str]:
        """Return the hint in full, and a shorter form."""
        usual = QKeySequence("Ctrl+Return" if self.needs_ctrl else "Return")
        keys = key_name(usual if self._send_keys is None else self._send_keys)
        now = key_name(self._send_now_keys)
        if not self._state.is_running:
            return [self.tr("{keys} to send").format(keys=keys) if keys else ""]
        queue = self.tr("{keys} to queue").format(keys=keys) if keys else ""
        at_once = self.tr("{keys} to send now").format(keys=now) if now else ""
        return [" · ".join(filter(None, (queue, at_once))), queue]
