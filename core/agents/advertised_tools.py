"""Selects the tools that a turn advertises to its model, in each round anew, since tools come and go
(AGENTS_AND_TOOLS §3).
"""

from dataclasses import dataclass

from core.agents.window import tool_tokens
from core.domain.model import ModelChoice
from core.domain.tokens import DEFAULT_CONTEXT_TOKENS, available_tokens
from core.domain.tool import COLLECTION_PREFIX, ToolInfo, mcp_server_of
from core.ports import AgentTurn, ToolRunner

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

    def current(self) -> AdvertisedTools:
        """Select the tools that both the agent and the step allow. A sub-agent gets no tools that start sub-agents.

        If neither has a list of tools and the descriptions take over half of the model's window, the tools for
        templates and runs are left out, as nothing would remain for the conversation.
        """
        allowed = tuple(info for info in self._tools.infos() if self._is_allowed(info))
        if allowed != self._allowed:
            self._allowed = allowed
            self._advertised = self._fitting(AdvertisedTools.of(allowed))
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

    def _fitting(self, whole: AdvertisedTools) -> AdvertisedTools:
        profile = self._turn.snapshot.profile
        has_list = self._turn.tools is not None or (profile is not None and profile.tools is not None)
        if has_list or self.room is None or whole.tokens <= self.room / 2:
            return whole
        return AdvertisedTools.of(tuple(info for info in whole.tools if not info.name.startswith(COLLECTION_PREFIX)))
