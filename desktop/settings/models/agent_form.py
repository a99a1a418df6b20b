"""The form of an agent."""

from collections.abc import Awaitable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from core.domain.agent import MAX_TOKENS, PROMPT_CHARACTERS, Agent
from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.domain.names import NAME_CHARACTERS
from core.services.outcome import Failed, Outcome
from desktop.settings.models.model_strings import model_refusal_text, reasoning_labels
from desktop.settings.models.server_picker import ServerPicker
from desktop.settings.models.tool_picker import ToolPicker
from desktop.settings.parts.editors import NumberBox, OptionalNumberBox
from desktop.settings.parts.form import EditForm
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.widgets import ComboBox, MultiLineEdit, Segmented, limit_width, show_when
from desktop.widgets.forms.form import FormField


class AgentForm(EditForm):
    """Emits `saved` with the agent that was created or changed."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._agent_id: AgentId | None = None
        self._models: list[ModelChoice | None] = [None]
        self._name, self._model, self._prompt = QLineEdit(), ComboBox(), MultiLineEdit()
        self._name.setMaxLength(NAME_CHARACTERS)
        self._prompt.setTabChangesFocus(True)
        self._tools, self._servers = ToolPicker(theme), ServerPicker(theme)
        self._temperature = OptionalNumberBox(0, 2, 0.1, 2)
        self._max_tokens = OptionalNumberBox(1, MAX_TOKENS, 1, 0)
        self._rounds = NumberBox()
        self._rounds.setDecimals(0)
        self._rounds.setRange(1, 200)
        self._reasoning = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus)
        texts = (self._name, self._model, self._prompt, self._tools, self._servers)
        numbers = (self._temperature, self._max_tokens, self._rounds, self._reasoning)
        fields = [FormField.around(theme, control) for control in (*texts, *numbers)]
        self._place([*fields[:5], ResponsiveRow(theme, fields[5:7]), ResponsiveRow(theme, fields[7:])], fields)
        limit_width(self._model)
        self._prompt.textChanged.connect(self._check)
        self.adapt_to(theme)
        self.show_agent(None)

    def show_agent(self, agent: Agent | None) -> None:
        """Show an agent to edit; None for a new agent."""
        self._agent_id = agent.id if agent is not None else None
        shown = agent or Agent(id=AgentId("agent_new"), name="-")
        self._name.setText(agent.name if agent is not None else "")
        self._list_models(shown.model)
        self._prompt.set_text(shown.system_prompt)
        self._tools.set_options([tool.name for tool in self._context.agents.tools()], shown.tools)
        self._servers.set_options(
            {server.id: server.name for server in self._context.agents.servers()}, shown.mcp_servers
        )
        show_when(self._fields[4], self._servers.has_any)
        self._temperature.set_number(shown.temperature)
        self._max_tokens.set_number(shown.max_tokens)
        self._rounds.setValue(shown.max_tool_rounds)
        self._reasoning.set_current(shown.reasoning)
        self._begin()
        self._check()

    def heading(self) -> str:
        return self.tr("New agent") if self._agent_id is None else self.tr("Edit agent")

    def failure_text(self, failed: Failed) -> str:
        return model_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        name, model, prompt, tools, servers, temperature, max_tokens, rounds, reasoning = self._fields
        name.describe(self.tr("Name"))
        model.describe(self.tr("Model"), self.tr("Another one can be chosen in each conversation."))
        prompt.describe(self.tr("Instructions"))
        tools.describe(self.tr("Tools"))
        servers.describe(
            self.tr("MCP servers"), self.tr("It has no tool of another server, whatever is checked above.")
        )
        temperature.describe(self.tr("Temperature"), self.tr("0 to 2: low is steady, high is lively."))
        max_tokens.describe(self.tr("Longest answer"), self.tr("In tokens."))
        rounds.describe(self.tr("Tool rounds"), self.tr("How many answers with tool calls a turn may have."))
        reasoning.describe(self.tr("Reasoning"), self.tr("For models that think before they answer."))
        for box in (self._temperature, self._max_tokens):
            box.localize("")
            box.set_empty_text(self.tr("left to the model"))
        self._rounds.localize("")
        self._reasoning.set_segments([(str(key), text) for key, text in reasoning_labels().items()])
        self._save.setText(self.tr("Save agent"))
        self._list_models(self._models[max(0, self._model.currentIndex())])
        self._check()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._prompt.setFixedHeight(3 * self._theme.sizes.row)

    def _list_models(self, chosen: ModelChoice | None) -> None:
        """List the configured models, and the agent's own model if it is not among them."""
        known = list(self._context.current.models)
        if chosen is not None and not any(model.is_same(chosen) for model in known):
            # The agent may use a model that was removed from the settings.
            known.append(chosen)
        self._models = [None, *known]
        self._model.clear()
        self._model.addItems([self.tr("The default model"), *(model.label for model in known)])
        at = next((at for at, model in enumerate(self._models) if model is not None and model.is_same(chosen)), 0)
        self._model.setCurrentIndex(at)

    def _check(self) -> None:
        """Show the length of the instructions."""
        length = len(self._prompt.text())
        self._show_length(self._fields[2], self.tr("Instructions"), length, PROMPT_CHARACTERS)

    def submit(self) -> Awaitable[Outcome[Agent]]:
        tokens = self._max_tokens.number
        return self._context.agents.save(
            self._agent_id,
            name=self._name.text(),
            model=self._models[max(0, self._model.currentIndex())],
            system_prompt=self._prompt.text(),
            tools=self._tools.chosen(),
            mcp_servers=self._servers.chosen(),
            temperature=self._temperature.number,
            max_tokens=None if tokens is None else int(tokens),
            max_tool_rounds=round(self._rounds.value()),
            reasoning=self._reasoning.current or "off",
        )
