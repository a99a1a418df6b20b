"""What a run asks of the user, in a few words: for a row, a toast and the card."""

from typing import Any, assert_never

from PySide6.QtCore import QCoreApplication

from core.domain.interruption import InterruptionKind
from core.domain.spending import SpendingRequest
from core.domain.tokens import cost_text
from core.domain.tool import is_sampling

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def request_state_text(kind: InterruptionKind) -> str:
    """Return the request as a state: `Waits for approval`."""
    match kind:
        case InterruptionKind.APPROVAL | InterruptionKind.TOOL_APPROVAL | InterruptionKind.ACCESS:
            return translate("Asking", "Waits for approval")
        case InterruptionKind.INPUT_REVIEW:
            return translate("Asking", "Waits for a review")
        case InterruptionKind.STATE_EDIT:
            return translate("Asking", "Waits for corrections")
        case InterruptionKind.TOOL_INPUT:
            return translate("Asking", "Waits for arguments")
        case InterruptionKind.LOCAL_EXECUTION:
            return translate("Asking", "Waits for your result")
        case InterruptionKind.QUESTION | InterruptionKind.ELICITATION:
            return translate("Asking", "Waits for an answer")
        case InterruptionKind.OUTCOME:
            return translate("Asking", "Outcome unknown")
        case InterruptionKind.ROUNDS:
            return translate("Asking", "Asks for more rounds")
        case InterruptionKind.SPENDING:
            return translate("Asking", "Asks to spend more")
        case _:
            assert_never(kind)


def request_sentence(kind: InterruptionKind, step: str, tool: str | None = None, options: Any = None) -> str:
    """Return a sentence that names the step, or the server that asks a model, for a request without a prompt.

    `options` are those of the request, if they are known.
    """
    match kind:
        case InterruptionKind.APPROVAL:
            words = translate("Asking", "May “{step}” run?")
        case InterruptionKind.INPUT_REVIEW:
            words = translate("Asking", "Is this what “{step}” is to run with?")
        case InterruptionKind.STATE_EDIT:
            words = translate("Asking", "“{step}” is about to read these values. Are they right?")
        case InterruptionKind.TOOL_INPUT:
            words = translate("Asking", "“{step}” lacks arguments. What are they?")
        case InterruptionKind.LOCAL_EXECUTION:
            words = translate("Asking", "“{step}” is yours to do. What came out of it?")
        case InterruptionKind.QUESTION:
            words = translate("Asking", "“{step}” has a question.")
        case InterruptionKind.ELICITATION:
            words = translate("Asking", "A server asks in a call of “{step}”.")
        case InterruptionKind.TOOL_APPROVAL if is_sampling(tool):
            words = translate("Asking", "The server “{step}” wants to ask a model. Allow it?")
        case InterruptionKind.TOOL_APPROVAL:
            words = translate("Asking", "“{step}” wants to call a tool. Allow it?")
        case InterruptionKind.OUTCOME:
            words = translate(
                "Asking", "“{step}” was interrupted in the middle of a call. Nobody knows whether it happened."
            )
        case InterruptionKind.ROUNDS:
            words = translate("Asking", "“{step}” has used all its rounds of tool calls. Allow as many again?")
        case InterruptionKind.SPENDING:
            return _spending_sentence(SpendingRequest.parse(options))
        case InterruptionKind.ACCESS:
            words = translate("Asking", "“{step}” asks for access to this. Allow it?")
        case _:
            assert_never(kind)
    return words.format(step=step)


def _spending_sentence(request: SpendingRequest | None) -> str:
    """Return the question whether a run, or all runs of a day, may cost more."""
    if request is None:
        return translate("Asking", "A spending limit is reached. Allow more?")
    if request.scope == "run":
        words = translate("Asking", "This run has cost {cost}; its limit is {limit}. Allow {more} more?")
    else:
        words = translate("Asking", "Today’s runs have cost {cost}; the limit of a day is {limit}. Allow {more} more?")
    return words.format(cost=cost_text(request.cost), limit=cost_text(request.limit), more=cost_text(request.more))
