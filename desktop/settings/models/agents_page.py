"""Agents: who they are, which one answers where none is chosen, and how one is made, changed and removed."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.bus import AgentsChanged, ServersChanged, SettingsChanged
from core.domain.agent import ASSISTANT, Agent
from core.domain.ids import AgentId
from core.services.agents import RemovedAgent
from core.services.outcome import Ok
from desktop.settings.models.agent_form import AgentForm
from desktop.settings.models.models_page import ModelCatalogPage
from desktop.settings.parts.banners import PendingRequestsBanner
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.pending_requests import PendingRequests
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button


class AgentsPage(ModelCatalogPage):
    """The list follows the agents, whoever changes them. The form stands below it while one is made or changed."""

    def __init__(
        self,
        theme: Theme,
        minds: SettingsContext,
        told: Callable[[UndoableAction], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, PageId.AGENTS, minds, told, parent)
        note = PendingRequestsBanner(theme, minds.waiting, PendingRequests.with_agents)
        self.add(note, note.searched, above=self.list_)
        self._new = Button(theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = AgentForm(theme, minds)
        self.add_form(self._form, self._form.searched, self._new)
        self._new.clicked.connect(partial(self._open, None))
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self.close_form)
        self.follow(minds.bus, AgentsChanged, ServersChanged, SettingsChanged)
        self.adapt_to(theme)

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
        default = self.minds.agents.default.id
        rows: dict[str, ItemRow] = {}
        for agent in self.minds.agents.current:
            is_default, note = agent.id == default, self._note(agent)
            make = partial(self._row, agent, note, is_default=is_default)
            rows[agent.id] = self.row_for(agent.id, (agent, is_default, note), make)
        self.show_rows(rows)

    def _row(self, agent: Agent, note: str, *, is_default: bool) -> ItemRow:
        row = ItemRow(self._theme, agent.name, is_default=is_default, can_remove=agent.id != ASSISTANT.id)
        row.say(note)
        row.edited.connect(partial(self._open, agent))
        row.removed.connect(partial(self._spawn_removal, agent))
        row.made_default.connect(partial(self._make_default, agent))
        return row

    def _note(self, agent: Agent) -> str:
        model = self.tr("the default model") if agent.model is None else agent.model.label
        tools = self.tr("all tools") if agent.tools is None else self.tr("%n tool(s)", "", len(agent.tools))
        words = " · ".join((model, tools, *self._server_notes(agent)))
        first = " ".join(agent.system_prompt[:300].split())
        return f"{words}\n{first}" if first else words

    def _server_notes(self, agent: Agent) -> list[str]:
        """Which MCP servers it is limited to, if it is; and which of them are gone."""
        if agent.mcp_servers is None:
            return []
        names = {one.id: one.name for one in self.minds.agents.servers()}
        there = [names[server] for server in agent.mcp_servers if server in names]
        lost = self.minds.agents.missing_servers(agent)
        notes = [self.tr("MCP servers: {servers}").format(servers=", ".join(there) or self.tr("none"))]
        return [*notes, self.tr("not there any more: {servers}").format(servers=", ".join(lost))] if lost else notes

    # Making and changing

    def _open(self, agent: Agent | None) -> None:
        self._form.show_agent(agent)
        self.open_form(self._form, None if agent is None else agent.id, self._form.focus_first)

    def _on_kept(self, agent: Agent) -> None:
        self.close_form(agent.id)
        self.tell(self.tr("{agent} is saved.").format(agent=agent.name))

    # Removing

    def _spawn_removal(self, agent: Agent) -> None:
        self.minds.spawn(self._remove(agent.id), "remove an agent")

    async def _remove(self, agent_id: AgentId) -> None:
        answer = await self.minds.agents.remove(agent_id)
        if isinstance(answer, Ok):
            removed = answer.data
            if self.is_editing(agent_id):
                self.close_form()
            self.tell_change(
                partial(self._removed_words, removed),
                partial(self._put_back, removed.agent),
                partial(self._remove_again, removed.agent),
            )
        else:
            self.is_done(answer)

    def _removed_words(self, removed: RemovedAgent, is_undone: bool) -> str:
        name = removed.agent.name
        if is_undone:
            return self.tr("{agent} is back.").format(agent=name)
        if not removed.workflows:
            return self.tr("{agent} is removed.").format(agent=name)
        words = self.tr("{agent} is removed; %n workflow(s) go on with the default agent.", "", removed.workflows)
        return words.format(agent=name)

    async def _put_back(self, agent: Agent) -> None:
        self.is_done(await self.minds.agents.save(agent.id, **agent.model_dump(exclude={"id"})))

    async def _remove_again(self, agent: Agent) -> None:
        self.is_done(await self.minds.agents.remove(agent.id))

    def _make_default(self, agent: Agent) -> None:
        self.minds.spawn(self._set_default(agent, self.minds.agents.default), "set the default agent")

    async def _set_default(self, agent: Agent, former: Agent) -> None:
        if await self._change(agent):
            self.tell_change(
                partial(self._default_words, agent, former),
                partial(self._change_again, former),
                partial(self._change_again, agent),
            )

    def _default_words(self, agent: Agent, former: Agent, is_undone: bool) -> str:
        return self.tr("Default: {agent}").format(agent=(former if is_undone else agent).name)

    async def _change_again(self, agent: Agent) -> None:
        await self._change(agent)

    async def _change(self, agent: Agent) -> bool:
        return self.is_done(await self.minds.settings.change(default_agent=agent.id))
