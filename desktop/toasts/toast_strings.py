"""The texts of toasts, by code, in the current language."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from PySide6.QtCore import QCoreApplication

from core.domain.interruption import ASKED_IN_CALLS, Action, InterruptionKind
from core.domain.template import ValidationMode
from core.domain.toast import Toast, ToastType
from desktop.translation import agent_display_name, failure_text, moment, number, request_sentence, run_failure_text

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

UNDO = "undo"
RETRY = "retry"
INBOX = "inbox"


@dataclass(frozen=True, slots=True)
class ToastText:
    """The texts of a toast. `details` is text beyond the message, or empty; `actions` are ids and texts of buttons."""

    title: str
    message: str = ""
    details: str = ""
    actions: tuple[tuple[str, str], ...] = ()


def toast_text(toast: Toast) -> ToastText:
    """Return the texts of a toast; an unknown code falls back to the toast's own title and message."""
    match toast.code:
        case "workflow_success":
            return ToastText(toast.title, toast.message or translate("Toasts", "Finished"))
        case "workflow_error":
            return _failure(toast)
        case "user_question":
            return ToastText(toast.title, toast.message or _question(dict(toast.parameters)))
        case "question_reminder":
            return _reminder(toast)
        case "question_ending":
            return _ending(toast)
        case "limit_reached":
            parameters = dict(toast.parameters)
            title, reason = limit_sentences(parameters.get("mode"), int(parameters.get("limit") or 1))
            return ToastText(title.rstrip("."), reason)
        case "mode_set_to_auto":
            title = translate("Toasts", "Automatic mode is on")
            message = translate(
                "Toasts", "Several workflows run at once. The demo’s agent still asks before it changes a file."
            )
            return ToastText(title, message, actions=((UNDO, translate("Toasts", "Undo")),))
        case "mode_is_auto":
            title = translate("Toasts", "Automatic mode is on")
            message = translate("Toasts", "What begins now runs without asking. The mode can be set back.")
            return ToastText(title, message, actions=((UNDO, translate("Toasts", "Undo")),))
        case "workflow_archived":
            return ToastText(
                toast.title, translate("Toasts", "Archived"), actions=((UNDO, translate("Toasts", "Undo")),)
            )
        case "workflow_deleted":
            return ToastText(
                toast.title, translate("Toasts", "Deleted"), actions=((UNDO, translate("Toasts", "Undo")),)
            )
        case "storage_paused":
            reason = failure_text(str(dict(toast.parameters).get("error")), "")
            return ToastText(
                translate("Toasts", "Not saved"), reason, actions=((RETRY, translate("Toasts", "Try now")),)
            )
        case "template_saved":
            return ToastText(toast.title, translate("Toasts", "The template is saved."))
        case "workflow_gone":
            title = translate("Toasts", "This workflow is gone")
            return ToastText(title, translate("Toasts", "It was deleted meanwhile. The list has those that are left."))
        case "exported":
            return ToastText(translate("Toasts", "Exported"), toast.message)
        case "exported_in_part":
            return ToastText(translate("Toasts", "Some runs cannot be read and are not exported"), toast.message)
        case "imported":
            return ToastText(translate("Toasts", "Imported"), toast.message)
        case "activity_exported":
            return ToastText(translate("Toasts", "The activity is exported"), toast.message)
        case "nothing_to_export":
            return ToastText(translate("Toasts", "Nothing to export yet"), translate("Toasts", "The list is empty."))
        case "nothing_to_record":
            title = translate("Toasts", "Nothing to record yet")
            return ToastText(title, translate("Toasts", "Say something first: what follows can be recorded."))
        case _ if toast.type is ToastType.ERROR:
            return ToastText(toast.title or kind_text(toast.type), failure_text(toast.code, toast.message))
        case _:
            return ToastText(toast.title or kind_text(toast.type), toast.message)


def kind_text(kind: ToastType) -> str:
    """Return the kind as a word, which a screen reader reads first in place of the icon."""
    match kind:
        case ToastType.SUCCESS:
            return translate("Toasts", "Done")
        case ToastType.ERROR:
            return translate("Toasts", "Failed")
        case ToastType.INFO:
            return translate("Toasts", "Information")
        case ToastType.WARNING:
            return translate("Toasts", "Warning")
        case ToastType.USER_QUESTION:
            return translate("Toasts", "Waiting for you")


def _failure(toast: Toast) -> ToastText:
    """Return a sentence by code, with the error's own message as details; else that message."""
    parameters = dict(toast.parameters)
    sentence = run_failure_text(str(parameters.get("error")), parameters.get("during"), parameters, toast.created_at)
    if sentence is None:
        return ToastText(toast.title, toast.message or translate("Toasts", "The run failed"))
    return ToastText(toast.title, sentence, toast.message)


def _question(parameters: Mapping[str, Any]) -> str:
    """Return a sentence for a request without a prompt."""
    if parameters.get("kind") in set(InterruptionKind):
        return request_sentence(
            InterruptionKind(parameters["kind"]), agent_display_name(str(parameters.get("step", "")))
        )
    return translate("Toasts", "Needs your answer")


def _reminder(toast: Toast) -> ToastText:
    """Return how long requests have waited: what a single request asks, or the number of several."""
    parameters = dict(toast.parameters)
    count = int(parameters.get("count", 1))
    asked_at = datetime.fromisoformat(str(parameters["since"])).astimezone()
    since = moment(asked_at, toast.created_at.astimezone())
    if count == 1:
        words = translate("Toasts", "Waiting since {time}: {what}")
        return ToastText(toast.title, words.format(time=since, what=toast.message or _question(parameters)))
    if toast.workflow_id is not None:
        words = translate("Toasts", "{count} requests wait for you, the first since {time}.")
        return ToastText(toast.title, words.format(count=number(count), time=since))
    title = translate("Toasts", "{count} requests still wait for you").format(count=number(count))
    return ToastText(title, toast.message, actions=((INBOX, translate("Toasts", "Show all")),))


def _ending(toast: Toast) -> ToastText:
    """Return when the time of a request ends and what happens then. It stays true while the toast stands."""
    parameters = dict(toast.parameters)
    ends_at = datetime.fromisoformat(str(parameters["ends_at"]))
    if ends_at - toast.created_at < timedelta(minutes=1):
        end = translate("Toasts", "Ends in less than a minute")
    else:
        time = moment(ends_at.astimezone(), toast.created_at.astimezone())
        end = translate("Toasts", "Ends at {time}").format(time=time)
    is_call = parameters.get("kind") == InterruptionKind.TOOL_APPROVAL
    match parameters.get("then"):
        case None if parameters.get("kind") not in ASKED_IN_CALLS:
            text = translate("Toasts", "{end}: {what}")
        case Action.APPROVE if is_call:
            text = translate("Toasts", "{end}, then the call is approved without you: {what}")
        case Action.APPROVE:
            text = translate("Toasts", "{end}, then it goes on as if you had approved: {what}")
        case Action.SKIP if is_call:
            text = translate("Toasts", "{end}, then you are asked again: {what}")
        case Action.REJECT if is_call:
            text = translate("Toasts", "{end}, then the call is rejected: {what}")
        case Action.REJECT:
            text = translate("Toasts", "{end}, then it is rejected: {what}")
        case _:
            text = translate("Toasts", "{end}, then it goes on without an answer: {what}")
    return ToastText(toast.title, text.format(end=end, what=toast.message or _question(parameters)))


def limit_sentences(mode: ValidationMode | None, limit: int) -> tuple[str, str]:
    """Return which limit on workflows holds, and why (UI §7)."""
    match mode:
        case ValidationMode.MANUAL:
            reason = translate("Toasts", "In manual mode every operation waits for your approval.")
            return translate("Toasts", "One workflow at a time."), reason
        case ValidationMode.SELECTIVE:
            reason = translate("Toasts", "In selective mode some operations wait for your approval.")
            return translate("Toasts", "One workflow at a time."), reason
        case _:
            reason = translate("Toasts", "That is the limit in automatic mode. This one can wait for its turn.")
            return _running(limit), reason


def _running(count: int) -> str:
    if count == 1:
        return translate("Toasts", "One workflow is running.")
    return translate("Toasts", "{count} workflows are running.").format(count=number(count))
