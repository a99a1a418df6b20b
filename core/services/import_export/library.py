"""What an import does with templates, agents, prompts, servers, memories and settings. Pure.

Whether something exists already is decided by its id, else by its name ignoring case. What is equal stays as it is.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from core.domain.agent import Agent
from core.domain.ids import MemoryId, ServerId, TemplateId, id_from_key
from core.domain.mcp_server import McpServer
from core.domain.memory import Memory
from core.domain.names import NAME_CHARACTERS, name_key
from core.domain.prompt import Prompt
from core.domain.settings import Settings
from core.domain.text.json_text import decode, encode
from core.ports import Put, PutMemory, PutSetting, StoredTemplate, Write
from core.services.import_export.exporting import Kind
from core.services.import_export.written_form import (
    document_fields,
    memory_fields,
    server_fields,
    template_text_without_secrets,
)
from core.tools.mcp.tool_list import make_server_id

D = TypeVar("D", Agent, Prompt, McpServer)

CONSENT_SETTINGS = frozenset(
    name
    for name in Settings.model_fields
    if name.startswith(("ask_for_", "low_risk_", "consent_")) or name in ("validation_mode", "confirm_high_risk")
)
"""What is run without asking: an import changes them only if the user wants what is there to be overwritten."""


class OnConflict(StrEnum):
    """What happens to something that exists already, and is different."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    RENAME = "rename"


class Outcome(StrEnum):
    """What an import did, or would do, with something. `same`: it is there already. `busy`: it cannot be replaced while
    it runs.
    """

    NEW = "new"
    SAME = "same"
    SKIPPED = "skipped"
    REPLACED = "replaced"
    RENAMED = "renamed"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class ImportItem:
    """Something in an export, under its title there. `is_conflict`: it exists already, and is different."""

    kind: Kind
    title: str
    outcome: Outcome
    is_conflict: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "title": self.title, "outcome": self.outcome}


@dataclass(slots=True)
class Library:
    """What an export holds beside workflows, or what the store has."""

    templates: list[list[StoredTemplate]] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    servers: list[McpServer] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class LibraryPlan:
    """The changes of an import. `ids` are the ids here of agents and servers that have others in the export."""

    items: list[ImportItem] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)

    def of(self, kind: type[D]) -> list[D]:
        """Return the documents of that type that are written."""
        documents = [write.document for write in self.writes if isinstance(write, Put)]
        return [document for document in documents if isinstance(document, kind)]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that are changed."""
        return {write.name: decode(write.value_json) for write in self.writes if isinstance(write, PutSetting)}


def plan_library(
    given: Library, stored: Library, current: Settings, on_conflict: OnConflict, kinds: Collection[Kind]
) -> LibraryPlan:
    """Return what an import of these kinds does. `stored` has the newest versions of templates."""
    plan = LibraryPlan()
    if Kind.SERVERS in kinds:
        taken = {server.id for server in (*stored.servers, *given.servers)}
        _plan_named(plan, Kind.SERVERS, given.servers, stored.servers, on_conflict, _server_form, _new_server_id(taken))
    if Kind.AGENTS in kinds:
        agents = [_with_servers(agent, plan.ids) for agent in given.agents]
        _plan_named(plan, Kind.AGENTS, agents, stored.agents, on_conflict, document_fields, _derived_id)
    if Kind.PROMPTS in kinds:
        _plan_named(plan, Kind.PROMPTS, given.prompts, stored.prompts, on_conflict, document_fields, _derived_id)
    if Kind.TEMPLATES in kinds:
        _plan_templates(plan, given.templates, [versions[-1] for versions in stored.templates], on_conflict)
    if Kind.MEMORIES in kinds:
        _plan_memories(plan, given.memories, {memory.id: memory for memory in stored.memories}, on_conflict)
    if Kind.SETTINGS in kinds:
        _plan_settings(plan, given.settings, stored.settings, current, on_conflict)
    return plan


def _plan_named(
    plan: LibraryPlan,
    kind: Kind,
    given: Iterable[D],
    stored: Sequence[D],
    on_conflict: OnConflict,
    form: Callable[[D], dict[str, Any]],
    new_id: Callable[[D, str], str],
) -> None:
    names: dict[str, str] = {item.id: name_key(item.name) for item in stored}
    by_id: dict[str, D] = {item.id: item for item in stored}
    for item in given:
        match = by_id.get(item.id) or next((each for each in stored if names[each.id] == name_key(item.name)), None)
        is_same = match is not None and {**form(item), "id": match.id} == form(match)
        outcome = _outcome(match is not None, is_same, on_conflict)
        is_conflict = match is not None and not is_same
        if outcome is Outcome.RENAMED:
            copy = next((each for each in stored if _is_copy(form(item), form(each))), None)
            match, outcome = copy or match, Outcome.RENAMED if copy is None else Outcome.SAME
        plan.items.append(ImportItem(kind, item.name, outcome, is_conflict))
        if outcome in (Outcome.SAME, Outcome.SKIPPED):
            assert match is not None
            plan.ids[item.id] = match.id
            continue
        own_id: str = item.id if match is None else match.id
        if outcome is Outcome.RENAMED:
            own_id = new_id(item, encode(form(item)))
        name = _free_name(item.name, {other for other_id, other in names.items() if other_id != own_id})
        names[own_id] = name_key(name)
        if own_id != item.id:
            plan.ids[item.id] = own_id
        plan.writes.append(Put(item.model_copy(update={"id": own_id, "name": name})))


def _is_copy(form: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether the other is what an earlier import made of this beside what was there."""
    own_name, other_name = form["name"], other["name"]
    return {**form, "id": "", "name": ""} == {**other, "id": "", "name": ""} and other_name.startswith(own_name)


def _plan_templates(
    plan: LibraryPlan, given: Iterable[list[StoredTemplate]], stored: Sequence[StoredTemplate], on_conflict: OnConflict
) -> None:
    titles = {template.id: name_key(template.title) for template in stored}
    by_id = {template.id: template for template in stored}
    for versions in given:
        newest = versions[-1]
        match = by_id.get(newest.id) or next(
            (each for each in stored if titles[each.id] == name_key(newest.title)), None
        )
        is_same = match is not None and _content(match) == _content(newest)
        outcome = _outcome(match is not None, is_same, on_conflict)
        copy_id = TemplateId(id_from_key("tpl", f"{newest.id} {newest.title} {newest.text}"))
        if outcome is Outcome.RENAMED and copy_id in by_id:
            outcome = Outcome.SAME
        plan.items.append(ImportItem(Kind.TEMPLATES, newest.title, outcome, match is not None and not is_same))
        if outcome in (Outcome.SAME, Outcome.SKIPPED):
            continue
        own_id = newest.id if match is None else match.id
        if outcome is Outcome.RENAMED:
            own_id = copy_id
        title = _free_name(newest.title, {other for other_id, other in titles.items() if other_id != own_id}, most=256)
        titles[own_id] = name_key(title)
        # what is replaced keeps its versions here, since runs refer to them
        written = (
            versions
            if outcome is not Outcome.REPLACED or match is None
            else [replace(newest, version=match.version + 1)]
        )
        titled = [*written[:-1], replace(written[-1], title=title)]
        plan.writes += [Put(replace(version, id=own_id)) for version in titled]


def _content(template: StoredTemplate) -> tuple[str, str]:
    return template.title, template_text_without_secrets(template.text)


def _plan_memories(
    plan: LibraryPlan, given: Iterable[Memory], stored: Mapping[str, Memory], on_conflict: OnConflict
) -> None:
    for memory in given:
        match = stored.get(memory.id)
        is_same = match is not None and memory_fields(match) == memory_fields(memory)
        outcome = _outcome(match is not None, is_same, on_conflict)
        copy = replace(memory, id=MemoryId(id_from_key("mem", f"{memory.id} {memory.content}")[:20]))
        if outcome is Outcome.RENAMED and copy.id in stored:
            outcome = Outcome.SAME
        title = memory.content[:80]
        plan.items.append(ImportItem(Kind.MEMORIES, title, outcome, match is not None and not is_same))
        if outcome not in (Outcome.SAME, Outcome.SKIPPED):
            plan.writes.append(PutMemory(copy if outcome is Outcome.RENAMED else memory))


def _plan_settings(
    plan: LibraryPlan,
    given: Mapping[str, Any],
    stored: Mapping[str, Any],
    current: Settings,
    on_conflict: OnConflict,
) -> None:
    now = document_fields(current)
    for name, exported in given.items():
        value = plan.ids.get(exported, exported) if name == "default_agent" else exported
        is_same = now.get(name) == value
        is_conflict = not is_same and (name in stored or name in CONSENT_SETTINGS)
        outcome = _outcome(is_same or is_conflict, is_same, on_conflict)
        # nothing can stand beside a setting
        outcome = Outcome.SKIPPED if outcome is Outcome.RENAMED else outcome
        plan.items.append(ImportItem(Kind.SETTINGS, name, outcome, is_conflict))
        if outcome in (Outcome.NEW, Outcome.REPLACED):
            plan.writes.append(PutSetting(name, encode(value)))


def _outcome(exists: bool, is_same: bool, on_conflict: OnConflict) -> Outcome:  # named by the callers
    if not exists:
        return Outcome.NEW
    if is_same:
        return Outcome.SAME
    return {
        OnConflict.SKIP: Outcome.SKIPPED,
        OnConflict.OVERWRITE: Outcome.REPLACED,
        OnConflict.RENAME: Outcome.RENAMED,
    }[on_conflict]


def _free_name(name: str, taken: Collection[str], most: int = NAME_CHARACTERS) -> str:
    """Return the name, or the name with the first number that makes it free."""
    candidate, number = name, 1
    while name_key(candidate) in taken:
        number += 1
        end = f" ({number})"
        candidate = f"{name[: most - len(end)].rstrip()}{end}"
    return candidate


def _derived_id(item: Agent | Prompt, form: str) -> str:
    """Return an id that another import of the same gives too."""
    return id_from_key(item.id.partition("_")[0], f"{item.id} {form}")


def _new_server_id(taken: Collection[str]) -> Callable[[McpServer, str], str]:
    return lambda server, form: make_server_id(server.name, taken)


def _server_form(server: McpServer) -> dict[str, Any]:
    return server_fields(server)


def _with_servers(agent: Agent, ids: Mapping[str, str]) -> Agent:
    """Return the agent with the servers' ids here."""
    servers = agent.mcp_servers and tuple(ServerId(ids.get(server, server)) for server in agent.mcp_servers)
    tools = agent.tools and tuple(_tool_here(tool, ids) for tool in agent.tools)
    return agent.model_copy(update={"mcp_servers": servers, "tools": tools})


def _tool_here(tool: str, ids: Mapping[str, str]) -> str:
    parts = tool.split("__", 2)
    return (
        "__".join([parts[0], ids.get(parts[1], parts[1]), parts[2]]) if len(parts) == 3 and parts[0] == "mcp" else tool
    )
