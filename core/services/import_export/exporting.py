"""What is exported, read from the store: workflows in turn, with everything in them, and the rest."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.domain.events import Event, stream_fact
from core.domain.fold import replay
from core.domain.ids import MemoryId, RunId, TemplateId, WorkflowId
from core.domain.memory import Memory
from core.domain.messages import Message, MessageState, QueuedMessage
from core.domain.run import Run
from core.domain.settings import Settings
from core.domain.workflow import Workflow
from core.errors import StorageFailed
from core.ports import PAGE_ROWS, Clock, MemoryQuery, Storage, StoredTemplate
from core.services.import_export.export_target import ExportTarget, not_written
from core.services.import_export.file import FORMAT, text_hash
from core.services.import_export.read_form import finished_history
from core.services.import_export.written_form import (
    RunHistory,
    WorkflowHistory,
    document_fields,
    memory_fields,
    redacted,
    server_fields,
    template_fields,
    time_text,
    with_texts,
    workflow_fields,
)
from core.services.settings import parse_settings
from core.threads.pieces import Pieces, in_thread

log = logging.getLogger(__name__)

# Not where keys are and whom to trust, which is of this machine, nor the mode that the demo replaced, which is of a
# moment.
_OWN_SETTINGS = {"key_places", "last_folders", "authorities_file", "mode_before_demo"}
EXPORTED_SETTINGS = frozenset(Settings.model_fields) - _OWN_SETTINGS
MAX_READS = 5


class Kind(StrEnum):
    """What an export may hold."""

    WORKFLOWS = "workflows"
    TEMPLATES = "templates"
    AGENTS = "agents"
    PROMPTS = "prompts"
    SERVERS = "servers"
    MEMORIES = "memories"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export. `left_out`: titles of workflows, and why they or some of their runs are missing:
    `too_large`, `unreadable_runs`.
    """

    path: str
    counts: Mapping[Kind, int]
    left_out: Sequence[tuple[str, str]] = ()

    def as_dict(self) -> dict[str, Any]:
        left_out = [{"title": title, "reason": reason} for title, reason in self.left_out]
        return {"file": self.path, "counts": dict(self.counts), "left_out": left_out}


class StoreReader:
    """Reads what is exported."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    async def workflow(self, workflow: Workflow) -> tuple[WorkflowHistory, dict[str, str]]:
        """Return the workflow with everything in it, and its attached texts by hash.

        Runs that cannot be read are left out, with the runs that they started. An active run is as it is now.
        """
        messages = await self._storage.messages.of_workflow(workflow.id)
        runs: dict[RunId, RunHistory] = {}
        texts: dict[RunId, str] = {}
        listed = await self._runs(workflow.id)
        for run in listed:
            if (run.parent is None or run.parent in runs) and (history := await self._history(run)) is not None:
                runs[run.id] = history
                if any(message.run_id == run.id and message.state is MessageState.OPEN for message in messages):
                    texts[run.id] = await self._text_so_far(history)
        queue = [each for each in await self._storage.queued_messages.all() if each.workflow_id == workflow.id]
        tasks = await self._storage.tasks.of_workflow(workflow.id)
        attached: dict[str, str] = {}
        with_texts: list[Message | QueuedMessage] = [*messages, *queue]
        known = {*(each.id for each in with_texts), *runs}
        for each in with_texts:
            attached |= await self._attached(workflow.id, each)
        whole = WorkflowHistory(
            workflow,
            [_as_it_is(message, runs, texts) for message in messages],
            list(runs.values()),
            queue,
            sorted(tasks.tasks.values(), key=lambda task: (task.created_at, task.id)),
            await self.memories((workflow.id,)),
            len(listed) - len(runs),
            [file for file in await self._storage.files.of_workflow(workflow.id) if file[0] in known],
        )
        return whole, attached

    async def memories(self, workflows: Collection[WorkflowId | None]) -> list[Memory]:
        """Return the whole memories of these workflows (None: of all), oldest first."""
        query = MemoryQuery(workflows, self._clock.now(), limit=100)
        whole: list[Memory] = []
        before: MemoryId | None = None
        while page := await self._storage.memories.page(query, before):
            for head in page:
                memory = await self._storage.memories.get(head.id, query.now)
                if memory is not None:
                    whole.append(memory)
            before = page[-1].id
        return whole[::-1]

    async def library(self, kinds: Collection[Kind]) -> dict[str, Any]:
        """Return the forms of everything of these kinds but workflows."""
        storage, lists = self._storage, dict[Kind, Sequence[Any]]()
        if Kind.TEMPLATES in kinds:
            lists[Kind.TEMPLATES] = [await self.versions(newest) for newest in await storage.templates.all()]
        if Kind.AGENTS in kinds:
            lists[Kind.AGENTS] = await storage.agents.all()
        if Kind.PROMPTS in kinds:
            lists[Kind.PROMPTS] = await storage.prompts.all()
        if Kind.SERVERS in kinds:
            lists[Kind.SERVERS] = [stored.server for stored in await storage.servers.all()]
        if Kind.MEMORIES in kinds:
            lists[Kind.MEMORIES] = await self.memories((None,))
        forms = await in_thread(_library_forms(lists))
        if Kind.SETTINGS in kinds:
            forms[Kind.SETTINGS] = exported_settings(await storage.settings.all())
        return forms

    async def versions(self, newest: StoredTemplate) -> list[StoredTemplate]:
        """Return all versions of a template, oldest first."""
        template_id = TemplateId(newest.id)
        versions = [await self._storage.templates.get(template_id, number) for number in range(1, newest.version)]
        return [*(version for version in versions if version is not None), newest]

    async def _runs(self, workflow_id: WorkflowId) -> list[Run]:
        """Return all runs of a workflow, without their outputs, each after its parent."""
        found: dict[RunId, Run] = {}
        before: RunId | None = None
        while page := await self._storage.runs.page(workflow_id=workflow_id, limit=PAGE_ROWS, before=before):
            found |= {run.id: run for run in page}
            before = page[-1].id
        todo = list(found.values())
        while todo:
            children = await self._storage.runs.children(todo.pop().id)
            todo += [run for run in children if run.id not in found]
            found |= {run.id: run for run in children}
        return sorted(found.values(), key=lambda run: (run.depth, run.created_at, run.id))

    async def _history(self, listed: Run) -> RunHistory | None:
        """Return the run with its facts; None if it cannot be read. It may end while it is read, and is read again."""
        try:
            for _ in range(MAX_READS):
                before = await self._storage.runs.get(listed.id)
                snapshot = await self._storage.snapshots.of_run(listed.id)
                events = await self._storage.events.of_run(listed.id)
                after = await self._storage.runs.get(listed.id)
                if before is not None and after is not None and before.status is after.status:
                    history = RunHistory(after, snapshot, events)
                    await asyncio.to_thread(finished_history, history)
                    return history
        except ValueError as error:
            log.warning("the run %s is left out of an export: %s", listed.id, error)
        except StorageFailed as error:
            if error.code != "unreadable":
                raise
        return None

    async def _text_so_far(self, history: RunHistory) -> str:
        """Return what the message of an active run shows now."""
        run, events = history.run, history.events
        at, seq = events[-1].at, events[-1].seq
        chunks = [
            stream_fact(run.message_id, chunk.step, chunk.index, chunk.offset, chunk.text)
            for chunk in await self._storage.chunks.of_run(run.id)
        ]
        streamed = [Event(run.id, run.workflow_id, seq, at, fact) for fact in chunks]
        live = await asyncio.to_thread(replay, [*events, *streamed])
        return live.content if live is not None else ""

    async def _attached(self, workflow_id: WorkflowId, message: Message | QueuedMessage) -> dict[str, str]:
        if not message.attachments:
            return {}
        texts = await self._storage.messages.attached_texts(workflow_id, message.id)
        pairs = zip(message.attachments, texts, strict=False)
        return {about.hash: text for about, text in pairs if text or not about.has_data}


def _as_it_is(message: Message, runs: Mapping[RunId, RunHistory], texts: Mapping[RunId, str]) -> Message:
    """Return the message with the text that it shows now, without a run that is left out."""
    if message.run_id is None:
        return message
    if message.run_id not in runs:
        is_open = message.state is MessageState.OPEN
        return replace(message, run_id=None, state=MessageState.INTERRUPTED if is_open else message.state)
    if message.state is MessageState.OPEN:
        return replace(message, text=texts.get(message.run_id, message.text))
    return message


def _library_forms(lists: Mapping[Kind, Sequence[Any]]) -> Pieces[dict[str, Any]]:
    forms: dict[Kind, Callable[[Any], dict[str, Any]]] = {
        Kind.TEMPLATES: template_fields,
        Kind.SERVERS: server_fields,
        Kind.MEMORIES: memory_fields,
    }
    library: dict[str, Any] = {}
    for kind, items in lists.items():
        library[kind] = []
        for item in items:
            library[kind].append(forms.get(kind, document_fields)(item))
            yield
    return library


def exported_settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of the settings that the user has changed."""
    settings = document_fields(parse_settings(stored))
    return {name: settings.get(name) for name in sorted(stored) if name in EXPORTED_SETTINGS}


class Exporter:
    """Writes exports to files."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._reader = StoreReader(storage, clock)
        self._storage = storage
        self._clock = clock

    async def write(
        self,
        path: Path,
        workflows: Sequence[Workflow],
        kinds: Collection[Kind],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Exported:
        """Write the workflows, and everything of these kinds, to the file. Raises Refused `not_written`.

        The file appears whole or not at all. It is a zip if its name ends with `.zip`, or if it has to be.
        """
        library = await self._reader.library(kinds)
        counts = {kind: len(library[kind]) for kind in Kind if kind in library}
        left_out: list[tuple[str, str]] = []
        too_large = 0
        begin = {"format": FORMAT, "exported_at": time_text(self._clock.now())}
        try:
            target = await asyncio.to_thread(ExportTarget, path, begin)
        except (OSError, ValueError) as error:  # a name that no file can have
            raise not_written(path, error) from None
        try:
            for number, workflow in enumerate(workflows):
                progress(number, len(workflows))
                history, attached = await self._reader.workflow(workflow)
                fields, attached = await in_thread(_without_secrets_in(history, attached))
                if not await in_thread(target.add(fields, attached, has_files=bool(history.files))):
                    too_large += 1
                    left_out.append((workflow.title, "too_large"))
                    continue
                await self._add_files(target, history)
                if history.left_out:
                    left_out.append((workflow.title, "unreadable_runs"))
            counts |= {Kind.WORKFLOWS: len(workflows) - too_large} if workflows or Kind.WORKFLOWS in kinds else {}
            await in_thread(target.finish(library))
        except OSError as error:
            raise not_written(path, error) from None
        finally:
            await asyncio.to_thread(target.close)
        progress(len(workflows), len(workflows))
        return Exported(str(path), counts, left_out)

    async def _add_files(self, target: ExportTarget, history: WorkflowHistory) -> None:
        """Write the files of a workflow, one at a time: together they may have gigabytes."""
        for digest in dict.fromkeys(digest for _, digest in history.files):
            data = await self._storage.files.get(digest)
            if data is not None:
                await in_thread(target.add_file(digest, data))


def _without_secrets_in(
    history: WorkflowHistory, attached: Mapping[str, str]
) -> Pieces[tuple[dict[str, Any], dict[str, str]]]:
    """Return the form of a workflow, and the texts attached to it by hash: a text without its secrets has another. The
    text of a PDF goes by the hash of the PDF.
    """
    texts: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for digest, text in attached.items():
        plain = yield from redacted(text)
        hashes[digest] = text_hash(plain) if plain != text and text_hash(text) == digest else digest
        texts[hashes[digest]] = plain
    fields = yield from workflow_fields(history)
    if any(old != new for old, new in hashes.items()):
        fields = yield from with_texts(fields, hashes)
    return fields, texts
