"""Forms on a card of the settings: title, fields, a message and buttons."""

from collections.abc import Awaitable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.services.outcome import Failed, Outcome
from desktop.settings.sources.context import SettingsContext
from desktop.translation import number
from desktop.widgets import Adaptive, Button, Card, Label, Paragraph, Tone, announce, show_when
from desktop.widgets.forms.form import Form, FormField


def show_message(owner: QWidget, label: Paragraph, text: str, tone: Tone) -> None:
    """Show a message in its label and announce it for the owner; an empty text hides it."""
    label.setText(text)
    label.set_tone(tone)
    show_when(label, bool(text))
    if text:
        announce(owner, text, is_urgent=tone == "error")


class CardForm(Form, Adaptive, Card):
    """Subclasses fill `_fields`, place the parts in `_column`, and emit `cancelled` when the user cancels."""

    cancelled = Signal()

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._fields: Sequence[FormField] = ()
        self._title, self._message = Label("", "title"), Paragraph("", "label", "error")
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        show_when(self._message, False)

    @property
    def fields(self) -> Sequence[FormField]:
        """All fields, also the invisible."""
        return self._fields

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        return " ".join([self._title.text(), *(field.label for field in self._fields)])

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._buttons.setSpacing(sizes.space_m)

    def _lay_out(self, parts: Sequence[QWidget], buttons: Sequence[Button]) -> None:
        """Place the parts below the title, and the buttons in a row below them."""
        for widget in (self._title, *parts):
            self._column.addWidget(widget)
        for button in buttons:
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._column.addLayout(self._buttons)

    def _show_message(self, text: str, tone: Tone = "error") -> None:
        """Show and announce a message; an empty text hides it."""
        show_message(self, self._message, text, tone)


class EditForm(CardForm):
    """Creates or edits an item, and emits `saved` with the saved item.

    Subclasses place their parts and override `submit`, `failure_text` and `heading`.
    """

    saved = Signal(object)

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._is_saving = False
        self._save, self._cancel = Button(self._theme, kind="primary"), Button(self._theme)
        self._save.clicked.connect(self._on_save)
        self._cancel.clicked.connect(self.cancelled)

    def submit(self) -> Awaitable[Outcome[Any]] | None:
        """Start saving the current content; return None if the form has already shown why it cannot be saved."""
        raise NotImplementedError

    def failure_text(self, failed: Failed) -> str:
        """Return the error text of a failed save."""
        raise NotImplementedError

    def heading(self) -> str:
        """Return the title."""
        raise NotImplementedError

    def retranslate(self) -> None:
        self._title.setText(self.heading())
        self._cancel.setText(self.tr("Cancel"))

    def _place(self, parts: Sequence[QWidget], fields: Sequence[FormField]) -> None:
        """Place the parts, which contain all of the fields, above the message."""
        self._fields = fields
        self._lay_out([*parts, self._message], [self._save, self._cancel])

    def _begin(self) -> None:
        """Show the title of another item, without the errors of the previous."""
        self.clear_errors()
        self._show_message("")
        self._title.setText(self.heading())

    def _show_length(self, field: FormField, label: str, length: int, limit: int) -> None:
        """Show the length of a text as help of its field, or as its error if it is too long."""
        counted = self.tr("{count} of {most} characters").format(count=number(length), most=number(limit))
        field.describe(label, counted)
        field.show_error(counted if length > limit else "")

    def _on_save(self) -> None:
        if not self._is_saving and (work := self.submit()) is not None:
            self._is_saving = True
            name = f"save by a {type(self).__name__}"
            self._context.operations.run(self._saving(work), name, success=self._on_saved, failure=self._show_failure)

    async def _saving(self, work: Awaitable[Outcome[Any]]) -> Outcome[Any]:
        try:
            return await work
        finally:
            self._is_saving = False

    def _on_saved(self, item: object) -> None:
        self._show_message("")
        self.saved.emit(item)

    def _show_failure(self, failed: Failed) -> None:
        self._show_message(self.failure_text(failed))
