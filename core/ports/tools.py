"""Calling tools by name, under one set of checks, for agents and steps alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, Effect, ToolInfo


@dataclass(frozen=True, slots=True)
class CallContext:
    """Whose call it is and what it may reach.

    `allow` holds the absolute folders that the file tools may enter; a relative path starts at the first of them.
    """

    run_id: RunId
    workflow_id: WorkflowId
    call_id: CallId
    mode: ValidationMode = ValidationMode.AUTO
    allow: tuple[str, ...] = ()


class ToolRunner(Protocol):
    """The registry, from outside."""

    def infos(self) -> Sequence[ToolInfo]:
        """Every registered tool, by name."""
        ...

    def info(self, name: str) -> ToolInfo | None: ...

    def effect(self, name: str, arguments: Mapping[str, Any]) -> Effect:
        """What such a call may leave behind; ONCE for a tool that is not registered."""
        ...

    async def call(
        self,
        name: str,
        arguments: Any,
        context: CallContext,
        *,
        default_timeout_s: float,
        timeout_s: float | None = None,
        advertised: Collection[str] | None = None,
    ) -> CallResult:
        """Make the call. What goes wrong is in the result; only CancelledError is raised.

        Checks in order: registered, advertised (None: all are), runtime, arguments against the schema, consent,
        time limit (`timeout_s`, else the tool's own, else `default_timeout_s`; seconds). A completed result is
        JSON of at most 10 MB. After a timeout, and before CancelledError is raised, the work is cancelled and has
        ended, or was given up after 1 s more. An `invalid_arguments` error carries `violations`: path, message.
        """
        ...
