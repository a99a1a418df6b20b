"""Imports servers from another app's configuration: a preview first, then all or none."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.domain.mcp_server import ServerStatus
from core.services.mcp_drafts import ConfigPreview, ServerPreview
from core.services.outcome import Failed, Outcome
from desktop.operations import unwrap
from desktop.settings.parts.form import CardForm
from desktop.settings.servers.server_strings import (
    launch_summary,
    launch_warning,
    printable,
    problem_location,
    problem_text,
    server_refusal_text,
)
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, IconLabel, MultiLineEdit, Paragraph, column_of, show_when
from desktop.widgets.forms.form import FormField

PASTE_CHARACTERS = 1_000_000
_MOST_LINES = 200


class ConfigurationImport(CardForm):
    """Emits `added` with the added servers, `previewed` after a preview, `cancelled` when the user cancels."""

    added = Signal(list)
    previewed = Signal()

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._preview: ConfigPreview | None = None
        self._asked = 0
        self._is_adding = False
        self._text = ConfigurationEditor()
        self._text.setTabChangesFocus(True)
        self._text.setLineWrapMode(MultiLineEdit.LineWrapMode.NoWrap)
        self._fields = [FormField.around(theme, self._text)]
        self._read_button, self._cancel_button = Button(theme), Button(theme)
        self._add_button = Button(theme, kind="primary")
        self._preview_list = QWidget(self)
        self._preview_column = column_of(self._preview_list)
        self._inputs: dict[str, tuple[QLineEdit, FormField]] = {}
        buttons = (self._read_button, self._add_button, self._cancel_button)
        self._lay_out([*self._fields, self._message, self._preview_list], buttons)
        self._text.textChanged.connect(self._on_edit)
        self._text.refused.connect(self._on_refused)
        self._read_button.clicked.connect(self._on_read)
        self._add_button.clicked.connect(self._on_add)
        self._cancel_button.clicked.connect(self.cancelled)
        self.adapt_to(theme)
        self.clear()

    def clear(self) -> None:
        """Discard the pasted text, which may contain secrets."""
        self._text.set_text("")
        self._discard_preview()

    @property
    def message(self) -> QWidget:
        """The widget that shows what was understood."""
        return self._message

    def search_text(self) -> str:
        return f"{self._title.text()} mcpServers JSON YAML"

    def retranslate(self) -> None:
        self._title.setText(self.tr("Paste a configuration"))
        self._fields[0].describe(
            self.tr("Configuration"),
            self.tr(
                "JSON or YAML of another app: mcpServers, servers with inputs, context_servers, extensions. It is read "
                "and shown; nothing is started."
            ),
        )
        self._read_button.setText(self.tr("Read it"))
        self._cancel_button.setText(self.tr("Cancel"))
        self._label_add_button()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._preview_column.setSpacing(self._theme.sizes.space_s)
        self._text.setFixedHeight(3 * self._theme.sizes.row)
        self._text.setFont(self._theme.font("code"))

    # Reading

    def _on_edit(self) -> None:
        if self._preview is not None or self._message.text():
            self._discard_preview()
        self._read_button.setEnabled(bool(self._text.text().strip()))

    def _on_refused(self) -> None:
        self._show_message(self.tr("This is too long to be a configuration: it was not pasted."))

    def _discard_preview(self) -> None:
        """Discard the preview, which belongs to another text."""
        self._asked += 1
        self._preview = None
        self._inputs = {}
        while (item := self._preview_column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        show_when(self._preview_list, False)
        show_when(self._add_button, False)
        self._show_message("")
        self._read_button.setEnabled(bool(self._text.text().strip()))

    def _on_read(self) -> None:
        self._discard_preview()
        work = self._read(self._asked, self._text.text())
        self._context.operations.run(work, "read a configuration", failure=self._show_failure)

    async def _read(self, request: int, text: str) -> None:
        """Show a preview; a later request supersedes this one."""
        answer = await self._context.servers.preview(text)
        if request == self._asked:
            self._preview = unwrap(answer)
            self._show_preview(self._preview)

    def _show_preview(self, looked: ConfigPreview) -> None:
        for server in looked.servers:
            self._add_row(_name(server), launch_summary(server.runs), _problem(server), launch_warning(server.runs))
        for skipped in looked.pasted.skipped:
            self._add_row(self.tr("Left out"), printable(skipped), "")
        for variable in looked.pasted.inputs:
            field = QLineEdit(variable.default or "")
            if variable.is_secret:
                field.setEchoMode(QLineEdit.EchoMode.Password)
                field.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            row = FormField.around(self._theme, field)
            about = self.tr("Kept as a secret.") if variable.is_secret else ""
            row.describe(printable(variable.description or variable.id), about)
            self._inputs[variable.id] = (field, row)
            self._add_widget(row)
        show_when(self._preview_list, True)
        is_bad = any(server.problem is not None for server in looked.servers)
        count = self.tr("%n server(s) were understood.", "", len(looked.servers))
        if is_bad:
            self._show_message(self.tr("Nothing can be added yet: mend what is said below, and read it again."))
        elif looked.pasted.inputs:
            self._show_message(f"{count} " + self.tr("Values are needed from you, below."), "text")
        else:
            self._show_message(f"{count} " + self.tr("Nothing runs before you allow it."), "text")
        self._label_add_button()
        show_when(self._add_button, not is_bad)
        if not is_bad:
            self._text.show_beginning()
            first: QWidget = next(iter(self._inputs.values()))[0] if self._inputs else self._add_button
            first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.previewed.emit()

    def _show_failure(self, failed: Failed) -> None:
        """Show each problem with its location."""
        problems: Sequence[dict[str, Any]] = failed.details.get("problems") or ()
        if not problems:
            self._show_message(server_refusal_text(failed))
            return
        self._show_message(self.tr("It cannot be used as it is. Nothing was added."))
        for problem in problems[:_MOST_LINES]:
            self._add_row(problem_location(str(problem["place"])), "", problem_text(problem))
        show_when(self._preview_list, True)
        self.previewed.emit()

    def _add_row(self, title: str, text: str, problem: str, warning: str = "") -> None:
        self._add_widget(PreviewRow(self._theme, title, text, problem, warning))

    def _add_widget(self, widget: QWidget) -> None:
        self._preview_column.addWidget(widget)
        widget.show()

    # Adding

    def _label_add_button(self) -> None:
        count = len(self._preview.servers) if self._preview is not None else 0
        self._add_button.setText(self.tr("Add %n server(s)", "", count))

    def _on_add(self) -> None:
        if self._preview is None or self._is_adding:
            return
        empty = [row for field, row in self._inputs.values() if not field.text()]
        for _, row in self._inputs.values():
            row.show_error(self.tr("A value is needed.") if row in empty else "")
        if empty:
            next(field for field, row in self._inputs.values() if row is empty[0]).setFocus()
            return
        values = {name: field.text() for name, (field, _) in self._inputs.items()}
        self._is_adding = True
        work = self._adding(self._preview.pasted, values)
        self._context.operations.run(work, "add MCP servers", success=self._on_added, failure=self._on_rejected)

    async def _adding(self, pasted: Any, values: dict[str, str]) -> Outcome[list[ServerStatus]]:
        try:
            return await self._context.servers.add(pasted, values)
        finally:
            self._is_adding = False

    def _on_added(self, added: list[ServerStatus]) -> None:
        self.clear()
        self.added.emit(added)

    def _on_rejected(self, failed: Failed) -> None:
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._discard_preview()
        self._show_failure(failed)


class ConfigurationEditor(MultiLineEdit):
    """Emits `refused` for a paste that is too long to be laid out without a pause. A paste into an empty editor is
    shown from its beginning.
    """

    refused = Signal()

    def insertFromMimeData(self, source: QMimeData) -> None:
        # Laying out a megabyte would block the window.
        if len(source.text()) > PASTE_CHARACTERS:
            self.refused.emit()
            return
        was_empty = self.document().isEmpty()
        super().insertFromMimeData(source)
        if was_empty:
            self.show_beginning()

    def show_beginning(self) -> None:
        self.moveCursor(QTextCursor.MoveOperation.Start)


class PreviewRow(Adaptive, QWidget):
    """A server that was understood, or a problem, marked by an icon."""

    def __init__(self, theme: Theme, title: str, text: str, problem: str, warning: str) -> None:
        super().__init__()
        self._theme = theme
        is_bad = bool(problem)
        self._icon = IconLabel(theme, *((Icon.TRIANGLE_ALERT, "sign_error") if is_bad else (Icon.CHECK, "sign_ok")))
        self._row, self._words = QHBoxLayout(self), QVBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._words.addWidget(Paragraph(title, "strong", most_lines=3))
        if text:
            self._words.addWidget(Paragraph(text, "code_small", "muted", 30))
        if warning:
            self._words.addWidget(Paragraph(warning, "label", "warn", 6))
        if problem:
            self._words.addWidget(Paragraph(problem, "label", "error", 6))
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._words, 1)
        self.adapt_to(theme)

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)
        self._words.setSpacing(0)


def _name(server: ServerPreview) -> str:
    return printable(str(server.runs.get("name") or server.place))


def _problem(server: ServerPreview) -> str:
    return server_refusal_text(Failed.of(server.problem)) if server.problem is not None else ""
