"""`memory`: facts to remember beyond this conversation (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import MemoryId, WorkflowId, id_from_key
from core.domain.memory import CONTENT_CHARACTERS, CONTEXT_LIFETIME, Memory, MemoryType
from core.domain.risk import Risk
from core.domain.text.masking import masked_text
from core.domain.text.search import words_of
from core.domain.tool import Category, ToolInfo
from core.errors import StorageFailed, ToolFailed
from core.ports.clock import Clock
from core.ports.memories import Memories, MemoryQuery
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool
from core.tools.schema import Action, check_action_arguments, has_action, id_schema

ID_CHARACTERS = 20
QUERY_CHARACTERS = 1_000
MOST_WORDS = 32
MOST_GIVEN = 100
USUALLY_GIVEN = 20
WORKFLOW, GENERAL = "workflow", "general"

_ACTIONS = {
    "add": Action(("type", "content"), ("scope",)),
    "get": Action(("id",)),
    "list": Action(takes=("type", "scope", "limit", "before")),
    "search": Action(("query",), ("type", "scope", "limit")),
    "delete": Action(("id",)),
}
_INFO = ToolInfo(
    name="memory",
    title="Memory",
    description=(
        "Remembers what is to be known beyond this conversation. add {type, content, scope?} and get {id} give "
        "{memory}; list {type?, scope?, limit?, before?} gives {memories, more}, the newest first; search {query, "
        "type?, scope?, limit?} likewise, the most fitting first: each word of the query has to begin a word of the "
        "content; case and accents do not matter; delete {id} gives {deleted}, false for what is not there. A "
        "memory is {id, type, scope, content, created_at, expires_at}; in lists, of a long one content is the "
        "beginning, with truncated: true. Types: user_pref and knowledge are of use everywhere (scope general), "
        "context (gone after 7 days) and decision in this conversation (scope workflow), unless scope says "
        "otherwise. Secrets are not kept."
    ),
    input_schema=schema.of_object(
        {"action": {"enum": list(_ACTIONS), "description": "What to do."}},
        {
            "type": {"enum": list(MemoryType), "description": "What kind of memory."},
            "content": {
                "type": "string",
                "minLength": 1,
                "maxLength": CONTENT_CHARACTERS,
                "description": "What is to be remembered.",
            },
            "scope": {"enum": [WORKFLOW, GENERAL], "description": "Of this conversation, or of all. Both if absent."},
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": QUERY_CHARACTERS,
                "description": "Words, or the beginnings of words.",
            },
            "id": id_schema("Which memory: the id that add gave."),
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_GIVEN,
                "description": f"How many at most, {USUALLY_GIVEN} if absent.",
            },
            "before": id_schema("The last id of the list before, for what comes after it."),
        },
    ),
    risk=Risk.HIGH,
    category=Category.DATABASE,
)


def tool(memories: Memories, clock: Clock) -> Tool:
    """Return the tool, which reaches general memories and those of the call's own workflow. Idempotent: the id of a new
    memory is derived from the call.

    Errors: `invalid_arguments`, `not_found`, and storage errors.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        check_action_arguments(_ACTIONS, arguments)
        try:
            return await _Call(memories, clock, arguments, context).make()
        except StorageFailed as error:
            raise ToolFailed(error.code, error.message) from error

    return Tool(
        _INFO,
        server=call,
        read_only=lambda arguments: has_action(arguments, "get", "list", "search"),
        idempotent=True,
        is_dangerous=lambda arguments: has_action(arguments, "delete"),
        summary=_summary,
    )


class _Call:
    """A single call of the tool."""

    def __init__(self, memories: Memories, clock: Clock, arguments: Arguments, context: CallContext) -> None:
        self._memories = memories
        self._now = clock.now()
        self._arguments = arguments
        self._workflow_id = context.workflow_id
        self._origin = context.origin

    async def make(self) -> dict[str, Any]:
        given = self._arguments
        match given["action"]:
            case "add":
                return {"memory": _shown(await self._memories.add(self._new()))}
            case "get":
                return {"memory": _shown(await self._existing())}
            case "delete":
                return await self._delete()
            case "list":
                before = MemoryId(given["before"]) if "before" in given else None
                return self._listed(await self._memories.page(self._wanted(), before))
            case _:
                words = words_of(given["query"])
                if not words:
                    raise ToolFailed("invalid_arguments", "query has no words to search for")
                return self._listed(await self._memories.search(self._wanted(), words[:MOST_WORDS]))

    def _new(self) -> Memory:
        kind = MemoryType(self._arguments["type"])
        content = masked_text(self._arguments["content"])[:CONTENT_CHARACTERS]
        if not content.strip():
            raise ToolFailed("invalid_arguments", "content is blank")
        scope = self._arguments.get("scope", GENERAL if kind.is_general else WORKFLOW)
        return Memory(
            MemoryId(id_from_key("mem", self._origin)[:ID_CHARACTERS]),
            kind,
            None if scope == GENERAL else self._workflow_id,
            content,
            len(content),
            self._now,
            self._now + CONTEXT_LIFETIME if kind is MemoryType.CONTEXT else None,
        )

    async def _existing(self) -> Memory:
        """Return the memory. Raises ToolFailed `not_found`, also for a memory of another workflow."""
        memory_id = MemoryId(self._arguments["id"])
        found = await self._memories.get(memory_id, self._now)
        if found is None or found.workflow_id not in (None, self._workflow_id):
            raise ToolFailed("not_found", f"there is no memory {memory_id!r} here", id=memory_id)
        return found

    async def _delete(self) -> dict[str, Any]:
        """Delete the memory. A missing memory is no error: this very call may have deleted it before a crash."""
        try:
            memory = await self._existing()
        except ToolFailed:
            return {"deleted": False, "id": self._arguments["id"]}
        return {"deleted": await self._memories.remove(memory.id), "id": memory.id}

    def _wanted(self) -> MemoryQuery:
        """Return the query, for an extra row beyond the limit that shows whether there are more."""
        scopes: dict[str | None, tuple[WorkflowId | None, ...]] = {
            WORKFLOW: (self._workflow_id,),
            GENERAL: (None,),
            None: (self._workflow_id, None),
        }
        kind = self._arguments.get("type")
        type_ = None if kind is None else MemoryType(kind)
        return MemoryQuery(scopes[self._arguments.get("scope")], self._now, type_, self._limit + 1)

    @property
    def _limit(self) -> int:
        return int(self._arguments.get("limit", USUALLY_GIVEN))

    def _listed(self, found: list[Memory]) -> dict[str, Any]:
        return {"memories": [_shown(one) for one in found[: self._limit]], "more": len(found) > self._limit}


def _shown(memory: Memory) -> dict[str, Any]:
    cut = {"truncated": True} if len(memory.content) < memory.length else {}
    return {
        "id": memory.id,
        "type": memory.type.value,
        "scope": GENERAL if memory.workflow_id is None else WORKFLOW,
        "content": memory.content,
        **cut,
        "created_at": iso_time(memory.created_at),
        "expires_at": iso_time(memory.expires_at) if memory.expires_at else None,
    }


def _summary(arguments: Arguments, value: Any) -> str:
    if "memories" in value:
        return format_count(len(value["memories"]), "memory").replace("memorys", "memories")
    if "deleted" in value:
        return "deleted" if value["deleted"] else "not there"
    return shorten(value["memory"]["content"])
