"""The limits of a turn (AGENTS_AND_TOOLS §3). A round is an answer with calls."""

from core.agents.answers import ModelAnswer
from core.errors import StepFailed
from core.ports import CutOffReason

MAX_CALLS = 20
MAX_ROUNDS = 10
MAX_REPEATS = 3
CALL_TIMEOUT_S = 10.0
MAX_CUT_OFF_ANSWERS = 3


def check_calls(calls: int) -> None:
    """Raise StepFailed `too_many_calls` if a round with that many calls is too large."""
    if calls > MAX_CALLS:
        raise StepFailed(
            "too_many_calls",
            "Too many concurrent tool calls",
            failed_during="tool_execution",
            limit=MAX_CALLS,
            calls=calls,
        )


def round_limit(max_rounds: int) -> StepFailed:
    """Return the failure of a turn that would need more rounds."""
    return StepFailed("round_limit", "Tool execution limit exceeded", failed_during="tool_execution", limit=max_rounds)


def cut_off(reason: CutOffReason) -> StepFailed:
    """Return the failure of a turn whose answers are cut off before they say or do anything."""
    if reason == "content_filter":
        message = "The provider's filter cut the answer off"
    else:
        message = "The answer reached the model's output limit before it was complete"
    return StepFailed(reason, message, failed_during="model")


class Repetitions:
    """Counts in how many consecutive rounds the same call was made with the same arguments."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, str], int] = {}

    def notes(self, answer: ModelAnswer) -> list[str | None]:
        """Count the calls of a round, and return a note for the model per call: a warning after three rounds with the
        same call.

        Raises StepFailed `repeated_call` if the call is repeated after the warning; then no call of the round may run.
        """
        calls = [(call.tool, sameness) for call, sameness in zip(answer.calls, answer.digests, strict=True)]
        self._rounds = {key: self._rounds.get(key, 0) + 1 for key in calls}
        for tool, _ in (key for key, rounds in self._rounds.items() if rounds > MAX_REPEATS):
            raise StepFailed(
                "repeated_call",
                f"{tool} was repeatedly called with the same arguments",
                failed_during="tool_execution",
                tool_name=tool,
                limit=MAX_REPEATS,
            )
        return [_note(tool) if self._rounds[tool, sameness] == MAX_REPEATS else None for tool, sameness in calls]


def _note(tool: str) -> str:
    return (
        f"You have called {tool} with the same arguments {MAX_REPEATS} times in a row. "
        "Do something else: repeating the call ends the turn."
    )
