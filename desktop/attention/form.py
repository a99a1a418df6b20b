"""A form built from a JSON Schema, which is read as a value."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.domain.text.json_text import parse_pointer
from desktop.attention.attention_strings import violation_text
from desktop.attention.field import ABSENT, FieldResult, ValueField, optional_label
from desktop.attention.fields import CheckField, ChoiceField, ChoicesField, LongTextField, NumberField, TextField
from desktop.attention.json_field import JsonField
from desktop.attention.place_field import PlaceField
from desktop.attention.schema import FieldKind, FieldPath, FieldSpec, FormSpec, GroupSpec, field_specs, form_spec
from desktop.theme import Theme
from desktop.widgets import Adaptive, Label, Paragraph, column_of, row_of, show_when
from desktop.widgets.forms.form import Form


class SchemaForm(Form, Adaptive, QWidget):
    """Emits `edited` on user changes."""

    edited = Signal()

    def __init__(self, theme: Theme, schema: Any) -> None:
        super().__init__()
        self._theme = theme
        self._part = form_spec(schema)
        self._fields: dict[FieldPath, ValueField] = {}
        self._column = column_of(self)
        self._build(self._part)
        self._initial = [field.raw_value for field in self.fields]
        self.adapt_to(theme)

    @property
    def fields(self) -> Sequence[ValueField]:
        return list(self._fields.values())

    def edited_values(self) -> tuple[Any, ...]:
        """Return the raw contents for a draft; None for a field that is as it was at first."""
        pairs = zip(self.fields, self._initial, strict=True)
        return tuple(field.raw_value if field.raw_value != at_first else None for field, at_first in pairs)

    def restore(self, values: Sequence[Any]) -> None:
        """Restore a draft, as far as it fits."""
        if len(values) == len(self._fields):
            for field, value in zip(self.fields, values, strict=True):
                if value is not None:
                    field.set_raw_value(value)

    def set_name(self, name: str) -> None:
        """Set the title of a form that is a single field without a title."""
        if isinstance(self._part, FieldSpec) and not self._part.name:
            self._fields[()].set_name(name)

    def read(self) -> FieldResult:
        """Return the value, or the first problem after showing the error of each invalid field."""
        return self._read(self._part, is_counted=True)

    def show_error(self, path: str, text: str) -> bool:
        """Show an error at the field that a JSON pointer leads to or through. Return False if there is none."""
        try:
            parts = tuple(parse_pointer(path)) if path else ()
        except ValueError:
            return False
        # The path may lead into a value that is edited as a whole, such as JSON or a list.
        for end in range(len(parts), -1, -1):
            if parts[:end] in self._fields:
                self._fields[parts[:end]].show_error(text)
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
        """Read a part; with `is_counted`, show its problems, since its value is needed."""
        if isinstance(part, FieldSpec):
            field = self._fields[part.path]
            result = field.read()
            if result.problem and is_counted:
                field.show_error(result.problem)
            return result
        # An optional object counts only once the user has entered something in it, so it is read twice.
        results = [(inner, self._read(inner, is_counted=False)) for inner in part.parts]
        if not part.is_required and not any(self._is_begun(inner, result) for inner, result in results):
            return ABSENT
        results = [(inner, self._read(inner, is_counted=is_counted)) for inner in part.parts]
        problems = [result.problem for _, result in results if result.problem]
        if problems:
            return FieldResult(problem=problems[0])
        return FieldResult(
            has_value=True, value={inner.path[-1]: result.value for inner, result in results if result.has_value}
        )

    def _is_begun(self, part: FormSpec, result: FieldResult) -> bool:
        """Return whether the user entered anything in this part, valid or not."""
        fields = [self._fields[spec.path] for spec in field_specs(part)]
        return any(field.is_edited and (result.has_value or field.error) for field in fields)


class GroupTitle(Adaptive, QWidget):
    """The heading above the fields of a nested object."""

    def __init__(self, theme: Theme, name: str, *, is_required: bool) -> None:
        super().__init__()
        self._theme = theme
        self._optional = Label("", "secondary", "muted")
        self._row = row_of(self)
        self._row.addWidget(Label(name, "section", "muted"))
        self._row.addWidget(self._optional)
        self._row.addStretch(1)
        show_when(self._optional, not is_required)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        self._optional.setText(optional_label())

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)


def make_field(theme: Theme, field: FieldSpec) -> ValueField:
    """Return the widget for a field specification."""
    match field.kind:
        case FieldKind.TEXT:
            return TextField(theme, field)
        case FieldKind.FOLDER | FieldKind.FILE:
            return PlaceField(theme, field)
        case FieldKind.LONG_TEXT | FieldKind.TEXTS:
            return LongTextField(theme, field)
        case FieldKind.NUMBER | FieldKind.INTEGER:
            return NumberField(theme, field)
        case FieldKind.BOOLEAN if field.is_required or field.has_default:
            return CheckField(theme, field)
        case FieldKind.BOOLEAN | FieldKind.CHOICE:
            return ChoiceField(theme, field)
        case FieldKind.CHOICES:
            return ChoicesField(theme, field)
        case _:
            return JsonField(
                theme,
                field.name,
                field.about,
                is_required=field.is_required,
                value=field.default,
                is_empty=not field.has_default,
            )


def show_violations(
    show_error: Callable[[str, str], bool] | None, violations: Sequence[Mapping[str, Any]], otherwise: str
) -> str:
    """Show each violation at its field by `show_error(path, text)`. Return the texts that belong to no field, and
    `otherwise` without violations.
    """
    if not violations:
        return otherwise
    unplaced = []
    for violation in violations:
        text = violation_text(str(violation.get("message", "")))
        if show_error is None or not show_error(str(violation.get("path", "")), text):
            unplaced.append(text)
    return "\n".join(unplaced)
