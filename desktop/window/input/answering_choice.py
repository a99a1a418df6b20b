"""The agent and model that answer in the viewed workflow: shown in the header, chosen in the picker.

The choice for a workflow that does not exist yet is held here until its first message takes it over.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal

from core.app import Core
from core.bus import AgentsChanged, Subscription
from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.tokens import available_tokens
from core.services.outcome import Failed
from desktop.aio import Tasks
from desktop.translation.failure_strings import failure_words
from desktop.window.base.options import Option, OptionHeading, ResolvedAnswering, answering_options, model_label
from desktop.window.conversation.header import Header
from desktop.window.input.picker import Picker


class AnsweringChoice(QObject):
    connect_requested = Signal()
    """A person wants another model than there are."""

    shown = Signal(object)
    """Who answers next was shown: the tokens that their model has for a conversation, None where it has no bounds."""

    refused = Signal(str)
    """Who was chosen elsewhere than in the picker cannot answer; why not, in words."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        header: Header,
        picker: Picker,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._header = header
        self._picker = picker
        self._of_new = AgentSelection()
        header.picker_requested.connect(self.open)
        picker.chosen.connect(self.choose)
        picker.closed.connect(header.focus_picker)
        subscription = core.bus.subscribe(AgentsChanged, self._on_agents)
        self.destroyed.connect(partial(Subscription.close, subscription))

    @property
    def of_new(self) -> AgentSelection:
        """The agent and model for the first message of a new workflow."""
        return self._of_new

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"workflow.model": self.open}

    def on_sent(self, workflow_id: str) -> None:
        """Reset the choice for new workflows after one was created (`workflow_id` is "")."""
        if not workflow_id:
            self._of_new = AgentSelection()
            self.show()

    def show(self) -> None:
        """Show the agent and model of the next turn in the header."""
        cast = self._cast()
        self._header.show_answering(cast.agent.name, model_label(cast.model))
        model = cast.model
        self.shown.emit(None if model is None else available_tokens(model.context_tokens, model.max_tokens))

    def entries(self) -> list[OptionHeading | Option]:
        """Return the options of the viewed workflow with their headings."""
        settings = self._core.settings.current
        return answering_options(self._cast(), self._core.agents.current, settings.models, settings.model)

    def offers(self) -> list[Option]:
        """Return the options without headings."""
        return [entry for entry in self.entries() if isinstance(entry, Option)]

    def open(self) -> None:
        """Open the picker below the header if the header is visible, or close the picker."""
        if not self._header.isVisible():
            return
        if self._picker.isVisible():
            self._picker.close_up()
            return
        header = self._header
        pane = QRect(header.mapTo(self._picker.ground, QPoint(0, 0)), header.size())
        button = header.picker_place
        place = QRect(pane.topLeft() + QPoint(button.x(), 0), QSize(button.width(), header.height()))
        self._picker.open_below(place, self.entries(), pane)

    def viewed_another(self) -> None:
        """Close the picker: its options belong to the previous workflow."""
        self._picker.hide()

    def _on_agents(self, _message: AgentsChanged) -> None:
        self.show()

    def _cast(self) -> ResolvedAnswering:
        answering = self._answering(self._viewed())
        return ResolvedAnswering(answering, *self._core.agents.cast(answering))

    def _viewed(self) -> WorkflowId | None:
        return self._core.stores.background.viewed_workflow_id

    def _answering(self, workflow_id: WorkflowId | None) -> AgentSelection:
        if workflow_id is None:
            return self._of_new
        listed = self._core.stores.workflows.get(workflow_id)
        if listed is not None and listed.workflow.answering is not None:
            return listed.workflow.answering
        execution = self._core.stores.view.execution
        is_offline = execution is None or execution.run is None or execution.run.model is None
        return AgentSelection(is_offline=is_offline)

    def choose(self, offer: Option) -> None:
        """Use this option from the next turn on."""
        if offer.answering is None:
            self._picker.close_up()
            self.connect_requested.emit()
            return
        self._tasks.spawn(self._hold(offer.answering, self._viewed()), "choose who answers")

    async def _hold(self, answering: AgentSelection, workflow_id: WorkflowId | None) -> None:
        answer = await self._core.workflows.choose(workflow_id, answering)
        if isinstance(answer, Failed):
            words = failure_words(answer.code, answer.message)
            self._picker.say(words) if self._picker.isVisible() else self.refused.emit(words)
            return
        if workflow_id is None:
            self._of_new = answering
        self._picker.close_up()
        self.show()
