"""The contents of the inbox: notices, and runs that ended without a window."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.bus import Bus, WorkflowDeleted
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.run import ErrorInfo, Run, RunKind, RunStatus
from core.domain.toast import Toast, ToastId, ToastType
from core.stores.inbox import MAX_NOTICES, Inbox
from tests.stores.rig import Pile

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
A, B = WorkflowId("wf_a"), WorkflowId("wf_b")


def a_run(name: str, status: RunStatus, minutes: int = 0, workflow: WorkflowId = A) -> Run:
    ended = NOON + timedelta(minutes=minutes) if status.is_final else None
    row = Run(RunId(name), workflow, RunKind.CHAT, name, status, MessageId(f"msg_{name}"), NOON, finished_at=ended)
    return replace(row, error=ErrorInfo("timeout", "too slow")) if status is RunStatus.ERROR else row


def titles(inbox: Inbox) -> list[str]:
    return [notice.title for notice in inbox.notices]


def test_ends_that_no_window_saw_are_there_and_stops_are_not() -> None:
    inbox = Inbox(Bus(), Pile().toasts)
    inbox.load(
        [
            a_run("well", RunStatus.SUCCESS, 1),
            a_run("badly", RunStatus.ERROR, 2),
            a_run("stopped", RunStatus.CANCELLED, 3),
            a_run("still", RunStatus.RUNNING),
        ],
        [Toast(ToastId("toast_1"), ToastType.WARNING, "limit_reached", "said", "", NOON)],
    )
    assert titles(inbox) == ["badly", "well", "said"]
    assert [(one.type, one.message) for one in inbox.notices] == [
        (ToastType.ERROR, "too slow"),
        (ToastType.SUCCESS, ""),
        (ToastType.WARNING, ""),
    ]


def test_notices_are_kept_and_questions_are_not() -> None:
    pile = Pile()
    inbox = Inbox(Bus(), pile.toasts)
    pile.toasts.add_workflow_complete(A, "done", RunStatus.SUCCESS)
    pile.toasts.add_user_question(A, "asks", "what?")
    pile.time.advance(1)
    again = pile.toasts.add(ToastType.WARNING, "limit_reached", title="full")
    pile.toasts.add(ToastType.WARNING, "limit_reached", title="full")
    pile.toasts.clear()
    assert titles(inbox) == ["full", "done"]
    assert {one.id: one.repeated for one in inbox.notices}[again] == 2


def test_a_deleted_workflow_leaves_nothing_and_the_oldest_give_way() -> None:
    bus = Bus()
    inbox = Inbox(bus, Pile().toasts)
    inbox.load(a_run(f"run_{n}", RunStatus.SUCCESS, n, B if n % 2 else A) for n in range(MAX_NOTICES + 10))
    assert len(inbox.notices) == MAX_NOTICES
    assert titles(inbox)[-1] == "run_10"
    bus.publish(WorkflowDeleted(B))
    assert all(one.workflow_id == A for one in inbox.notices)
    inbox.close()
