"""What waits for the user, by workflow: open interruptions of a run and of its descendants (UI §2, §6).

Derived from the live states of `BackgroundWorkflows`, so that a question is open here exactly as long as it is there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from psygnal import Signal

from core.domain.events import InterruptionRaised
from core.domain.ids import InterruptionId, RunId, ServerId, WorkflowId
from core.domain.interruption import ASKED_IN_CALLS, InterruptionKind, InterruptionStatus
from core.domain.live_run import LiveInterruption, LiveRun
from core.domain.run import RunKind
from core.domain.tool import mcp_server_of
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Store, emit


@dataclass(frozen=True, slots=True)
class Question:
    """An open interruption. `run_id` is the run that asks; `below` its title if it is a child run.

    `expires_at` is None if it never expires; `agent` is the agent of a chat turn that asks, None in a template's run.
    """

    workflow_id: WorkflowId
    run_id: RunId
    asked: InterruptionRaised
    created_at: datetime
    below: str | None = None
    expires_at: datetime | None = None
    agent: str | None = None

    @property
    def id(self) -> InterruptionId:
        """The id of the interruption."""
        return self.asked.id

    @property
    def kind(self) -> InterruptionKind:
        """The kind of the interruption."""
        return self.asked.kind

    @property
    def step(self) -> str:
        """The step that asks."""
        return self.asked.step

    @property
    def asker(self) -> str:
        """What asks: the agent or its sub-agent, or a template's step."""
        return self.asked.sub_agent_name or self.agent or self.asked.step


class Questions(Store):
    """`changed(workflow_id)` is emitted when the open questions of a workflow change."""

    changed = Signal(WorkflowId)

    def __init__(self, background: BackgroundWorkflows) -> None:
        super().__init__()
        self._background = background
        self._last_ids: dict[WorkflowId, tuple[InterruptionId, ...]] = {}
        self._connect(background.changed, self._on_changed)

    def get_questions_for_workflow(self, workflow_id: WorkflowId) -> list[Question]:
        """Return the open questions of the workflow, oldest first."""
        execution = self._background.get_execution(workflow_id)
        return [_question(*asking) for asking in execution.open_interruptions] if execution is not None else []

    def count(self, workflow_id: WorkflowId) -> int:
        """Return the number of open questions of the workflow, which its badge shows."""
        execution = self._background.get_execution(workflow_id)
        return len(execution.open_interruptions) if execution is not None else 0

    def how_closed(self, workflow_id: WorkflowId, question_id: InterruptionId) -> InterruptionStatus | None:
        """Return how a question of the workflow was closed; None if it is open or unknown."""
        execution = self._background.get_execution(workflow_id)
        runs = [*execution.below, execution.run] if execution is not None else []
        interruptions = [
            run.interruptions[question_id] for run in runs if run is not None and question_id in run.interruptions
        ]
        return next((interruption.status for interruption in interruptions if not interruption.status.is_open), None)

    @property
    def workflows(self) -> list[WorkflowId]:
        """The workflows with open questions, in the order of their oldest question."""
        asking = [
            (execution.open_interruptions[0][1].created_at, execution.workflow_id)
            for execution in (*self._background.running_workflows, *self._background.recently_completed_workflows)
            if execution.has_pending_question
        ]
        return [workflow_id for _, workflow_id in sorted(asking)]

    @property
    def all(self) -> list[Question]:
        """All open questions, by workflow."""
        return [question for workflow_id in self.workflows for question in self.get_questions_for_workflow(workflow_id)]

    def _on_changed(self, workflow_id: WorkflowId) -> None:
        """Emit `changed` if the questions differ: a row is redrawn for other reasons too."""
        current = tuple(question.id for question in self.get_questions_for_workflow(workflow_id))
        # rows change at every step: compare, so that listeners run only for questions
        if current != self._last_ids.get(workflow_id, ()):
            if current:
                self._last_ids[workflow_id] = current
            else:
                del self._last_ids[workflow_id]
            emit(self.changed, workflow_id)


def _question(run: LiveRun, waiting: LiveInterruption) -> Question:
    request = waiting.request
    return Question(
        run.workflow_id,
        run.run_id,
        request,
        waiting.created_at,
        run.workflow_name if run.parent is not None else None,
        datetime.fromisoformat(request.expires_at) if request.expires_at is not None else None,
        run.agent if run.kind is RunKind.CHAT else None,
    )


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """An open request. `tool` is the tool of the call to approve, or the tool that asks; `agent` the agent of its run,
    if it has one.
    """

    workflow_id: WorkflowId
    workflow: str
    kind: InterruptionKind
    tool: str | None = None
    agent: str | None = None


def open_requests(questions: Questions, background: BackgroundWorkflows) -> list[OpenRequest]:
    """Return every open request, by workflow."""
    requests = []
    for question in questions.all:
        execution, run = background.get_execution(question.workflow_id), background.live_run(question.run_id)
        name = execution.workflow_name if execution is not None else ""
        agent = run.agent if run is not None else None
        requests.append(OpenRequest(question.workflow_id, name, question.kind, question.asked.tool, agent))
    return requests


def requests_about_server(waiting: Iterable[OpenRequest], server: ServerId) -> list[OpenRequest]:
    """Return the requests to approve a call of a tool of the server."""
    return [request for request in _requests_of_server(waiting, server) if request.kind not in ASKED_IN_CALLS]


def requests_by_server(waiting: Iterable[OpenRequest], server: ServerId) -> list[OpenRequest]:
    """Return the requests of the server itself, in a call that continues when they are answered."""
    return [request for request in _requests_of_server(waiting, server) if request.kind in ASKED_IN_CALLS]


def agent_requests(waiting: Iterable[OpenRequest]) -> list[OpenRequest]:
    """Return the requests in whose run an agent continues after the answer."""
    return [request for request in waiting if request.agent is not None]


def consent_requests(waiting: Iterable[OpenRequest]) -> list[OpenRequest]:
    """Return the requests that exist because the mode requires consent."""
    return [request for request in waiting if request.kind is InterruptionKind.TOOL_APPROVAL]


def _requests_of_server(waiting: Iterable[OpenRequest], server: ServerId) -> list[OpenRequest]:
    return [request for request in waiting if request.tool is not None and mcp_server_of(request.tool) == server]
