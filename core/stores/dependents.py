"""Who waits for a person, and with what: so that a change of what a request needs can say whom it concerns (UI §8)."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.domain.ids import ServerId, WorkflowId
from core.domain.interruption import InterruptionKind
from core.domain.tool import server_of
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.questions import Questions


@dataclass(frozen=True, slots=True)
class Dependent:
    """An open request. `tool` is that of the call which is at stake or asks, `agent` who answers in its run, if anybody
    does."""

    workflow_id: WorkflowId
    workflow: str
    kind: InterruptionKind
    tool: str | None = None
    agent: str | None = None


def all_waiting(questions: Questions, background: BackgroundWorkflows) -> list[Dependent]:
    """Every open request, by workflow."""
    found = []
    for one in questions.all:
        execution, run = background.get_execution(one.workflow_id), background.live_run(one.run_id)
        name = execution.workflow_name if execution is not None else ""
        agent = run.agent if run is not None else None
        found.append(Dependent(one.workflow_id, name, one.kind, one.asked.tool, agent))
    return found


def calls_of(waiting: Iterable[Dependent], server: ServerId) -> list[Dependent]:
    """Those about a call of one of the server's tools, which is to be made yet."""
    return [one for one in _of(waiting, server) if one.kind is not InterruptionKind.QUESTION]


def asked_by(waiting: Iterable[Dependent], server: ServerId) -> list[Dependent]:
    """Those that the server itself asks, in a call that goes on until they are answered."""
    return [one for one in _of(waiting, server) if one.kind is InterruptionKind.QUESTION]


def of_agents(waiting: Iterable[Dependent]) -> list[Dependent]:
    """Those in whose run an agent goes on once they are answered."""
    return [one for one in waiting if one.agent is not None]


def of_consent(waiting: Iterable[Dependent]) -> list[Dependent]:
    """Those that are there since the mode asks for consent."""
    return [one for one in waiting if one.kind is InterruptionKind.TOOL_APPROVAL]


def _of(waiting: Iterable[Dependent], server: ServerId) -> list[Dependent]:
    return [one for one in waiting if one.tool is not None and server_of(one.tool) == server]
