"""How much a turn may ask for (AGENTS_AND_TOOLS §3). A round is an answer that has calls."""

from core.errors import StepFailed

MAX_CALLS = 20
MAX_ROUNDS = 10
CALL_TIMEOUT_S = 10.0


def check_round(calls: int, rounds: int, max_rounds: int) -> None:
    """Let the round be carried out, the `rounds`th of its turn with so many calls.

    Raises StepFailed `too_many_calls` or `round_limit`; none of its calls may be run then.
    """
    if calls > MAX_CALLS:
        raise StepFailed(
            "too_many_calls",
            "Too many concurrent tool calls",
            failed_during="tool_execution",
            limit=MAX_CALLS,
            calls=calls,
        )
    if rounds > max_rounds:
        raise StepFailed(
            "round_limit", "Tool execution limit exceeded", failed_during="tool_execution", limit=max_rounds
        )
