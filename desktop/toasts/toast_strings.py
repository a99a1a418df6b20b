"""The texts of toasts, by code, in the current language."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication

from core.domain.interruption import InterruptionKind
from core.domain.template import ValidationMode
from core.domain.toast import Toast, ToastType
from desktop.translation.agent_strings import agent_words
from desktop.translation.failure_strings import failure_words, run_failure_words
from desktop.translation.formats import moment, number
from desktop.translation.request_strings import asking_sentence

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

QUEUE = "queue"
SHOW = "show"
UNDO = "undo"
INBOX = "inbox"


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of a toast. `details` is text beyond the message, or empty; `actions` are ids and texts of buttons."""

    title: str
    message: str = ""
    details: str = ""
    actions: tuple[tuple[str, str], ...] = ()


def words_of(toast: Toast) -> Words:
    """Return the texts of a toast; an unknown code falls back to the toast's own title and message."""
    match toast.code:
        case "workflow_success":
            return Words(toast.title, toast.message or translate("Toasts", "Finished"))
        case "workflow_error":
            return _failure(toast)
        case "user_question":
            return Words(toast.title, toast.message or _question(dict(toast.parameters)))
        case "question_reminder":
            return _reminder(toast)
        case "limit_reached":
            return _limit(dict(toast.parameters))
        case "mode_set_to_auto":
            title = translate("Toasts", "Automatic mode is on")
            message = translate("Toasts", "The demo runs without asking. The mode can be set back.")
            return Words(title, message, actions=((UNDO, translate("Toasts", "Undo")),))
        case "mode_is_auto":
            title = translate("Toasts", "Automatic mode is on")
            message = translate("Toasts", "What begins now runs without asking. The mode can be set back.")
            return Words(title, message, actions=((UNDO, translate("Toasts", "Undo")),))
        case "workflow_archived":
            return Words(toast.title, translate("Toasts", "Archived"), actions=((UNDO, translate("Toasts", "Undo")),))
        case "workflow_deleted":
            return Words(toast.title, translate("Toasts", "Deleted"), actions=((UNDO, translate("Toasts", "Undo")),))
        case "template_saved":
            return Words(toast.title, translate("Toasts", "The template is saved."))
        case "workflow_gone":
            title = translate("Toasts", "This workflow is gone")
            return Words(title, translate("Toasts", "It was deleted meanwhile. The list has those that are left."))
        case "activity_exported":
            return Words(translate("Toasts", "The activity is exported"), toast.message)
        case "nothing_to_export":
            return Words(translate("Toasts", "Nothing to export yet"), translate("Toasts", "The list is empty."))
        case "nothing_to_record":
            title = translate("Toasts", "Nothing to record yet")
            return Words(title, translate("Toasts", "Say something first: what follows can be recorded."))
        case _ if toast.type is ToastType.ERROR:
            return Words(toast.title or kind_word(toast.type), failure_words(toast.code, toast.message))
        case _:
            return Words(toast.title or kind_word(toast.type), toast.message)


def kind_word(kind: ToastType) -> str:
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


def _failure(toast: Toast) -> Words:
    """Return a sentence by code, with the error's own message as details; else that message."""
    parameters = dict(toast.parameters)
    sentence = run_failure_words(str(parameters.get("error")), parameters.get("during"), parameters, toast.created_at)
    if sentence is None:
        return Words(toast.title, toast.message or translate("Toasts", "The run failed"))
    return Words(toast.title, sentence, toast.message)


def _question(parameters: Mapping[str, Any]) -> str:
    """Return a sentence for a request without a prompt."""
    if parameters.get("kind") in set(InterruptionKind):
        return asking_sentence(InterruptionKind(parameters["kind"]), agent_words(str(parameters.get("step", ""))))
    return translate("Toasts", "Needs your answer")


def _reminder(toast: Toast) -> Words:
    """Return how long requests have waited: what a single request asks, or the number of several."""
    parameters = dict(toast.parameters)
    count = int(parameters.get("count", 1))
    asked_at = datetime.fromisoformat(str(parameters["since"])).astimezone()
    since = moment(asked_at, toast.created_at.astimezone())
    if count == 1:
        words = translate("Toasts", "Waiting since {time}: {what}")
        return Words(toast.title, words.format(time=since, what=toast.message or _question(parameters)))
    if toast.workflow_id is not None:
        words = translate("Toasts", "{count} requests wait for you, the first since {time}.")
        return Words(toast.title, words.format(count=number(count), time=since))
    title = translate("Toasts", "{count} requests still wait for you").format(count=number(count))
    return Words(title, toast.message, actions=((INBOX, translate("Toasts", "Show all")),))


def _limit(parameters: Mapping[str, Any]) -> Words:
    """Return which limit holds, and why (UI §7)."""
    actions = ((QUEUE, translate("Toasts", "Queue it")), (SHOW, translate("Toasts", "Show")))
    limit = int(parameters.get("limit") or 1)
    match parameters.get("mode"):
        case ValidationMode.MANUAL:
            title = translate("Toasts", "One workflow at a time")
            message = translate("Toasts", "In manual mode every operation waits for your approval.")
        case ValidationMode.SELECTIVE:
            title = translate("Toasts", "One workflow at a time")
            message = translate("Toasts", "In selective mode some operations wait for your approval.")
        case _:
            title = _running(limit)
            message = translate("Toasts", "That is the limit in automatic mode. This one can wait for its turn.")
    return Words(title, message, actions=actions)


def _running(count: int) -> str:
    if count == 1:
        return translate("Toasts", "One workflow is running")
    return translate("Toasts", "{count} workflows are running").format(count=number(count))
