"""What is exported as JSON (EXPORT_FILE), without secrets and without what belongs to this machine. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter

from core.domain.events import AccessAllowed, Event, fact_fields, fact_name
from core.domain.mcp_server import McpServer
from core.domain.memory import Memory
from core.domain.messages import Message, QueuedMessage
from core.domain.run import Run, Snapshot, snapshot_fields
from core.domain.task import Task
from core.domain.text.json_text import decode, encode, parse
from core.domain.text.masking import MASK, masked_text, without_private_keys
from core.domain.text.secret_names import is_secret_name
from core.domain.workflow import Workflow, normalized_title
from core.ports import StoredTemplate
from core.threads.pieces import Pieces

T = TypeVar("T")

MESSAGE, RUN, TASK = TypeAdapter(Message), TypeAdapter(Run), TypeAdapter(Task)
QUEUED, MEMORY, WORKFLOW = TypeAdapter(QueuedMessage), TypeAdapter(Memory), TypeAdapter(Workflow)
OF_STORE = frozenset({"workflow_id", "output_json", "unclean_ends", "results_then", "is_held"})
MODELS_OF_SNAPSHOT = frozenset({"model", "profile", "cast"})
SERVER_FIELDS = frozenset(
    {"id", "name", "command", "args", "cwd", "url", "is_enabled", "starts_with_app", "timeout_s", "start_timeout_s"}
    | {"only_tools", "without_tools"}
)


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run with everything in it."""

    run: Run
    snapshot: Snapshot
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class WorkflowHistory:
    """A workflow with everything in it, in order; runs before the runs that they started.

    `tasks` depend only on each other. `left_out` counts the runs that cannot be read. `files` are the hashes of stored
    files, each after the message or the run that it belongs to.
    """

    workflow: Workflow
    messages: Sequence[Message]
    runs: Sequence[RunHistory]
    queue: Sequence[QueuedMessage]
    tasks: Sequence[Task]
    memories: Sequence[Memory]
    left_out: int = 0
    files: Sequence[tuple[str, str]] = ()

    @property
    def ids(self) -> set[str]:
        """The ids that no other workflow may have."""
        ids = [each.run.id for each in self.runs]
        return {*ids, *(each.id for each in self.messages), *(each.id for each in self.memories)}


def time_text(at: datetime) -> str:
    """Return the time in UTC, exactly."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def workflow_fields(history: WorkflowHistory) -> Pieces[dict[str, Any]]:
    """Return the form of a workflow, without secrets, and without what belongs to this machine."""
    fields = _dumped(WORKFLOW, history.workflow)
    fields["title"] = normalized_title(fields["title"]) or fields["title"]
    fields.pop("folders", None)
    if "answering" in fields:
        fields["answering"] = without_key_variables(fields["answering"])
    lists: dict[str, list[Any]] = {name: [] for name in ("messages", "runs", "queue", "tasks", "memories")}
    for message in history.messages:
        lists["messages"].append(without_secrets(_dumped(MESSAGE, message)))
        yield
    for run in history.runs:
        lists["runs"].append((yield from _run_fields(run)))
    lists["queue"] = [without_secrets(_dumped(QUEUED, message)) for message in history.queue]
    lists["tasks"] = [without_secrets(_dumped(TASK, task)) for task in history.tasks]
    lists["memories"] = [memory_fields(memory) for memory in history.memories]
    if history.files:
        lists["files"] = [{"owner": owner, "hash": digest} for owner, digest in history.files]
    return {**without_secrets(fields), **lists}


def _run_fields(history: RunHistory) -> Pieces[dict[str, Any]]:
    run = history.run
    fields = _dumped(RUN, run)
    if run.output_json is not None:
        fields["output"] = without_secrets(decode(run.output_json))
    yield
    snapshot = snapshot_fields(history.snapshot)
    # folders and origins that the user allowed here mean nothing elsewhere, and are not for others to give
    for name in ("allow", "base", "gated"):
        snapshot.pop(name, None)
    for name in MODELS_OF_SNAPSHOT & snapshot.keys():
        snapshot[name] = without_key_variables(snapshot[name])
    yield
    events: list[dict[str, Any]] = []
    for event in history.events:
        if isinstance(event.fact, AccessAllowed):
            continue
        named = {"type": fact_name(event.fact), "seq": len(events) + 1, "at": time_text(event.at)}
        events.append({**named, **without_secrets(fact_fields(event.fact))})
        yield
    return {**without_secrets(fields), "snapshot": without_secrets(snapshot), "events": events}


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Return the form of a memory."""
    fields = _dumped(MEMORY, memory)
    del fields["length"]
    return without_secrets(fields)


def template_fields(versions: Sequence[StoredTemplate]) -> dict[str, Any]:
    """Return the form of a template in all its versions, oldest first."""
    listed = [
        {
            "version": template.version,
            "title": normalized_title(template.title) or template.title,
            "text": template_text_without_secrets(template.text),
            "updated_at": time_text(template.updated_at),
        }
        for template in versions
    ]
    return {"id": versions[0].id, "versions": listed}


def template_text_without_secrets(text: str) -> str:
    """Return the text of a template without secrets, unchanged if it has none. A draft may be no JSON."""
    try:
        value = parse(text)
    except ValueError:
        return masked_text(text)
    plain = without_secrets(value)
    return text if plain == value else encode(plain)


def document_fields(document: Any) -> dict[str, Any]:
    """Return the form of an agent, a prompt, or settings."""
    return without_secrets(without_key_variables(document.model_dump(mode="json", exclude_none=True)))


def server_fields(server: McpServer) -> dict[str, Any]:
    """Return the form of an MCP server: of its environment and headers the names alone, and the places of secrets."""
    fields = {
        name: value
        for name, value in server.model_dump(mode="json", exclude_none=True).items()
        if name in SERVER_FIELDS
    }
    names = {"env": sorted(server.env), "headers": sorted(server.headers)}
    secrets = sorted(place for place in server.secrets if place.partition("/")[0] in ("args", "url"))
    return {**without_secrets(fields), **names, "secrets": secrets}


def without_secrets(value: T) -> T:
    """Return the value without texts that look like secrets. Refs, names and the structure stay as they are."""
    result: T = _without_secrets(value, is_secret=False)
    return result


def _without_secrets(value: Any, *, is_secret: bool) -> Any:
    if isinstance(value, str):
        if is_secret and value and not value.startswith("@") and "{{" not in value:
            return MASK
        return masked_text(value)
    if isinstance(value, Mapping):
        return {
            name: _without_secrets(part, is_secret=isinstance(name, str) and is_secret_name(name))
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_secrets(part, is_secret=False) for part in value]
    return value


def redacted(text: str) -> Pieces[str]:
    """Return a long text without its secrets, line by line but for private keys, which span several."""
    plain = without_private_keys(text) if "PRIVATE KEY-----" in text else text
    lines = []
    for line in plain.splitlines(keepends=True):
        lines.append(masked_text(line))
        yield
    return "".join(lines)


def with_texts(value: Any, texts: Mapping[str, str], depth: int = 6) -> Pieces[Any]:
    """Return the value with other texts in place of these, wherever they stand."""
    if depth > 0:
        yield
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, dict):
        members = {}
        for name, part in value.items():
            members[name] = yield from with_texts(part, texts, depth - 1)
        return members
    if isinstance(value, list):
        items = []
        for part in value:
            items.append((yield from with_texts(part, texts, depth - 1)))  # noqa: PERF401  # cannot yield
        return items
    return value


def without_key_variables(value: Any) -> Any:
    """Return what names models without the environment variables of their keys, which are those of a machine.

    An imported name would send any variable of the environment to an address of the file.
    """
    if isinstance(value, Mapping):
        return {name: without_key_variables(part) for name, part in value.items() if name != "key_env"}
    return [without_key_variables(part) for part in value] if isinstance(value, list | tuple) else value


def _dumped(adapter: TypeAdapter[Any], row: object) -> dict[str, Any]:
    fields = adapter.dump_python(row, mode="python", exclude_none=True)
    return {
        name: time_text(value) if isinstance(value, datetime) else _plain(value)
        for name, value in fields.items()
        if name not in OF_STORE and value not in ((), {})
    }


def _plain(value: Any) -> Any:
    """Return enumerations as texts and tuples as lists."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, str) else value
