"""The audit log of consent: a table, the selected entry in full, and an export."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QHBoxLayout, QVBoxLayout

from core.domain.audit import AuditEntry
from core.domain.text.json_text import indented_json
from core.services.outcome import Failed
from desktop.settings.consent.consent_strings import decision_label
from desktop.settings.parts.layout import NO_PARENT, ItemTable, ModelIndex, TableModel
from desktop.settings.parts.setting_strings import consent_failure_text
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.translation import day, time_of_day
from desktop.widgets import Adaptive, Button, Card, IconButton, Paragraph, ValueSection, announce, show_when
from desktop.widgets.forms.tab_order import chain_tab_stops

_MAX_ROWS = 7


class AuditModel(TableModel[AuditEntry]):
    """Newest first. Emits `more_needed` with its last entry when more entries are needed."""

    more_needed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_complete = True

    def show(self, entries: Sequence[AuditEntry]) -> None:
        """Replace the entries; an empty log has no more to load."""
        self._is_complete = not entries
        self.set_items(entries)

    def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append older entries; an empty page ends the log."""
        self._is_complete = not entries
        if entries:
            first = len(self.items)
            self.beginInsertRows(NO_PARENT, first, first + len(entries) - 1)
            self.items = [*self.items, *entries]
            self.endInsertRows()

    def entry(self, index: ModelIndex) -> AuditEntry | None:
        return self.items[index.row()] if index.isValid() else None

    def headers(self) -> Sequence[str]:
        return self.tr("When"), self.tr("Tool"), self.tr("Decision"), self.tr("Workflow")

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if role != Qt.ItemDataRole.DisplayRole or not index.isValid():
            return None
        entry = self.items[index.row()]
        at = entry.at.astimezone()
        when = time_of_day(at) if at.date() == datetime.now().astimezone().date() else _past(at)
        return (when, entry.tool, decision_label(entry), entry.title)[index.column()]

    def canFetchMore(self, parent: ModelIndex = NO_PARENT) -> bool:
        return not self._is_complete and not parent.isValid()

    def fetchMore(self, parent: ModelIndex = NO_PARENT) -> None:
        if self.items:
            self.more_needed.emit(self.items[-1])


def _past(at: datetime) -> str:
    return f"{day(at.date(), datetime.now().astimezone().date())} {time_of_day(at)}"


class AuditCard(Adaptive, Card):
    """Reads the log each time that it is shown."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._theme = theme = context.theme
        self._consent = context.consent
        self._name = Paragraph("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._refresh = IconButton(theme, Icon.REFRESH_CW)
        self._export = Button(theme, "", icon=Icon.DOWNLOAD, is_small=True)
        self._empty = Paragraph("", "label", "muted")
        self._note = Paragraph("", "secondary", "muted")
        self.model = AuditModel(self)
        stretched = self.model.columnCount() - 1
        self.table = ItemTable(self.model, stretched, QAbstractItemView.SelectionMode.SingleSelection)
        self._entry = ValueSection(theme, self)
        self._column = QVBoxLayout(self)
        self._head = QHBoxLayout()
        self._lay_out()
        self._connect()
        self.adapt_to(theme)
        self._update()

    def export_to(self, name: str) -> None:
        """Write the log to this file."""
        self._consent.export(Path(name))

    @property
    def note(self) -> str:
        """The outcome of the last export."""
        return self._note.text()

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        return f"{self._name.text()} {self._help.text()}"

    def retranslate(self) -> None:
        self._name.setText(self.tr("Audit log"))
        self._help.setText(self.tr("Who allowed which call, and when. Secrets in the arguments are not kept."))
        self._empty.setText(self.tr("Nothing yet: a decision about a tool call is written down here."))
        self._refresh.describe(self.tr("Read the log again"))
        self._export.setText(self.tr("Export…"))
        self._entry.describe(self.tr("Entry"))
        self.table.setAccessibleName(self._name.text())
        self.model.retranslate()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._head.setSpacing(sizes.space_s)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Restoring a minimized window is no reason to read the log again.
        if not event.spontaneous():
            self._read()

    def _lay_out(self) -> None:
        self._head.addWidget(self._refresh)
        self._head.addWidget(self._export)
        self._head.addStretch(1)
        self._column.addWidget(self._name)
        self._column.addWidget(self._help)
        self._column.addLayout(self._head)
        for part in (self._empty, self.table, self._entry, self._note):
            self._column.addWidget(part)
        chain_tab_stops([self._refresh, self._export, self.table, self._entry.value, self._entry.copy_button])

    def _connect(self) -> None:
        self.model.more_needed.connect(self._consent.load)
        self.table.selectionModel().currentRowChanged.connect(self._open)
        self._refresh.clicked.connect(self._read)
        self._export.clicked.connect(self._choose_file)
        self._consent.loaded.connect(self._on_loaded)
        self._consent.exported.connect(self._on_exported)
        self._consent.failed.connect(self._on_failed)

    def _read(self) -> None:
        self._consent.load()

    def _on_loaded(self, entries: list[AuditEntry], is_first: bool) -> None:
        if is_first:
            self.model.show(entries)
        else:
            self.model.add(entries)
        self._update()

    def _update(self) -> None:
        """Update the visibility of the parts."""
        is_empty = not self.model.items
        show_when(self._empty, is_empty)
        show_when(self.table, not is_empty)
        self._export.setEnabled(not is_empty)
        show_when(self._entry, self.model.entry(self.table.currentIndex()) is not None)
        show_when(self._note, bool(self._note.text()))
        self._fit()

    def _fit(self) -> None:
        """Size the table to its rows, within bounds."""
        rows = min(len(self.model.items), _MAX_ROWS)
        self.table.fit_rows(rows, self._theme.sizes.control_small)

    def _open(self, current: ModelIndex, _before: ModelIndex) -> None:
        entry = self.model.entry(current)
        if entry is not None:
            self._entry.show_text(indented_json(entry.as_dict()))
        self._update()

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Export the audit log"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"metier-audit-{datetime.now().astimezone():%Y-%m-%d}.jsonl")
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    def _on_exported(self, count: int) -> None:
        self._show_note(self.tr("Written: %n entries.", "", count))

    def _on_failed(self, failed: Failed) -> None:
        self._show_note(consent_failure_text(failed))

    def _show_note(self, text: str) -> None:
        self._note.setText(text)
        self._update()
        announce(self, text)
