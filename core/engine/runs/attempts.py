"""The attempts of a single call: claims, time limits, retries and unknown outcomes (ENGINE §7, §10).

(consent) ──► claim ──► attempt ──► output
            │  ▲
            │  ├── (after its delay) ── retrying ◄── error that may be temporary
            │  └── (run again) ◄──┐
            ├── unknown outcome ──┴─► the user is asked, or `onUnknown` decides ──► output | error
            └── error

The claim protects effects from running twice. It is on disk before the attempt starts, so a process that finds a claim
without a result must assume that the effect may have happened. Only then is the outcome unknown; an attempt without
effects, or with idempotent ones, is simply repeated.
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
from core.engine.plan.outcomes import CallOutcome, step_error_info
from core.engine.runs.checkpoints import Checkpoints, RawResult
from core.errors import StepFailed
from core.ports import Clock
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
    """The state in which a previous process left a call: its last attempt and the errors of the attempts before it.

    `cut_off`: the attempt was interrupted, so its claim stands; otherwise it had failed and waited for its retry.
    """

    attempt: int
    errors: tuple[ErrorInfo, ...]
    was_interrupted: bool


class RunPhase(Enum):
    """The phase of a run as its calls see it: it continues, it has its outcome, or the app is closing."""

    CONTINUES = auto()
    ENDED = auto()
    CLOSING = auto()


@dataclass(slots=True, eq=False)
class Attempts:
    """The attempts of a call. `is_idle`: no attempt is in progress (before the first, or between two of them).

    `perform` performs an attempt; `resolve_again` resolves the call for a later attempt; `time_left_s` is the remaining
    time of the run, None without a deadline; `phase` returns the phase of the run. `raw` holds the raw result if only
    the transform remains to be run. `permit`, if given, runs before the claim and returns the permitted call with its
    effect.
    """

    call: StepCall
    effect: Effect
    checkpoints: Checkpoints
    interruptions: Interruptions
    clock: Clock
    perform: Callable[[Effect, StepCall, int, RawResult], Any]
    resolve_again: Callable[[int], StepCall]
    time_left_s: Callable[[], float | None]
    phase: Callable[[], RunPhase]
    raw: RawResult
    prior: PriorAttempt | None = None
    permit: Callable[[], Awaitable[tuple[StepCall, Effect]]] | None = None
    has_claim: bool = False
    is_idle: bool = True
    has_acted: bool = False
    attempt: int = 1
    errors: tuple[ErrorInfo, ...] = ()

    @property
    def is_untouched(self) -> bool:
        """Whether nothing of the call has been published or written yet."""
        return self.is_idle and not self.has_claim and self.prior is None and not self.errors

    async def run(self, claim: "Future[frozenset[int]] | None") -> Any:
        """Return the output. Raises StepFailed with the last error, LostClaim if the run ended before the call
        began."""
        is_unknown = False
        if self.permit is not None:
            permitted, self.effect = await self.permit()
            self.call, self.resolve_again = permitted, lambda attempt: permitted  # it stays as the user saw it
        if self.prior is not None:
            self.attempt, self.errors = self.prior.attempt, self.prior.errors
            is_unknown = self.prior.was_interrupted and self.effect is Effect.ONCE and not self.raw.is_kept
            self.call = self.resolve_again(self.attempt)
            # a failed attempt was waiting for its retry: the delay is over by now
            if not self.prior.was_interrupted:
                self._advance()
        while True:
            if is_unknown:
                answer = await self._resolve_unknown()
                if answer is None:
                    self._advance()
                elif not self.raw.is_kept:
                    return answer.value
                # otherwise the answer is the raw result, and the attempt below runs the transform alone
            await self._claim(claim)
            claim, self.has_acted = None, True
            try:
                return await self.perform(self.effect, self.call, self.attempt, self.raw)
            except StepFailed as error:
                is_unknown = error.code == "outcome_unknown"
                if not is_unknown:
                    await self._retry(error)

    def outcome(
        self,
        *,
        output: Any = None,
        output_json: str | None = None,
        error: StepFailed | None = None,
        is_cancelled: bool = False,
    ) -> CallOutcome:
        """Return the outcome of the call after the last attempt."""
        return CallOutcome(
            self.call,
            self.effect,
            output,
            output_json,
            error,
            is_cancelled,
            self.attempt,
            self.errors,
            self.has_acted,
        )

    async def _claim(self, claim: "Future[frozenset[int]] | None") -> None:
        """Announce the attempt. An attempt with effects waits until its claim is on disk."""
        key = self.call.key
        if claim is None and self.effect is not Effect.NONE:  # a crash has to find the number of this attempt
            claim, self.has_claim = self.checkpoints.claim(key, self.attempt), True
        if claim is None:
            self.checkpoints.step_started(key, attempt=self.attempt)
        elif await claim:  # it was not written: the run ended first
            raise LostClaim
        self.is_idle = False

    async def _retry(self, error: StepFailed) -> None:
        """Sleep until the next attempt is due. Raises the error if there is none."""
        config, phase = self.call.step.config, self.phase()
        if self.attempt >= config.max_attempts or error.code in NOT_RETRIED or phase is RunPhase.ENDED:
            raise error
        delay_s = min(config.backoff_ms / 1000 * 2 ** (self.attempt - 1) + random.random(), MAX_DELAY_S)
        left_s = self.time_left_s()
        if left_s is not None and delay_s >= left_s:  # the deadline would come first
            raise error
        info = step_error_info(error, self.call)
        self.errors = (*self.errors, info)
        self.checkpoints.step_retrying(self.call.key, self.attempt, delay_s, info, self.effect)
        self.is_idle = True
        if phase is RunPhase.CLOSING:  # the retry is on disk, and is left to the next process
            raise LostClaim
        await self.clock.sleep(delay_s)
        self._advance()

    def _advance(self) -> None:
        self.attempt += 1
        self.call = self.resolve_again(self.attempt)

    async def _resolve_unknown(self) -> Answer | None:
        """Resolve an unknown outcome: return the user's answer with the result, or None to run the call again.

        Raises StepFailed where the user, or `onUnknown`, decides that the call failed. For a tool with a transform the
        result is then kept in `raw`, and the output is still to be computed from it.
        """
        step, key = self.call.step, self.call.key
        is_transformed = isinstance(step.action, ToolAction) and step.action.transform_code is not None
        unknown = unknown_outcome(str(key), self.call.tool_name)
        shown = await masked_async(self.call.input)
        if self.prior is not None and self.attempt == self.prior.attempt:
            interrupted = CallResult(CallStatus.UNKNOWN, error=ErrorInfo.of(unknown))
            self.checkpoints.emit(self.call.tool_started(self.attempt, shown), self._tool_ended(interrupted))
        match self.phase():
            case RunPhase.ENDED:
                raise unknown
            case RunPhase.CLOSING:
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
            schema=step.output_schema if not is_transformed else None,  # the schema is that of the transformed output
            input=shown,
            tool=self.call.tool_name,
            arguments=shown,
        )
        answer = (await self.interruptions.ask(ask)).answer
        if answer is not None and answer.action is Action.APPROVE:
            return None
        if answer is not None and answer.action is Action.SUBMIT:
            ended = self._tool_ended(CallResult(CallStatus.COMPLETED, answer.value))
            if is_transformed:
                await self.raw.keep(answer.value, ended, self.attempt)
            else:
                self.checkpoints.emit(ended)
            return answer
        reason = answer.reason if answer is not None and answer.reason else "the user reports that it had no effect"
        failed = StepFailed("failed", f"{key}: {reason}", failed_during="tool_execution", tool_name=self.call.tool_name)
        self.checkpoints.emit(self._tool_ended(CallResult(CallStatus.ERROR, error=ErrorInfo.of(failed))))
        raise failed

    def _tool_ended(self, result: CallResult) -> ToolEnded:
        return ToolEnded.of(self.call.tool_call_id(self.attempt), result)


class LostClaim(Exception):  # no error: it unwinds the task of the call
    """The claim was not written, because the run is over."""


def unknown_outcome(step: str, tool: str | None) -> StepFailed:
    """Return the error for an effect that may or may not have happened (ENGINE §10)."""
    what = f"{tool} in step {step}" if tool else f"step {step}"
    message = f"{what} may or may not have taken effect: it was interrupted, or did not answer in time"
    return StepFailed("outcome_unknown", message, failed_during="tool_execution", tool_name=tool)
