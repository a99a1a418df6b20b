"""The pause before a request to a model that a spending limit holds back (AGENTS_AND_TOOLS §3)."""

from core.domain.ids import CallId
from core.domain.interruption import Action, InterruptionKind, InterruptionRequest
from core.domain.spending import SpendingRequest
from core.domain.tokens import cost_text
from core.errors import StepFailed
from core.ports import AgentTurn, SpendingLimits


async def keep_to_limits(turn: AgentTurn, limits: SpendingLimits) -> None:
    """Return once the turn may ask its model; until then the user is asked to allow more.

    All agents of a run share its question. Raises StepFailed `spending_limit` if the user refuses, or if nobody is
    there to ask.
    """
    while (request := await limits.reached(turn.run)) is not None:
        if not limits.asks:
            raise _spending_limit(request)
        ask = InterruptionRequest(
            InterruptionKind.SPENDING,
            turn.key.step,
            turn.key.index,
            options=request.options(),
            call_id=CallId(f"spending {request.of} {request.number}"),  # the same after a crash
        )
        answer = (await turn.ask(ask)).answer
        if answer is None or answer.action is not Action.APPROVE:
            raise _spending_limit(request)
        limits.grant(request)  # at once: the fact that says so is published once it is on disk


def _spending_limit(request: SpendingRequest) -> StepFailed:
    what = "the run has" if request.scope == "run" else "all runs of the day have"
    message = f"{what} cost {cost_text(request.cost)}; the limit is {cost_text(request.limit)}"
    return StepFailed(
        "spending_limit",
        message,
        failed_during="engine",
        scope=request.scope,
        cost=request.cost,
        limit=request.limit,
    )
