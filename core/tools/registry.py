"""The registered tools, and the properties of their calls (AGENTS_AND_TOOLS §4)."""

import functools
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.domain.access import Place
from core.domain.command_rules import CommandCall
from core.domain.consent import CallTraits, ConsentPolicy, Permission, Rule
from core.domain.ids import WorkflowId
from core.domain.risk import Risk
from core.domain.tool import Effect, Runtime, ToolInfo
from core.errors import MetierError, NotFound, Refused, StepFailed, ToolFailed
from core.ports import CallContext, SchemaCheck, Schemas

Arguments = Mapping[str, Any]
Handler = Callable[[Arguments, CallContext], Coroutine[Any, Any, Any]]
Trait = bool | Callable[[Arguments], bool]
ReachesOut = Callable[[Arguments, WorkflowId], Awaitable[bool]]
LackingPlaces = Callable[[Arguments, CallContext], Awaitable[Sequence[Place]]]


def errors_as_failures(handler: Handler) -> Handler:
    """Convert Metier's errors to results that a model can act on, with code, message and parameters."""

    @functools.wraps(handler)
    async def call(arguments: Arguments, context: CallContext) -> Any:
        try:
            return await handler(arguments, context)
        except StepFailed:
            raise
        except MetierError as error:
            raise ToolFailed(error.code, error.message, **error.parameters) from error

    return call


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its description, its handlers, and the properties of its calls.

    Handlers receive arguments that fit the schema and return a JSON value; they raise ToolFailed with a message that a
    model can act on. A hybrid tool with a single handler uses it in both places. `read_only`, `idempotent` and
    `is_dangerous` may depend on the arguments, which then need not fit the schema. `leaves` returns whether a call goes
    outside the allowed origins: unless read-only it is high risk then. `timeout_s` None leaves the limit to the caller.
    `summary` makes a line for the user from the arguments and the result. `reaches_out`, of a scoped tool, returns
    whether a call goes beyond its own workflow; its arguments need not fit the schema. `lacking`, of a tool that
    accesses places, returns those that a call needs, that its context does not allow and that the user can; neither
    need its arguments fit. `command` describes the command that a call runs, whatever its arguments; `prepare` is
    awaited before.
    """

    info: ToolInfo
    client: Handler | None = None
    server: Handler | None = None
    read_only: Trait = False
    idempotent: Trait = False
    is_dangerous: Trait = False
    leaves: Callable[[Arguments, Collection[str]], bool] | None = None
    timeout_s: float | Callable[[Arguments], float] | None = None
    summary: Callable[[Arguments, Any], str] | None = None
    reaches_out: ReachesOut | None = None
    lacking: LackingPlaces | None = None
    command: Callable[[Arguments], CommandCall | None] | None = None
    prepare: Callable[[], Awaitable[object]] | None = None

    def handler(self, *, is_viewed: bool) -> Handler | None:
        """Return the handler of a call, or None where it needs a window that is not there."""
        match self.info.runtime:
            case Runtime.CLIENT:
                return self.client if is_viewed else None
            case Runtime.SERVER:
                return self.server
        # A hybrid tool prefers the handler of the place it runs in, and uses the other if it has only that.
        first, second = (self.client, self.server) if is_viewed else (self.server, self.client)
        return first or second

    def effect(self, arguments: Arguments) -> Effect:
        """Return the effect of such a call. Read-only implies idempotent."""
        if _holds(self.read_only, arguments):
            return Effect.NONE
        return Effect.IDEMPOTENT if _holds(self.idempotent, arguments) else Effect.ONCE

    def risk(self, arguments: Arguments, origins: Collection[str] = ()) -> Risk:
        """Return the risk of such a call in a run that allows these origins (AGENTS_AND_TOOLS §5)."""
        # A risk that is high without a condition; with one, `is_dangerous` decides for each call.
        is_always = self.info.risk is Risk.HIGH and not callable(self.is_dangerous)
        if is_always or _holds(self.is_dangerous, arguments):
            return Risk.HIGH
        if _holds(self.read_only, arguments):
            return Risk.LOW
        return Risk.HIGH if self.leaves is not None and self.leaves(arguments, origins) else Risk.MEDIUM

    def own_timeout_s(self, arguments: Arguments) -> float | None:
        """Return the tool's own time limit, for arguments that fit the schema."""
        return self.timeout_s(arguments) if callable(self.timeout_s) else self.timeout_s


@dataclass(frozen=True, slots=True)
class SchemaChecks:
    """The checks of a tool's arguments, and of its result if it has an output schema."""

    arguments: SchemaCheck
    result: SchemaCheck | None


class Registry:
    """The tools of this process, by name. A single registry serves agents, steps, sub-agents and recordings."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._tools: dict[str, Tool] = {}
        self._checks: dict[str, SchemaChecks] = {}
        self._why_missing: Callable[[str], str | None] = lambda name: None

    def register(self, tool: Tool, *, is_checked: bool = False) -> None:
        """Add a tool. `is_checked` skips the check of its schemas, as for our own tools, where it would take 0.2 s at
        each start.

        Raises Refused `duplicate_tool`, `no_handler` or `bad_schema`; then nothing has changed.
        """
        name = tool.info.name
        if name in self._tools:
            raise Refused("duplicate_tool", f"there is a tool {name!r} already", tool=name)
        if not _can_run(tool):
            runtime = tool.info.runtime
            raise Refused("no_handler", f"the {runtime} tool {name!r} has no handler to run it", tool=name)
        for schema in (tool.info.input_schema, tool.info.output_schema):
            problem = None if schema is None or is_checked else self._schemas.problem(schema)
            if problem is not None:
                raise Refused("bad_schema", f"a schema of the tool {name!r} is unusable: {problem}", tool=name)
        self._tools[name] = tool
        output = tool.info.output_schema
        self._checks[name] = SchemaChecks(
            self._schemas.check(tool.info.input_schema), None if output is None else self._schemas.check(output)
        )

    def unregister(self, name: str) -> None:
        """Remove a tool; its running calls continue. Raises NotFound."""
        if self._tools.pop(name, None) is None:
            raise NotFound("tool", name)
        del self._checks[name]

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def checks(self, name: str) -> SchemaChecks:
        """Return the checks of a registered tool."""
        return self._checks[name]

    def explain(self, why_missing: Callable[[str], str | None]) -> None:
        """Set the callback that returns why a tool is missing, for tools that come and go."""
        self._why_missing = why_missing

    def missing(self, name: str) -> str:
        """Return the message that there is no such tool, with the reason if it is known."""
        why = self._why_missing(name)
        return f"there is no tool {name!r}" + (f": {why}" if why else "")

    def infos(self) -> list[ToolInfo]:
        """Return the description of each tool, by name."""
        return [self._tools[name].info for name in sorted(self._tools)]


def _holds(trait: Trait, arguments: Arguments) -> bool:
    return trait(arguments) if callable(trait) else trait


def _can_run(tool: Tool) -> bool:
    match tool.info.runtime:
        case Runtime.CLIENT:
            return tool.client is not None
        case Runtime.SERVER:
            return tool.server is not None
        case Runtime.HYBRID:
            return tool.client is not None or tool.server is not None


class InMemoryConsentBook:
    """A `ConsentBook` for processes that store no settings."""

    def __init__(self, policy: ConsentPolicy | None = None) -> None:
        self.policy = policy or ConsentPolicy()

    def allow(self, tool: str, permission: Permission) -> None:
        exceptions = {**self.policy.exceptions, tool: Rule.ALLOW}
        permissions = {**self.policy.permissions, tool: permission}
        self.policy = replace(self.policy, exceptions=exceptions, permissions=permissions)


def call_traits(
    tool: Tool, arguments: Arguments, origins: Collection[str] = (), *, reaches_out: bool = False
) -> CallTraits:
    """Return the properties of a call that the consent policy decides on, in a run that allows these origins
    (AGENTS_AND_TOOLS §6).
    """
    info, risk = tool.info, tool.risk(arguments, origins)
    command = tool.command(arguments) if tool.command is not None else None
    return CallTraits(info.name, info.category, risk, tool.effect(arguments), reaches_out, info.definition, command)
