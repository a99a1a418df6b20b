"""A call as a card shows it: what decides about it, always in sight, and all of its arguments (UI §6)."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.call_description import MOST_RAW, CallDescription, ShownValue, Warn, raw_value
from core.domain.file_diff import Span
from core.domain.text.masking import MASK
from desktop.attention.change_view import ChangeView
from desktop.theme import Icon, Theme
from desktop.translation import number, shown_line, shown_text
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
    set_plain_tool_tip,
    show_when,
)

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_ENDING = 200
_WAIT_SHOWN_MS = 200
_SHORT = 80  # characters of an argument that stands on a line


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
        for note in _reach_notes(value):
            texts.addWidget(note)
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
    return notes


def _reach_notes(value: ShownValue) -> Iterator[Paragraph]:
    """Yield what a command reaches."""
    if Warn.UNCONFINED in value.warnings:
        text = translate("Attention", "Not confined: it reaches all that you can, Metier’s keys too.")
        yield Paragraph(text, "secondary", "warn")
    if Warn.CONFINED_ONLINE in value.warnings:
        text = translate("Attention", "Confined: it writes only to the allowed folders, and may use the network.")
        yield Paragraph(text, "secondary", "warn")
    if Warn.CONFINED in value.warnings:
        text = translate("Attention", "Confined: it writes only to the allowed folders, and has no network.")
        yield Paragraph(text, "secondary", "muted")


class CallValues(Adaptive, QWidget):
    """What a call does to a file, and its arguments, each whole; or all of them as JSON, on request.

    What is in sight above is not repeated. `links` has the buttons below. `secrets_shown` is emitted when the secrets
    are shown or folded.
    """

    secrets_shown = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.are_secrets_shown = False
        self._call: CallDescription | None = None
        self._note = Paragraph("", "secondary", "warn")
        self.show_secrets = Button(theme, "", "link", is_small=True)
        self.show_secrets.clicked.connect(self._toggle)
        self.raw_button = Button(theme, "", "link", is_small=True)
        self.raw_button.setCheckable(True)
        self.raw_button.toggled.connect(self._show_raw)
        self._empty = Label("", "label", "muted")
        self.links = QHBoxLayout()
        self.links.addWidget(self.show_secrets)
        self.links.addStretch(1)
        self.links.addWidget(self.raw_button)
        self._column = column_of(self, self._note)
        self._column.addWidget(self._empty)
        self.change_view: ChangeView | None = None
        self.parts: list[CallValue | CallLine] = []
        self.raw: CallValue | None = None
        self._column.addLayout(self.links)
        for widget in (self._note, self.show_secrets, self.raw_button, self._empty):
            show_when(widget, False)
        self._late = QTimer(self, singleShot=True, interval=_WAIT_SHOWN_MS)
        self._late.timeout.connect(self._show_wait)
        self._late.start()
        self.adapt_to(theme)

    def show_call(self, call: CallDescription) -> None:
        """Show the call. In the place of one that was shown before, whose file has changed."""
        self._late.stop()
        for widget in self._views:
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._call, self.change_view, self.parts, self.raw = call, None, [], None
        covered: set[tuple[str, ...]] = {value.path for value in call.deciding if _is_line(value)}
        if call.change is not None and call.change.diff is not None:
            covered |= {value.path for value in call.values if value.path[:1] and value.path[0] in call.change.covered}
        if call.change is not None:
            self.change_view = ChangeView(self._theme, call.change)
        self.parts = [
            CallLine(self._theme, value) if _is_short(value) else CallValue(self._theme, value)
            for value in call.values
            if value.path not in covered
        ]
        for at, widget in enumerate(self._views):
            self._column.insertWidget(1 + at, widget)
            if self.are_secrets_shown:
                widget.show_secrets(is_shown=True)
        show_when(self._note, not call.is_complete)
        show_when(self.show_secrets, self._secrets > 0)
        show_when(self.raw_button, bool(call.values) and _can_be_raw(call))
        show_when(self._empty, not call.values)
        self.raw_button.setChecked(False)
        self.retranslate()

    def retranslate(self) -> None:
        self._note.setText(
            self.tr("The secrets of this call were not kept. It cannot run where it has {mask}.").format(mask=MASK)
        )
        words = (
            self.tr("Fold the secrets") if self.are_secrets_shown else self.tr("Show %n secret(s)", "", self._secrets)
        )
        self.show_secrets.setText(words)
        self.raw_button.setText(self.tr("Readable") if self.raw_button.isChecked() else self.tr("Raw"))
        set_plain_tool_tip(self.raw_button, self.tr("The arguments as JSON, as they are sent"))
        self._empty.setText(self.tr("No arguments") if self._call is not None else self.tr("Reading the arguments…"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)

    @property
    def _views(self) -> Sequence["ChangeView | CallValue | CallLine"]:
        return [view for view in (self.change_view, *self.parts, self.raw) if view is not None]

    @property
    def _secrets(self) -> int:
        in_values = sum(len(value.secrets) for value in self._call.values) if self._call is not None else 0
        return in_values or (self.change_view.secrets if self.change_view is not None else 0)

    def _show_wait(self) -> None:
        show_when(self._empty, True)

    def _show_raw(self, is_raw: bool) -> None:
        if self.raw is None and is_raw and self._call is not None and (value := raw_value(self._call)) is not None:
            self.raw = CallValue(self._theme, value)
            self.raw.show_secrets(is_shown=self.are_secrets_shown)
            self._column.insertWidget(self._column.indexOf(self.links), self.raw)
        for widget in self._views:
            show_when(widget, (widget is self.raw) is is_raw)
        self.retranslate()

    def _toggle(self) -> None:
        self.are_secrets_shown = not self.are_secrets_shown
        for part in self._views:
            part.show_secrets(is_shown=self.are_secrets_shown)
        self.retranslate()
        self.secrets_shown.emit()


def _is_line(value: ShownValue) -> bool:
    """Return whether the line above shows all of the value."""
    return not value.secrets and shown_line(value.text) == value.text


def _can_be_raw(call: CallDescription) -> bool:
    return isinstance(call.arguments, Mapping) and sum(len(value.text) for value in call.values) <= MOST_RAW


def _is_short(value: ShownValue) -> bool:
    return len(value.text) <= _SHORT and "\n" not in value.text and "\r" not in value.text


class CallLine(Adaptive, QWidget):
    """A short argument, on a line with its name."""

    def __init__(self, theme: Theme, value: ShownValue) -> None:
        super().__init__()
        self._theme = theme
        self._value = value
        self._are_secrets_shown = False
        self._name = Label(value.label, "secondary", "muted")
        self._text = Paragraph("", "code")
        self._line = row_of(self, self._name)
        self._line.setAlignment(self._name, Qt.AlignmentFlag.AlignTop)
        self._line.addWidget(self._text, 1)
        self.adapt_to(theme)

    def show_secrets(self, *, is_shown: bool) -> None:
        self._are_secrets_shown = is_shown
        self.retranslate()

    def retranslate(self) -> None:
        secrets = () if self._are_secrets_shown else self._value.secrets
        text = shown_text(self._value.text, secrets, is_line=True).text
        self._text.setText(text or self.tr("(empty)"))
        if not self._value.path:
            self._name.setText(self.tr("Arguments"))

    def apply_theme(self) -> None:
        self._line.setSpacing(self._theme.sizes.space_s)


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
