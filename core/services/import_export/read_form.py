"""What an export holds, checked when it is read (EXPORT_FILE). Pure.

Everything here raises ValueError with the place of the problem: `messages/3/created_at: it is not a time`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.domain import events as facts
from core.domain.agent import Agent
from core.domain.events import Event, is_damaged, parse_fact
from core.domain.fold import replay
from core.domain.ids import RunId, WorkflowId
from core.domain.live_run import IN_FLIGHT, LiveRun
from core.domain.mcp_server import McpServer
from core.domain.memory import CONTENT_CHARACTERS, Memory
from core.domain.messages import MessageState, Role
from core.domain.progress import progress_of
from core.domain.prompt import Prompt
from core.domain.run import ErrorInfo, Run, RunStatus, StepStatus, parse_snapshot
from core.domain.settings import KeyLocation
from core.domain.task import MAX_TASKS
from core.domain.text.json_text import encode
from core.domain.text.masking import MASK
from core.domain.tool import CallStatus
from core.domain.workflow import normalized_title
from core.errors import StepFailed, StorageFailed
from core.ports import StoredTemplate
from core.services.import_export.written_form import (
    MEMORY,
    MESSAGE,
    MODELS_OF_SNAPSHOT,
    OF_STORE,
    QUEUED,
    RUN,
    SERVER_FIELDS,
    TASK,
    WORKFLOW,
    RunHistory,
    WorkflowHistory,
    without_key_variables,
)
from core.threads.pieces import Pieces

D = TypeVar("D", Agent, Prompt)

MAX_ITEMS = 200_000
TEXT_CHARACTERS = 10_000_000
TEMPLATE_CHARACTERS = 20_000_000
TITLE_CHARACTERS = 1_000
NOT_FINISHED = "not_finished"

_ID = re.compile(r"[a-z]{2,12}_[0-9a-z]{6,40}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TIME = re.compile(r"(?:19[7-9]|2[0-9]{2})\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)


@contextmanager
def at_place(place: str) -> Iterator[None]:
    """Put the place before the problem of a ValueError."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        where = "/".join([place, *(ascii(str(part))[1:-1][:80] for part in first["loc"])])
        raise ValueError(f"{where}: {first['msg'].removeprefix('Value error, ')}") from None
    except ValueError as error:
        text = str(error)
        between = "/" if re.match(r"[a-z_]+(/[^ ]*)?: ", text) else ": "
        raise ValueError(f"{place}{between}{text}") from None
    except (TypeError, KeyError, LookupError, AttributeError, RecursionError, OverflowError, StepFailed) as error:
        raise ValueError(f"{place}: it is not what an export holds ({type(error).__name__})") from None


def listed(fields: Any, name: str, most: int = MAX_ITEMS) -> Iterator[tuple[str, Any]]:
    """Yield the objects of a list with their places. An absent list is empty."""
    values = fields.get(name, [])
    if not isinstance(values, list):
        raise ValueError(  # noqa: TRY004  # as of every wrong file
            f"{name}: it is not a list"
        )
    if len(values) > most:
        raise ValueError(f"{name}: it has {len(values):,} items, and may have {most:,}")
    for number, value in enumerate(values):
        place = f"{name}/{number}"
        if not isinstance(value, dict):
            raise ValueError(  # noqa: TRY004
                f"{place}: it is not an object"
            )
        yield place, value


def parse_workflow(fields: Any) -> Pieces[WorkflowHistory]:
    """Return the workflow of this form. Runs that had not ended are closed as cancelled; queued messages are held."""
    workflow = _parsed(WORKFLOW, _only_text(fields, "title"), fields)
    owner = {"workflow_id": workflow.id}
    messages, runs, queue, tasks, memories = [], [], [], [], []
    for place, value in listed(fields, "messages"):
        with at_place(place):
            messages.append(_parsed(MESSAGE, {**value, **owner}))
        yield
    texts = {message.run_id: message.text for message in messages if message.state is MessageState.OPEN}
    for place, value in listed(fields, "runs"):
        with at_place(place):
            runs.append((yield from _parse_run(value, owner, texts)))
    for place, value in listed(fields, "queue", 1_000):
        with at_place(place):
            queue.append(_parsed(QUEUED, {**value, **owner, "is_held": True}))
    for place, value in listed(fields, "tasks", MAX_TASKS):
        with at_place(place):
            tasks.append(_parsed(TASK, {**value, **owner}))
    for place, value in listed(fields, "memories"):
        with at_place(place):
            memories.append(parse_memory(value, workflow.id))
        yield
    files = []
    for place, value in listed(fields, "files"):
        with at_place(place):
            files.append(_parse_file(value))
    history = WorkflowHistory(workflow, messages, runs, queue, tasks, memories, files=files)
    _check_refs(history)
    return _with_closed_messages(history)


def _parse_file(fields: dict[str, Any]) -> tuple[str, str]:
    """Return the owner and the hash of a file."""
    owner, digest = fields["owner"], fields["hash"]
    if not _ID.fullmatch(owner) or not _HASH.fullmatch(digest):
        raise ValueError("it is no file of a message or a run")
    return owner, digest


def _parse_run(fields: dict[str, Any], owner: dict[str, Any], texts: Mapping[RunId | None, str]) -> Pieces[RunHistory]:
    values = {name: value for name, value in fields.items() if name not in OF_STORE}
    output = {"output_json": encode(fields["output"])} if "output" in fields else {}
    run: Run = _parsed(RUN, {**values, **owner, **output})
    yield
    with at_place("snapshot"):
        given = {"mode": "selective", "script": (), **fields["snapshot"], "allow": (), "base": None, "gated": False}
        models = {name: without_key_variables(given[name]) for name in MODELS_OF_SNAPSHOT & given.keys()}
        snapshot = parse_snapshot({**given, **models})
    yield
    events: list[Event] = []
    for number, (place, value) in enumerate(listed(fields, "events", 5_000_000), 1):
        with at_place(place):
            if value.get("seq") != number or not isinstance(value.get("type"), str):
                raise ValueError("its number or its type is missing or wrong")
            rest = {name: part for name, part in value.items() if name not in ("type", "seq", "at")}
            fact = parse_fact(value["type"], rest)
            if not isinstance(fact, facts.AccessAllowed):  # a file from elsewhere grants no access
                events.append(Event(run.id, run.workflow_id, len(events) + 1, _time(value.get("at"), "at"), fact))
        yield
    with at_place("events"):
        return finished_history(RunHistory(run, snapshot, events), texts.get(run.id))


def finished_history(history: RunHistory, text: str | None = None) -> RunHistory:
    """Return the run as history: as it is if it has ended, else closed as cancelled, with what it had done.

    `text` is what the message of an active run showed.
    Raises ValueError if its facts do not begin with its creation, or end otherwise than the run.
    """
    run = history.run
    live = replay(history.events)
    if live is None:
        raise ValueError("they do not begin with the creation of the run")
    _check_progress(history)
    if run.status.is_final and live.status is not run.status:
        raise ValueError(f"they end as {live.status}, and the run as {run.status}")
    if run.status.is_final:
        return history
    error = ErrorInfo(NOT_FINISHED, "it had not ended when it was exported", failed_during="engine")
    at = history.events[-1].at
    if live.status.is_final:  # it ended while it was exported
        return replace(history, run=replace(run, status=live.status, finished_at=live.completed_at))
    closing = [
        *_closing_facts(live, text or live.content),
        facts.RunFinished(status=RunStatus.CANCELLED, error=error.as_dict()),
    ]
    added = [Event(run.id, run.workflow_id, live.seq + 1 + n, at, fact) for n, fact in enumerate(closing)]
    closed = replace(run, status=RunStatus.CANCELLED, error=error, finished_at=at)
    return replace(history, run=closed, events=[*history.events, *added])


def _check_progress(history: RunHistory) -> None:
    """Raise ValueError if a start after a crash could not continue from the facts, or a value in them is damaged."""
    try:
        progress_of(history.run.id, history.events)
    except StorageFailed as error:
        raise ValueError(error.message) from None
    if any(is_damaged(event.fact) for event in history.events):
        raise ValueError("a value in them cannot be read")


def _closing_facts(live: LiveRun, text: str) -> Iterator[facts.Fact]:
    """Yield the end of everything in the run that is open, as a cancellation writes it."""
    cancelled = {"code": "cancelled", "message": "the run had not ended when it was exported"}
    for call in live.calls.values():
        if call.status is CallStatus.RUNNING:
            yield facts.ToolEnded(call_id=call.id, status=CallStatus.CANCELLED, duration_ms=0, error=cancelled)
    for asked in live.open_interruptions:
        request = asked.request
        yield facts.InterruptionClosed.model_validate({"id": request.id, "kind": request.kind, "status": "cancelled"})
    for step in live.steps.values():
        if step.status in (*IN_FLIGHT, StepStatus.WAITING):
            yield facts.StepFinished(step=step.name, status=StepStatus.CANCELLED)
    if text and not live.message:
        yield facts.MessageAdded(role=Role.ASSISTANT, text=text, message_id=live.message_id, interrupted=True)


def _with_closed_messages(history: WorkflowHistory) -> WorkflowHistory:
    messages = [
        replace(message, state=MessageState.INTERRUPTED) if message.state is MessageState.OPEN else message
        for message in history.messages
    ]
    return replace(history, messages=messages)


def _check_refs(history: WorkflowHistory) -> None:
    """Raise ValueError for an id that is there twice, and for a reference to nothing."""
    rows: dict[str, Sequence[Any]] = {
        "messages": history.messages,
        "runs": [each.run for each in history.runs],
        "queue": history.queue,
        "tasks": history.tasks,
        "memories": history.memories,
    }
    seen: set[str] = set()
    for name, items in rows.items():
        for number, item in enumerate(items):
            if item.id in seen:
                raise ValueError(f"{name}/{number}: the id {item.id} is there twice")
            seen.add(item.id)
    runs: set[str] = set()
    for number, each in enumerate(history.runs):
        for ref in (each.run.parent, each.run.root):
            if ref is not None and ref not in runs:
                raise ValueError(f"runs/{number}: it was started by {ref}, which is not before it")
        runs.add(each.run.id)
    for number, message in enumerate(history.messages):
        if message.run_id is not None and message.run_id not in runs:
            raise ValueError(f"messages/{number}: there is no run {message.run_id}")
    tasks = {task.id: set(task.dependencies) for task in history.tasks}
    for number, task in enumerate(history.tasks):
        if not tasks[task.id] <= tasks.keys():
            raise ValueError(f"tasks/{number}: it depends on a task that is not there")
    try:
        TopologicalSorter(tasks).prepare()
    except CycleError:
        raise ValueError("tasks: their dependencies are circular") from None


def parse_memory(fields: dict[str, Any], workflow_id: WorkflowId | None) -> Memory:
    """Return the memory of this form, of that workflow or of all."""
    content = fields.get("content")
    if not isinstance(content, str) or not content.strip() or len(content) > CONTENT_CHARACTERS:
        raise ValueError(f"content: it has 1 to {CONTENT_CHARACTERS:,} characters")
    memory: Memory = _parsed(MEMORY, {**fields, "workflow_id": workflow_id, "length": len(content)})
    return memory


def parse_template(fields: dict[str, Any]) -> list[StoredTemplate]:
    """Return the versions of a template, oldest first."""
    versions: list[StoredTemplate] = []
    for place, value in listed(fields, "versions", 10_000):
        with at_place(place):
            number, text = value.get("version"), value.get("text")
            if type(number) is not int or number <= (versions[-1].version if versions else 0) or number > 1_000_000:
                raise ValueError("version: it is not a number above the one before")
            if not isinstance(text, str) or len(text) > TEMPLATE_CHARACTERS:
                raise ValueError("text: it is not a text, or too long")
            title, at = _only_text(value, "title")["title"], _time(value.get("updated_at"), "updated_at")
            versions.append(
                StoredTemplate(_id(fields.get("id")), version=number, title=title, text=text, updated_at=at)
            )
    if not versions:
        raise ValueError("versions: there is none")
    return versions


def parse_document(kind: type[D], fields: dict[str, Any]) -> D:
    """Return the agent or prompt of this form, without what belongs to another machine."""
    _id(fields.get("id"))
    return kind.model_validate(without_key_variables(fields))


def parse_server(fields: dict[str, Any]) -> McpServer:
    """Return the server of this form: unconfirmed, and with all values to be entered again."""
    names = {name: fields.get(name, []) for name in ("env", "headers", "secrets")}
    for name, values in names.items():
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError(f"{name}: it is not a list of names")
    for place in names["secrets"]:
        if not re.fullmatch(r"url|args/[0-9]{1,3}", place, re.ASCII):
            raise ValueError(f"secrets: {place[:80]!a} is no place of a secret")
    places = [*(f"env/{name}" for name in names["env"]), *(f"headers/{name}" for name in names["headers"])]
    return McpServer.model_validate(
        {
            **{name: value for name, value in fields.items() if name in SERVER_FIELDS},
            "env": dict.fromkeys(names["env"], MASK),
            "headers": dict.fromkeys(names["headers"], MASK),
            "secrets": dict.fromkeys([*places, *names["secrets"]], KeyLocation.FILE),
        }
    )


def _parsed(adapter: TypeAdapter[Any], fields: Mapping[str, Any], source: Mapping[str, Any] | None = None) -> Any:
    """Return the row of these fields, its id, times and texts checked."""
    values = {**(source or {}), **fields}
    _id(values.get("id"))
    for name, value in values.items():
        if name.endswith("_at") and value is not None:
            _time(value, name)
        elif name in ("text", "content") and (not isinstance(value, str) or len(value) > TEXT_CHARACTERS):
            raise ValueError(f"{name}: it is not a text, or too long")
    values.pop("folders", None)  # a file from elsewhere grants no access
    if values.get("answering") is not None:
        values["answering"] = without_key_variables(values["answering"])
    return adapter.validate_python(values)


def _id(value: object) -> Any:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError("id: it is not an id")
    return value


def _time(value: object, name: str) -> datetime:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError(f"{name}: it is not a time like 2026-01-31T12:00:00Z")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{name}: it is not a time like 2026-01-31T12:00:00Z") from None


def _only_text(fields: Any, name: str) -> dict[str, str]:
    """Return the title, which is on one line and has no control characters."""
    title = fields.get(name)
    if not isinstance(title, str) or not title or len(title) > TITLE_CHARACTERS or normalized_title(title) != title:
        raise ValueError(f"{name}: it is not a title on one line, without control characters")
    return {name: title}
