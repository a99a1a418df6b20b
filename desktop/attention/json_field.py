"""A field for a value written as JSON, validated while it is typed."""

import json
from math import ceil
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextOption

from core.domain.text.hidden import escape_hidden
from core.domain.text.json_text import parse
from core.domain.text.masking import masked, masked_text
from desktop.attention.field import FieldResult, MultiLineField
from desktop.theme import Theme
from desktop.translation import number

EDITED_CHARACTERS = 100_000
"""What is longer is shown elsewhere, and not edited here: Qt lays out the whole of it at each key."""

_LEAST_LINES, _MOST_LINES = 3, 16
_AT_ONCE = 10_000
_PAUSE_MS = 200


class JsonField(MultiLineField):
    """Starts with `given` as JSON, or empty with `is_empty`. Long texts are validated when typing pauses."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        about: str = "",
        *,
        is_required: bool = True,
        value: Any = None,
        is_empty: bool = False,
    ) -> None:
        text = "" if is_empty else escape_hidden(json.dumps(value, indent=2, ensure_ascii=False))
        self._given, self._given_text = value, text
        super().__init__(theme, name, about, text, is_required=is_required)
        self._box.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._check)
        self.adapt_to(theme)

    def read(self) -> FieldResult:
        text = self._box.text()
        if not text.strip():
            return self._missing()
        if text == self._given_text:  # the very value, whatever JSON cannot tell apart
            return FieldResult(has_value=True, value=self._given)
        try:
            return FieldResult(has_value=True, value=parse(text))
        except json.JSONDecodeError as error:
            text = self.tr("This is no JSON: line {line}, column {column}.")
            return FieldResult(problem=text.format(line=number(error.lineno), column=number(error.colno)))
        except ValueError:
            return FieldResult(problem=self.tr("This is no JSON: a number is too large, or it is nested too deeply."))

    def retranslate(self) -> None:
        super().retranslate()
        self._box.setPlaceholderText(self.tr("JSON: a text in quotation marks, a number, {…} or […]"))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._box.setFont(self._theme.font("code_small"))
        self._fit()

    def _on_text(self) -> None:
        super()._on_text()
        self._fit()
        # Parsing a long text at each key would be felt.
        if self._box.document().characterCount() <= _AT_ONCE:
            self._check()
        else:
            self._pause.start()

    def _check(self) -> None:
        """Validate the text; an empty text is not an error yet."""
        if self._box.document().characterCount() > 1:
            self.show_error(self.read().problem)

    def _fit(self) -> None:
        """Size the editor to its text, within bounds."""
        lines = min(max(self._box.document().blockCount(), _LEAST_LINES), _MOST_LINES)
        sizes = self._theme.sizes
        around = 2 * (sizes.space_s + sizes.focus_ring + ceil(self._box.document().documentMargin()))
        self._box.setFixedHeight(lines * self._box.fontMetrics().lineSpacing() + around)


def masked_json(text: str) -> str:
    """Return the JSON of arguments without secrets, also where it is no JSON yet."""
    try:
        return escape_hidden(json.dumps(masked(parse(text)), indent=2, ensure_ascii=False))
    except ValueError:
        return masked_text(text)
