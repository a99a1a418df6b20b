"""Agents: who they are, which one answers where none is chosen, and how one is made, changed and removed."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.bus import AgentsChanged, SettingsChanged, Subscription
from core.domain.agent import ASSISTANT, Agent
from core.domain.ids import AgentId
from core.services.agents import RemovedAgent
from core.services.outcome import Ok
from desktop.settings.agent_form import AgentForm
from desktop.settings.mind_row import MindRow
from desktop.settings.minds import Minds
from desktop.settings.minds_page import MindsPage
from desktop.settings.page import PageId
from desktop.settings.values import Deed
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when


class AgentsPage(MindsPage):
    """The list follows the agents, whoever changes them. The form stands below it while one is made or changed."""

    def __init__(self, theme: Theme, minds: Minds, told: Callable[[Deed], None], parent: QWidget | None = None) -> None:
        super().__init__(theme, PageId.AGENTS, Icon.BOT, minds, told, parent)
        self._about = Paragraph("", "label", "muted")
        self._new = Button(theme, icon=Icon.PLUS)
        self.list_column.addWidget(self._new, 0, Qt.AlignmentFlag.AlignLeft)
        self._form = AgentForm(theme, minds)
        self._is_editing = False
        self.add(self._about, self._about.text)
        self.add(self.list_, self._searched_list)
        self.add(self._form, self._form.searched)
        show_when(self._form, False)
        self._new.clicked.connect(partial(self._open, None))
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self._close)
        for kind in (AgentsChanged, SettingsChanged):
            subscription = minds.bus.subscribe(kind, self._on_change)
            self.destroyed.connect(partial(Subscription.close, subscription))
        self.adapt_to(theme)

    def title(self) -> str:
        return self.tr("Agents")

    def filter(self, query: str) -> bool:
        is_found = super().filter(query)
        self._form.setVisible(self._is_editing and not self._form.isHidden())
        return is_found

    def retranslate(self) -> None:
        super().retranslate()
        self._about.setText(
            self.tr(
                "An agent is how a model is asked: with which instructions and which tools. The header of a "
                "conversation says which one answers."
            )
        )
        self._new.setText(self.tr("New agent"))
        self._show_agents()

    def _on_change(self, _message: object) -> None:
        self._show_agents()

    def _show_agents(self) -> None:
        default = self.minds.agents.default.id
        self.show_rows([self._row(agent, is_default=agent.id == default) for agent in self.minds.agents.current])

    def _row(self, agent: Agent, *, is_default: bool) -> MindRow:
        row = MindRow(self._theme, agent.name, is_default=is_default, can_remove=agent.id != ASSISTANT.id)
        row.say(self._note(agent))
        row.edited.connect(partial(self._open, agent))
        row.removed.connect(partial(self._spawn_removal, agent))
        row.made_default.connect(partial(self._make_default, agent))
        return row

    def _note(self, agent: Agent) -> str:
        model = self.tr("the default model") if agent.model is None else agent.model.label
        tools = self.tr("all tools") if agent.tools is None else self.tr("%n tool(s)", "", len(agent.tools))
        words = " · ".join((model, tools))
        first = " ".join(agent.system_prompt[:300].split())
        return f"{words}\n{first}" if first else words

    def _searched_list(self) -> str:
        return " ".join([self._new.text(), *(row.name for row in self.rows)])

    # Making and changing

    def _open(self, agent: Agent | None) -> None:
        self._form.show_agent(agent)
        self._is_editing = True
        self._form.show()
        self._form.focus_name()
        self.ensureWidgetVisible(self._form)

    def _close(self) -> None:
        self._is_editing = False
        self._form.hide()
        self._new.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_kept(self, agent: Agent) -> None:
        self._close()
        words = self.tr("{agent} is saved.")
        self.told(Deed(lambda _: words.format(agent=agent.name)))

    # Removing

    def _spawn_removal(self, agent: Agent) -> None:
        self.minds.spawn(self._remove(agent.id), "remove an agent")

    async def _remove(self, agent_id: AgentId) -> None:
        answer = await self.minds.agents.delete(agent_id)
        if isinstance(answer, Ok):
            removed = answer.data
            if self._is_editing:
                self._close()
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
        self.is_done(await self.minds.agents.put(agent.id, **agent.model_dump(exclude={"id"})))

    async def _remove_again(self, agent: Agent) -> None:
        self.is_done(await self.minds.agents.delete(agent.id))

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
