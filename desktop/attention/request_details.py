"""The read-only part of a request: prompt, tool, risk and the values in question."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.domain.interruption import ASKED_IN_CALLS, InterruptionKind
from core.domain.risk import Risk
from core.domain.text.json_text import indented_json
from core.domain.tool import is_sampling, mcp_server_of
from core.stores.questions import Question
from desktop.attention.attention_strings import (
    asker_name,
    change_differences,
    change_summary,
    risk_label,
    server_label,
    server_sentence,
)
from desktop.theme import Theme, tool_icon
from desktop.translation import request_sentence
from desktop.widgets import Adaptive, ElidedLabel, IconLabel, Label, Paragraph, Tone, ValueSection, column_of, show_when

_TONES: dict[Risk, Tone] = {Risk.LOW: "muted", Risk.MEDIUM: "warn", Risk.HIGH: "error"}


class RequestDetails(Adaptive, QWidget):
    """Shows foreign text verbatim, as plain text."""

    def __init__(self, theme: Theme, question: Question, *, shows_values: bool) -> None:
        super().__init__()
        self._theme = theme
        self._question = question
        asked = question.asked
        self._prompt = Paragraph("", "label")
        self._sentence = Paragraph("", "secondary", "muted")
        self._column = column_of(self, self._prompt, self._sentence)
        self._tool = QHBoxLayout()
        self._risk = Label("", "secondary")
        self._server = Label("", "secondary", "muted")
        # A question is asked by a tool too, whose name means nothing to the user.
        if asked.tool is not None and asked.kind not in ASKED_IN_CALLS and not is_sampling(asked.tool):
            self._tool.addWidget(IconLabel(theme, tool_icon(asked.tool)))
            self._tool.addWidget(ElidedLabel(asked.tool, "code"), 1)
            self._tool.addWidget(self._server)
            self._tool.addWidget(self._risk)
            self._column.addLayout(self._tool)
        self._changed = Paragraph("", "label", "warn")
        self._differences = ValueSection(theme, self)
        self._column.addWidget(self._changed)
        self._column.addWidget(self._differences)
        if asked.kind is InterruptionKind.QUESTION and (background := _context(asked.input)):
            self._column.addWidget(Paragraph(background, "label", "muted"))
        self.section: ValueSection | None = None
        value = self._value() if shows_values else None
        if value not in (None, {}, [], ""):
            self.section = ValueSection(theme, self, is_field=True)
            self.section.show_text(value if isinstance(value, str) else indented_json(value))
            self._column.addWidget(self.section)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        asked = self._question.asked
        sentence = request_sentence(asked.kind, asker_name(self._question), asked.tool, asked.options)
        self._prompt.setText(asked.prompt or sentence)
        is_outcome = bool(asked.prompt) and asked.kind is InterruptionKind.OUTCOME
        self._sentence.setText(sentence if is_outcome else server_sentence(self._question))
        show_when(self._sentence, bool(self._sentence.text()))
        server = mcp_server_of(asked.tool) if asked.tool is not None else None
        self._server.setText(server_label(server) if server is not None else "")
        if asked.risk is not None:
            self._risk.setText(risk_label(asked.risk))
            self._risk.set_tone(_TONES[asked.risk])
        changes = _changes_of(asked.options) if asked.kind is InterruptionKind.TOOL_APPROVAL else []
        self._changed.setText(change_summary(changes))
        show_when(self._changed, bool(changes))
        differences = change_differences(changes)
        self._differences.describe(self.tr("What has changed"))
        self._differences.show_text(differences)
        show_when(self._differences, bool(differences))
        if self.section is not None:
            is_tool = asked.tool is not None
            self.section.describe(self.tr("Arguments") if is_tool else self.tr("Input"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_s)
        self._tool.setSpacing(sizes.space_s)

    def _value(self) -> Any:
        asked = self._question.asked
        if asked.kind in ASKED_IN_CALLS:
            return None
        if asked.arguments is not None:
            return asked.arguments
        return asked.input


def _context(arguments: Any) -> str:
    """Return the background that the agent gave with a question."""
    background = arguments.get("context") if isinstance(arguments, Mapping) else None
    return background if isinstance(background, str) else ""


def _changes_of(options: Any) -> Sequence[Mapping[str, Any]]:
    """Return how the tool differs from what the user approved before."""
    changed = options.get("changed") if isinstance(options, Mapping) else None
    return [change for change in changed if isinstance(change, Mapping)] if isinstance(changed, list | tuple) else []
