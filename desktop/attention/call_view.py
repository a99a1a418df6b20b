"""A call as a card shows it: what decides about it, always in sight, and all of its arguments (UI §6)."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.call_description import CallDescription, ShownValue, Span, Warn
from core.domain.text.masking import MASK
from desktop.attention.shown_text import shown_line, shown_text, translate
from desktop.theme import Icon, Theme
from desktop.translation import number
from desktop.widgets import (
    SHOWN_CHARACTERS,
    Adaptive,
    Button,
    IconButton,
    Label,
    Paragraph,
    ValueSection,
    column_of,
    row_of,
    show_when,
)

_ENDING = 200
_WAIT_SHOWN_MS = 200


class DecidingValues(Adaptive, QWidget):
    """Method, address, command and paths of a call: each with its name, and with the place that it leads to."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._values: tuple[ShownValue, ...] = ()
        self._are_secrets_shown = False
        self._column = column_of(self)
        self._rows: list[QWidget] = []
        show_when(self, False)
        self.adapt_to(theme)

    def show_values(self, values: Sequence[ShownValue], *, are_secrets_shown: bool) -> None:
        """Show these values; none hides the widget."""
        if (tuple(values), are_secrets_shown) != (self._values, self._are_secrets_shown):
            self._values, self._are_secrets_shown = tuple(values), are_secrets_shown
            self.retranslate()
            show_when(self, bool(values))

    def retranslate(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(value) for value in self._values]
        for row in self._rows:
            self._column.addWidget(row)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _row(self, value: ShownValue) -> QWidget:
        row = QWidget()
        line = row_of(row)
        line.setSpacing(self._theme.sizes.space_s)
        name = Label(value.label, "secondary", "muted")
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(Paragraph(shown_line(value.text, () if self._are_secrets_shown else value.secrets), "code"))
        for text in _notes(value):
            texts.addWidget(Paragraph(text, "secondary", "warn"))
        line.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(texts, 1)
        return row


def _notes(value: ShownValue) -> list[str]:
    """Return where the value leads, and what may deceive in it."""
    notes = []
    if value.leads_to is not None:
        notes.append(translate("Attention", "leads to {place}").format(place=shown_line(value.leads_to)))
    if Warn.USER_INFO in value.warnings:
        notes.append(translate("Attention", "What stands before the @ is a user name, not the host."))
    if Warn.LOOK_ALIKE in value.warnings:
        notes.append(translate("Attention", "The host has letters that can look like others."))
    if Warn.CONFINED in value.warnings:
        notes.append(translate("Attention", "Confined: it writes only to the allowed folders."))
    if Warn.UNCONFINED in value.warnings:
        notes.append(translate("Attention", "Not confined: it reaches all that you can, Metier’s keys too."))
    return notes


class CallValues(Adaptive, QWidget):
    """All arguments of a call, each whole. `secrets_shown` is emitted when the secrets are shown or folded."""

    secrets_shown = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.are_secrets_shown = False
        self._secrets = 0
        self._is_complete = True
        self._note = Paragraph("", "secondary", "warn")
        self.show_secrets = Button(theme, "", "link", is_small=True)
        self.show_secrets.clicked.connect(self._toggle)
        self._empty = Label("", "label", "muted")
        self._column = column_of(self, self._note, self.show_secrets, self._empty)
        self._column.setAlignment(self.show_secrets, Qt.AlignmentFlag.AlignLeft)
        self.parts: list[CallValue] = []
        for widget in (self._note, self.show_secrets, self._empty):
            show_when(widget, False)
        self._is_shown = False
        self._late = QTimer(self, singleShot=True, interval=_WAIT_SHOWN_MS)
        self._late.timeout.connect(self._show_wait)
        self._late.start()
        self.adapt_to(theme)

    def show_call(self, description: CallDescription) -> None:
        """Show the arguments."""
        self._late.stop()
        self._is_shown = True
        self._secrets = sum(len(value.secrets) for value in description.values)
        self._is_complete = description.is_complete
        for value in description.values:
            part = CallValue(self._theme, value)
            self.parts.append(part)
            self._column.addWidget(part)
        show_when(self._note, not self._is_complete)
        show_when(self.show_secrets, self._secrets > 0)
        show_when(self._empty, not description.values)
        self.retranslate()

    def retranslate(self) -> None:
        self._note.setText(
            self.tr("The secrets of this call were not kept. It cannot run where it has {mask}.").format(mask=MASK)
        )
        words = (
            self.tr("Fold the secrets") if self.are_secrets_shown else self.tr("Show %n secret(s)", "", self._secrets)
        )
        self.show_secrets.setText(words)
        self._empty.setText(self.tr("No arguments") if self._is_shown else self.tr("Reading the arguments…"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)

    def _show_wait(self) -> None:
        show_when(self._empty, True)

    def _toggle(self) -> None:
        self.are_secrets_shown = not self.are_secrets_shown
        for part in self.parts:
            part.show_secrets(is_shown=self.are_secrets_shown)
        self.retranslate()
        self.secrets_shown.emit()


class CallValue(Adaptive, QWidget):
    """An argument: all of its text, a long one in parts, with its size and its end."""

    def __init__(self, theme: Theme, value: ShownValue) -> None:
        super().__init__()
        self._theme = theme
        self._value = value
        self._are_secrets_shown = False
        self._page = 0
        self._pages = max(1, ceil(len(value.text) / SHOWN_CHARACTERS))
        self.section = ValueSection(theme, self, is_field=True)
        self._size = Label("", "secondary", "muted")
        self.back, self.forward = IconButton(theme, Icon.CHEVRON_LEFT), IconButton(theme, Icon.CHEVRON_RIGHT)
        self.back.clicked.connect(self._go_back)
        self.forward.clicked.connect(self._go_forward)
        self.end = Paragraph("", "secondary", "muted")
        self._pager = QHBoxLayout()
        self._pager.addWidget(self._size, 1)
        self._pager.addWidget(self.back)
        self._pager.addWidget(self.forward)
        self._column = column_of(self, self.section)
        self._column.addLayout(self._pager)
        self._column.addWidget(self.end)
        for widget in (self._size, self.back, self.forward, self.end):
            show_when(widget, self._pages > 1)
        self._show_page()
        self.adapt_to(theme)

    def show_secrets(self, *, is_shown: bool) -> None:
        self._are_secrets_shown = is_shown
        self._show_page()

    def retranslate(self) -> None:
        self.section.describe(self._value.label or self.tr("Arguments"))
        sizes = {"size": number(len(self._value.text)), "part": number(self._page + 1), "parts": number(self._pages)}
        self._size.setText(self.tr("{size} characters, part {part} of {parts}").format(**sizes))
        self.back.describe(self.tr("Previous part"))
        self.forward.describe(self.tr("Next part"))
        ending = max(0, len(self._value.text) - _ENDING)
        end = shown_text(self._value.text[ending:], self._secrets, first=ending, is_line=True).text
        self.end.setText(self.tr("It ends with: {text}").format(text=end))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    @property
    def _secrets(self) -> Sequence[Span]:
        return () if self._are_secrets_shown else self._value.secrets

    def _go_back(self) -> None:
        self._go_to(self._page - 1)

    def _go_forward(self) -> None:
        self._go_to(self._page + 1)

    def _go_to(self, page: int) -> None:
        self._page = min(max(0, page), self._pages - 1)
        self._show_page()

    def _show_page(self) -> None:
        first = self._page * SHOWN_CHARACTERS
        page = shown_text(self._value.text[first : first + SHOWN_CHARACTERS], self._secrets, first=first)
        self.section.show_marked(self._value.text, page.text, page.marks)
        self.back.setEnabled(self._page > 0)
        self.forward.setEnabled(self._page < self._pages - 1)
        self.retranslate()
