"""The consent exceptions of a server and of its tools (AGENTS_AND_TOOLS §6)."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QVBoxLayout, QWidget

from core.domain.consent import Rule
from core.domain.mcp_server import ServerStatus
from core.domain.risk import Risk
from core.domain.tool import ToolInfo, mcp_server_of
from core.services.outcome import Failed
from desktop.settings.parts.layout import ItemTable, ModelIndex, TableModel
from desktop.settings.parts.setting_strings import consent_failure_text
from desktop.settings.servers.server_strings import printable
from desktop.settings.sources.context import SettingsContext
from desktop.translation import short_tool_name
from desktop.widgets import Adaptive, Paragraph, Segmented, matches, plain_tool_tip, show_when
from desktop.widgets.forms.form import FormField

_MOST_ROWS = 10
_SEARCHED_FROM = 8
_AS_SET = "as_set"
_LISTED_TOOLS = 20
_TIP_CHARACTERS = 1000


class ServerToolsPanel(Adaptive, QWidget):
    """A table of tools; the rule below it applies to the selected rows."""

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme = context.theme
        self._consent = consent = context.consent
        self._status: ServerStatus | None = None
        self._server_rule, self._tools_rule = (Segmented(theme, focus=Qt.FocusPolicy.StrongFocus) for _ in range(2))
        self._server_field = FormField.around(theme, self._server_rule)
        self._tools_field = FormField.around(theme, self._tools_rule)
        self._search = QLineEdit()
        self._search.setClearButtonEnabled(True)
        self.model = ServerToolsModel(self)
        self.table = ItemTable(self.model, 0, QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._left_out = Paragraph("", "secondary", "muted", 6)
        self._cleaned = Paragraph("", "secondary", "warn", 6)
        self._error = Paragraph("", "secondary", "error")
        self._column = QVBoxLayout(self)
        self._lay_out()
        self._search.textChanged.connect(self._on_search)
        self._server_rule.chosen.connect(self._set_server_rule)
        self._tools_rule.chosen.connect(self._set_tools_rule)
        self.table.selectionModel().selectionChanged.connect(self._update)
        consent.changed.connect(self._on_consent_changed)
        consent.refused.connect(self._on_refused)
        self.adapt_to(theme)

    def show_status(self, status: ServerStatus) -> None:
        """Show the server's tools; the selection stays if they are the same."""
        self._status = status
        self.model.set_tools(status.tools)
        self._server_field.describe(self.tr("All tools of {server}").format(server=status.server.name))
        self._left_out.setText(
            self.tr("Left out, since they are of no use here: {tools}").format(
                tools=printable("; ".join(status.left_out[:_LISTED_TOOLS]))
            )
        )
        show_when(self._left_out, bool(status.left_out))
        self._cleaned.setText(
            self.tr("Changed, or not checked here: {tools}").format(
                tools=printable("; ".join(status.cleaned[:_LISTED_TOOLS]))
            )
        )
        show_when(self._cleaned, bool(status.cleaned))
        self._update()

    def retranslate(self) -> None:
        text = [(_AS_SET, self.tr("As the mode says")), (Rule.ASK, self.tr("Ask")), (Rule.ALLOW, self.tr("Allow"))]
        self._server_rule.set_segments(text)
        self._tools_rule.set_segments(text)
        self._search.setPlaceholderText(self.tr("Search tools"))
        self._search.setAccessibleName(self.tr("Search tools"))
        self.table.setAccessibleName(self.tr("Tools"))
        self.model.retranslate()
        if self._status is not None:
            self.show_status(self._status)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_consent_changed()

    def _lay_out(self) -> None:
        self._column.setContentsMargins(0, 0, 0, 0)
        rules = (self._server_field, self._search, self.table, self._tools_field)
        for widget in (*rules, self._left_out, self._cleaned, self._error):
            self._column.addWidget(widget)
        show_when(self._error, False)

    def _selected(self) -> list[str]:
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.items[row].name for row in rows]

    def _update(self) -> None:
        """Show the rules of the server and of the selected tools."""
        rules = self._consent.exceptions
        if self._status is not None:
            self._server_rule.set_current(rules.get(f"mcp__{self._status.server.id}", _AS_SET))
        selected = self._selected()
        if selected:
            text = self.tr("%n chosen tool(s)", "", len(selected))
            self._tools_field.describe(text, self.tr("What is set for a tool wins over what is set for all."))
            self._tools_rule.set_current(rules.get(selected[0], _AS_SET))
        else:
            self._tools_field.describe(self.tr("Chosen tools"), self.tr("Choose one or more of the list."))
        self._tools_rule.setEnabled(bool(selected))
        has_tools = self._status is not None and bool(self._status.tools)
        show_when(self._search, self._status is not None and len(self._status.tools) >= _SEARCHED_FROM)
        show_when(self.table, has_tools)
        show_when(self._tools_field, has_tools)
        self._fit()

    def _fit(self) -> None:
        """Size the table to its rows, within bounds."""
        rows = min(len(self._status.tools) if self._status is not None else 0, _MOST_ROWS)
        self.table.fit_rows(rows, self._theme.sizes.control_small)

    def _on_search(self, query: str) -> None:
        self.model.search(query)
        self._update()

    def _on_consent_changed(self) -> None:
        show_when(self._error, False)
        self.model.show_rules(self._consent.exceptions)
        self._update()

    def _set_server_rule(self, key: str) -> None:
        if self._status is not None:
            self._set([f"mcp__{self._status.server.id}"], key)

    def _set_tools_rule(self, key: str) -> None:
        self._set(self._selected(), key)

    def _set(self, names: list[str], key: str) -> None:
        self._consent.set_exceptions(names, None if key == _AS_SET else Rule(key))

    def _on_refused(self, failed: Failed) -> None:
        self._error.setText(consent_failure_text(failed))
        show_when(self._error, True)
        self._update()


class ServerToolsModel(TableModel[ToolInfo]):
    """The tools that match the search, in the server's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[ToolInfo] = ()
        self._rules: Mapping[str, Rule] = {}
        self._query = ""

    def set_tools(self, tools: Sequence[ToolInfo]) -> None:
        """Replace the tools; equal tools change nothing, so that the selection stays."""
        if tuple(tools) != self._all:
            self._all = tuple(tools)
            self.search(self._query)

    def search(self, query: str) -> None:
        self._query = query
        self.set_items([tool for tool in self._all if matches(query, f"{tool.name} {tool.title}")])

    def show_rules(self, rules: Mapping[str, Rule]) -> None:
        """Replace the exceptions."""
        self._rules = dict(rules)
        self.retranslate()

    def headers(self) -> Sequence[str]:
        return self.tr("Tool"), self.tr("Risk"), self.tr("Approval")

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid():
            return None
        tool = self.items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (self._name(tool), self._risk(tool.risk), self._rule(tool.name))[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            about = tool.description[:_TIP_CHARACTERS]
            return plain_tool_tip(f"{tool.name}\n{about}" if about else tool.name)
        return None

    def _name(self, tool: ToolInfo) -> str:
        """Return the title on a single line, with the tool's name in parentheses if it differs."""
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
