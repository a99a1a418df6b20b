"""Texts of the card: kinds, askers, buttons, scopes and errors."""

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from PySide6.QtCore import QCoreApplication

from core.domain.access import Access, Place
from core.domain.call_description import ShownValue
from core.domain.command_rules import OfferedRule
from core.domain.events import InterruptionRaised
from core.domain.interruption import PREFIX_SCOPE, Action, InterruptionKind, InterruptionStatus
from core.domain.risk import Risk
from core.domain.text.hidden import reveal
from core.domain.tool import COMMAND_TOOL, is_sampling, mcp_server_of
from core.services.outcome import Failed
from core.stores.questions import Question
from desktop.translation import agent_display_name, failure_text, request_sentence

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def kind_label(kind: InterruptionKind) -> str:
    """Return the kind of request in a word or two."""
    match kind:
        case InterruptionKind.APPROVAL:
            return translate("Attention", "Approval")
        case InterruptionKind.INPUT_REVIEW:
            return translate("Attention", "Review")
        case InterruptionKind.STATE_EDIT:
            return translate("Attention", "Correction")
        case InterruptionKind.TOOL_INPUT:
            return translate("Attention", "Missing arguments")
        case InterruptionKind.LOCAL_EXECUTION:
            return translate("Attention", "Your turn")
        case InterruptionKind.QUESTION:
            return translate("Attention", "Question")
        case InterruptionKind.TOOL_APPROVAL:
            return translate("Attention", "Tool approval")
        case InterruptionKind.OUTCOME:
            return translate("Attention", "Outcome unknown")
        case InterruptionKind.ROUNDS | InterruptionKind.SPENDING:
            return translate("Attention", "Limit reached")
        case InterruptionKind.ACCESS:
            return translate("Attention", "Access")
        case InterruptionKind.ELICITATION:
            return translate("Attention", "Question of a server")
        case _:
            assert_never(kind)


def asker_path(workflow: str, question: Question) -> str:
    """Return the path to the asker: workflow, nested run, template step, sub-agent."""
    index = f"[{question.asked.index}]" if question.asked.index is not None else ""
    step = question.step + index if question.agent is None else ""
    parts = (workflow, question.below or "", step, question.asked.sub_agent_name or "")
    return _SEPARATOR.join(part for part in parts if part)


def asked_text(question: Question) -> str:
    """Return what is asked, in the words of the request or in ours, with marks for hidden characters."""
    asked = question.asked
    return reveal(asked.prompt or request_sentence(question.kind, asker_name(question), asked.tool, asked.options))


def asker_name(question: Question) -> str:
    """Return the name of what asks: an agent, a step, or a server that wants a model to answer."""
    tool = question.asked.tool or ""
    return (mcp_server_of(tool) or "") if is_sampling(tool) else agent_display_name(question.asker)


def server_sentence(question: Question) -> str:
    """Return what becomes of the answer to a server; "" if the request is not its own."""
    asked = question.asked
    server = mcp_server_of(asked.tool or "")
    if is_sampling(asked.tool):
        text = translate("Attention", "The server “{server}” sends this to the model, and gets its answer.")
    elif question.kind is not InterruptionKind.ELICITATION:
        return ""
    elif asked.options is not None:
        text = translate("Attention", "The server “{server}” wants you to go on at this address, in your browser.")
    else:
        text = translate(
            "Attention", "The server “{server}” gets your answer, and the run keeps it. Enter no passwords or keys."
        )
    return text.format(server=server)


def shown_address(asked: InterruptionRaised) -> Sequence[ShownValue]:
    """Return the website and the whole address that a server wants to be opened."""
    if asked.kind is not InterruptionKind.ELICITATION or not isinstance(asked.options, Mapping):
        return ()
    website = ShownValue((translate("Attention", "Website"),), str(asked.options.get("host", "")))
    return website, ShownValue((translate("Attention", "Address"),), str(asked.options.get("url", "")))


def action_label(kind: InterruptionKind, action: Action, places: Sequence[Place] = ()) -> str:
    """Return the label of a button. `places`: what a request for access is about."""
    match kind, action:
        case InterruptionKind.ACCESS, Action.REJECT:
            return translate("Attention", "Do not allow")
        case InterruptionKind.ACCESS, _:
            return _allow_label(places)
        case InterruptionKind.OUTCOME, Action.APPROVE:
            return translate("Attention", "Run it again")
        case InterruptionKind.OUTCOME, Action.SUBMIT:
            return translate("Attention", "This was its result")
        case InterruptionKind.OUTCOME, _:
            return translate("Attention", "It had no effect")
        case InterruptionKind.ROUNDS | InterruptionKind.SPENDING, Action.APPROVE:
            return translate("Attention", "Go on")
        case InterruptionKind.ROUNDS | InterruptionKind.SPENDING, _:
            return translate("Attention", "Stop here")
        case InterruptionKind.INPUT_REVIEW, Action.SUBMIT:
            return translate("Attention", "Run with this")
        case InterruptionKind.STATE_EDIT, Action.SUBMIT:
            return translate("Attention", "Go on with these")
        case InterruptionKind.TOOL_INPUT, Action.SUBMIT:
            return translate("Attention", "Run with these")
        case InterruptionKind.LOCAL_EXECUTION, Action.SUBMIT:
            return translate("Attention", "This is the result")
        case InterruptionKind.QUESTION, Action.SUBMIT:
            return translate("Attention", "Answer")
        case InterruptionKind.ELICITATION, Action.SUBMIT:
            return translate("Attention", "Send")
        case InterruptionKind.ELICITATION, Action.REJECT:
            return translate("Attention", "Decline")
        case InterruptionKind.ELICITATION, _:
            return translate("Attention", "Cancel")
        case _, Action.APPROVE | Action.SUBMIT:
            return translate("Attention", "Approve")
        case _, Action.REJECT:
            return translate("Attention", "Reject")
        case _, Action.SKIP:
            return translate("Attention", "Skip")
        case _:
            raise ValueError(kind, action)


def _allow_label(places: Sequence[Place]) -> str:
    match [place.kind for place in places]:
        case ["folder"]:
            return translate("Attention", "Allow this folder")
        case ["file"]:
            return translate("Attention", "Allow this file")
        case ["origin"]:
            return translate("Attention", "Allow this address")
        case _:
            return translate("Attention", "Allow these places")


def place_label(place: Place) -> str:
    """Return what a place is, and what for."""
    is_write = place.access is Access.WRITE
    match place.kind:
        case "folder" if is_write:
            return translate("Attention", "Folder, read and write")
        case "folder":
            return translate("Attention", "Folder, read only")
        case "file" if is_write:
            return translate("Attention", "File, read and write")
        case "file":
            return translate("Attention", "File, read only")
        case "origin" if is_write:
            return translate("Attention", "Address, every method")
        case _:
            return translate("Attention", "Address, read only")


def scope_label(scope: str, rule: OfferedRule | None = None) -> str:
    """Return the label of an approval scope; `rule` if it is about a command."""
    if scope == PREFIX_SCOPE and rule is not None:
        return translate("Attention", "Always “{words} …”").format(words=" ".join(rule.prefix))
    return {
        "once": translate("Attention", "Once"),
        "run": translate("Attention", "For this run"),
        "always": translate("Attention", "Always"),
    }[scope]


def access_scope_label(scope: str) -> str:
    """Return the label of the scope of an allowance."""
    return {
        "once": translate("Attention", "Only this time"),
        "run": translate("Attention", "For this run"),
        "always": translate("Attention", "In this workflow"),
    }[scope]


def access_coverage(scope: str) -> str:
    """Return a sentence on what the scope of an allowance covers."""
    return {
        "once": translate("Attention", "This call alone."),
        "run": translate("Attention", "This run, and those that it starts."),
        "always": translate("Attention", "All runs of this workflow, until you take it out of its folders."),
    }[scope]


def coverage_text(scope: str, tool: str, rule: OfferedRule | None = None, *, is_edited: bool) -> str:
    """Return a sentence on what an approval scope covers; `rule` if it is about a command."""
    if is_edited:
        return translate("Attention", "With changed arguments it is approved once.")
    if is_sampling(tool) and scope == "run":
        return translate("Attention", "Exactly this request, in this run.")
    if tool == COMMAND_TOOL and scope == "run":
        return translate("Attention", "Exactly this command, in this run and in those that it starts.")
    if rule is not None and scope in ("always", PREFIX_SCOPE):
        return _rule_text(scope, rule)
    return {
        "once": translate("Attention", "This call alone."),
        "run": translate("Attention", "Every later call of “{tool}” in this run and in those that it starts."),
        "always": translate(
            "Attention", "Every later call of “{tool}”, in all workflows. The settings can take it back."
        ),
    }[scope].format(tool=tool)


def _rule_text(scope: str, rule: OfferedRule) -> str:
    """Return which commands the rule covers, what they reach, and where it is taken back."""
    if scope == PREFIX_SCOPE:
        words = translate("Attention", "Always allow commands that begin with “{words}”, in all workflows.")
        parts = [words.format(words=" ".join(rule.prefix))]
    else:
        parts = [translate("Attention", "Always allow exactly this command, in all workflows.")]
    if rule.covers_unconfined:
        parts.append(translate("Attention", "Also when they are not confined."))
    if rule.covers_network:
        parts.append(translate("Attention", "Also with the network."))
    return " ".join([*parts, translate("Attention", "The settings can take it back.")])


def server_label(server: str) -> str:
    """Return the origin of an MCP tool."""
    return translate("Attention", "of the server “{server}”").format(server=server)


def risk_label(risk: Risk) -> str:
    """Return the risk of a call with its reason (AGENTS_AND_TOOLS §5)."""
    match risk:
        case Risk.LOW:
            return translate("Attention", "Low risk: it only reads")
        case Risk.MEDIUM:
            return translate("Attention", "Medium risk: it changes something")
        case Risk.HIGH:
            return translate("Attention", "High risk: it may not be undone")
        case _:
            assert_never(risk)


def change_summary(changes: Sequence[Mapping[str, Any]]) -> str:
    """Return why the user is asked again about a tool that they allowed; "" without changes."""
    parts = {change.get("part") for change in changes}
    if not parts:
        return ""
    if "new" in parts:
        return translate("Attention", "This tool is new: the server did not have it when you allowed it.")
    if "unbound" in parts:
        return translate("Attention", "You allowed this tool in an older version. Allow it once more as it is now.")
    text = translate("Attention", "This tool has changed since you allowed it: {parts}.")
    return text.format(parts=", ".join(label for part, label in _part_labels().items() if part in parts))


def change_differences(changes: Sequence[Mapping[str, Any]]) -> str:
    """Return each changed part of a tool, as it was and as it is."""
    labels = _part_labels()
    text = translate("Attention", "{part}, before:\n{before}\n{part}, now:\n{now}")
    return "\n\n".join(
        text.format(part=labels[change["part"]], before=reveal(str(change["before"])), now=reveal(str(change["now"])))
        for change in changes
        if change.get("part") in labels and "now" in change
    )


def _part_labels() -> dict[str, str]:
    return {
        "name": translate("Attention", "its name"),
        "title": translate("Attention", "its title"),
        "description": translate("Attention", "its description"),
        "schema": translate("Attention", "its arguments"),
        "output": translate("Attention", "its result"),
        "hints": translate("Attention", "what it says of its effects"),
        "server": translate("Attention", "the program or the address of its server"),
    }


def closed_text(status: str | None) -> str:
    """Return the note that a request is closed, with the reason where it is known."""
    match status:
        case InterruptionStatus.EXPIRED:
            return translate("Attention", "This request is closed: its time was over. Nothing more was done.")
        case InterruptionStatus.CANCELLED:
            return translate("Attention", "This request is closed: its run has ended. Nothing more was done.")
        case None:
            return translate("Attention", "This request is closed. Nothing more was done.")
        case _:
            return translate("Attention", "This request was answered elsewhere already. Nothing more was done.")


def refusal_text(failed: Failed) -> str:
    """Return why an answer was rejected, where no field is at fault."""
    match failed.code:
        case "consumed":
            readers = ", ".join(str(reader) for reader in failed.details.get("consumers", ()))
            text = translate(
                "Attention", "The output of “{step}” was read by {readers} already: it cannot be changed now."
            )
            return text.format(step=failed.details.get("step", ""), readers=readers)
        case "file_changed":
            return translate("Attention", "The file has changed since it was shown here. Look at the changes again.")
        case "bad_answer":
            return violation_text(failed.message)
        case _:
            return failure_text(failed.code, failed.message)


def violation_text(message: str) -> str:
    """Return a schema violation in the core's own words."""
    return translate("Attention", "This was not taken: {message}").format(message=message)
