"""Calling tools by name, with the same checks for agents and steps."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.domain.access import Place, RunAccess
from core.domain.consent import ConsentTerms, Permission
from core.domain.events import Fact
from core.domain.grants import folders_in, origins_in, read_only_in
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.model import ModelChoice
from core.domain.run import Run, Snapshot, StepKey
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, Effect, ToolInfo
from core.ports.agents import SubAgents
from core.ports.consent import Asker


def _discard(fact: Fact) -> None:
    pass


def _nothing() -> None:
    pass


class PictureKeeper(Protocol):
    """Stores the pictures of results."""

    async def keep(self, context: "CallContext", data: bytes, name: str | None = None) -> dict[str, Any] | None:
        """Return the item of the result that refers to the picture; None if it is none that can be sent."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """The caller of a tool, and what the call may reach.

    `allow` are the absolute folders and files of the file tools, `origins` the non-public origins of `http_fetch`, of
    which `read_only` may not be changed; a relative path starts at `base`, or at the first folder. `ask` asks the user,
    at `step` and `index`; None if no user can answer. A call from outside through MCP belongs to no run: `run_id` and
    `workflow_id` are empty, `mode` is that of the runs it starts, and `may_approve` whether it may consent to calls of
    tools. `emit` publishes progress and usage. `model` is the run's own; None means the offline agent. `sub_agents`
    starts sub-agents; None if none may start. `pictures` stores those of the result. `progressed`
    is to be called at each sign of progress: it begins the time limit of the call anew
    (`core.tools.handler_tasks.TimeLimit`).
    """

    run_id: RunId
    workflow_id: WorkflowId
    call_id: CallId
    mode: ValidationMode = ValidationMode.AUTO
    allow: tuple[str, ...] = ()
    base: str | None = None
    step: str = ""
    index: int | None = None
    ask: Asker | None = None
    emit: Callable[[Fact], object] = _discard
    model: ModelChoice | None = None
    origins: tuple[str, ...] = ()
    sub_agents: SubAgents | None = None
    may_approve: bool = False
    read_only: tuple[str, ...] = ()
    progressed: Callable[[], object] = _nothing
    pictures: PictureKeeper | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        snapshot: Snapshot,
        call_id: CallId,
        key: StepKey,
        ask: Asker,
        emit: Callable[[Fact], object],
        *,
        access: RunAccess | None = None,
        sub_agents: SubAgents | None = None,
    ) -> "CallContext":
        """Return the context of a call that the run makes at this step. `access` None: what the snapshot allows."""
        given = (access or RunAccess(snapshot.allow)).of_call(call_id)
        return cls(
            run.id,
            run.workflow_id,
            call_id,
            snapshot.mode,
            given.folders,
            snapshot.base,
            key.step,
            key.index,
            ask,
            emit,
            snapshot.model,
            given.origins,
            sub_agents,
            read_only=given.read_only,
        )

    @classmethod
    def outside(
        cls, call_id: CallId, mode: ValidationMode, *, allow: Sequence[str] = (), may_approve: bool = False
    ) -> "CallContext":
        """Return the context of a call that no run makes."""
        return cls(
            RunId(""),
            WorkflowId(""),
            call_id,
            mode,
            folders_in(allow),
            origins=origins_in(allow),
            may_approve=may_approve,
            read_only=read_only_in(allow),
        )

    async def keep_picture(self, data: bytes, name: str | None = None) -> dict[str, Any] | None:
        """Store a picture of the result, and return the item that refers to it; None if it cannot be sent or kept."""
        return None if self.pictures is None else await self.pictures.keep(self, data, name)

    def within(
        self, ask: Asker | None, progressed: Callable[[], object], pictures: PictureKeeper | None = None
    ) -> "CallContext":
        """Return the context with others of these; a third of the time of `dataclasses.replace`."""
        return CallContext(
            self.run_id,
            self.workflow_id,
            self.call_id,
            self.mode,
            self.allow,
            self.base,
            self.step,
            self.index,
            ask,
            self.emit,
            self.model,
            self.origins,
            self.sub_agents,
            self.may_approve,
            self.read_only,
            progressed,
            self.pictures if pictures is None else pictures,
        )

    @property
    def writable_origins(self) -> tuple[str, ...]:
        """The origins to which the call may send more than GET and HEAD."""
        return tuple(origin for origin in self.origins if origin not in self.read_only)

    @property
    def is_outside(self) -> bool:
        return not self.run_id

    @property
    def origin(self) -> str:
        """A globally unique name of the call, equal for every attempt of a step and after a crash.

        What is created under this name is created once.
        """
        return f"{self.run_id}/{self.call_id.partition(' attempt ')[0]}"

    def from_base(self, path: str) -> str:
        """Return the path, absolute if there is a base."""
        return path if self.base is None else os.path.join(self.base, path)  # noqa: PTH118  # Path would drop a final /


LateResultHandler = Callable[[CallResult], object]


class ToolRunner(Protocol):
    """The tools, as callers see them."""

    def infos(self) -> Sequence[ToolInfo]:
        """Return every registered tool, by name."""

    def info(self, name: str) -> ToolInfo | None: ...

    def only_reads(self, name: str) -> bool:
        """Return whether no call of the tool changes anything, whatever its arguments."""

    def effect(self, name: str, arguments: Mapping[str, Any]) -> Effect:
        """Return the effect of such a call; ONCE for a tool that is not registered."""

    def terms(
        self,
        name: str,
        arguments: Mapping[str, Any],
        mode: ValidationMode,
        origins: Collection[str] = (),
        *,
        reaches_out: bool = False,
    ) -> ConsentTerms:
        """Return whether such a call needs consent in this mode with these origins, and how to ask.

        A tool that is not registered needs none.
        """

    async def prepare(self, name: str) -> None:
        """Wait for what the terms of the tool's calls depend on."""

    async def reaches_out(self, name: str, arguments: Mapping[str, Any], workflow_id: WorkflowId) -> bool:
        """Return whether such a call, made in the workflow, reaches data of another.

        Only calls of tools that are `is_scoped` can.
        """

    @property
    def asks_for_access(self) -> bool:
        """Whether the user is there to allow a place that a call lacks."""

    def has_places(self, name: str) -> bool:
        """Return whether calls of the tool access folders, files or origins."""

    async def lacking(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Sequence[Place]:
        """Return the places that such a call lacks, as far as the user can allow them."""

    def remember(self, name: str, permission: Permission) -> None:
        """Apply the user's consent to calls of the tool as it is defined, once it is on disk."""

    async def refusal(
        self, name: str, arguments: Any, workflow_id: WorkflowId, advertised: Collection[str] | None = None
    ) -> CallResult | None:
        """Return the result of a call that would fail before consent, or None if it can be made.

        Arguments with a masked secret are invalid.
        """

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
        """Make the call. Failures are in the result; only CancelledError is raised.

        Checks in order: registered, advertised (None: all are), runtime, arguments against the schema, consent (given
        if `is_permitted`), time limit in seconds (`timeout_s`, else the tool's own, else `default_timeout_s`; paused
        while the user is asked or sub-agents work). A completed result is JSON of at most 10 MB; a result that misses
        the tool's `output_schema` is the error `bad_output`. Before a timeout is returned or CancelledError raised, the
        work is cancelled and has ended, or was abandoned after another second. If it ends on its own after its time
        limit, `late` is called with the outcome, without the value, after the timeout's result was returned (ENGINE
        §7). The error `invalid_arguments` carries `violations`, each with path and message. Without a network
        connection the work is retried once; likewise after a broken connection, if that does no harm.
        """


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request for a file, by a run of the workflow.

    `purpose` is the caller's own text. `suffixes`, without a dot, are offered first; empty means all files.
    """

    workflow_id: WorkflowId
    purpose: str | None = None
    suffixes: tuple[str, ...] = ()


class FilePicker(Protocol):
    """Asks the user for a file in the window. Cancelling withdraws the question."""

    async def __call__(self, wanted: FileRequest) -> Path | None:
        """Return the file that the user picked, or None if the user declined."""
