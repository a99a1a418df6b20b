"""A client, and what it receives from a server on this machine."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.domain.model import ModelChoice
from core.errors import StepFailed
from core.llm.http import HttpClients
from core.llm.key_masking import Secret
from core.llm.presets import TimeLimits
from core.llm.provider.client import ProviderClient
from core.ports import (
    CallDelta,
    CallRequest,
    ChatMessage,
    ModelDelta,
    ModelRequest,
    ModelWarning,
    ReasoningDelta,
    TextDelta,
    TextWasReasoning,
    Usage,
    WaitStatus,
)
from tests.support.clock import FakeClock


@dataclass(slots=True)
class Heard:
    """An answer, as far as it arrived."""

    deltas: list[ModelDelta] = field(default_factory=list)
    waits: list[WaitStatus] = field(default_factory=list)
    error: StepFailed | None = None

    @property
    def text(self) -> str:
        return said_and_thought(self.deltas)[0]

    @property
    def thought(self) -> str:
        return said_and_thought(self.deltas)[1]

    @property
    def calls(self) -> list[CallRequest]:
        return [delta.call for delta in self.deltas if isinstance(delta, CallDelta)]

    @property
    def usage(self) -> list[Usage]:
        return [delta for delta in self.deltas if isinstance(delta, Usage)]

    @property
    def warnings(self) -> list[str]:
        return [delta.code for delta in self.deltas if isinstance(delta, ModelWarning)]

    @property
    def failure(self) -> StepFailed:
        assert self.error is not None
        return self.error


def said_and_thought(deltas: Iterable[ModelDelta]) -> tuple[str, str]:
    """Return the text of an answer and its reasoning."""
    text = thought = ""
    for delta in deltas:
        match delta:
            case TextDelta(piece):
                text += piece
            case ReasoningDelta(piece):
                thought += piece
            case TextWasReasoning(piece):
                text, thought = "", thought + piece
    return text, thought


class Phone:
    """Sends requests to a server. `clock.slept` are the waits between attempts, none of which takes time."""

    def __init__(self, clients: HttpClients) -> None:
        self.clock = FakeClock(tick_s=0.001)
        self.key: str | None = None
        self.clients = clients
        self.client = self._client(TimeLimits(connect_s=2, silence_s=5))

    def hurry(self, silence_s: float) -> None:
        self.client = self._client(TimeLimits(connect_s=2, silence_s=silence_s))

    async def ask(self, url: str, *messages: ChatMessage, choice: dict[str, Any] | None = None, **more: Any) -> Heard:
        heard = Heard()
        chosen = ModelChoice(**{"base_url": url, "model": "m", **(choice or {})})
        said = messages or (ChatMessage("user", "hi"),)
        request = ModelRequest(said, choice=chosen, on_wait=heard.waits.append, **more)
        try:
            async for delta in self.client.stream(request):
                heard.deltas.append(delta)
        except StepFailed as error:
            heard.error = error
        return heard

    def _client(self, limits: TimeLimits) -> ProviderClient:
        return ProviderClient(
            self.clients, self.clock, self._find_key, limits=limits, waits_every_s=0.05, random=lambda: 0.0
        )

    async def _find_key(self, choice: ModelChoice) -> Secret | None:
        return Secret(self.key) if self.key is not None else None


@pytest.fixture
async def phone() -> AsyncIterator[Phone]:
    clients = HttpClients()
    yield Phone(clients)
    await clients.close()
