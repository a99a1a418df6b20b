"""The tools of a server as a table: what each can do, and whether it is asked about."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain.consent import Rule
from core.domain.risk import Risk
from core.domain.tool import ToolInfo, server_of
from desktop.settings.server_words import short_tool_name, visible
from desktop.widgets.labels import plain_tool_tip
from desktop.widgets.matching import matches

Index = QModelIndex | QPersistentModelIndex
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

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else _COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
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
        title, name = visible(" ".join(tool.title.split())), short_tool_name(tool.name)
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
        if f"mcp__{server_of(tool)}" in self._rules:
            return self.tr("As the server")
        return self.tr("As the mode says")
