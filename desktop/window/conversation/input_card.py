"""The form for missing input of a template or prompt, in place of the composer (AGENTS_AND_TOOLS §9)."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QVBoxLayout, QWidget

from desktop.attention.form import SchemaForm, show_violations
from desktop.attention.slot_card import SlotCard
from desktop.shortcuts.chords import ENTER_KEYS, chord_of
from desktop.shortcuts.command import ActiveKeys
from desktop.theme import Theme
from desktop.widgets import Button, Label, Paragraph, announce, show_when


class InputCard(SlotCard):
    """`ask` shows it and focuses the first field. It stays open until `close_form`."""

    submitted = Signal(object, bool)
    """The values, as an object of the schema, and whether the start may wait for a free slot. Disabled then, until
    `refuse`."""
    cancelled = Signal()
    edited = Signal()
    opened = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("inputs")
        self._is_sending = False
        self._runs = True
        self._form: SchemaForm | None = None
        self._title = Paragraph("", "strong", most_lines=2)
        self._about = Label("", "secondary", "muted")
        self._problem = Paragraph("", "secondary", "error")
        self._submit_button, self._cancel_button = Button(theme, "", "primary"), Button(theme, "", "ghost")
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        self._build()
        self.hide()
        self.adapt_to(theme)

    def ask(self, title: str, schema: Mapping[str, Any], *, runs: bool, takes_focus: bool = True) -> None:
        """Show the form. `runs` selects the texts: a template is started, a prompt is inserted."""
        self._runs = runs
        self._is_sending = False
        self._form = SchemaForm(self._theme, schema)
        self._form.edited.connect(self._on_edited)
        self._title.setText(title)
        self._show_problem("")
        self._replace_page(self._form)
        self.retranslate()
        self.show()
        self._fit()
        if takes_focus:
            self.take_focus()
        self.opened.emit()
        announce(self, f"{self.accessibleName()}. {title}", is_urgent=True)

    @property
    def is_open(self) -> bool:
        return self._form is not None

    @property
    def form(self) -> SchemaForm | None:
        return self._form

    @property
    def problem(self) -> str:
        return self._problem.text()

    def take_focus(self) -> None:
        if self._form is not None and self._form.fields:
            self._form.fields[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refuse(self, text: str, problems: list[Mapping[str, Any]]) -> None:
        """Show why the input was rejected, at the fields where possible, and allow corrections."""
        self._is_sending = False
        form = self._form
        self._show_problem(show_violations(form.show_error if form is not None else None, problems, text))
        self._focus_first_error()

    def close_form(self) -> None:
        """Close the form."""
        if self._form is not None:
            self.hide()
            self._form = None
            self._replace_page(None)
            self.closed.emit()

    def set_keys(self, submit: QKeySequence, cancel: QKeySequence) -> None:
        """Show these keys on the buttons."""
        self._submit_button.set_keys(submit)
        self._cancel_button.set_keys(cancel)

    @property
    def active_keys(self) -> ActiveKeys:
        """The keys that act on the form."""
        labels = {"attention.submit": self._submit_button.text(), "attention.later": self._cancel_button.text()}
        return ActiveKeys(self.accessibleName(), {**labels, "attention.confirm": "", "attention.remember": ""})

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Required input"))
        runs = self._runs
        self._about.setText(self.tr("Required to start:") if runs else self.tr("Fill in what is missing:"))
        submit = self.tr("Start") if runs else self.tr("Insert")
        self._submit_button.setText(submit)
        self._cancel_button.setText(self.tr("Cancel"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._buttons.setSpacing(self._theme.sizes.space_m)
        super().apply_theme()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Submit on Enter in a single-line field, too."""
        # An Enter that is still held from the composer must not submit.
        is_enter = event.key() in ENTER_KEYS and not event.isAutoRepeat()
        is_ours = chord_of(event) in self._actions or isinstance(QApplication.focusWidget(), QAbstractButton)
        if is_enter and not is_ours:
            self._submit()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        for widget in (self._title, self._about, self._scroller, self._problem):
            self._column.addWidget(widget)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self._cancel_button)
        self._buttons.addWidget(self._submit_button)
        self._column.addLayout(self._buttons)
        self._submit_button.clicked.connect(self._submit)
        self._cancel_button.clicked.connect(self.cancelled)

    def submit(self, *, queued: bool = False) -> None:
        """Submit the values if they are valid; `queued`: the start may wait for a free slot."""
        if self._form is None or self._is_sending:
            return
        reading = self._form.read()
        if reading.problem or not reading.has_value:
            self._focus_first_error()
            return
        self._is_sending = True
        self._show_problem("")
        self.submitted.emit(reading.value, queued)

    def _submit(self) -> None:
        self.submit()

    def _cancel(self) -> None:
        self.cancelled.emit()

    def _on_edited(self) -> None:
        self._show_problem("")
        self.edited.emit()

    def _focus_first_error(self) -> None:
        """Focus the first invalid field, with its error in sight, and announce what is wrong."""
        field = self._form.first_error if self._form is not None else None
        if field is not None:
            self._focus_field(field)
        announce(self, self.problem or (field.error if field is not None else ""), is_urgent=True)

    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        show_when(self._problem, bool(text))
        self._submit_button.setEnabled(not self._is_sending)

    def _replace_page(self, form: SchemaForm | None) -> None:
        before = self._scroller.widget()
        self._scroller.show_page(form)
        if before is not None:
            before.deleteLater()
