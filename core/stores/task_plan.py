"""The plan of a workflow's agents: the tasks of the `todo` tool, as the runs of the conversation report them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from core.domain.ids import TaskId
from core.domain.live_run import LiveRun, LiveTask
from core.domain.task import TaskStatus
from core.stores.activity_items import ActivityItem, ActivityState, task_item


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The tasks in the order of their creation, most urgent first; never empty."""

    tasks: tuple[ActivityItem, ...]

    @property
    def done(self) -> int:
        """The number of completed tasks."""
        return sum(task.state is ActivityState.DONE for task in self.tasks)

    @property
    def is_done(self) -> bool:
        return self.done == len(self.tasks)


@dataclass(slots=True)
class _Planned:
    """A task over all runs: its newest state, the run that reported this, and when it was created."""

    run: LiveRun
    newest: LiveTask
    created_at: datetime


def plan_of(runs: Iterable[LiveRun]) -> TaskPlan | None:
    """Return the plan, None without tasks. `runs` are in the order of the conversation.

    Tasks that were completed before the last new task's run created its first are of an earlier plan, and left out.
    """
    planned: dict[TaskId, _Planned] = {}
    began: datetime | None = None
    for run in runs:
        new = [task.first_at for task_id, task in run.tasks.items() if task_id not in planned]
        began = min(new, default=began)
        for task_id, task in run.tasks.items():
            known = planned.get(task_id)
            if known is None:
                planned[task_id] = _Planned(run, task, task.first_at)
            elif task.last_at >= known.newest.last_at:
                known.run, known.newest = run, task
    tasks = [
        task
        for task in planned.values()
        if task.newest.fact.change != "deleted"
        and (task.newest.fact.status is not TaskStatus.COMPLETED or began is None or task.newest.last_at >= began)
    ]
    tasks.sort(key=lambda task: (task.newest.fact.priority, task.created_at))
    return TaskPlan(tuple(task_item(task.run, task.newest) for task in tasks)) if tasks else None
