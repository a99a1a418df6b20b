"""What an export file holds, read and checked whole before anything is done with it."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.domain.agent import Agent
from core.domain.ids import WorkflowId, id_from_key
from core.domain.messages import Message, QueuedMessage
from core.domain.names import name_key
from core.domain.prompt import Prompt
from core.domain.settings import Settings
from core.services.import_export.exporting import EXPORTED_SETTINGS, Kind
from core.services.import_export.file import ExportReader, bad_file
from core.services.import_export.library import Library
from core.services.import_export.other_ids import translated
from core.services.import_export.read_form import (
    at_place,
    listed,
    parse_document,
    parse_memory,
    parse_server,
    parse_template,
    parse_workflow,
)
from core.services.import_export.written_form import WorkflowHistory, without_key_variables, workflow_fields
from core.threads.pieces import Pieces, in_thread

UNFINISHED = ("enqueued", "running", "waiting")


@dataclass(frozen=True, slots=True)
class ExportedWorkflow:
    """A workflow of a file: where it is, and what decides whether it is here already."""

    document: str
    position: int
    id: WorkflowId
    title: str
    digest: str
    ids: frozenset[str]
    unfinished: int

    @property
    def copy_id(self) -> WorkflowId:
        """Its id where its own is taken. Another import of the same finds it."""
        return WorkflowId(id_from_key("wf", f"{self.id} {self.digest}"))


@dataclass(slots=True)
class Contents:
    """What a file holds."""

    workflows: list[ExportedWorkflow] = field(default_factory=list)
    library: Library = field(default_factory=Library)
    kinds: set[Kind] = field(default_factory=set)


async def read_contents(path: Path) -> Contents:
    """Read and check the whole file. Raises Refused."""
    return await in_thread(_contents(path))


async def read_file(path: Path, digest: str) -> bytes | None:
    """Return an attached file, None if the export lacks it. Raises Refused."""
    return await in_thread(_file(path, digest))


async def read_workflow(
    path: Path, wanted: ExportedWorkflow, ids: Mapping[str, str]
) -> tuple[WorkflowHistory, dict[str, str]]:
    """Return a workflow of the file with other ids, and its attached texts by hash. Raises Refused."""
    return await in_thread(_workflow(path, wanted, ids))


# The file is opened and closed in the thread, so that a cancelled reading leaves none open.
def _contents(path: Path) -> Pieces[Contents]:
    contents = Contents()
    with ExportReader(path) as reader:
        for name in reader.documents:
            yield from _read_document(reader, name, contents)
    _check_unique(contents)
    return contents


def _file(path: Path, digest: str) -> Pieces[bytes | None]:
    with ExportReader(path) as reader:
        return (yield from reader.file(digest))


def _workflow(
    path: Path, wanted: ExportedWorkflow, ids: Mapping[str, str]
) -> Pieces[tuple[WorkflowHistory, dict[str, str]]]:
    with ExportReader(path) as reader:
        document = yield from reader.document(wanted.document)
        with _refusing(wanted.document), at_place(f"workflows/{wanted.position}"):
            fields = document["workflows"][wanted.position]
            if ids:
                fields = yield from translated(fields, lambda each: ids.get(each, each))
            history = yield from parse_workflow(fields)
        return history, (yield from _attached(reader, wanted.document, history))


def _read_document(reader: ExportReader, name: str, contents: Contents) -> Pieces[None]:
    document = yield from reader.document(name)
    library = contents.library
    with _refusing(name):
        for place, fields in listed(document, Kind.WORKFLOWS):
            with at_place(place):
                history = yield from parse_workflow(fields)
                yield from _attached(reader, name, history)
                for file in {file for _, file in history.files}:
                    yield from reader.file(file)
                digest = yield from workflow_digest(history)
                unfinished = sum(run.get("status") in UNFINISHED for run in fields.get("runs", ()))
            workflow = history.workflow
            position = int(place.rpartition("/")[2])
            ids = frozenset(history.ids)
            contents.workflows.append(
                ExportedWorkflow(name, position, workflow.id, workflow.title, digest, ids, unfinished)
            )
        parsers: dict[Kind, tuple[list[Any], Callable[[dict[str, Any]], Any]]] = {
            Kind.TEMPLATES: (library.templates, parse_template),
            Kind.AGENTS: (library.agents, lambda fields: parse_document(Agent, fields)),
            Kind.PROMPTS: (library.prompts, lambda fields: parse_document(Prompt, fields)),
            Kind.SERVERS: (library.servers, parse_server),
            Kind.MEMORIES: (library.memories, lambda fields: parse_memory(fields, None)),
        }
        for kind, (items, parse) in parsers.items():
            for place, fields in listed(document, kind):
                with at_place(place):
                    items.append(parse(fields))
                yield
        _read_settings(document.get(Kind.SETTINGS, {}), library)
    contents.kinds |= {kind for kind in Kind if document.get(kind)}


def _read_settings(values: object, library: Library) -> None:
    with at_place("settings"):
        if not isinstance(values, dict):
            raise ValueError("they are not an object")  # noqa: TRY004  # as of every wrong file
        library.settings |= {name: value for name, value in values.items() if name in EXPORTED_SETTINGS}
        Settings.model_validate(library.settings)
        for name in ("model", "models"):
            if name in library.settings:
                library.settings[name] = without_key_variables(library.settings[name])


@contextmanager
def _refusing(document: str) -> Iterator[None]:
    """Raise a ValueError as the error of a file, with the place in it."""
    try:
        yield
    except ValueError as error:
        place, _, problem = str(error).partition(": ")
        raise bad_file(f"{document}: {place}", problem) from None


def workflow_digest(history: WorkflowHistory) -> Pieces[str]:
    """Return a hash that is equal for workflows with equal exports."""
    fields = yield from workflow_fields(history)
    digest = hashlib.sha256()
    for name in sorted(fields):
        for part in fields[name] if isinstance(fields[name], list) else [fields[name]]:
            digest.update(json.dumps([name, part], sort_keys=True).encode())
            yield
    return digest.hexdigest()


def _attached(reader: ExportReader, document: str, history: WorkflowHistory) -> Pieces[dict[str, str]]:
    """Return the attached texts by hash. Raises Refused if a text is missing."""
    texts: dict[str, str] = {}
    rows: list[Message | QueuedMessage] = [*history.messages, *history.queue]
    for row in rows:
        for about in row.attachments:
            if about.hash not in texts:
                text = yield from reader.attachment(about.hash)
                if text is None and about.has_data:
                    text = ""  # without its data, a picture is shown as missing
                if text is None:
                    raise bad_file(document, f"the attachment {about.name[:80]!a} of {row.id} is missing")
                texts[about.hash] = text
    return texts


def _check_unique(contents: Contents) -> None:
    """Raise Refused for an id, or a name ignoring case, that is there twice."""
    library = contents.library
    named: dict[Kind, list[tuple[str, str]]] = {
        Kind.TEMPLATES: [(versions[-1].id, versions[-1].title) for versions in library.templates],
        Kind.AGENTS: [(agent.id, agent.name) for agent in library.agents],
        Kind.PROMPTS: [(prompt.id, prompt.name) for prompt in library.prompts],
        Kind.SERVERS: [(server.id, server.name) for server in library.servers],
        Kind.MEMORIES: [(memory.id, memory.id) for memory in library.memories],
    }
    for kind, pairs in named.items():
        ids: set[str] = set()
        names: set[str] = set()
        for item_id, name in pairs:
            if item_id in ids:
                raise bad_file(kind, f"the id {item_id} is there twice")
            if name_key(name) in names:
                raise bad_file(kind, f"two are called {name!r}, ignoring case")
            ids.add(item_id)
            names.add(name_key(name))
    owners: dict[str, str] = {memory.id: "memories" for memory in library.memories}
    for workflow in contents.workflows:
        for each in (workflow.id, *workflow.ids):
            if each in owners:
                raise bad_file(workflow.document, f"the id {each} is there twice")
            owners[each] = workflow.document
