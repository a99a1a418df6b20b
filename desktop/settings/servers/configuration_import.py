"""Imports servers from configurations: pasted, or of an installed app. A preview first, then what the user chooses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox, QWidget

from core.domain.grants import folders_in
from core.domain.mcp_server import ServerStatus
from core.services.mcp_drafts import ConfigPreview, InstalledConfiguration
from core.services.outcome import Failed, Outcome
from desktop.operations import unwrap
from desktop.settings.parts.form import CardForm
from desktop.settings.servers.server_preview import ServerPreviewList
from desktop.settings.servers.server_strings import printable, server_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.widgets import Button, MultiLineEdit, show_when
from desktop.widgets.forms.form import FormField

PASTE_CHARACTERS = 1_000_000


class ServerImport(CardForm):
    """Shows a preview of servers and adds the chosen ones. Emits `added` with the added servers, `previewed` after a
    preview, `cancelled` when the user cancels.
    """

    added = Signal(list)
    previewed = Signal()

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._preview: ConfigPreview | None = None
        self._asked = 0
        self._is_adding = False
        self._add_button, self._cancel_button = Button(self._theme, kind="primary"), Button(self._theme)
        self._list = ServerPreviewList(self._theme, self)
        self._add_button.clicked.connect(self._on_add)
        self._cancel_button.clicked.connect(self.cancelled)
        self._list.changed.connect(self._label_add_button)

    def clear(self) -> None:
        """Discard the preview, which may contain secrets."""
        self._discard_preview()

    @property
    def message(self) -> QWidget:
        """The widget that shows what was understood."""
        return self._message

    def retranslate(self) -> None:
        self._cancel_button.setText(self.tr("Cancel"))
        self._label_add_button()

    def _projects(self) -> list[Path]:
        """Return the folders in which the user works, where a new server works too."""
        return [Path(folder) for folder in folders_in(self._context.current.last_folders)]

    def _discard_preview(self) -> None:
        """Discard the preview, which belongs to another text."""
        self._asked += 1
        self._preview = None
        self._list.clear()
        show_when(self._add_button, False)
        self._show_message("")

    def _show_preview(self, preview: ConfigPreview) -> None:
        self._preview = preview
        self._list.show_preview(preview)
        text = self._list.understood_text
        if any(not each.is_optional for each in preview.pasted.inputs):
            text += " " + self.tr("Values are needed from you, below.")
        else:
            text += " " + self.tr("Nothing runs before you allow it.")
        self._show_message(text, "text")
        self._label_add_button()
        show_when(self._add_button, True)
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
        self._add_button.setText(self._list.add_text)
        self._add_button.setEnabled(bool(self._list.chosen))

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
        self._cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._discard_preview()
        self._show_failure(failed)


class ConfigurationImport(ServerImport):
    """Imports from a pasted configuration."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._text = ConfigurationEditor()
        self._text.setTabChangesFocus(True)
        self._text.setLineWrapMode(MultiLineEdit.LineWrapMode.NoWrap)
        self._fields = [FormField.around(self._theme, self._text)]
        self._read_button = Button(self._theme)
        buttons = (self._read_button, self._add_button, self._cancel_button)
        self._lay_out([*self._fields, self._message, self._list], buttons)
        self._text.textChanged.connect(self._on_edit)
        self._text.refused.connect(self._on_refused)
        self._read_button.clicked.connect(self._on_read)
        self.adapt_to(self._theme)
        self.clear()

    def clear(self) -> None:
        """Discard the pasted text, which may contain secrets."""
        self._text.set_text("")
        super().clear()

    def search_text(self) -> str:
        return f"{self._title.text()} mcpServers JSON TOML YAML"

    def retranslate(self) -> None:
        super().retranslate()
        self._title.setText(self.tr("Paste a configuration"))
        self._fields[0].describe(
            self.tr("Configuration"),
            self.tr(
                "As another app or the documentation has it: JSON, TOML or YAML, a command line, an address, or a link "
                "that installs it. It is read and shown; nothing is started."
            ),
        )
        self._read_button.setText(self.tr("Read it"))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._text.setFixedHeight(3 * self._theme.sizes.row)
        self._text.setFont(self._theme.font("code"))

    def _on_edit(self) -> None:
        if self._preview is not None or self._message.text():
            self._discard_preview()
        self._read_button.setEnabled(bool(self._text.text().strip()))

    def _on_refused(self) -> None:
        self._show_message(self.tr("This is too long to be a configuration: it was not pasted."))

    def _discard_preview(self) -> None:
        super()._discard_preview()
        self._read_button.setEnabled(bool(self._text.text().strip()))

    def _on_read(self) -> None:
        self._discard_preview()
        work = self._read(self._asked, self._text.text())
        self._context.operations.run(work, "read a configuration", failure=self._show_failure)

    async def _read(self, request: int, text: str) -> None:
        """Show a preview; a later request supersedes this."""
        answer = await self._context.servers.preview(text, next(iter(self._projects()), None))
        if request == self._asked:
            self._show_preview(unwrap(answer))
            self._text.show_beginning()
            first: QWidget = self._list.first_field or self._add_button
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_rejected(self, failed: Failed) -> None:
        super()._on_rejected(failed)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)


class InstalledImport(ServerImport):
    """Imports from the configurations of installed apps, and of the folders in which the user works."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._found: Sequence[InstalledConfiguration] = ()
        self._choice = QComboBox()
        self._choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._fields = [FormField.around(self._theme, self._choice)]
        self._lay_out([*self._fields, self._message, self._list], (self._add_button, self._cancel_button))
        self._choice.currentIndexChanged.connect(self._on_chosen)
        self.adapt_to(self._theme)
        self.clear()

    def clear(self) -> None:
        """Discard what was found, which may contain secrets."""
        self._found = ()
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.blockSignals(False)
        show_when(self._fields[0], False)
        super().clear()

    def load(self) -> None:
        """Look for configurations and show the first."""
        self.clear()
        self._show_message(self.tr("Looking for configurations of other apps…"), "muted")
        self._context.operations.run(self._load(self._asked), "find configurations", failure=self._show_failure)

    def retranslate(self) -> None:
        super().retranslate()
        self._title.setText(self.tr("Import from another app"))
        self._fields[0].describe(
            self.tr("Configuration of"),
            self.tr("It is read and shown; nothing is started, and the other app keeps its servers."),
        )

    async def _load(self, request: int) -> None:
        """Show what is found; a later request supersedes this."""
        found = unwrap(await self._context.servers.installed(self._projects()))
        if request != self._asked:
            return
        self._found = found
        self._choice.blockSignals(True)
        for each in found:
            count = self.tr("%n server(s)", "", len(each.preview.servers)) if each.preview is not None else ""
            self._choice.addItem(" · ".join(filter(None, (each.app, count, printable(_short(each.path))))))
        self._choice.blockSignals(False)
        show_when(self._fields[0], bool(found))
        if found:
            self._on_chosen(0)
            self._choice.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._show_message(self.tr("No other app with MCP servers was found here."), "text")
            self._cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
            self.previewed.emit()

    def _on_chosen(self, position: int) -> None:
        found = self._found[position]
        self._discard_preview()
        if found.preview is not None:
            self._show_preview(found.preview)
        elif found.problem is not None:
            self._show_failure(Failed.of(found.problem))


def _short(path: Path) -> str:
    """Return the path with `~` for the home folder."""
    return f"~/{path.relative_to(Path.home()).as_posix()}" if path.is_relative_to(Path.home()) else str(path)


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
