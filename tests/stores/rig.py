"""What the tests of buses and stores are built from: time that the test owns, a run's teller, a desk of stores."""

from datetime import UTC, datetime
from typing import Any

from core.bus import Bus
from core.domain.events import (
    Event,
    Fact,
    InterruptionClosed,
    InterruptionRaised,
    MessageAdded,
    RunCreated,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TokenReceived,
    ToolStarted,
)
from core.domain.ids import CallId, InterruptionId, MessageId, RunId, WorkflowId
from core.domain.interruption import OPEN_STATUS, InterruptionKind, InterruptionStatus
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.settings import Settings
from core.domain.template import ValidationMode
from core.domain.toast import Toast, ToastType
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.questions import Questions
from core.stores.toast_feed import ToastFeed
from core.stores.toasts import Toasts
from core.stores.view_cache import ViewCache
from core.stores.watched_runs import Batch, Viewer
from tests.support.clock import FakeClock

START = datetime(2026, 1, 1, tzinfo=UTC)
WORKFLOW = WorkflowId("wf_a")


class Teller:
    """Makes the events of a run, numbered as its journal would; `stream` tracks the offsets of its texts."""

    def __init__(self, name: str, workflow: str | None = None, time: FakeClock | None = None) -> None:
        self.run_id = RunId(f"run_{name}")
        self.workflow_id = WorkflowId(workflow or f"wf_{name}")
        self.message_id = MessageId(f"msg_{name}")
        self.seq = 0
        self._time = time or FakeClock()
        self._offsets: dict[tuple[str, int | None], int] = {}

    def say(self, fact: Fact) -> Event:
        self.seq += fact.stored
        self._time.advance(0.001)
        return Event(self.run_id, self.workflow_id, self.seq, self._time.now(), fact)

    def created(self, *steps: str, kind: RunKind = RunKind.CHAT, title: str = "") -> Event:
        names = list(steps) or ["chat"]
        return self.say(
            RunCreated(kind=kind, title=title or self.workflow_id, message_id=self.message_id, steps=names, agent="Ada")
        )

    def created_below(self, root: "Teller", title: str = "Part") -> Event:
        """As a run that a step of `root` starts, in its workflow."""
        return self.say(
            RunCreated(
                kind=RunKind.WORKFLOW,
                title=title,
                message_id=self.message_id,
                steps=["one"],
                parent_run_id=root.run_id,
                root_run_id=root.run_id,
            )
        )

    def asks(
        self,
        name: str = "q",
        kind: InterruptionKind = InterruptionKind.APPROVAL,
        step: str = "chat",
        prompt: str | None = None,
        **fields: Any,
    ) -> Event:
        """The run asks the user; `name` is what `closes` calls the question."""
        told = InterruptionRaised(
            id=_question(self, name), step=step, kind=kind, status=OPEN_STATUS[kind], prompt=prompt, **fields
        )
        return self.say(told)

    def closes(self, name: str = "q", status: InterruptionStatus = InterruptionStatus.APPROVED) -> Event:
        return self.say(InterruptionClosed(id=_question(self, name), kind=InterruptionKind.APPROVAL, status=status))

    def prompt(self, text: str) -> Event:
        return self.say(MessageAdded(role=Role.USER, text=text, message_id=MessageId(f"{self.message_id}_prompt")))

    def started(self) -> Event:
        return self.say(RunStarted())

    def step_started(self, step: str = "chat", *, attempt: int = 1) -> Event:
        return self.say(StepStarted(step=step, attempt=attempt))

    def step_done(self, step: str = "chat", status: StepStatus = StepStatus.COMPLETED) -> Event:
        return self.say(StepFinished(step=step, status=status))

    def stream(self, text: str, step: str = "chat", index: int | None = None) -> Event:
        offset = self._offsets.get((step, index), 0)
        self._offsets[step, index] = offset + len(text)
        return self.token(offset, text, step, index)

    def token(self, offset: int, text: str, step: str = "chat", index: int | None = None) -> Event:
        fact = TokenReceived(text=text, message_id=self.message_id, offset=offset, step=step, index=index)
        return self.say(fact)

    def answer(self, text: str, step: str = "chat") -> Event:
        return self.say(MessageAdded(role=Role.ASSISTANT, text=text, message_id=self.message_id, step=step))

    def called(self, call: str, step: str = "chat") -> Event:
        return self.say(ToolStarted(call_id=CallId(call), tool="wait", arguments={}, step=step))

    def finished(self, status: RunStatus = RunStatus.SUCCESS, error: dict[str, Any] | None = None) -> Event:
        return self.say(RunFinished(status=status, error=error, active_ms=7))

    def message(self, text: str, state: MessageState = MessageState.FINAL) -> Message:
        """The row of the run's own message."""
        return Message(self.message_id, self.workflow_id, Role.ASSISTANT, text, START, state, self.run_id)


def _question(run: Teller, name: str) -> InterruptionId:
    return InterruptionId(f"int_{run.run_id}_{name}")


class Desk:
    """All the stores on a bus."""

    def __init__(self, mode: ValidationMode = ValidationMode.AUTO, **settings: Any) -> None:
        self.time = FakeClock()
        self.errors: list[Exception] = []
        self.bus = Bus(self.errors.append)
        self.background = BackgroundWorkflows(
            self.bus, self.time, self.time.call_later, Settings(validation_mode=mode, **settings)
        )
        self.view = ViewCache(self.background)
        self.questions = Questions(self.background)
        self.toasts = Toasts(self.time, self.time.call_later)
        self.feed = ToastFeed(self.bus, self.background, self.questions, self.toasts)

    def teller(self, name: str, workflow: str | None = None) -> Teller:
        return Teller(name, workflow, self.time)

    def tell(self, *events: Event) -> None:
        for event in events:
            self.bus.publish(event)

    def start(self, name: str, workflow: str | None = None) -> Teller:
        """A chat run at work."""
        run = self.teller(name, workflow)
        self.tell(run.created(), run.started(), run.step_started())
        return run

    @property
    def running(self) -> list[str]:
        return [execution.workflow_id for execution in self.background.running_workflows]

    @property
    def recent(self) -> list[str]:
        return [execution.workflow_id for execution in self.background.recently_completed_workflows]


def heard(desk: Desk) -> list[str]:
    """Return a list of what `changed` emits from now on."""
    told: list[str] = []
    desk.background.changed.connect(told.append)
    return told


class Received:
    """The batches of a viewer."""

    def __init__(self, viewer: Viewer) -> None:
        self.batches: list[Batch] = []
        viewer.batch.connect(self._take)

    def _take(self, batch: Batch) -> None:
        self.batches.append(batch)

    @property
    def sizes(self) -> list[int]:
        return [len(batch.events) for batch in self.batches]

    @property
    def events(self) -> list[Event]:
        return [event for batch in self.batches for event in batch.events]

    @property
    def text(self) -> str:
        return "".join(event.fact.text for event in self.events if isinstance(event.fact, TokenReceived))


def text_of(desk: Desk, run: Teller) -> str:
    """What the store holds of the run's text."""
    execution = desk.background.get_execution(run.workflow_id)
    assert execution is not None
    return execution.content


class Pile:
    """A pile on a fake clock, with short words for what is seen."""

    def __init__(self) -> None:
        self.time = FakeClock()
        self.toasts = Toasts(self.time, self.time.call_later)

    def say(self, title: str, kind: ToastType = ToastType.INFO, **more: Any) -> Toast:
        toast_id = self.toasts.add(kind, "said", title=title, **more)
        return next(one for one in (*self.toasts.visible, *self.toasts.waiting) if one.id == toast_id)

    def ask(self, title: str, workflow_id: WorkflowId = WORKFLOW) -> None:
        self.toasts.add_user_question(workflow_id, title, "Which?")

    @property
    def seen(self) -> list[str]:
        return [toast.title for toast in self.toasts.visible]

    @property
    def waiting(self) -> list[str]:
        return [toast.title for toast in self.toasts.waiting]

    @property
    def history(self) -> list[str]:
        return [toast.title for toast in self.toasts.history]
