"""The details of the opened item."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.changed_files import ShownChange
from core.domain.file_diff import FileDiff
from core.domain.text.json_text import indented_json
from core.domain.tool import COMMAND_TOOL
from core.stores.activity_details import ActivityDetail
from core.stores.activity_items import ActivityItem, ActivityKind
from desktop.activity.activity_strings import item_state_text, item_title, progress_text
from desktop.theme import Icon, Theme
from desktop.translation import compact, diff_rows, duration, time_of_day
from desktop.widgets import (
    Adaptive,
    DiffSection,
    ElidedLabel,
    IconButton,
    Paragraph,
    Surface,
    ValueSection,
    language_of,
)

_MOST_DIFF_LINES = 12


class DetailPane(Adaptive, Surface):
    """Emits `closed` when × is pressed."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("app", "top", parent)
        self._theme = theme
        self._shown: tuple[ActivityItem, ActivityDetail] | None = None
        self._change: FileDiff | None = None
        self._title = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self.close_button = IconButton(theme, Icon.X)
        self.close_button.clicked.connect(self._close)
        self._facts = Paragraph("", "secondary", "muted")
        self.arguments, self.result, self.errors, self.console = (ValueSection(theme, self) for _ in range(4))
        self.changes = DiffSection(theme, self)
        self.changes.view.set_most_lines(_MOST_DIFF_LINES)
        self._header = QHBoxLayout()
        self._header.addWidget(self._title, 1)
        self._header.addWidget(self.close_button)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._header)
        for part in (self._facts, self.errors, self.changes, self.arguments, self.console, self.result):
            self._column.addWidget(part)
        self.adapt_to(theme)

    def show_item(self, item: ActivityItem, detail: ActivityDetail) -> bool:
        """Show an item. Return False if it is shown already."""
        if self._shown is not None and self._shown[0] is item and self._shown[1] == detail:
            return False
        self._shown = item, detail
        self.changes.hide()
        is_live = detail.is_live and bool(detail.console)
        output, result = _command_result(item, detail.result) or (detail.console, detail.result)
        arguments = _command_text(item, detail.arguments) or detail.arguments
        for section, is_there, value in (
            (self.errors, bool(detail.errors), _errors_text(detail)),
            (self.arguments, detail.has_arguments and not is_live, arguments),
            (self.result, detail.has_result, result),
        ):
            if is_there:
                section.show_text(value if isinstance(value, str) else indented_json(value))
            else:
                section.hide()
        if output and is_live:
            self.console.show_end(output)
        elif output:
            self.console.show_text(output)
        else:
            self.console.hide()
        self.retranslate()
        return True

    @property
    def shown_id(self) -> str | None:
        """The id of the shown item."""
        return self._shown[0].id if self._shown is not None else None

    def show_result(self, text: str) -> None:
        """Show the complete result of the opened item, of a command its output as text."""
        value: Any = text
        if self._shown is not None and self._shown[0].name == COMMAND_TOOL:
            with suppress(ValueError):
                value = json.loads(text)
            if (parts := _command_result(self._shown[0], value)) is not None:
                output, value = parts
                self.console.show_text(output) if output else self.console.hide()
        self.result.show_text(value if isinstance(value, str) else indented_json(value))

    def show_change(self, change: ShownChange) -> None:
        """Show what the opened call changed of a file."""
        if change.diff is not None and change.diff.lines:
            self._change = change.diff
            self.changes.view.show_rows(diff_rows(change.diff), language_of(change.file.path))
            self.changes.show()
            self.arguments.hide()  # they say the same, and there is little room
            self.retranslate()

    def clear(self) -> None:
        """Show the next item anew, even if it is the same."""
        self._shown = None

    def retranslate(self) -> None:
        self.close_button.describe(self.tr("Close"))
        is_thought = self._shown is not None and self._shown[0].kind is ActivityKind.REASONING
        self.result.describe(self.tr("Reasoning") if is_thought else self.tr("Result"))
        self.errors.describe(self.tr("Errors"))
        if self._change is not None:
            self.changes.describe(self.tr("Changes"), added=self._change.added, removed=self._change.removed)
        is_command = self._shown is not None and self._shown[0].name == COMMAND_TOOL
        self.console.describe(self.tr("Output") if is_command else self.tr("Console"))
        self.arguments.describe(self.tr("Command") if is_command else self.tr("Arguments"))
        if self._shown is not None:
            item, detail = self._shown
            if detail.is_console_cut:
                self.console.describe(self.tr("Console, cut at 64 KB"))
            self._title.setText(item_title(item))
            self._facts.setText(" · ".join(self._facts_of(item, detail)))
            self.setAccessibleName(item_title(item))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_s, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_xs)

    def _facts_of(self, item: ActivityItem, detail: ActivityDetail) -> Iterable[str]:
        yield item_state_text(item)
        yield time_of_day(item.at.astimezone())
        if item.duration_s is not None:
            yield duration(item.duration_s)
        if progress := progress_text(item):
            yield progress
        if item.step is not None:
            yield self.tr("step {name}").format(name=item.step)
        if item.below is not None:
            yield self.tr("in {name}").format(name=item.below)
        if item.sub_agent is not None:
            yield self.tr("by {name}").format(name=item.sub_agent)
        if detail.input_tokens or detail.output_tokens:
            words = self.tr("{input} tokens in, {output} out")
            if detail.cached_tokens:
                words = self.tr("{input} tokens in ({cached} from the cache), {output} out")
            counts = detail.input_tokens, detail.cached_tokens, detail.output_tokens
            yield words.format(**dict(zip(("input", "cached", "output"), map(compact, counts), strict=True)))

    def _close(self) -> None:
        self.closed.emit()


def _command_text(item: ActivityItem, arguments: Any) -> str | None:
    """Return the line of a command, and how it is to run; None for anything else."""
    if item.name != COMMAND_TOOL or not isinstance(arguments, Mapping) or not isinstance(arguments.get("command"), str):
        return None
    others = [f"{name}: {indented_json(value)}" for name, value in arguments.items() if name != "command"]
    return "\n".join([arguments["command"], *others])


def _command_result(item: ActivityItem, result: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the output of a command and the rest of its result; None for anything else."""
    if item.name != COMMAND_TOOL or not isinstance(result, Mapping) or not isinstance(result.get("output"), str):
        return None
    return result["output"], {name: value for name, value in result.items() if name != "output"}


def _errors_text(detail: ActivityDetail) -> str:
    """Return the messages of the errors, one per line."""
    return "\n".join(map(_error_text, detail.errors))


def _error_text(error: Mapping[str, Any]) -> str:
    """Return the message of an error; for an error in code with line and column, as editors print them."""
    text = str(error.get("message") or error.get("code") or "")
    line, column = error.get("line"), error.get("column")
    return f"{text} ({line}:{column})" if line and column else text
