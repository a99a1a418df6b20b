"""What a server may do unasked: all of it, and each of its tools (AGENTS_AND_TOOLS §6)."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from core.domain.consent import Rule
from core.domain.mcp_server import ServerStatus
from core.domain.risk import Risk
from core.domain.tool import ToolInfo, mcp_server_of
from core.services.outcome import Failed
from desktop.settings.consent.consent_strings import consent_failure_text
from desktop.settings.parts.form import FormRow
from desktop.settings.servers.server_strings import printable, short_tool_name
from desktop.settings.sources.consent_source import ConsentSource
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.choices import Segmented
from desktop.widgets.labels import plain_tool_tip
from desktop.widgets.list_search import matches
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_MOST_ROWS = 10
_SEARCHED_FROM = 8
_AS_SET = "as_set"
_LISTED_TOOLS = 20


class ServerToolsPanel(Adaptive, QWidget):
    """Rows of the table are chosen, one or many; the choice below it is theirs."""

    def __init__(self, theme: Theme, consents: ConsentSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._consents = consents
        self._status: ServerStatus | None = None
        self._whole, self._chosen = (Segmented(theme, focus=Qt.FocusPolicy.StrongFocus) for _ in range(2))
        self._whole_row, self._chosen_row = FormRow(theme, self._whole), FormRow(theme, self._chosen)
        self._search = QLineEdit()
        self._search.setClearButtonEnabled(True)
        self.model = ServerToolsModel(self)
        self.table = QTableView()
        self._left_out = Paragraph("", "secondary", "muted", 6)
        self._trouble = Paragraph("", "secondary", "error")
        self._column = QVBoxLayout(self)
        self._lay_out()
        self._search.textChanged.connect(self._on_search)
        self._whole.chosen.connect(self._set_whole)
        self._chosen.chosen.connect(self._set_chosen)
        self.table.selectionModel().selectionChanged.connect(self._follow)
        consents.changed.connect(self._on_consents)
        consents.refused.connect(self._on_refused)
        self.adapt_to(theme)

    def show_status(self, status: ServerStatus) -> None:
        """Selection stays where the tools are the same."""
        self._status = status
        self.model.take(status.tools)
        self._whole_row.describe(self.tr("All tools of {server}").format(server=status.server.name))
        self._left_out.setText(
            self.tr("Left out, since they are of no use here: {tools}").format(
                tools=printable("; ".join(status.left_out[:_LISTED_TOOLS]))
            )
        )
        show_when(self._left_out, bool(status.left_out))
        self._follow()

    def retranslate(self) -> None:
        words = [(_AS_SET, self.tr("As the mode says")), (Rule.ASK, self.tr("Ask")), (Rule.ALLOW, self.tr("Allow"))]
        self._whole.set_segments(words)
        self._chosen.set_segments(words)
        self._search.setPlaceholderText(self.tr("Search tools"))
        self._search.setAccessibleName(self.tr("Search tools"))
        self.table.setAccessibleName(self.tr("Tools"))
        self.model.retranslate()
        if self._status is not None:
            self.show_status(self._status)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self.table.verticalHeader().setDefaultSectionSize(self._theme.sizes.control_small)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_consents()

    def _lay_out(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self._whole_row, self._search, table, self._chosen_row, self._left_out, self._trouble):
            self._column.addWidget(widget)
        show_when(self._trouble, False)

    def _selected(self) -> list[str]:
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.shown[row].name for row in rows]

    def _follow(self) -> None:
        """What holds for all, and for those that are chosen."""
        rules = self._consents.exceptions
        if self._status is not None:
            self._whole.set_current(rules.get(f"mcp__{self._status.server.id}", _AS_SET))
        selected = self._selected()
        if selected:
            words = self.tr("%n chosen tool(s)", "", len(selected))
            self._chosen_row.describe(words, self.tr("What is set for a tool wins over what is set for all."))
            self._chosen.set_current(rules.get(selected[0], _AS_SET))
        else:
            self._chosen_row.describe(self.tr("Chosen tools"), self.tr("Choose one or more of the list."))
        self._chosen.setEnabled(bool(selected))
        has_tools = self._status is not None and bool(self._status.tools)
        show_when(self._search, self._status is not None and len(self._status.tools) >= _SEARCHED_FROM)
        show_when(self.table, has_tools)
        show_when(self._chosen_row, has_tools)
        self._fit()

    def _fit(self) -> None:
        """As tall as its rows, within bounds."""
        rows = min(len(self._status.tools) if self._status is not None else 0, _MOST_ROWS)
        header = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(header + rows * self._theme.sizes.control_small + 2)

    def _on_search(self, query: str) -> None:
        self.model.search(query)
        self._follow()

    def _on_consents(self) -> None:
        show_when(self._trouble, False)
        self.model.show_rules(self._consents.exceptions)
        self._follow()

    def _set_whole(self, key: str) -> None:
        if self._status is not None:
            self._set([f"mcp__{self._status.server.id}"], key)

    def _set_chosen(self, key: str) -> None:
        self._set(self._selected(), key)

    def _set(self, names: list[str], key: str) -> None:
        self._consents.set_exceptions(names, None if key == _AS_SET else Rule(key))

    def _on_refused(self, failed: Failed) -> None:
        self._trouble.setText(consent_failure_text(failed))
        show_when(self._trouble, True)
        self._follow()


ModelIndex = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_COLUMNS = 3
_TIP_CHARACTERS = 1000


class ServerToolsModel(QAbstractTableModel):
    """Those that a search finds, in the order of the server."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[ToolInfo] = ()
        self._shown: Sequence[ToolInfo] = ()
        self._rules: Mapping[str, Rule] = {}
        self._query = ""

    @property
    def shown(self) -> Sequence[ToolInfo]:
        return self._shown

    def take(self, tools: Sequence[ToolInfo]) -> None:
        """These are all of them now."""
        if [one.name for one in tools] != [one.name for one in self._all] or tools != self._all:
            self._all = tuple(tools)
            self.search(self._query)

    def search(self, query: str) -> None:
        self._query = query
        self.beginResetModel()
        self._shown = [one for one in self._all if matches(query, f"{one.name} {one.title}")]
        self.endResetModel()

    def show_rules(self, rules: Mapping[str, Rule]) -> None:
        """The exceptions of now."""
        self._rules = dict(rules)
        self.retranslate()

    def retranslate(self) -> None:
        """The words are to be read again."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _COLUMNS - 1)
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, _COLUMNS - 1))

    def rowCount(self, parent: ModelIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: ModelIndex = _NONE) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid():
            return None
        tool = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (self._name(tool), self._risk(tool.risk), self._rule(tool.name))[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            about = tool.description[:_TIP_CHARACTERS]
            return plain_tool_tip(f"{tool.name}\n{about}" if about else tool.name)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Tool"), self.tr("Risk"), self.tr("Approval"))[section]

    def _name(self, tool: ToolInfo) -> str:
        """Its title, on one line, with the name that agents call it by where that is another."""
        title, name = printable(" ".join(tool.title.split())), short_tool_name(tool.name)
        return name if title.casefold() == name.casefold() or not title else f"{title} ({name})"

    def _risk(self, risk: Risk) -> str:
        return {
            Risk.LOW: self.tr("low, only reads"),
            Risk.MEDIUM: self.tr("medium"),
            Risk.HIGH: self.tr("high"),
        }[risk]

    def _rule(self, tool: str) -> str:
        if (own := self._rules.get(tool)) is not None:
            return self.tr("Always allow") if own is Rule.ALLOW else self.tr("Ask")
        if f"mcp__{mcp_server_of(tool)}" in self._rules:
            return self.tr("As the server")
        return self.tr("As the mode says")
