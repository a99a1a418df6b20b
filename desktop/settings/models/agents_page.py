"""The Agents page: create, edit and remove agents, and choose the default."""

from collections.abc import Awaitable
from functools import partial

from PySide6.QtCore import Qt

from core.domain.agent import ASSISTANT, Agent
from core.services.agents import RemovedAgent
from core.services.outcome import Failed, Outcome
from desktop.settings.models.agent_form import AgentForm
from desktop.settings.models.model_strings import model_refusal_text
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.theme import Icon
from desktop.widgets import Button

_EXCERPT_CHARACTERS = 300


class AgentsPage(ListPage[ItemRow]):
    """Follows changes of agents from any origin. The form is shown below the list while an agent is edited."""

    page_id = PageId.AGENTS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._agents = context.agents
        note = PendingRequestsBanner(context, PendingRequests.with_agents)
        self.add(note, note.search_text, above=self.list_)
        self._new = Button(context.theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = AgentForm(context)
        self.add_form(self._form, self._new)
        self._new.clicked.connect(partial(self._open, None))
        self._form.saved.connect(self._on_saved)
        self.follow(context.agents.changed, context.servers.changed, context.core_settings.changed)
        self.adapt_to(context.theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.about.setText(
            self.tr(
                "An agent is how a model is asked: with which instructions and which tools. The header of a "
                "conversation says which one answers."
            )
        )
        self._new.setText(self.tr("New agent"))

    def show_list(self) -> None:
        default = self._agents.default.id
        rows: dict[str, ItemRow] = {}
        for agent in self._agents.current:
            is_default, summary = agent.id == default, self._summary(agent)
            make = partial(self._row, agent, summary, is_default=is_default)
            rows[agent.id] = self.row_for(agent.id, (agent, is_default, summary), make)
        self.show_rows(rows)

    def failure_text(self, failed: Failed) -> str:
        return model_refusal_text(failed)

    def _row(self, agent: Agent, summary: str, *, is_default: bool) -> ItemRow:
        row = ItemRow(self._theme, agent.name, is_default=is_default, can_remove=agent.id != ASSISTANT.id)
        row.set_summary(summary)
        row.edit_requested.connect(partial(self._open, agent))
        row.remove_requested.connect(partial(self._remove, agent))
        row.default_requested.connect(partial(self._make_default, agent))
        return row

    def _summary(self, agent: Agent) -> str:
        model = self.tr("the default model") if agent.model is None else agent.model.label
        tools = self.tr("all tools") if agent.tools is None else self.tr("%n tool(s)", "", len(agent.tools))
        facts = " · ".join((model, tools, *self._server_notes(agent)))
        excerpt = " ".join(agent.system_prompt[:_EXCERPT_CHARACTERS].split())
        return f"{facts}\n{excerpt}" if excerpt else facts

    def _server_notes(self, agent: Agent) -> list[str]:
        """Return the MCP servers that the agent is limited to, and the missing servers among them."""
        if agent.mcp_servers is None:
            return []
        names = {server.id: server.name for server in self._agents.servers()}
        known = [names[server] for server in agent.mcp_servers if server in names]
        missing = self._agents.missing_servers(agent)
        notes = [self.tr("MCP servers: {servers}").format(servers=", ".join(known) or self.tr("none"))]
        return (
            [*notes, self.tr("not there any more: {servers}").format(servers=", ".join(missing))] if missing else notes
        )

    # Changes

    def _open(self, agent: Agent | None) -> None:
        self._form.show_agent(agent)
        self.open_form(self._form, None if agent is None else agent.id)

    def _on_saved(self, agent: Agent) -> None:
        self.close_form(agent.id)
        self.report(self.tr("{agent} is saved.").format(agent=agent.name))

    def _remove(self, agent: Agent) -> None:
        self.remove(agent.id, partial(self._agents.remove, agent.id), self._restore, self._removed_text)

    def _restore(self, removed: RemovedAgent) -> Awaitable[Outcome[Agent]]:
        return self._agents.save(removed.agent.id, **removed.agent.model_dump(exclude={"id"}))

    def _removed_text(self, removed: RemovedAgent, is_undone: bool) -> str:
        name = removed.agent.name
        if is_undone:
            return self.tr("{agent} is back.").format(agent=name)
        if not removed.workflows:
            return self.tr("{agent} is removed.").format(agent=name)
        text = self.tr("{agent} is removed; %n workflow(s) go on with the default agent.", "", removed.workflows)
        return text.format(agent=name)

    def _make_default(self, agent: Agent) -> None:
        former, change = self._agents.default, self._context.core_settings.change
        self.change(
            partial(change, default_agent=agent.id),
            partial(change, default_agent=former.id),
            partial(self._default_text, agent, former),
        )

    def _default_text(self, agent: Agent, former: Agent, is_undone: bool) -> str:
        return self.tr("Default: {agent}").format(agent=(former if is_undone else agent).name)
