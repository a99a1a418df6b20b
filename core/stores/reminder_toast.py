"""The one toast of reminders: what has waited long for a person, of whatever workflow (UI §7)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from core.domain.events import time_text
from core.domain.ids import InterruptionId, WorkflowId
from core.domain.toast import Toast, ToastId, ToastType
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.questions import Question
from core.stores.toasts import Toasts

CODE = "question_reminder"


class _Words(TypedDict):
    title: str
    message: str
    workflow_id: WorkflowId | None
    parameters: tuple[tuple[str, Any], ...]


class ReminderToast:
    """At most one stands, and tells of every request that was reminded of since a person last sent one away, as long as
    that is open.

    Of one request the toast has the prompt; of several of one workflow that workflow; of several workflows their names.
    Its parameters are how many there are (`count`), and when the oldest was asked (`since`).
    """

    def __init__(self, background: BackgroundWorkflows, toasts: Toasts) -> None:
        self._background = background
        self._toasts = toasts
        self._id: ToastId | None = None
        self._about: dict[InterruptionId, Question] = {}

    def tell(self, questions: Sequence[Question]) -> list[Toast]:
        """Say it of these too, as something new. What is to be said of each workflow alone is returned."""
        if self._id is not None and self._toasts.standing(self._id) is None:
            self._about.clear()
        elif self._id is not None:
            self._toasts.withdraw(self._id)
        self._about.update((one.id, one) for one in questions)
        self._id = self._toasts.add(ToastType.USER_QUESTION, CODE, **self._words(self._about.values()))
        told = self._toasts.standing(self._id)
        assert told is not None
        by_workflow: dict[WorkflowId, list[Question]] = {}
        for one in self._about.values():
            by_workflow.setdefault(one.workflow_id, []).append(one)
        return [replace(told, **self._words(those)) for those in by_workflow.values()]

    def keep(self, open_ids: Collection[InterruptionId]) -> None:
        """No others are open any more: it tells of what is left, or goes."""
        left = {one: question for one, question in self._about.items() if one in open_ids}
        if self._id is None or len(left) == len(self._about):
            return
        self._about = left
        standing = self._toasts.standing(self._id)
        if left and standing is not None:
            self._toasts.amend(replace(standing, **self._words(left.values())))
        elif not left:
            self._toasts.withdraw(self._id)
            self._id = None

    def _words(self, questions: Iterable[Question]) -> _Words:
        those = sorted(questions, key=_asked_at)
        workflows = list(dict.fromkeys(one.workflow_id for one in those))
        names = [self._name(one) for one in workflows]
        first = those[0]
        is_one = len(those) == 1
        about = (("kind", first.kind), ("step", first.asker)) if is_one else ()
        return {
            "title": names[0] if len(names) == 1 else "",
            "message": (first.asked.prompt or "") if is_one else ", ".join(names) if len(names) > 1 else "",
            "workflow_id": workflows[0] if len(workflows) == 1 else None,
            "parameters": (("count", len(those)), ("since", time_text(first.created_at)), *about),
        }

    def _name(self, workflow_id: WorkflowId) -> str:
        execution = self._background.get_execution(workflow_id)
        return execution.workflow_name if execution is not None else ""


def _asked_at(question: Question) -> datetime:
    return question.created_at
