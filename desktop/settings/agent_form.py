"""The form of an agent: all that can be set of it, within its bounds."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from core.domain.agent import MAX_TOKENS, NAME_CHARACTERS, PROMPT_CHARACTERS, Agent
from core.domain.ids import AgentId
from core.domain.model import ModelChoice
from core.services.outcome import Failed
from desktop.settings.form_row import FormRow
from desktop.settings.mind_words import reasoning_words, refused_words
from desktop.settings.minds import Minds
from desktop.settings.number_box import NumberBox
from desktop.settings.open_number import OpenNumber
from desktop.settings.side_by_side import SideBySide
from desktop.settings.tool_choice import ToolChoice
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.combo_box import ComboBox, bound
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.segmented import Segmented
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when


class AgentForm(Adaptive, Card):
    """`kept` tells of the agent that was made or changed, `left` that a person is done without."""

    kept = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, minds: Minds, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._minds = minds
        self._agent_id: AgentId | None = None
        self._models: list[ModelChoice | None] = [None]
        self._title = Label("", "title")
        self._name, self._model, self._prompt = QLineEdit(), ComboBox(), QPlainTextEdit()
        self._name.setMaxLength(NAME_CHARACTERS)
        self._prompt.setTabChangesFocus(True)
        self._tools = ToolChoice(theme)
        self._temperature = OpenNumber(0, 2, 0.1, 2)
        self._max_tokens = OpenNumber(1, MAX_TOKENS, 1, 0)
        self._rounds = NumberBox()
        self._rounds.setDecimals(0)
        self._rounds.setRange(1, 200)
        self._reasoning = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus)
        self._problem = Paragraph("", "label", "error")
        self._save, self._leave = Button(theme, kind="primary"), Button(theme)
        controls = (self._name, self._model, self._prompt, self._tools)
        self._rows = [FormRow(theme, control) for control in controls]
        numbers = (self._temperature, self._max_tokens, self._rounds, self._reasoning)
        self._numbers = [FormRow(theme, control) for control in numbers]
        self._beside = [SideBySide(theme, self._numbers[:2]), SideBySide(theme, self._numbers[2:])]
        bound(self._model)
        self._lay_out()
        self._name.textEdited.connect(self._check)
        self._prompt.textChanged.connect(self._check)
        self._save.clicked.connect(self._on_save)
        self._leave.clicked.connect(self.left)
        self.adapt_to(theme)
        self.show_agent(None)

    def show_agent(self, agent: Agent | None) -> None:
        """Show an agent to be changed; None: a new one."""
        self._agent_id = agent.id if agent is not None else None
        shown = agent or Agent(id=AgentId("agent_new"), name="-")
        self._name.setText(agent.name if agent is not None else "")
        self._offer_models(shown.model)
        self._prompt.setPlainText(shown.system_prompt)
        self._tools.offer([tool.name for tool in self._minds.agents.tools()], shown.tools)
        self._temperature.set_number(shown.temperature)
        self._max_tokens.set_number(shown.max_tokens)
        self._rounds.setValue(shown.max_tool_rounds)
        self._reasoning.set_current(shown.reasoning)
        self._say("")
        self._name_itself()
        self._check()
        self._save.setEnabled(True)

    def focus_name(self) -> None:
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name.selectAll()

    def searched(self) -> str:
        rows = [*self._rows, *self._numbers]
        return " ".join([self._title.text(), *(row.name for row in rows)])

    def retranslate(self) -> None:
        name, model, prompt, tools = self._rows
        name.describe(self.tr("Name"))
        model.describe(self.tr("Model"), self.tr("Another one can be chosen in each conversation."))
        prompt.describe(self.tr("Instructions"))
        tools.describe(self.tr("Tools"))
        temperature, max_tokens, rounds, reasoning = self._numbers
        temperature.describe(self.tr("Temperature"), self.tr("0 to 2: low is steady, high is lively."))
        max_tokens.describe(self.tr("Longest answer"), self.tr("In tokens."))
        rounds.describe(self.tr("Tool rounds"), self.tr("How many answers with tool calls a turn may have."))
        reasoning.describe(self.tr("Reasoning"), self.tr("For models that think before they answer."))
        for one in (self._temperature, self._max_tokens):
            one.say_in_language("")
            one.say_open(self.tr("left to the model"))
        self._rounds.say_in_language("")
        self._reasoning.set_segments([(str(key), words) for key, words in reasoning_words().items()])
        self._save.setText(self.tr("Save agent"))
        self._leave.setText(self.tr("Cancel"))
        self._offer_models(self._models[max(0, self._model.currentIndex())])
        self._name_itself()
        self._check()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._buttons.setSpacing(sizes.space_m)
        self._prompt.setFixedHeight(3 * sizes.row)

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._buttons = QHBoxLayout()
        self._column.addWidget(self._title)
        for row in self._rows:
            self._column.addWidget(row)
        for beside in self._beside:
            self._column.addWidget(beside)
        self._column.addWidget(self._problem)
        self._buttons.addWidget(self._save)
        self._buttons.addWidget(self._leave)
        self._buttons.addStretch()
        self._column.addLayout(self._buttons)
        show_when(self._problem, False)

    def _name_itself(self) -> None:
        self._title.setText(self.tr("New agent") if self._agent_id is None else self.tr("Edit agent"))

    def _offer_models(self, chosen: ModelChoice | None) -> None:
        """The models of the settings, and the one that is chosen if it is none of them."""
        known = list(self._minds.current.models)
        if chosen is not None and not any(one.is_same(chosen) for one in known):
            known.append(chosen)
        self._models = [None, *known]
        self._model.clear()
        self._model.addItems([self.tr("The default model"), *(one.label for one in known)])
        at = next((at for at, one in enumerate(self._models) if one is not None and one.is_same(chosen)), 0)
        self._model.setCurrentIndex(at)

    def _check(self) -> None:
        """Say how much of the instructions' room is taken, and that they are too long."""
        length = len(self._prompt.toPlainText())
        counted = self.tr("{count} of {most} characters").format(count=number(length), most=number(PROMPT_CHARACTERS))
        self._rows[2].complain(counted if length > PROMPT_CHARACTERS else "")
        self._rows[2].describe(self.tr("Instructions"), counted)

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        show_when(self._problem, bool(problem))
        if problem:
            announce(self, problem, is_urgent=True)

    def _on_save(self) -> None:
        self._minds.spawn(self._keep(), "keep an agent")

    async def _keep(self) -> None:
        tokens = self._max_tokens.number
        self._save.setEnabled(False)
        try:
            answer = await self._minds.agents.put(
                self._agent_id,
                name=self._name.text(),
                model=self._models[max(0, self._model.currentIndex())],
                system_prompt=self._prompt.toPlainText(),
                tools=self._tools.chosen(),
                temperature=self._temperature.number,
                max_tokens=None if tokens is None else int(tokens),
                max_tool_rounds=round(self._rounds.value()),
                reasoning=self._reasoning.current or "off",
            )
        finally:
            self._save.setEnabled(True)
        if isinstance(answer, Failed):
            self._say(refused_words(answer))
            return
        self._say("")
        self.kept.emit(answer.data)
