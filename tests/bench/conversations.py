"""Conversations as the store holds them after months: put there at once, since to hold them would take hours."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from core.domain import events as facts
from core.domain.events import Event, Fact
from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.messages import Message, Role
from core.domain.run import Run, RunKind, RunStatus, Snapshot, StepStatus
from core.domain.template import Template
from core.domain.workflow import Workflow
from core.ports import PAGE_ROWS, AppendEvents, CreateRun, PutMessage, PutWorkflow, Storage, Write

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TURNS_AT_ONCE = 50
STEP = "answer"
ANSWER = '''## Heading {n}

Some **bold** and *italic* prose with `inline code`, a [link](https://example.org/) and enough words to wrap over
several lines of the column, so that laying it out is work.

- item one with `code`
- item two with **bold**

```python
def f(x: int) -> int:
    """Says what it does."""
    return sum(i * x for i in range(10))  # a comment
```

| a | b |
|---|---|
| 1 | 2 |
'''
_TEMPLATE = Template.model_validate({"title": "Chat", "steps": [{"name": STEP, "action": {"set": True}}]})


async def put_conversation(storage: Storage, name: str, messages: int, *, days_ago: float = 1) -> WorkflowId:
    """A workflow of so many messages, questions and answers in turn; its id."""
    workflow_id = WorkflowId(f"wf_{name}")
    began = BEGAN + timedelta(days=-days_ago)
    await storage.commit([PutWorkflow(Workflow(workflow_id, name, "offline", began, began))])
    turns = messages // 2
    for first in range(0, turns, TURNS_AT_ONCE):
        numbers = range(first, min(first + TURNS_AT_ONCE, turns))
        await storage.commit([write for number in numbers for write in _turn(workflow_id, name, number, began)])
    return workflow_id


async def put_workflows(storage: Storage, count: int) -> None:
    """So many workflows in which nothing was said."""
    rows = [PutWorkflow(one) for one in listed_workflows(count)]
    for first in range(0, count, PAGE_ROWS):
        await storage.commit(rows[first : first + PAGE_ROWS])


def listed_workflows(count: int) -> list[Workflow]:
    """Each changed a minute after the one before."""
    times = [BEGAN + timedelta(minutes=-n) for n in range(count)]
    return [
        Workflow(WorkflowId(f"wf_row{n:05}"), f"Workflow {n} of many", "offline", at, at) for n, at in enumerate(times)
    ]


def last_words(messages: int) -> str:
    """What the last answer of a conversation begins with."""
    return f"Heading {messages // 2 - 1}"


def _turn(workflow_id: WorkflowId, name: str, number: int, began: datetime) -> Iterator[Write]:
    run_id = RunId(f"run_{name}_{number:05}")
    asked, said = MessageId(f"msg_{name}_{number:05}q"), MessageId(f"msg_{name}_{number:05}a")
    at = began + timedelta(minutes=number)
    question, answer = f"Please do this and that, number {number}.", ANSWER.format(n=number)
    run = Run(run_id, workflow_id, RunKind.CHAT, name, RunStatus.SUCCESS, said, created_at=at)
    yield CreateRun(run, Snapshot(_TEMPLATE, {}))
    yield PutMessage(Message(asked, workflow_id, Role.USER, question, at, run_id=run_id))
    yield PutMessage(Message(said, workflow_id, Role.ASSISTANT, answer, at + timedelta(seconds=1), run_id=run_id))
    told: tuple[Fact, ...] = (
        facts.RunCreated(kind=RunKind.CHAT, title=name, message_id=said, steps=[STEP], agent="offline"),
        facts.MessageAdded(role=Role.USER, text=question, message_id=asked),
        facts.RunStarted(),
        facts.StepStarted(step=STEP),
        facts.MessageAdded(role=Role.ASSISTANT, text=answer, message_id=said, step=STEP),
        facts.StepFinished(step=STEP, status=StepStatus.COMPLETED),
        facts.RunFinished(status=RunStatus.SUCCESS, active_ms=900),
    )
    yield AppendEvents(run_id, tuple(Event(run_id, workflow_id, n, at, fact) for n, fact in enumerate(told, 1)))
