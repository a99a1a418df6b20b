"""Calling tools by name, under one set of checks, for agents and steps alike."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.domain.consent import ConsentTerms
from core.domain.events import Fact
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.model import ModelChoice
from core.domain.run import Run, Snapshot, StepKey
from core.domain.template import ValidationMode
from core.domain.tool import CallResult, Effect, ToolInfo
from core.ports.consent import Asker
from core.ports.sub_agents import SubAgents


def _discard(fact: Fact) -> None:
    """Where nobody is told."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Whose call it is and what it may reach.

    `allow` holds the absolute folders that the file tools may enter, `origins` those that `http_fetch` may reach beside
    the public ones; a relative path starts at `base`, or at the
    first of them without one. `ask` puts a question to a person, at `step` and `index`; None where nobody can be asked.
    A call from outside, through MCP, is made in no run: `run_id` and `workflow_id` are empty. `tell` tells of the call:
    how far it has come, what it used. `model` is the run's own; None: the offline agent. `sub_agents` begins some; None
    where none may be begun.
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
    tell: Callable[[Fact], object] = _discard
    model: ModelChoice | None = None
    origins: tuple[str, ...] = ()
    sub_agents: SubAgents | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        snapshot: Snapshot,
        call_id: CallId,
        key: StepKey,
        ask: Asker,
        tell: Callable[[Fact], object],
        *,
        sub_agents: SubAgents | None = None,
    ) -> "CallContext":
        """The context of a call of that run, made at that step."""
        return cls(
            run.id,
            run.workflow_id,
            call_id,
            snapshot.mode,
            snapshot.folders,
            snapshot.base,
            key.step,
            key.index,
            ask,
            tell,
            snapshot.model,
            snapshot.origins,
            sub_agents,
        )

    @classmethod
    def outside(cls, call_id: CallId) -> "CallContext":
        """The context of a call that no run makes."""
        return cls(RunId(""), WorkflowId(""), call_id)

    @property
    def is_outside(self) -> bool:
        return not self.run_id

    @property
    def origin(self) -> str:
        """What tells this call from all others, for ever. The same for every attempt of a step, as for the same call
        after a crash: what is made under this name is made once."""
        return f"{self.run_id}/{self.call_id.partition(' attempt ')[0]}"

    def from_base(self, path: str) -> str:
        """The path, absolute if there is a base that it can start at."""
        return path if self.base is None else os.path.join(self.base, path)  # noqa: PTH118  # Path would drop a final /


LateResultHandler = Callable[[CallResult], object]


class ToolRunner(Protocol):
    """The registry, from outside."""

    def infos(self) -> Sequence[ToolInfo]:
        """Every registered tool, by name."""
        ...

    def info(self, name: str) -> ToolInfo | None: ...

    def only_reads(self, name: str) -> bool:
        """Whether no call of the tool leaves anything behind, whatever its arguments."""
        ...

    def effect(self, name: str, arguments: Mapping[str, Any]) -> Effect:
        """What such a call may leave behind; ONCE for a tool that is not registered."""
        ...

    def terms(
        self,
        name: str,
        arguments: Mapping[str, Any],
        mode: ValidationMode,
        origins: Collection[str] = (),
        *,
        reaches_out: bool = False,
    ) -> ConsentTerms:
        """Whether a person has to agree to such a call in a run of this mode that allows these origins, and how they
        are asked. Nobody is asked about a tool that is not registered."""
        ...

    async def reaches_out(self, name: str, arguments: Mapping[str, Any], workflow_id: WorkflowId) -> bool:
        """Whether such a call, made in that workflow, reaches to what belongs to another. Only calls of tools that
        are `is_scoped` can."""
        ...

    def remember(self, name: str) -> None:
        """A person has agreed to every call of that tool, and this is on disk: it holds from now on."""
        ...

    async def refusal(
        self, name: str, arguments: Any, workflow_id: WorkflowId, advertised: Collection[str] | None = None
    ) -> CallResult | None:
        """The result that such a call has without being made, by what `call` checks before consent; None: it can be
        made. Arguments in which a secret was masked are invalid."""
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
        late: LateResultHandler | None = None,
        is_permitted: bool = False,
    ) -> CallResult:
        """Make the call. What goes wrong is in the result; only CancelledError is raised.

        Checks in order: registered, advertised (None: all are), runtime, arguments against the schema, consent (given
        where it `is_permitted`), time limit (`timeout_s`, else the tool's own, else `default_timeout_s`; seconds; none
        while people are asked or sub-agents are at work). A completed result is JSON of at most 10 MB; one that misses
        the tool's `output_schema` is the error `bad_output`. After a timeout, and before CancelledError is raised, the
        work is cancelled and has ended, or was given up after 1 s more. If it comes to an end of its own after its time
        limit, `late` is told how, without the value, after the result of the timeout was given (ENGINE §7). Where the
        arguments miss the schema, the error `invalid_arguments` carries `violations`, each with path and message.
        Without a connection to the network the work is tried once more, and where one broke, if that does no harm.
        """
        ...


@dataclass(frozen=True, slots=True)
class FileRequest:
    """What a person is asked for, by a run of which workflow. `purpose` is the caller's own words; `suffixes` are those
    that are offered first, without a dot; empty: all."""

    workflow_id: WorkflowId
    purpose: str | None = None
    suffixes: tuple[str, ...] = ()


class FilePicker(Protocol):
    """A window that can ask. Cancelled, it takes the question back."""

    async def __call__(self, wanted: FileRequest) -> Path | None:
        """The file that a person picked; None where they would not."""
        ...
