"""Selects the tools that a turn advertises to its model, in each round anew, since tools come and go
(AGENTS_AND_TOOLS §3).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.window import tool_tokens
from core.domain.model import ModelChoice
from core.domain.tokens import DEFAULT_CONTEXT_TOKENS, available_tokens
from core.domain.tool import COLLECTION_PREFIX, ToolInfo, mcp_server_of
from core.domain.tool_search import FIND_TOOLS, find_tools, searched_tools
from core.ports import AgentTurn, ChatMessage, ToolRunner

MAX_SERVER_TOOLS = 100
"""How many tools of servers are sent to a model that may use all."""

_MANY = 200
_LAST_TEXTS = 3
_WORDS_CHARACTERS = 4_000

# The windows of models (address, name) that their servers named when they refused a request.
Windows = dict[tuple[str, str | None], int]


@dataclass(frozen=True, slots=True)
class AdvertisedTools:
    """The tools of a round, and the estimated tokens of their descriptions."""

    tools: tuple[ToolInfo, ...] = ()
    tokens: int = 0

    @classmethod
    def of(cls, tools: tuple[ToolInfo, ...]) -> "AdvertisedTools":
        """Estimate the tokens of these tools."""
        return cls(tools, sum(map(tool_tokens, tools)))


class ToolAdvertiser:
    """Selects the tools of a turn. The estimate is cached while the tools stay the same."""

    def __init__(self, turn: AgentTurn, tools: ToolRunner, windows: Windows) -> None:
        self._turn = turn
        self._windows = windows
        self._tools = tools
        self._allowed: tuple[ToolInfo, ...] = ()
        self._known: _Known | None = None
        self._advertised = AdvertisedTools()

    @property
    def room(self) -> int | None:
        """The tokens that the conversation may use; None for the offline agent, which has no limit."""
        choice = self._turn.snapshot.model
        return None if choice is None else available_tokens(self._window_of(choice), choice.max_tokens)

    def learn_window(self, tokens: object) -> bool:
        """Remember the size of the model's window, as its server gave it. Return False if it is not smaller than what
        was taken for it, or not told.
        """
        choice = self._turn.snapshot.model
        if choice is None or not isinstance(tokens, int):
            return False
        if tokens >= (self._window_of(choice) or DEFAULT_CONTEXT_TOKENS):
            return False
        self._windows[choice.base_url, choice.model] = tokens
        self._allowed = ()  # fewer tools may fit
        return True

    def _window_of(self, choice: ModelChoice) -> int | None:
        return self._windows.get((choice.base_url, choice.model), choice.context_tokens)

    @property
    def allowed(self) -> tuple[ToolInfo, ...]:
        """The tools that both the agent and the step allow. A sub-agent gets no tools that start sub-agents."""
        return tuple(info for info in self._tools.infos() if self._is_allowed(info))

    async def current(self, messages: Sequence[ChatMessage], prompt_at: int) -> AdvertisedTools:
        """Select the tools of the round from those that are allowed. The prompt of the turn is at `prompt_at`.

        If neither the agent nor the step has a list of tools and the descriptions take over half of the model's window,
        the tools for templates and runs are left out, as nothing would remain for the conversation. Of many tools of
        servers those are sent that the conversation has called or searched for, then those that share words with what
        the user wrote; the others can be searched for. The selection follows from the stored conversation alone.
        """
        allowed = self.allowed
        known = _Known.of(messages, prompt_at)
        if allowed != self._allowed or known != self._known:
            self._allowed, self._known = allowed, known
            # describing thousands of tools takes a while
            if len(allowed) > _MANY:
                self._advertised = await asyncio.to_thread(self._select, allowed, known)
            else:
                self._advertised = self._select(allowed, known)
        return self._advertised

    def _is_allowed(self, info: ToolInfo) -> bool:
        turn, profile = self._turn, self._turn.snapshot.profile
        if turn.tools is not None and info.name not in turn.tools:
            return False
        if info.begins_agents and turn.location.sub_agent_id is not None:
            return False
        if profile is None:
            return True
        server = mcp_server_of(info.name)
        is_allowed_server = server is None or profile.mcp_servers is None or server in profile.mcp_servers
        return is_allowed_server and (profile.tools is None or info.name in profile.tools)

    def _select(self, allowed: tuple[ToolInfo, ...], known: "_Known") -> AdvertisedTools:
        search = [info for info in allowed if info.name == FIND_TOOLS]
        tools = tuple(info for info in allowed if info.name != FIND_TOOLS)
        whole, profile, room = AdvertisedTools.of(tools), self._turn.snapshot.profile, self.room
        # the list of a sub-agent is at first that of the agent above it, which may be all
        has_list = self._turn.tools is not None and self._turn.location.sub_agent_id is None
        if has_list or (profile is not None and profile.tools is not None):
            return whole
        if room is not None and whole.tokens > room / 2:
            whole = AdvertisedTools.of(tuple(info for info in tools if not info.name.startswith(COLLECTION_PREFIX)))
        of_servers = [info for info in whole.tools if mcp_server_of(info.name) is not None]
        fits = room is None or whole.tokens <= room / 2
        if not search or (fits and len(of_servers) <= MAX_SERVER_TOOLS):
            return whole
        chosen = self._relevant(of_servers, known, room)
        return AdvertisedTools.of(
            (*(info for info in whole.tools if mcp_server_of(info.name) is None or info.name in chosen), *search)
        )

    def _relevant(self, tools: Sequence[ToolInfo], known: "_Known", room: int | None) -> frozenset[str]:
        """Return the names of the tools to send: at most MAX_SERVER_TOOLS, in a quarter of the window."""
        called = [info for info in tools if info.name in known.called]
        ranked = [*called, *searched_tools(tools, known.queries), *find_tools(tools, known.words, MAX_SERVER_TOOLS)]
        chosen: dict[str, None] = {}
        left = float("inf") if room is None else room / 4
        for info in ranked:
            if info.name not in chosen and len(chosen) < MAX_SERVER_TOOLS and (tokens := tool_tokens(info)) <= left:
                chosen[info.name] = None
                left -= tokens
        return frozenset(chosen)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a conversation says of the tools that it needs: those that were called, what was searched for, newest first,
    and the last words of the user.
    """

    called: frozenset[str] = frozenset()
    queries: tuple[str, ...] = ()
    words: str = ""

    @classmethod
    def of(cls, messages: Sequence[ChatMessage], prompt_at: int) -> "_Known":
        calls = [call for message in messages for call in message.calls]
        queries = [str((call.arguments or {}).get("query", "")) for call in calls if call.tool == FIND_TOOLS]
        texts = [message.text for message in messages[: prompt_at + 1] if message.role == "user"]
        words = "\n".join(texts[-_LAST_TEXTS:])[-_WORDS_CHARACTERS:]
        return cls(frozenset(call.tool for call in calls), tuple(dict.fromkeys(reversed(queries))), words)
