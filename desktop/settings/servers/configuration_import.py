"""Imports servers from another app's configuration: a preview first, then what the user chooses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from core.domain.grants import folders_in
from core.domain.mcp_server import ServerStatus
from core.services.mcp_drafts import ConfigPreview
from core.services.outcome import Failed, Outcome
from desktop.operations import unwrap
from desktop.settings.parts.form import CardForm
from desktop.settings.servers.server_preview import ServerPreviewList
from desktop.settings.servers.server_strings import server_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.widgets import Button, MultiLineEdit, show_when
from desktop.widgets.forms.form import FormField

PASTE_CHARACTERS = 1_000_000


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
        self._list = ServerPreviewList(theme, self)
        buttons = (self._read_button, self._add_button, self._cancel_button)
        self._lay_out([*self._fields, self._message, self._list], buttons)
        self._text.textChanged.connect(self._on_edit)
        self._text.refused.connect(self._on_refused)
        self._read_button.clicked.connect(self._on_read)
        self._add_button.clicked.connect(self._on_add)
        self._cancel_button.clicked.connect(self.cancelled)
        self._list.changed.connect(self._label_add_button)
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
        return f"{self._title.text()} mcpServers JSON TOML YAML"

    def retranslate(self) -> None:
        self._title.setText(self.tr("Paste a configuration"))
        self._fields[0].describe(
            self.tr("Configuration"),
            self.tr(
                "As another app or the documentation has it: JSON, TOML or YAML, a command line, an address, or a link "
                "that installs it. It is read and shown; nothing is started."
            ),
        )
        self._read_button.setText(self.tr("Read it"))
        self._cancel_button.setText(self.tr("Cancel"))
        self._label_add_button()

    def apply_theme(self) -> None:
        super().apply_theme()
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
        self._list.clear()
        show_when(self._add_button, False)
        self._show_message("")
        self._read_button.setEnabled(bool(self._text.text().strip()))

    def _on_read(self) -> None:
        self._discard_preview()
        work = self._read(self._asked, self._text.text())
        self._context.operations.run(work, "read a configuration", failure=self._show_failure)

    async def _read(self, request: int, text: str) -> None:
        """Show a preview; a later request supersedes this one."""
        # where a new server works, as in its form
        folder = next(iter(folders_in(self._context.current.last_folders)), None)
        answer = await self._context.servers.preview(text, Path(folder) if folder is not None else None)
        if request == self._asked:
            self._preview = unwrap(answer)
            self._show_preview(self._preview)

    def _show_preview(self, preview: ConfigPreview) -> None:
        self._list.show_preview(preview)
        text = self.tr("%n server(s) were understood.", "", len(preview.servers))
        if any(not each.is_optional for each in preview.pasted.inputs):
            text += " " + self.tr("Values are needed from you, below.")
        else:
            text += " " + self.tr("Nothing runs before you allow it.")
        self._show_message(text, "text")
        self._label_add_button()
        show_when(self._add_button, True)
        self._text.show_beginning()
        first: QWidget = self._list.first_field or self._add_button
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.previewed.emit()

    def _show_failure(self, failed: Failed) -> None:
        """Show each problem with its location."""
        problems: Sequence[dict[str, Any]] = failed.details.get("problems") or ()
        if not problems:
            self._show_message(server_refusal_text(failed))
            return
        self._show_message(self.tr("It cannot be used as it is. Nothing was added."))
        self._list.show_problems(problems)
        self.previewed.emit()

    # Adding

    def _label_add_button(self) -> None:
        count = len(self._list.chosen)
        self._add_button.setText(self.tr("Add %n server(s)", "", count))
        self._add_button.setEnabled(count > 0)

    def _on_add(self) -> None:
        if self._preview is None or self._is_adding or not self._list.require_values():
            return
        self._is_adding = True
        work = self._adding(self._preview.pasted)
        self._context.operations.run(work, "add MCP servers", success=self._on_added, failure=self._on_rejected)

    async def _adding(self, pasted: Any) -> Outcome[list[ServerStatus]]:
        try:
            return await self._context.servers.add(pasted, self._list.values, self._list.choices)
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
