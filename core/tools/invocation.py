"""Tool calls: the checks before, the limits during, and a result whatever happens (AGENTS_AND_TOOLS §3, §4)."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from core.domain.access import Place
from core.domain.consent import ConsentTerms, Permission, Ruling
from core.domain.ids import WorkflowId
from core.domain.run import ErrorInfo
from core.domain.template import ValidationMode
from core.domain.text.held_json import read_held_json
from core.domain.text.masking import MASK, contains_mask
from core.domain.tool import CallResult, CallStatus, Category, Effect, ToolInfo, mcp_server_of
from core.errors import StepFailed, ToolFailed
from core.ports import CallContext, Clock, ConsentRules, LateResultHandler, PictureKeeper, SchemaCheck
from core.tools import schema
from core.tools.handler_tasks import GRACE_S, HandlerTasks, TimeLimit, TimeLimitExceeded, run_handler
from core.tools.measure import format_size, json_bytes, require_json
from core.tools.registry import Handler, InMemoryConsentBook, Registry, SchemaChecks, Tool, call_traits

NO_WINDOW = "Tool not available in background mode"
_SIZE_SHOWN = 1000

_WARNING_CHARACTERS = 500

_log = logging.getLogger(__name__)


class ToolInvoker:
    """Calls the tools of a registry; a `ToolRunner`.

    `is_viewed` returns whether the window shows a workflow; without a window it is always False. `consent` holds the
    consent settings. `asks_for_access`: there is a window, in which the user can allow what a call lacks.
    """

    def __init__(
        self,
        registry: Registry,
        clock: Clock,
        is_viewed: Callable[[WorkflowId], bool] = lambda workflow_id: False,
        consent: ConsentRules | None = None,
        *,
        asks_for_access: bool = False,
        pictures: PictureKeeper | None = None,
    ) -> None:
        self._consent = consent or InMemoryConsentBook()
        self._registry = registry
        self._clock = clock
        self._is_viewed = is_viewed
        self.asks_for_access = asks_for_access
        self._pictures = pictures
        self._tasks = HandlerTasks()

    def infos(self) -> Sequence[ToolInfo]:
        return self._registry.infos()

    def info(self, name: str) -> ToolInfo | None:
        tool = self._registry.get(name)
        return tool.info if tool else None

    def effect(self, name: str, arguments: Mapping[str, Any]) -> Effect:
        tool = self._registry.get(name)
        return tool.effect(_as_meant(tool, arguments)) if tool else Effect.ONCE

    def only_reads(self, name: str) -> bool:
        """Return whether every call of the tool is read-only, whatever its arguments."""
        tool = self._registry.get(name)
        return tool is not None and tool.read_only is True

    def terms(
        self,
        name: str,
        arguments: Mapping[str, Any],
        mode: ValidationMode,
        origins: Collection[str] = (),
        *,
        reaches_out: bool = False,
    ) -> ConsentTerms:
        tool = self._registry.get(name)
        if tool is None:
            # A server may list the tool at any moment, also between this question and the call: then it must not run
            # without consent.
            return ConsentTerms(Ruling.ASK if mcp_server_of(name) is not None else Ruling.FREE)
        traits = call_traits(tool, _as_meant(tool, arguments), origins, reaches_out=reaches_out)
        return self._consent.policy.terms(traits, mode)

    async def prepare(self, name: str) -> None:
        tool = self._registry.get(name)
        if tool is not None and tool.prepare is not None:
            await tool.prepare()

    async def reaches_out(self, name: str, arguments: Mapping[str, Any], workflow_id: WorkflowId) -> bool:
        tool = self._registry.get(name)
        if tool is None or tool.reaches_out is None:
            return False
        return await tool.reaches_out(_as_meant(tool, arguments), workflow_id)

    def has_places(self, name: str) -> bool:
        tool = self._registry.get(name)
        return tool is not None and tool.lacking is not None

    async def lacking(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Sequence[Place]:
        tool = self._registry.get(name)
        if tool is None or tool.lacking is None:
            return ()
        try:
            return await tool.lacking(_as_meant(tool, arguments), context)
        except Exception:  # noqa: BLE001  # the call itself shows what is wrong
            _log.exception("what a call of %s lacks is not known", name)
            return ()

    def remember(self, name: str, permission: Permission) -> None:
        self._consent.allow(name, permission)

    async def refusal(
        self, name: str, arguments: Any, workflow_id: WorkflowId, advertised: Collection[str] | None = None
    ) -> CallResult | None:
        checked = await self._checked(name, arguments, workflow_id, advertised)
        return checked if isinstance(checked, CallResult) else None

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
        checked = await self._checked(name, arguments, context.workflow_id, advertised)
        if isinstance(checked, CallResult):
            return checked
        if not is_permitted and await self._needs_consent(name, arguments, context):
            refused = ToolFailed("rejected", f"{name} needs the user's consent, and there is no user to ask here")
            return CallResult(CallStatus.ERROR, error=_error_info(name, refused))
        tool, handler, checks = checked
        arguments = _as_meant(tool, arguments)
        limit_s = timeout_s if timeout_s is not None else tool.own_timeout_s(arguments)
        limit_s = default_timeout_s if limit_s is None else limit_s
        # The user and sub-agents take as long as they need: a limit would throw away their work.
        # Progress extends a limit of the tool or of the app; what a step says is meant as it stands.
        limit = TimeLimit(limit_s if tool.info.has_time_limit else None, is_extendable=timeout_s is None)
        return await self._run(tool, handler, checks.result, arguments, context, limit, late)

    async def close(self) -> None:
        """Wait up to 1 s for abandoned handlers. Call it before the loop ends."""
        await self._tasks.close()

    async def _needs_consent(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> bool:
        await self.prepare(name)
        reaches_out = await self.reaches_out(name, arguments, context.workflow_id)
        terms = self.terms(name, arguments, context.mode, context.writable_origins, reaches_out=reaches_out)
        return terms.ruling is Ruling.ASK

    async def _checked(
        self, name: str, arguments: Any, workflow_id: WorkflowId, advertised: Collection[str] | None
    ) -> tuple[Tool, Handler, SchemaChecks] | CallResult:
        """Return the tool, its handler and its checks, or the result of a call that cannot be made."""
        try:
            tool = self._find(name, advertised)
            checks = self._registry.checks(name)
            handler = tool.handler(is_viewed=self._is_viewed(workflow_id))
            if handler is None:
                # Skipped, not failed: the model can go on without the window, and the user is not alarmed.
                return CallResult(CallStatus.SKIPPED, error=_error_info(name, ToolFailed("not_available", NO_WINDOW)))
            await _check_arguments(name, _as_meant(tool, arguments), checks.arguments)
        except ToolFailed as error:
            return CallResult(CallStatus.ERROR, error=_error_info(name, error))
        return tool, handler, checks

    def _find(self, name: str, advertised: Collection[str] | None) -> Tool:
        tool = self._registry.get(name)
        if tool is None:
            raise ToolFailed("not_registered", self._registry.missing(name))
        if advertised is not None and name not in advertised:
            raise ToolFailed("not_available", f"the tool {name!r} is not available here")
        return tool

    async def _run(
        self,
        tool: Tool,
        handler: Handler,
        check: SchemaCheck | None,
        arguments: Any,
        context: CallContext,
        limit: TimeLimit,
        late: LateResultHandler | None,
    ) -> CallResult:
        name, started_s = tool.info.name, self._clock.monotonic()
        value: Any = None
        size = 0
        warning: str | None = None
        failure: StepFailed | None = None
        report_late = partial(self._report_late, tool, arguments, started_s, late) if late is not None else None
        try:
            effect = tool.effect(arguments)
            ask = limit.around(context.ask) if context.ask is not None else None
            limited = context.within(ask, limit.begin_anew, self._pictures)
            work = run_handler(name, lambda: handler(arguments, limited), effect)
            grace_s = 2 * GRACE_S if tool.info.begins_agents else GRACE_S  # its sub-agents are stopped first
            value = await self._tasks.run(work, limit, f"tool {name}", report_late, grace_s=grace_s)
            # A value that JSON cannot hold, or that is too large, must not reach the journal.
            if tool.summary is None:
                size = await json_bytes(value)
            else:
                await require_json(value)
            warning = await _check_result(tool.info, value, check) if check is not None else None
        except TimeLimitExceeded:
            failure = _timeout_error(tool, arguments, limit)
        except StepFailed as error:
            failure = error
        except Exception as error:  # noqa: BLE001  # whatever a handler raises is a result for the caller
            _log.exception("tool %s failed", name)
            failure = _internal_error(name, error)
        duration_ms = round((self._clock.monotonic() - started_s) * 1000)
        if failure is not None:
            return CallResult(CallStatus.ERROR, error=_error_info(name, failure), duration_ms=duration_ms)
        summary = warning or _summary(tool, arguments, value)
        if summary is None and size >= _SIZE_SHOWN:  # a folded result says how much it is
            summary = format_size(size)
        return CallResult(CallStatus.COMPLETED, value, duration_ms=duration_ms, summary=summary)

    def _report_late(
        self, tool: Tool, arguments: Any, started_s: float, late: LateResultHandler, task: "asyncio.Task[Any]"
    ) -> None:
        """Report the outcome of work that ended after its limit; cancelled work has no outcome."""
        if task.cancelled():
            return
        name, error = tool.info.name, task.exception()
        duration_ms = round((self._clock.monotonic() - started_s) * 1000)
        if error is None:
            summary = _summary(tool, arguments, task.result())
            late(CallResult(CallStatus.COMPLETED, duration_ms=duration_ms, summary=summary))
        else:
            failure = error if isinstance(error, StepFailed) else _internal_error(name, error)
            late(CallResult(CallStatus.ERROR, error=_error_info(name, failure), duration_ms=duration_ms))


def _as_meant(tool: Tool, arguments: Any) -> Any:
    """Return the arguments with lists and objects that came as JSON in a text. Everything that judges a call reads them
    so: what runs is what was consented to.
    """
    return read_held_json(tool.info.input_schema, arguments)


async def _check_arguments(name: str, arguments: Any, check: SchemaCheck) -> None:
    """Raise ToolFailed `invalid_arguments` that lists every violation: path and expectation."""
    if not isinstance(arguments, dict):
        problems = [("", "must be an object")]
    else:
        try:
            await require_json(arguments)
        except StepFailed as error:
            problems = [("", error.message)]
        else:
            problems = [(violation.path, violation.message) for violation in await check(arguments)]
            if contains_mask(arguments):
                problems.append(("", f"{MASK} stands for a secret that was not stored: pass the value itself"))
    if problems:
        raise _violations_error("invalid_arguments", f"{name} cannot take this", "the arguments", problems)


async def _check_result(info: ToolInfo, value: Any, check: SchemaCheck) -> str | None:
    """Return a warning for a result that does not fit the output schema of a server's tool: it has done its work, and
    what came of it is given on. Raises ToolFailed `bad_output` for any other tool.
    """
    if problems := [(violation.path, violation.message) for violation in await check(value)]:
        if info.category is Category.MCP:
            return f"not the result that it has a schema for: {_listed(problems, 'the result')}"[:_WARNING_CHARACTERS]
        message = f"{info.name} did its work, and its result does not fit its output schema"
        raise _violations_error("bad_output", message, "the result", problems)
    return None


def _summary(tool: Tool, arguments: Any, value: Any) -> str | None:
    try:
        return tool.summary(arguments, value) if tool.summary else None
    except Exception:  # noqa: BLE001  # the call was made: its summary must not undo it
        _log.exception("the summary of %s failed", tool.info.name)
        return None


def _violations_error(code: str, message: str, whole: str, violations: Sequence[tuple[str, str]]) -> ToolFailed:
    return schema.violations_error(code, f"{message}. {_listed(violations, whole)}", violations)


def _listed(violations: Sequence[tuple[str, str]], whole: str) -> str:
    return "; ".join(f"{path or whole}: {problem}" for path, problem in violations)


def _timeout_error(tool: Tool, arguments: Any, limit: TimeLimit) -> ToolFailed:
    limit_s = limit.limit_s or 0.0
    if limit.has_progressed and limit.is_at_ceiling:
        what = f"made progress, and did not end within {limit.ceiling_s:g} s,"
    else:
        what = f"{'made no progress for' if limit.has_progressed else 'did not end within'} {limit_s:g} s"
    message = f"{tool.info.name} {what} and was stopped"
    if tool.effect(arguments) is Effect.ONCE:
        return ToolFailed("timeout", f"{message}; the effect may have happened", timeout_s=limit_s, uncertain=True)
    return ToolFailed("timeout", message, timeout_s=limit_s)


def _internal_error(name: str, error: BaseException) -> ToolFailed:
    return ToolFailed("failed", f"{name} failed internally: {type(error).__name__}; see the log")


def _error_info(name: str, error: StepFailed) -> ErrorInfo:
    return ErrorInfo.of(error, failed_during="tool_execution", tool_name=name)
