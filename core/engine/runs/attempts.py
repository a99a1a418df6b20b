"""One call, from its first attempt to its last: claims, time limits, retries, unknown outcomes (ENGINE §7, §10).

(consent) ──► claim ──► attempt ──► an output
            │  ▲
            │  ├── (after its delay) ── retrying ◄── an error that may pass
            │  └── (run it again) ◄──┐
            ├── an outcome that nobody knows ──► a person is asked, or `onUnknown` says ──► an output | an error
            └── an error
"""

import random
from asyncio import Future
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from core.domain.events import ToolEnded
from core.domain.interruption import Action, Answer, InterruptionKind, InterruptionRequest
from core.domain.run import ErrorInfo
from core.domain.template import ToolAction
from core.domain.tool import CallResult, CallStatus, Effect
from core.engine.interruptions.interruptions import Interruptions
from core.engine.plan.dispatch import StepCall
from core.engine.plan.outcomes import step_error_info
from core.engine.runs.checkpoints import Checkpoints, RawResult
from core.engine.runs.step_runner import step_call_id, tool_started
from core.errors import StepFailed
from core.ports.clock import Clock
from core.threads.long_values import masked_async

NOT_RETRIED = frozenset(
    {
        *("unresolved_ref", "unknown_ref", "item_outside_for_each", "not_a_list", "several_operators"),
        *("invalid_arguments", "not_json", "rejected", "bad_output", "output_too_large", "input_too_large"),
        *("not_registered", "not_available", "not_allowed", "typescript_error", "no_default_export"),
        *("too_deep", "bad_input", "invalid_template", "call_changed", "internal"),
    }
)
MAX_DELAY_S = 300.0


@dataclass(frozen=True, slots=True)
class PriorAttempt:
    """What an earlier life of the run left of a call: its last attempt, the errors of those before, and whether
    that attempt was `cut_off` in the middle (its claim stands) or had failed."""

    attempt: int
    errors: tuple[ErrorInfo, ...]
    cut_off: bool


class RunPhase(Enum):
    """What becomes of a run: it goes on, it has its outcome, or the app closes and it is left as it is."""

    GOES_ON = auto()
    OVER = auto()
    LEFT = auto()


@dataclass(slots=True, eq=False)
class Attempts:
    """The attempts of one call. `is_idle`: before the first or between two of them, nothing is at work.

    `act` carries out one attempt; `again` resolves the call for that attempt; `time_left_s` is what the run may
    still use, None without a deadline; `state` says whether the run goes on, has its outcome, or is left for the next
    process. `raw` is what the call has given, if its transform alone is left. `permit`, where it is given, comes before
    the claim: it gives the call as it may be made, and its effect.
    """

    call: StepCall
    effect: Effect
    checkpoints: Checkpoints
    interruptions: Interruptions
    clock: Clock
    act: Callable[[Effect, StepCall, int, RawResult], Any]
    again: Callable[[int], StepCall]
    time_left_s: Callable[[], float | None]
    state: Callable[[], RunPhase]
    raw: RawResult
    earlier: PriorAttempt | None = None
    permit: Callable[[], Awaitable[tuple[StepCall, Effect]]] | None = None
    has_claim: bool = False
    is_idle: bool = True
    has_acted: bool = False
    attempt: int = 1
    errors: tuple[ErrorInfo, ...] = ()

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has been told or written of the call."""
        return self.is_idle and not self.has_claim and self.earlier is None and not self.errors

    async def run(self, claim: "Future[frozenset[int]] | None") -> Any:
        """The output. Raises StepFailed with the last error, LostClaim if the run ended before it began."""
        is_unknown = False
        if self.permit is not None:
            permitted, self.effect = await self.permit()
            self.call, self.again = permitted, lambda attempt: permitted  # it stays as the person saw it
        if self.earlier is not None:
            self.attempt, self.errors = self.earlier.attempt, self.earlier.errors
            is_unknown = self.earlier.cut_off and self.effect is Effect.ONCE and not self.raw.is_kept
            self.call = self.again(self.attempt)
            if not self.earlier.cut_off:
                self._next()
        while True:
            if is_unknown:
                known = await self._find_out()
                if known is None:
                    self._next()
                elif not self.raw.is_kept:
                    return known.value
            await self._claim(claim)
            claim, self.has_acted = None, True
            try:
                return await self.act(self.effect, self.call, self.attempt, self.raw)
            except StepFailed as error:
                is_unknown = error.code == "outcome_unknown"
                if not is_unknown:
                    await self._retry(error)

    async def _claim(self, claim: "Future[frozenset[int]] | None") -> None:
        """Say that this attempt begins; what leaves the process waits until that is on disk."""
        key = self.call.key
        if claim is None and not self.has_claim and self.effect is not Effect.NONE:
            claim, self.has_claim = self.checkpoints.claim(key), True
        if claim is not None:
            if await claim:
                raise LostClaim
        elif self.effect is not Effect.NONE:
            await self.checkpoints.begin_again(key, self.attempt, self.errors)
        self.checkpoints.step_started(key, attempt=self.attempt)
        self.is_idle = False

    async def _retry(self, error: StepFailed) -> None:
        """Wait for the next attempt. Raises the error where there is none."""
        config, course = self.call.step.config, self.state()
        if self.attempt >= config.max_attempts or error.code in NOT_RETRIED or course is RunPhase.OVER:
            raise error
        delay_s = min(config.backoff_ms / 1000 * 2 ** (self.attempt - 1) + random.random(), MAX_DELAY_S)
        left_s = self.time_left_s()
        if left_s is not None and delay_s >= left_s:
            raise error
        info = step_error_info(error, self.call)
        self.errors = (*self.errors, info)
        self.checkpoints.step_retrying(self.call.key, self.attempt, delay_s, self.errors, self.effect)
        self.is_idle = True
        if course is RunPhase.LEFT:
            raise LostClaim
        await self.clock.sleep(delay_s)
        self._next()

    def _next(self) -> None:
        self.attempt += 1
        self.call = self.again(self.attempt)

    async def _find_out(self) -> Answer | None:
        """The result that the attempt had after all, as an answer; None: run it again. Raises StepFailed.

        Where there is a transform, the result is `raw` then, and the output is still to be made of it.
        """
        step, key = self.call.step, self.call.key
        is_transformed = isinstance(step.action, ToolAction) and step.action.transform_code is not None
        unknown = unknown_outcome(str(key), _tool_name(self.call))
        shown = await masked_async(self.call.input)
        if self.earlier is not None and self.attempt == self.earlier.attempt:
            cut_off = CallResult(CallStatus.UNKNOWN, error=ErrorInfo.of(unknown))
            self.checkpoints.tell(tool_started(self.call, self.attempt, shown), self._ended(cut_off))
        match self.state():
            case RunPhase.OVER:
                raise unknown
            case RunPhase.LEFT:
                raise LostClaim
        match step.config.on_unknown:
            case "rerun":
                return None
            case "fail":
                raise unknown
        self.is_idle = True
        ask = InterruptionRequest(
            InterruptionKind.OUTCOME,
            step.name,
            key.index,
            self.attempt,
            prompt=unknown.message,
            schema=step.output_schema if not is_transformed else None,  # that is for what comes of it
            input=shown,
            tool=_tool_name(self.call),
            arguments=shown,
        )
        answer = (await self.interruptions.ask(ask)).answer
        if answer is not None and answer.action is Action.APPROVE:
            return None
        if answer is not None and answer.action is Action.SUBMIT:
            ended = self._ended(CallResult(CallStatus.COMPLETED, answer.value))
            if is_transformed:
                await self.raw.keep(answer.value, ended, self.attempt)
            else:
                self.checkpoints.tell(ended)
            return answer
        why = answer.reason if answer is not None and answer.reason else "a person says that it had no effect"
        failed = StepFailed("failed", f"{key}: {why}", failed_during="tool_execution", tool_name=_tool_name(self.call))
        self.checkpoints.tell(self._ended(CallResult(CallStatus.ERROR, error=ErrorInfo.of(failed))))
        raise failed

    def _ended(self, result: CallResult) -> ToolEnded:
        return ToolEnded.of(step_call_id(self.call, self.attempt), result)


class LostClaim(Exception):  # no error: the run ended before the step began
    """The claim was not written, since the run is over."""


def unknown_outcome(step: str, tool: str | None) -> StepFailed:
    """An effect may have happened, and nobody knows (ENGINE §10)."""
    what = f"{tool} in step {step}" if tool else f"step {step}"
    message = f"{what} may or may not have had its effect: it was cut off, or did not answer in time"
    return StepFailed("outcome_unknown", message, failed_during="tool_execution", tool_name=tool)


def _tool_name(call: StepCall) -> str | None:
    return call.step.action.tool_name if isinstance(call.step.action, ToolAction) else None
