"""A draft of an answer, in a form that can be saved when the window closes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QWidget

from core.domain.access import Place, access_scopes, places_of
from core.domain.call_description import CallDescription, ShownValue
from core.domain.input_schema import properties_of
from core.domain.interruption import (
    APPROVAL_SCOPES,
    CALL_KINDS,
    CLOSED_STATUS,
    Action,
    Answer,
    InterruptionKind,
)
from core.domain.risk import Risk
from core.domain.text.json_text import encode, indented_json, pointer_to
from core.errors import StepFailed
from core.stores.questions import Question
from desktop.attention.attention_strings import action_label, place_label, shown_address
from desktop.attention.call_view import CallValues
from desktop.attention.edits import json_equal, state_edits
from desktop.attention.field import ValueField
from desktop.attention.form import SchemaForm
from desktop.attention.json_field import EDITED_CHARACTERS, JsonField, masked_json
from desktop.attention.options import OptionsField
from desktop.attention.request_details import RequestDetails
from desktop.theme import Theme
from desktop.widgets import Adaptive, Button, Paragraph, ValueSection, column_of, show_when
from desktop.widgets.forms.form import Form

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """The content of each form field, in their order (JSON; None for an unchanged field), and the reason for a
    rejection.

    The scope of an approval is not part of it: the user chooses it again on a second look at the request.
    """

    fields: tuple[Any, ...] = ()
    reason: str = ""


_Kind = InterruptionKind
_EDITS = (_Kind.INPUT_REVIEW, _Kind.STATE_EDIT)
_CALLS = (*CALL_KINDS, _Kind.APPROVAL, _Kind.TOOL_INPUT, _Kind.OUTCOME)
_FORMS = (_Kind.TOOL_INPUT, _Kind.LOCAL_EXECUTION, _Kind.OUTCOME, _Kind.ELICITATION)
_WITHOUT_REASON = (_Kind.OUTCOME, _Kind.ROUNDS, _Kind.SPENDING, _Kind.ELICITATION)
# From left to right. The last button continues the run; a mistaken press of another must do little harm.
_BUTTONS: Mapping[InterruptionKind, tuple[Action, ...]] = {
    _Kind.APPROVAL: (Action.REJECT, Action.APPROVE),
    _Kind.INPUT_REVIEW: (Action.REJECT, Action.SUBMIT),
    _Kind.STATE_EDIT: (Action.REJECT, Action.SUBMIT),
    _Kind.TOOL_INPUT: (Action.REJECT, Action.SUBMIT),
    _Kind.LOCAL_EXECUTION: (Action.REJECT, Action.SUBMIT),
    _Kind.QUESTION: (Action.SKIP, Action.SUBMIT),
    _Kind.TOOL_APPROVAL: (Action.REJECT, Action.APPROVE),
    _Kind.OUTCOME: (Action.REJECT, Action.SUBMIT, Action.APPROVE),
    _Kind.ROUNDS: (Action.REJECT, Action.APPROVE),
    _Kind.SPENDING: (Action.REJECT, Action.APPROVE),
    _Kind.ACCESS: (Action.REJECT, Action.APPROVE),
    _Kind.ELICITATION: (Action.SKIP, Action.REJECT, Action.SUBMIT),
}


class Request(Form, Adaptive, QWidget):
    """The last button continues the run; each other button only ends it or skips.

    Emits `edited` on user changes to its form. `scope` is the scope of an approval. A request about a call waits for
    `show_call`: until then nothing is approved. `deciding_changed` is emitted when `deciding` or `are_secrets_shown`
    change, `confirmed` when the user answers a question on one of its options.
    """

    edited = Signal()
    confirmed = Signal()
    deciding_changed = Signal()

    def __init__(self, theme: Theme, question: Question) -> None:
        super().__init__()
        self._theme = theme
        self.question = question
        self.reason = ""
        self._saved_change: Any = None
        self.scope = APPROVAL_SCOPES[int(question.kind is _Kind.ACCESS)]
        self._editors: dict[str, JsonField] = {}
        self._form: SchemaForm | None = None
        self.options: OptionsField | None = None
        self._too_large: list[ValueSection] = []
        self._no_outputs = Paragraph("", "label", "muted")
        self.call: CallDescription | None = None
        self.was_seen = False
        self.call_view = CallValues(theme)
        self.call_view.secrets_shown.connect(self.deciding_changed)
        self.change_button = Button(theme, "", "link", is_small=True)
        self.change_button.clicked.connect(self._change)
        self._column = column_of(self)
        self.facts = RequestDetails(
            theme, question, shows_values=not self.is_about_call and question.kind not in _EDITS
        )
        self._column.addWidget(self.facts)
        self._column.addWidget(self.call_view)
        self.call_view.links.insertWidget(0, self.change_button)
        show_when(self.call_view, self.is_about_call)
        show_when(self.change_button, False)
        self._build()
        self._column.addStretch(1)
        self.adapt_to(theme)

    @property
    def kind(self) -> InterruptionKind:
        return self.question.kind

    @property
    def is_about_call(self) -> bool:
        """Whether it shows a call of a tool, which it does not know before `show_call`."""
        asked = self.question.asked
        return self.kind in _CALLS and asked.tool is not None and asked.arguments is not None

    @property
    def is_ready(self) -> bool:
        """Whether all that is approved can be seen."""
        return self.call is not None or not self.is_about_call

    @property
    def deciding(self) -> Sequence[ShownValue]:
        """The values that are always in sight; none while the user changes the arguments."""
        called = self.call.deciding if self.call is not None and not self.is_changed else ()
        places = (ShownValue((place_label(place),), place.name) for place in self.places)
        return (*places, *shown_address(self.question.asked), *called)

    @property
    def places(self) -> Sequence[Place]:
        """What a request for access is about."""
        return places_of(self.question.asked.options) if self.kind is _Kind.ACCESS else ()

    def show_call(self, call: CallDescription) -> None:
        """Show the call that the request is about, or show it again if its file has changed. A saved change of the
        arguments is restored.
        """
        if not self.is_about_call:
            return
        self.call = call
        self.call_view.show_call(call)
        can_change = self.kind is _Kind.TOOL_APPROVAL and len(_json(call.arguments)) <= EDITED_CHARACTERS
        show_when(self.change_button, can_change and "" not in self._editors)
        if can_change and "" not in self._editors and self._saved_change is not None:
            self._change()
            self._editors[""].set_raw_value(self._saved_change)
        self.deciding_changed.emit()
        self.edited.emit()

    @property
    def buttons(self) -> tuple[Action, ...]:
        """The actions of the buttons, from left to right."""
        return _BUTTONS[self.kind]

    def label_of(self, action: Action) -> str:
        """Return the label of a button."""
        if self.kind is _Kind.ELICITATION and action is Action.SUBMIT and self.question.asked.options is not None:
            return translate("Attention", "Open in the browser")
        return action_label(self.kind, action, self.places)

    @property
    def access_scopes(self) -> Sequence[str]:
        """What a request for access can be granted for; empty for any other."""
        return access_scopes(self.question.asked.options) if self.kind is _Kind.ACCESS else ()

    @property
    def submit_action(self) -> Action:
        """The action of the key that submits."""
        return Action.SUBMIT if Action.SUBMIT in self.buttons else Action.APPROVE

    @property
    def reject_action(self) -> Action | None:
        """The action of the key that rejects or skips; None where that would be a claim."""
        return self.buttons[0] if self.kind is not _Kind.OUTCOME else None

    @property
    def takes_reason(self) -> bool:
        return Action.REJECT in CLOSED_STATUS[self.kind] and self.kind not in _WITHOUT_REASON

    @property
    def takes_scope(self) -> bool:
        return self.kind in CALL_KINDS

    @property
    def is_changed(self) -> bool:
        """Whether the arguments differ from the requested arguments, or are invalid."""
        arguments = self.call.arguments if self.call is not None else self.question.asked.arguments
        results = [field.read() for field in self._editors.values() if field.is_edited]
        return any(not result.has_value or not json_equal(result.value, arguments) for result in results)

    @property
    def first_focus(self) -> ValueField | Action | None:
        """The field or button to focus first: a field to fill in, else the harmless button (UI §6). None is *Later*:
        each answer about an unknown outcome is a claim, which the run acts on.
        """
        if self.kind is _Kind.OUTCOME:
            return None
        if self.fields and self.kind is not _Kind.TOOL_APPROVAL:
            return self.fields[0]
        # Enter on a focused button approves: with any risk the focus starts on the rejecting button (UI §6).
        return self.buttons[-1] if self.question.asked.risk is Risk.LOW else self.buttons[0]

    @property
    def draft(self) -> DraftAnswer | None:
        """The user's draft; None if there is none."""
        fields: tuple[Any, ...] = tuple(field.raw_value if field.is_edited else None for field in self.fields)
        if self.kind is _Kind.TOOL_APPROVAL:  # its secrets are not for the disk
            fields = tuple(masked_json(text) if isinstance(text, str) else None for text in fields)
        is_begun = bool(self.reason) or any(value is not None for value in fields)
        return DraftAnswer(fields, self.reason) if is_begun else None

    def restore_draft(self, begun: DraftAnswer) -> None:
        """Restore a draft, as far as it fits."""
        self.reason = begun.reason
        if self.kind is _Kind.TOOL_APPROVAL:
            self._saved_change = next(iter(begun.fields), None)
            return
        fields = self.fields
        if len(begun.fields) == len(fields):
            for field, written in zip(fields, begun.fields, strict=True):
                if written is not None:
                    field.set_raw_value(written)

    def answer(self, action: Action) -> Answer | None:
        """Return the answer of a button; None where a field is invalid, which then shows its error, and for an approval
        of what is not seen yet.
        """
        if action is self.buttons[-1] and not self.is_ready:
            return None
        match action:
            case Action.SUBMIT:
                return self._submitted()
            case Action.APPROVE if self.takes_scope:
                return self._submitted()
            case Action.APPROVE:
                return Answer(Action.APPROVE)
            case Action.REJECT:
                reason = self.reason.strip() if self.takes_reason else ""
                return Answer(Action.REJECT, reason=reason or None)
            case _:
                return Answer(action)

    def show_error(self, path: str, text: str) -> bool:
        """Show an error at its field. Return False if it belongs to no field."""
        if self._form is not None:
            return self._form.show_error(path, text)
        fields = self.fields
        if len(fields) == 1:
            fields[0].show_error(text)
        return len(fields) == 1

    def retranslate(self) -> None:
        if self._form is not None:
            self._form.set_name(self.tr("Result"))
        for (name, field), text in zip(self._editors.items(), self._editor_names(), strict=True):
            field.set_name(text or name)
        for section in self._too_large:
            section.describe(self.tr("Too large to be changed here"))
        self.change_button.setText(self.tr("Change the arguments"))
        self._no_outputs.setText(self.tr("There is nothing yet: this step reads no result of another one."))
        if self.options is not None:
            self.options.set_name(self.tr("Answer"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)

    # Building

    def _build(self) -> None:
        asked = self.question.asked
        match self.kind:
            case _Kind.INPUT_REVIEW:
                self._add_editor("", asked.input)
            case _Kind.STATE_EDIT:
                outputs = _mapping(asked.outputs)
                for name, output in outputs.items():
                    self._add_editor(name, output)
                if not outputs:
                    self._column.addWidget(self._no_outputs)
            case _Kind.QUESTION:
                self.options = OptionsField(self._theme, asked.options, asked.input_schema)
                self.options.edited.connect(self.edited)
                self.options.confirmed.connect(self.confirmed)
                self._column.addWidget(self.options)
            case _Kind.ELICITATION if not properties_of(asked.input_schema):
                pass  # an address, or no more than a confirmation
            case kind if kind in _FORMS:
                self._form = SchemaForm(self._theme, asked.input_schema)
                self._form.edited.connect(self.edited)
                self._column.addWidget(self._form)

    def _change(self) -> None:
        """Show the arguments as JSON to be edited, in the place of their values."""
        if self.call is None or "" in self._editors:
            return
        self.call_view.hide()
        self.change_button.hide()
        self._add_editor("", self.call.arguments)
        self.retranslate()
        self._editors[""].show()
        self._editors[""].setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_editor(self, name: str, value: Any) -> None:
        # Qt lays out the whole document after each key.
        if len(_json(value)) > EDITED_CHARACTERS:
            section = ValueSection(self._theme, self, is_field=True)
            section.show_text(indented_json(value))
            self._too_large.append(section)
            self._column.addWidget(section)
            return
        field = JsonField(self._theme, name, value=value)
        field.edited.connect(self.edited)
        field.edited.connect(self.deciding_changed)
        self._editors[name] = field
        at = self._column.indexOf(self.call_view) + 1 + len(self._editors) + len(self._too_large)
        self._column.insertWidget(at - 1, field)

    @property
    def fields(self) -> Sequence[ValueField]:
        """The fields of the form, in tab order."""
        if self._form is not None:
            return self._form.fields
        return [self.options] if self.options is not None else list(self._editors.values())

    def _editor_names(self) -> Sequence[str]:
        match self.kind:
            case _Kind.INPUT_REVIEW:
                return [self.tr("Input")] * len(self._editors)
            case _Kind.TOOL_APPROVAL:
                return [self.tr("Arguments")] * len(self._editors)
            case _:
                return [""] * len(self._editors)

    # Reading

    def _submitted(self) -> Answer | None:
        if self._form is not None:
            result = self._form.read()
            return Answer(Action.SUBMIT, result.value) if not result.problem else None
        if self.options is not None:
            result = self.options.read()
            if result.problem:
                self.options.show_error(result.problem)
            return Answer(Action.SUBMIT, result.value) if not result.problem else None
        if self.kind is _Kind.ELICITATION:
            return Answer(Action.SUBMIT, {} if self.question.asked.options is None else None)
        return self._edited_answer()

    def _edited_answer(self) -> Answer | None:
        values: dict[str, Any] = {}
        for name, field in self._editors.items():
            result = field.read()
            if result.problem:
                field.show_error(result.problem)
                return None
            values[name] = result.value
        asked = self.question.asked
        if self.kind is _Kind.STATE_EDIT:
            before = _mapping(asked.outputs)
            changed = [
                edit for name, value in values.items() for edit in state_edits(before[name], value, pointer_to(name))
            ]
            return Answer(Action.SUBMIT, changed)
        original = self.call.arguments if self.call is not None else asked.input
        # Arguments that were not opened for a change are approved as they came, with the scope.
        if "" not in values or json_equal(values[""], original):
            return Answer(Action.APPROVE, self.scope if self.takes_scope else None)
        return Answer(Action.SUBMIT, values[""])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _json(value: Any) -> str:
    try:
        return encode(value)
    except StepFailed:
        return ""
