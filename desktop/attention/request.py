"""What a person has begun to answer, in a form that can be kept over the end of the window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain.interruption import APPROVAL_SCOPES, CLOSED_STATUS, Action, Answer, InterruptionKind
from core.domain.risk import Risk
from core.domain.text.json_text import encode, indented_json
from core.errors import StepFailed
from core.stores.questions import Question
from desktop.attention.edits import json_equal, state_edits
from desktop.attention.field import FormField
from desktop.attention.form import SchemaForm
from desktop.attention.json_field import EDITED_CHARACTERS, JsonField
from desktop.attention.options import OptionsField
from desktop.attention.request_details import RequestDetails
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.value_views import ValueSection


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """`fields` has what stands in each field of the form, in their order: JSON, None where nobody changed anything.

    What an approval was to cover is not in it: that is chosen anew by who looks at the request again.
    """

    fields: tuple[Any, ...] = ()
    reason: str = ""


_Kind = InterruptionKind
_EDITS = (_Kind.INPUT_REVIEW, _Kind.STATE_EDIT, _Kind.TOOL_APPROVAL)
_FORMS = (_Kind.TOOL_INPUT, _Kind.LOCAL_EXECUTION, _Kind.OUTCOME)
_BUTTONS: Mapping[InterruptionKind, tuple[Action, ...]] = {
    _Kind.APPROVAL: (Action.REJECT, Action.APPROVE),
    _Kind.INPUT_REVIEW: (Action.REJECT, Action.SUBMIT),
    _Kind.STATE_EDIT: (Action.REJECT, Action.SUBMIT),
    _Kind.TOOL_INPUT: (Action.REJECT, Action.SUBMIT),
    _Kind.LOCAL_EXECUTION: (Action.REJECT, Action.SUBMIT),
    _Kind.QUESTION: (Action.SKIP, Action.SUBMIT),
    _Kind.TOOL_APPROVAL: (Action.REJECT, Action.APPROVE),
    _Kind.OUTCOME: (Action.REJECT, Action.SUBMIT, Action.APPROVE),
}


class Request(Adaptive, QWidget):
    """The last button is what goes on; of the others none does more than to end or to skip.

    Emits `edited` when a person changes something in its form. `scope`: what an approval is for.
    """

    edited = Signal()

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self.question = question
        self.reason = ""
        self.scope = APPROVAL_SCOPES[0]
        self._edited: dict[str, JsonField] = {}
        self._form: SchemaForm | None = None
        self._options: OptionsField | None = None
        self._too_large: list[ValueSection] = []
        self._nothing = Paragraph("", "label", "muted")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.facts = RequestDetails(theme, question, shows_values=question.kind not in _EDITS)
        self._column.addWidget(self.facts)
        self._build()
        self._column.addStretch(1)
        self.adapt_to(theme)

    @property
    def kind(self) -> InterruptionKind:
        return self.question.kind

    @property
    def buttons(self) -> tuple[Action, ...]:
        """Its buttons, from left to right."""
        return _BUTTONS[self.kind]

    @property
    def takes_reason(self) -> bool:
        return Action.REJECT in CLOSED_STATUS[self.kind] and self.kind is not _Kind.OUTCOME

    @property
    def takes_scope(self) -> bool:
        return self.kind is _Kind.TOOL_APPROVAL

    @property
    def is_changed(self) -> bool:
        """Whether other arguments stand there than were asked about, or none that can be read."""
        given = self.question.asked.arguments
        readings = [field.read() for field in self._edited.values() if field.is_edited]
        return any(not one.has_value or not json_equal(one.value, given) for one in readings)

    @property
    def first_focus(self) -> FormField | Action:
        """Where focus comes first: a field to be filled in, else the harmless button (UI §6)."""
        fields = self._fields()
        if fields and self.kind not in (_Kind.OUTCOME, _Kind.TOOL_APPROVAL):
            return fields[0]
        is_harmless = self.question.asked.risk is Risk.LOW and self.kind is not _Kind.OUTCOME
        return self.buttons[-1] if is_harmless else self.buttons[0]

    @property
    def begun(self) -> DraftAnswer | None:
        """What a person has written here; None where that is nothing."""
        fields = tuple(field.written if field.is_edited else None for field in self._fields())
        is_begun = bool(self.reason) or any(one is not None for one in fields)
        return DraftAnswer(fields, self.reason) if is_begun else None

    def take_up(self, begun: DraftAnswer) -> None:
        """Have what was begun for this request stand here again, as far as it fits."""
        self.reason = begun.reason
        fields = self._fields()
        if len(begun.fields) == len(fields):
            for field, written in zip(fields, begun.fields, strict=True):
                if written is not None:
                    field.write(written)

    def answer(self, action: Action) -> Answer | None:
        """What a button sends; None where a field is no answer, and says so."""
        match action:
            case Action.SUBMIT:
                return self._submitted()
            case Action.APPROVE if self.kind is _Kind.TOOL_APPROVAL:
                return self._submitted()
            case Action.APPROVE:
                return Answer(Action.APPROVE)
            case Action.REJECT:
                reason = self.reason.strip() if self.takes_reason else ""
                return Answer(Action.REJECT, reason=reason or None)
            case _:
                return Answer(action)

    def pick(self, number: int) -> None:
        """Choose the option of that number, from 1, as a click on it would; without effect where there is none."""
        if self._options is not None:
            self._options.pick(number)

    def first_wrong(self) -> FormField | None:
        """The first field that complains."""
        return next((field for field in self._fields() if field.complaint), None)

    def complain(self, path: str, words: str) -> bool:
        """Show at its field what was not taken. False: no field is at fault."""
        if self._form is not None:
            return self._form.complain(path, words)
        fields = self._fields()
        if len(fields) == 1:
            fields[0].complain(words)
        return len(fields) == 1

    def retranslate(self) -> None:
        if self._form is not None:
            self._form.set_name(self.tr("Result"))
        for (name, field), words in zip(self._edited.items(), self._names(), strict=True):
            field.set_name(words or name)
        for section in self._too_large:
            section.describe(self.tr("Too large to be changed here"))
        self._nothing.setText(self.tr("There is nothing yet: this step reads no result of another one."))
        if self._options is not None:
            self._options.set_name(self.tr("Answer"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)

    # Building

    def _build(self) -> None:
        asked = self.question.asked
        match self.kind:
            case _Kind.INPUT_REVIEW:
                self._edit("", asked.input)
            case _Kind.TOOL_APPROVAL:
                self._edit("", asked.arguments)
            case _Kind.STATE_EDIT:
                outputs = _mapping(asked.outputs)
                for name, output in outputs.items():
                    self._edit(name, output)
                if not outputs:
                    self._column.addWidget(self._nothing)
            case _Kind.QUESTION:
                self._options = OptionsField(self._theme, asked.options, asked.input_schema)
                self._options.edited.connect(self.edited)
                self._column.addWidget(self._options)
            case kind if kind in _FORMS:
                self._form = SchemaForm(self._theme, asked.input_schema)
                self._form.edited.connect(self.edited)
                self._column.addWidget(self._form)

    def _edit(self, name: str, value: Any) -> None:
        if len(_json(value)) > EDITED_CHARACTERS:
            section = ValueSection(self._theme, self, is_field=True)
            section.show_text(indented_json(value))
            self._too_large.append(section)
            self._column.addWidget(section)
            return
        field = JsonField(self._theme, name, given=value)
        field.edited.connect(self.edited)
        self._edited[name] = field
        self._column.addWidget(field)

    def _fields(self) -> Sequence[FormField]:
        if self._form is not None:
            return self._form.fields
        return [self._options] if self._options is not None else list(self._edited.values())

    def _names(self) -> Sequence[str]:
        match self.kind:
            case _Kind.INPUT_REVIEW:
                return [self.tr("Input")] * len(self._edited)
            case _Kind.TOOL_APPROVAL:
                return [self.tr("Arguments")] * len(self._edited)
            case _:
                return [""] * len(self._edited)

    # Reading

    def _submitted(self) -> Answer | None:
        if self._form is not None:
            reading = self._form.read()
            return Answer(Action.SUBMIT, reading.value) if not reading.problem else None
        if self._options is not None:
            reading = self._options.read()
            if reading.problem:
                self._options.complain(reading.problem)
            return Answer(Action.SUBMIT, reading.value) if not reading.problem else None
        return self._edited_answer()

    def _edited_answer(self) -> Answer | None:
        values: dict[str, Any] = {}
        for name, field in self._edited.items():
            reading = field.read()
            if reading.problem:
                field.complain(reading.problem)
                return None
            values[name] = reading.value
        asked = self.question.asked
        if self.kind is _Kind.STATE_EDIT:
            before = _mapping(asked.outputs)
            changed = [
                one for name, value in values.items() for one in state_edits(before[name], value, _pointer(name))
            ]
            return Answer(Action.SUBMIT, changed)
        given = asked.arguments if self.kind is _Kind.TOOL_APPROVAL else asked.input
        if "" not in values or json_equal(values[""], given):
            return Answer(Action.APPROVE, self.scope if self.takes_scope else None)
        return Answer(Action.SUBMIT, values[""])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _pointer(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _json(value: Any) -> str:
    try:
        return encode(value)
    except StepFailed:
        return ""
