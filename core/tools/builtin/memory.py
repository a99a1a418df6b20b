"""`memory`: facts to remember beyond this conversation (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import MemoryId, WorkflowId, id_from_key
from core.domain.memory import CONTENT_CHARACTERS, CONTEXT_LIFETIME, MEMORY_TOOL, Memory, MemoryType
from core.domain.risk import Risk
from core.domain.text.masking import masked_text
from core.domain.text.search import words_of
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext, Clock, Memories, MemoryQuery
from core.tools import schema
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool
from core.tools.schema import Action, action_tool

ID_CHARACTERS = 20
QUERY_CHARACTERS = 1_000
MAX_WORDS = 32
PAGE, MAX_PAGE = 20, 100
WORKFLOW, GENERAL = "workflow", "general"

_ACTIONS = {
    "add": Action(("type", "content"), ("scope",)),
    "get": Action(("id",), is_read_only=True),
    "list": Action(optional=("type", "scope", "limit", "before"), is_read_only=True),
    "search": Action(("query",), ("type", "scope", "limit"), is_read_only=True),
    "delete": Action(("id",), is_dangerous=True),
}
_INFO = ToolInfo(
    name=MEMORY_TOOL,
    title="Memory",
    description=(
        "Remembers facts beyond this conversation. add {type, content, scope?} and get {id} return {memory}; list "
        "{type?, scope?, limit?, before?} returns {memories, more}, newest first; search {query, type?, scope?, "
        "limit?} likewise, best match first: each word of the query has to begin a word of the content; case and "
        "accents do not matter; delete {id} returns {deleted}, false if there is no such memory. A memory is {id, "
        "type, scope, content, created_at, expires_at}; lists cut long content, with truncated: true. Types: "
        "user_pref and knowledge apply everywhere (scope general), context (expires after 7 days) and decision in "
        "this conversation (scope workflow), unless scope says otherwise. Secrets are not stored."
    ),
    input_schema=schema.of_object(
        {"action": schema.choice("What to do.", _ACTIONS)},
        {
            "type": schema.choice("The kind of memory.", MemoryType),
            "content": schema.text("What to remember.", CONTENT_CHARACTERS),
            "scope": schema.choice("Of this conversation, or of all. Both if absent.", (WORKFLOW, GENERAL)),
            "query": schema.text("Words, or the beginnings of words.", QUERY_CHARACTERS),
            "id": schema.an_id("The id that add returned."),
            "limit": schema.number(f"The size of the page, {PAGE} if absent.", 1, MAX_PAGE, kind="integer"),
            "before": schema.an_id("The last id of the previous page."),
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
        return await _Call(memories, clock, arguments, context).run()

    return action_tool(_INFO, _ACTIONS, call, _summary)


class _Call:
    """A single call of the tool."""

    def __init__(self, memories: Memories, clock: Clock, arguments: Arguments, context: CallContext) -> None:
        self._memories = memories
        self._now = clock.now()
        self._arguments = arguments
        self._workflow_id = context.workflow_id
        self._origin = context.origin

    async def run(self) -> dict[str, Any]:
        arguments = self._arguments
        match arguments["action"]:
            case "add":
                return {"memory": _shown(await self._memories.add(self._new()))}
            case "get":
                return {"memory": _shown(await self._existing())}
            case "delete":
                return await self._delete()
            case "list":
                before = MemoryId(arguments["before"]) if "before" in arguments else None
                return self._listed(await self._memories.page(self._query(), before))
            case _:
                words = words_of(arguments["query"])
                if not words:
                    raise ToolFailed("invalid_arguments", "query has no words to search for")
                return self._listed(await self._memories.search(self._query(), words[:MAX_WORDS]))

    def _new(self) -> Memory:
        kind = MemoryType(self._arguments["type"])
        # Masked before it is cut, so that no half of a secret is left at the end.
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
        memory = await self._memories.get(memory_id, self._now)
        if memory is None or memory.workflow_id not in (None, self._workflow_id):
            raise ToolFailed("not_found", f"there is no memory {memory_id!r} here", id=memory_id)
        return memory

    async def _delete(self) -> dict[str, Any]:
        """Delete the memory. A missing memory is no error: this very call may have deleted it before a crash."""
        try:
            memory = await self._existing()
        except ToolFailed:
            return {"deleted": False, "id": self._arguments["id"]}
        return {"deleted": await self._memories.remove(memory.id), "id": memory.id}

    def _query(self) -> MemoryQuery:
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
        return int(self._arguments.get("limit", PAGE))

    def _listed(self, memories: list[Memory]) -> dict[str, Any]:
        shown = [_shown(memory) for memory in memories[: self._limit]]
        return {"memories": shown, "more": len(memories) > self._limit}


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
        return format_count(len(value["memories"]), "memory", "memories")
    if "deleted" in value:
        return "deleted" if value["deleted"] else "not there"
    return shorten(value["memory"]["content"])
