"""The audit log as a table: newest first, more of it as it is scrolled."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from core.domain.audit import AuditEntry
from core.domain.text.json_text import indented_json
from core.services.outcome import Failed
from desktop.settings.consent.consent_strings import consent_failure_text, decision_label
from desktop.settings.sources.consent_source import ConsentSource
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.formats import day, time_of_day
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, IconButton
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.value_views import ValueSection
from desktop.widgets.visibility import show_when

ModelIndex = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_COLUMNS = 4


class AuditModel(QAbstractTableModel):
    """Emits `wanted` with its last entry when more are to be shown."""

    wanted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[AuditEntry] = []
        self._is_whole = True

    @property
    def entries(self) -> Sequence[AuditEntry]:
        """Those that are there by now."""
        return self._entries

    def show(self, entries: Sequence[AuditEntry]) -> None:
        """These and what follows them; there is none if they are none."""
        self.beginResetModel()
        self._entries = list(entries)
        self._is_whole = not entries
        self.endResetModel()

    def add(self, entries: Sequence[AuditEntry]) -> None:
        """These follow."""
        self._is_whole = not entries
        if entries:
            first = len(self._entries)
            self.beginInsertRows(_NONE, first, first + len(entries) - 1)
            self._entries.extend(entries)
            self.endInsertRows()

    def entry(self, index: ModelIndex) -> AuditEntry | None:
        return self._entries[index.row()] if index.isValid() else None

    def retranslate(self) -> None:
        """The words are to be read again."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _COLUMNS - 1)
        if self._entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._entries) - 1, _COLUMNS - 1))

    def rowCount(self, parent: ModelIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: ModelIndex = _NONE) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) or not index.isValid():
            return None
        entry = self._entries[index.row()]
        at = entry.at.astimezone()
        when = time_of_day(at) if at.date() == datetime.now().astimezone().date() else _past(at)
        words = (when, entry.tool, decision_label(entry), entry.title)[index.column()]
        return words if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("When"), self.tr("Tool"), self.tr("Decision"), self.tr("Workflow"))[section]

    def canFetchMore(self, parent: ModelIndex = _NONE) -> bool:
        return not self._is_whole and not parent.isValid()

    def fetchMore(self, parent: ModelIndex = _NONE) -> None:
        if self._entries:
            self.wanted.emit(self._entries[-1])


def _past(at: datetime) -> str:
    return f"{day(at.date(), datetime.now().astimezone().date())} {time_of_day(at)}"


_MOST_ROWS = 7


class AuditCard(Adaptive, Card):
    """Reads the log anew each time that it is shown."""

    def __init__(self, theme: Theme, consents: ConsentSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._consents = consents
        self._name = Paragraph("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._refresh = IconButton(theme, Icon.REFRESH_CW)
        self._export = Button(theme, "", icon=Icon.DOWNLOAD, is_small=True)
        self._empty = Paragraph("", "label", "muted")
        self._note = Paragraph("", "secondary", "muted")
        self.model = AuditModel(self)
        self.table = QTableView()
        self._whole = ValueSection(theme, self)
        self._column = QVBoxLayout(self)
        self._head = QHBoxLayout()
        self._lay_out()
        self._connect()
        self.adapt_to(theme)
        self._follow()

    def export_to(self, name: str) -> None:
        """Write the log to this file."""
        self._consents.export(Path(name))

    @property
    def note(self) -> str:
        """What became of the last export."""
        return self._note.text()

    def searched(self) -> str:
        """The words that it is found by."""
        return f"{self._name.text()} {self._help.text()}"

    def retranslate(self) -> None:
        self._name.setText(self.tr("Audit log"))
        self._help.setText(self.tr("Who let which call pass, and when. Secrets in the arguments are not kept."))
        self._empty.setText(self.tr("Nothing yet: a decision about a tool call is written down here."))
        self._refresh.describe(self.tr("Read the log again"))
        self._export.setText(self.tr("Export…"))
        self._whole.describe(self.tr("Entry"))
        self.table.setAccessibleName(self._name.text())
        self.model.retranslate()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._head.setSpacing(sizes.space_s)
        self.table.verticalHeader().setDefaultSectionSize(sizes.control_small)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._read()

    def _lay_out(self) -> None:
        self._head.addWidget(self._refresh)
        self._head.addWidget(self._export)
        self._head.addStretch(1)
        table = self.table
        table.setModel(self.model)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(self.model.columnCount() - 1, QHeaderView.ResizeMode.Stretch)
        self._column.addWidget(self._name)
        self._column.addWidget(self._help)
        self._column.addLayout(self._head)
        for part in (self._empty, table, self._whole, self._note):
            self._column.addWidget(part)
        for before, after in pairwise((self._refresh, self._export, table, self._whole.value, self._whole.copy_button)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        self.model.wanted.connect(self._consents.load)
        self.table.selectionModel().currentRowChanged.connect(self._open)
        self._refresh.clicked.connect(self._read)
        self._export.clicked.connect(self._choose_file)
        self._consents.loaded.connect(self._take)
        self._consents.exported.connect(self._on_exported)
        self._consents.failed.connect(self._on_failed)

    def _read(self) -> None:
        self._consents.load()

    def _take(self, entries: list[AuditEntry], is_first: bool) -> None:
        if is_first:
            self.model.show(entries)
        else:
            self.model.add(entries)
        self._follow()

    def _follow(self) -> None:
        """What there is to be seen."""
        is_empty = not self.model.entries
        show_when(self._empty, is_empty)
        show_when(self.table, not is_empty)
        self._export.setEnabled(not is_empty)
        show_when(self._whole, self.model.entry(self.table.currentIndex()) is not None)
        show_when(self._note, bool(self._note.text()))
        self._fit()

    def _fit(self) -> None:
        """As tall as its rows, within bounds."""
        rows = min(len(self.model.entries), _MOST_ROWS)
        header = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(header + rows * self._theme.sizes.control_small)

    def _open(self, current: ModelIndex, _before: ModelIndex) -> None:
        entry = self.model.entry(current)
        if entry is not None:
            self._whole.show_text(indented_json(entry.as_dict()))
        self._follow()

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Export the audit log"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"metier-audit-{datetime.now().astimezone():%Y-%m-%d}.jsonl")
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    def _on_exported(self, count: int) -> None:
        self._say(self.tr("Written: %n entries.", "", count))

    def _on_failed(self, failed: Failed) -> None:
        self._say(consent_failure_text(failed))

    def _say(self, words: str) -> None:
        self._note.setText(words)
        self._follow()
        announce(self, words)
