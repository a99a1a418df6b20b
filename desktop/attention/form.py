"""A form made of a JSON Schema, and what is written in it as a value."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.text.json_text import parse_pointer
from desktop.attention.field import ABSENT, FieldResult, FormField, optional_label
from desktop.attention.fields import CheckField, ChoiceField, LongTextField, NumberField, TextField
from desktop.attention.json_field import JsonField
from desktop.attention.schema import FieldKind, FieldPath, FieldSpec, FormSpec, GroupSpec, field_specs, form_spec
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when


class SchemaForm(Adaptive, QWidget):
    """Emits `edited` when a person changed something."""

    edited = Signal()

    def __init__(self, theme: Theme, schema: Any) -> None:
        super().__init__()
        self._theme = theme
        self._part = form_spec(schema)
        self._fields: dict[FieldPath, FormField] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._build(self._part)
        self.adapt_to(theme)

    @property
    def fields(self) -> Sequence[FormField]:
        return list(self._fields.values())

    def set_name(self, name: str) -> None:
        """What the whole is called where it is a single field without a title of its own."""
        if isinstance(self._part, FieldSpec) and not self._part.name:
            self._fields[()].set_name(name)

    def read(self) -> FieldResult:
        """The value, or the first problem; every field with one shows it."""
        return self._read(self._part, is_counted=True)

    def first_wrong(self) -> FormField | None:
        """The first field that complains."""
        return next((field for field in self._fields.values() if field.complaint), None)

    def complain(self, path: str, words: str) -> bool:
        """Show what is wrong at a JSON pointer, at the field that it leads to or through. False: there is none."""
        try:
            parts = tuple(parse_pointer(path)) if path else ()
        except ValueError:
            return False
        for end in range(len(parts), -1, -1):
            if parts[:end] in self._fields:
                self._fields[parts[:end]].complain(words)
                return True
        return False

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)

    def _build(self, part: FormSpec) -> None:
        if isinstance(part, GroupSpec):
            if part.path and part.name:
                self._column.addWidget(GroupTitle(self._theme, part.name, is_required=part.is_required))
            if part.about:
                self._column.addWidget(Paragraph(part.about, "secondary", "muted"))
            for inner in part.parts:
                self._build(inner)
            return
        field = make_field(self._theme, part)
        field.edited.connect(self.edited)
        self._fields[part.path] = field
        self._column.addWidget(field)

    def _read(self, part: FormSpec, *, is_counted: bool) -> FieldResult:
        """`is_counted`: its problems are problems, since it is needed."""
        if isinstance(part, FieldSpec):
            field = self._fields[part.path]
            reading = field.read()
            if reading.problem and is_counted:
                field.complain(reading.problem)
            return reading
        read = [(inner, self._read(inner, is_counted=False)) for inner in part.parts]
        if not part.is_required and not any(self._is_begun(inner, one) for inner, one in read):
            return ABSENT
        read = [(inner, self._read(inner, is_counted=is_counted)) for inner in part.parts]
        problems = [one.problem for _, one in read if one.problem]
        if problems:
            return FieldResult(problem=problems[0])
        return FieldResult(has_value=True, value={inner.path[-1]: one.value for inner, one in read if one.has_value})

    def _is_begun(self, part: FormSpec, reading: FieldResult) -> bool:
        """Whether a person wrote something there, be it wrong."""
        fields = [self._fields[one.path] for one in field_specs(part)]
        return any(one.is_edited and (reading.has_value or one.complaint) for one in fields)


class GroupTitle(Adaptive, QWidget):
    """Above the fields of an object in an object."""

    def __init__(self, theme: Theme, name: str, *, is_required: bool) -> None:
        super().__init__()
        self._theme = theme
        self._optional = Label("", "secondary", "muted")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(Label(name, "section", "muted"))
        self._row.addWidget(self._optional)
        self._row.addStretch(1)
        show_when(self._optional, not is_required)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._optional.setText(optional_label())

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)


def make_field(theme: Theme, field: FieldSpec) -> FormField:
    """The widget for it."""
    match field.kind:
        case FieldKind.TEXT:
            return TextField(theme, field)
        case FieldKind.LONG_TEXT | FieldKind.TEXTS:
            return LongTextField(theme, field)
        case FieldKind.NUMBER | FieldKind.INTEGER:
            return NumberField(theme, field)
        case FieldKind.BOOLEAN if field.is_required or field.has_default:
            return CheckField(theme, field)
        case FieldKind.BOOLEAN | FieldKind.CHOICE:
            return ChoiceField(theme, field)
        case _:
            return JsonField(
                theme,
                field.name,
                field.about,
                is_required=field.is_required,
                given=field.default,
                is_empty=not field.has_default,
            )
