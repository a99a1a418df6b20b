"""The choices in the header of a conversation: the agent and model that answer, and the validation mode.

The choice for a workflow that does not exist yet is held here until its first message takes it over.
"""

from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.model import ModelChoice
from core.domain.template import ValidationMode
from core.domain.tokens import available_tokens
from core.services.outcome import Failed
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.theme import Theme
from desktop.translation import failure_text
from desktop.widgets import Adaptive
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import FocusRestorer
from desktop.window.base.options import Option, OptionHeading, ResolvedAnswering, answering_options, model_label
from desktop.window.conversation.header import Header
from desktop.window.input.picker import Picker


class AnsweringChoice(Controller):
    """Resolves, shows and changes the agent and model of the viewed workflow."""

    connect_requested = Signal()
    """The settings should open, to connect another model."""
    shown = Signal(object, bool)
    """The context size of the next turn's model in tokens; None is unlimited."""
    refused = Signal(str)
    """Why a choice was rejected while the picker is closed."""

    def __init__(self, context: WindowContext, header: Header, picker: Picker) -> None:
        super().__init__(context)
        self._header = header
        self._picker = picker
        self._for_new = AgentSelection()
        header.picker_requested.connect(self.open)
        picker.chosen.connect(self.choose)
        self._focus = FocusRestorer(header.focus_picker)
        picker.closed.connect(self._focus.restore)

    @property
    def for_new(self) -> AgentSelection:
        """The agent and model for the first message of a new workflow."""
        return self._for_new

    def on_sent(self, workflow_id: str) -> None:
        """Reset the choice for new workflows after one was created (`workflow_id` is "")."""
        if not workflow_id:
            self._for_new = AgentSelection()
            self.show()

    def show(self) -> None:
        """Show the agent and model of the next turn in the header."""
        resolved = self._resolved()
        model = resolved.model
        self._header.show_answering(resolved.agent.name, model_label(model))
        room = None if model is None else available_tokens(model.context_tokens, model.max_tokens)
        self.shown.emit(room, model is not None and model.context_tokens is None)

    def next_model(self) -> ModelChoice | None:
        """Return the model of the next turn; None is the offline agent."""
        return self._resolved().model

    def entries(self) -> list[OptionHeading | Option]:
        """Return the options of the viewed workflow with their headings."""
        settings = self._core.settings.current
        return answering_options(self._resolved(), self._core.agents.current, settings.models, settings.model)

    def options(self) -> list[Option]:
        """Return the options without headings."""
        return [entry for entry in self.entries() if isinstance(entry, Option)]

    @command("workflow.model")
    def open(self) -> None:
        """Open the picker below the header if the header is visible, or close the picker."""
        if not self._header.isVisible():
            return
        if self._picker.isVisible():
            self._picker.close_up()
            return
        self._focus.save()
        header = self._header
        pane = QRect(header.mapTo(self._picker.ground, QPoint(0, 0)), header.size())
        button = header.picker_place
        place = QRect(pane.topLeft() + QPoint(button.x(), 0), QSize(button.width(), header.height()))
        self._picker.open_below(place, self.entries(), pane)

    def on_viewed(self) -> None:
        """Close the picker: its options belong to the previous workflow."""
        self._picker.hide()

    def _resolved(self) -> ResolvedAnswering:
        answering = self._answering(self._viewed)
        return ResolvedAnswering(answering, *self._core.agents.resolve(answering))

    def _answering(self, workflow_id: WorkflowId | None) -> AgentSelection:
        if workflow_id is None:
            return self._for_new
        listed = self._stores.workflows.get(workflow_id)
        if listed is not None and listed.workflow.answering is not None:
            return listed.workflow.answering
        # a workflow without a choice answers as its last run did: it may be older than the choice
        execution = self._stores.view.execution
        is_offline = execution is None or execution.run is None or execution.run.model is None
        return AgentSelection(is_offline=is_offline)

    def choose(self, option: Option) -> None:
        """Use this option from the next turn on."""
        if option.answering is None:
            self._picker.close_up()
            self.connect_requested.emit()
            return
        choose = self._choose(option.answering, self._viewed)
        self._operations.run(choose, "choose agent and model", failure=self._show_failure)

    async def _choose(self, answering: AgentSelection, workflow_id: WorkflowId | None) -> None:
        unwrap(await self._core.workflows.select_agent(workflow_id, answering))
        if workflow_id is None:
            self._for_new = answering
        self._picker.close_up()
        self.show()

    def _show_failure(self, failed: Failed) -> None:
        text = failure_text(failed.code, failed.message)
        self._picker.show_problem(text) if self._picker.isVisible() else self.refused.emit(text)


class ModeMenu(Adaptive, QMenu):
    """Lists the validation modes with a check mark at the current one and emits `chosen`."""

    chosen = Signal(object)
    """The ValidationMode."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._group = QActionGroup(self)
        self._actions: dict[ValidationMode, QAction] = {}
        for mode in ValidationMode:
            action = QAction(self)
            action.setCheckable(True)
            action.setData(mode)
            self._group.addAction(action)
            self.addAction(action)
            self._actions[mode] = action
        self._group.triggered.connect(self._choose)
        self.adapt_to(theme)

    def open_at(self, place: QPoint, mode: ValidationMode) -> None:
        """Open without blocking at `place`, in screen coordinates, with the check mark at `mode`."""
        self._actions[mode].setChecked(True)
        self.popup(place)
        self.setActiveAction(self._actions[mode])

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Validation mode"))
        self._actions[ValidationMode.AUTO].setText(self.tr("Automatic: no approvals, several workflows at once"))
        self._actions[ValidationMode.SELECTIVE].setText(self.tr("Selective: some approvals, one workflow at a time"))
        self._actions[ValidationMode.MANUAL].setText(
            self.tr("Manual: every call needs approval, one workflow at a time")
        )

    def _choose(self, action: QAction) -> None:
        self.chosen.emit(ValidationMode(action.data()))


class ModeChoice(Controller):
    """Opens the menu of modes from the header."""

    chosen = Signal(object)
    """The ValidationMode."""

    def __init__(self, context: WindowContext, header: Header) -> None:
        super().__init__(context)
        self._menu = ModeMenu(context.theme, header)
        self._menu.chosen.connect(self.chosen)
        self._header = header
        self._settings = context.core.settings
        header.mode_requested.connect(self.open)

    @command("validation.mode")
    def open(self) -> None:
        """Open the menu at the header's mode button."""
        if self._header.isVisible():
            self._menu.open_at(self._header.mode_place, self._settings.current.validation_mode)

    def divergent_mode(self, workflow_id: WorkflowId) -> ValidationMode | None:
        """Return the mode of a workflow's run if it differs from the settings."""
        execution = self._stores.background.get_execution(workflow_id)
        mode = execution.run.mode if execution is not None and execution.run is not None else None
        return mode if mode is not self._settings.current.validation_mode else None
