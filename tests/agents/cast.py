"""Fakes around the loop: tools, models, and a client that validates requests."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from core.domain.access import Place
from core.domain.consent import ConsentTerms, Permission, Ruling
from core.domain.ids import WorkflowId
from core.domain.run import ErrorInfo
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, CallStatus, Effect, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext, ChatMessage, LateResultHandler, ModelClient, ModelDelta, ModelRequest

Handler = Callable[[Mapping[str, Any]], Awaitable[Any]]


class Tools:
    """A registry of two-line tools. `made` lists the calls that ran, with their contexts."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[Effect, Handler]] = {}
        self.made: list[tuple[str, Mapping[str, Any], CallContext]] = []
        self.limits: list[float] = []
        self.at_once = 0
        self.most_at_once = 0

    def add(self, name: str, handler: Handler, effect: Effect = Effect.NONE) -> None:
        self._tools[name] = (effect, handler)

    def infos(self) -> Sequence[ToolInfo]:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        return [ToolInfo(name, name.title(), f"Does {name}. And more.", schema) for name in sorted(self._tools)]

    def info(self, name: str) -> ToolInfo | None:
        return next((info for info in self.infos() if info.name == name), None)

    def only_reads(self, name: str) -> bool:
        return self.effect(name, {}) is Effect.NONE

    def effect(self, name: str, arguments: Mapping[str, Any]) -> Effect:
        return self._tools[name][0] if name in self._tools else Effect.ONCE

    def terms(
        self,
        name: str,
        arguments: Mapping[str, Any],
        mode: ValidationMode,
        origins: Collection[str] = (),
        *,
        reaches_out: bool = False,
    ) -> ConsentTerms:
        return ConsentTerms(Ruling.FREE)

    async def prepare(self, name: str) -> None:
        pass

    async def reaches_out(self, name: str, arguments: Mapping[str, Any], workflow_id: WorkflowId) -> bool:
        return False

    asks_for_access = False

    def has_places(self, name: str) -> bool:
        return False

    async def lacking(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Sequence[Place]:
        return ()

    def remember(self, name: str, permission: Permission) -> None:
        raise AssertionError("nobody is asked here")

    async def refusal(
        self, name: str, arguments: Any, workflow_id: WorkflowId, advertised: Collection[str] | None = None
    ) -> CallResult | None:
        return None

    async def call(
        self,
        name: str,
        arguments: Any,
        context: CallContext,
        *,
        default_timeout_s: float,
        timeout_s: float | None = None,
        advertised: Collection[str] | None = None,
        late: LateResultHandler | None = None,
        is_permitted: bool = False,
    ) -> CallResult:
        if name not in self._tools:
            return _refused("not_registered", f"there is no tool {name!r}")
        if advertised is not None and name not in advertised:
            return _refused("not_available", f"{name} is not available here")
        self.made.append((name, arguments, context))
        self.limits.append(default_timeout_s)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return CallResult(CallStatus.COMPLETED, await self._tools[name][1](arguments), summary=f"did {name}")
        except ToolFailed as error:
            return _refused(error.code, error.message)
        finally:
            self.at_once -= 1


class Spy:
    """Forwards each request after checking that it is valid."""

    def __init__(self, model: ModelClient) -> None:
        self._model = model
        self.requests: list[ModelRequest] = []
        self.open = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        assert_valid(request.messages)
        self.requests.append(request)
        self.open += 1
        deltas = self._model.stream(request)
        try:
            async for delta in deltas:
                yield delta
        finally:
            await deltas.aclose()
            self.open -= 1


class Rehearsed:
    """A model with prepared answers, one per request. An exception in an answer is raised."""

    def __init__(self, *answers: Sequence[ModelDelta | BaseException]) -> None:
        self._answers = list(answers)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        for delta in self._answers.pop(0):
            await asyncio.sleep(0)
            if isinstance(delta, BaseException):
                raise delta
            yield delta


def assert_valid(messages: Sequence[ChatMessage]) -> None:
    """Assert that each call is answered directly after its message, in order, and nothing else is."""
    due: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert due, f"{message.call_id} answers no call"
            assert message.call_id == due.pop(0)
        else:
            assert not due, f"{due} have no result"
            due = [call.id for call in message.calls]
    assert not due, f"{due} have no result"


async def give(value: Any) -> Any:
    """Build a tool's result without doing anything."""
    await asyncio.sleep(0)
    return value


def _refused(code: str, message: str) -> CallResult:
    return CallResult(CallStatus.ERROR, error=ErrorInfo(code, message, failed_during="tool_execution"))
