"""Which events become toasts, and for how long: the link between the bus and the toast stack (UI §7)."""

from collections import deque

from core.bus import Bus, WorkflowDeleted
from core.domain.events import Event, RunCreated, RunFinished, iso_time
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.run import RunKind
from core.domain.toast import ToastId, ToastType
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Store
from core.stores.questions import Question, Questions
from core.stores.toasts import Toasts

MAX_REMEMBERED_RUNS = 256
END_CODE = "question_ending"


class ToastFeed(Store):
    """Adds a toast for the end of each run, viewed or not, and for each question that the user does not see; removes
    toasts that no longer apply: of closed questions, of an earlier turn, and of what the user has come to look at.

    Names are read from `background`, which must subscribe to the bus first.
    """

    def __init__(self, bus: Bus, background: BackgroundWorkflows, questions: Questions, toasts: Toasts) -> None:
        super().__init__()
        self._background = background
        self._questions = questions
        self._toasts = toasts
        self._reported: deque[RunId] = deque(maxlen=MAX_REMEMBERED_RUNS)
        self._toast_ids: dict[WorkflowId, dict[InterruptionId, ToastId | None]] = {}
        self._subscribe(bus, Event, self._on_event, (RunCreated, RunFinished))
        self._subscribe(bus, WorkflowDeleted, self._on_deleted)
        self._connect(questions.changed, self._on_questions)
        self._connect(background.viewed_changed, self._on_watched)
        self._connect(background.window_active_changed, self._on_watched)

    def take_back(self, question: Question) -> None:
        """Withdraw the toast of a question that a reminder covers now, unless it covers another question too."""
        toast_ids = self._toast_ids.get(question.workflow_id, {})
        toast_id = toast_ids.get(question.id)
        if toast_id is not None:
            toast_ids[question.id] = None
            if toast_id not in toast_ids.values():
                self._toasts.withdraw(toast_id)

    def remind_of_end(self, question: Question) -> None:
        """Replace the toast of a question by one that has the end of its time, and what happens then."""
        self.take_back(question)
        asked = question.asked
        parameters = [("kind", question.kind), ("step", question.asker), ("then", asked.default_action)]
        parameters.append(("ends_at", iso_time(question.expires_at) if question.expires_at is not None else ""))
        self._toast_ids.setdefault(question.workflow_id, {})[question.id] = self._toasts.add(
            ToastType.USER_QUESTION,
            END_CODE,
            title=self._name(question.workflow_id),
            message=asked.prompt or "",
            workflow_id=question.workflow_id,
            parameters=parameters,
        )

    def _name(self, workflow_id: WorkflowId) -> str:
        execution = self._background.get_execution(workflow_id)
        return execution.workflow_name if execution is not None else ""

    def _on_questions(self, workflow_id: WorkflowId) -> None:
        """Add a toast for each new unseen question; withdraw the toasts of closed questions."""
        before = self._toast_ids.get(workflow_id, {})
        toast_ids = {
            question.id: before[question.id] if question.id in before else self._add_question(question)
            for question in self._questions.get_questions_for_workflow(workflow_id)
        }
        # equal questions share a toast, which stays until the last is closed
        used = set(toast_ids.values())  # two that say the same share one
        for closed in before.keys() - toast_ids.keys():
            toast_id = before[closed]
            if toast_id is not None and toast_id not in used:
                self._toasts.withdraw(toast_id)
        if toast_ids:
            self._toast_ids[workflow_id] = toast_ids
        else:
            self._toast_ids.pop(workflow_id, None)

    def _add_question(self, question: Question) -> ToastId | None:
        if self._background.is_watched(question.workflow_id):
            return None
        name = self._name(question.workflow_id)
        about = [("kind", question.kind), ("step", question.asker)]
        return self._toasts.add_user_question(question.workflow_id, name, question.asked.prompt or "", about)

    def _on_watched(self) -> None:
        """Remove the toasts of the workflow that the user looks at now: its end and its questions are in front."""
        viewed = self._background.viewed_workflow_id
        if viewed is None or not self._background.is_watched(viewed):
            return
        self._toasts.dismiss_workflow_complete(viewed)
        self._toasts.dismiss_for_workflow(viewed, ToastType.USER_QUESTION)

    def _on_event(self, event: Event) -> None:
        fact, workflow_id = event.fact, event.workflow_id
        if isinstance(fact, RunCreated) and fact.parent_run_id is None and fact.kind is not RunKind.RECORDING:
            if event.run_id in self._reported:  # published again
                return
            self._toasts.dismiss_workflow_complete(workflow_id)
        if not isinstance(fact, RunFinished) or event.run_id in self._reported:
            return
        self._reported.append(event.run_id)
        execution = self._background.get_execution(workflow_id)
        # children end silently: their root reports
        if execution is not None and execution.run is not None and execution.run.run_id == event.run_id:
            self._toasts.dismiss_for_workflow(workflow_id, ToastType.USER_QUESTION)
            is_viewed = self._background.is_watched(workflow_id)
            self._toasts.add_workflow_complete(
                workflow_id, execution.workflow_name, fact.status, fact.error, is_viewed=is_viewed
            )

    def _on_deleted(self, message: WorkflowDeleted) -> None:
        self._toasts.dismiss_for_workflow(message.workflow_id)
