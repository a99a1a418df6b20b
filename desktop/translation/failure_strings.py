"""Failures in the user's language, by code (UI §10). Details from the core are shown on demand."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QCoreApplication

from desktop.translation.connection_strings import connection_advice, connection_failure_text
from desktop.translation.formats import moment

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def failure_text(code: str, message: str) -> str:
    """Return what happened and what to do about it. A code without a text here falls back to the core's `message`, in
    English; never to the bare code.
    """
    words = {
        "unexpected": translate(
            "Failures", "Something went wrong that should not have. What runs goes on; the log has the details."
        ),
        "workflow_busy": translate("Failures", "This workflow is still at work. It has to end first."),
        "not_found": translate("Failures", "It is not there any more."),
        "changed_since": translate("Failures", "The file has changed since. It was left as it is."),
        "copy_gone": translate("Failures", "No copy of the file is kept any more. It was left as it is."),
        "in_use": translate("Failures", "Metier is open already with this data folder. Close the other window first."),
        "store_doubtful": translate(
            "Failures",
            "Something is wrong with the data, or another version of Metier has written it. Nothing was changed.",
        ),
        "storage_not_writable": translate(
            "Failures", "The data folder cannot be written. Give Metier access to it, and it goes on."
        ),
        "storage_not_readable": translate(
            "Failures", "The data folder cannot be read. Nothing was changed. Give Metier access to it, then try again."
        ),
        "storage_full": translate("Failures", "The disk is full. What was saved is safe. Make room, and it goes on."),
        "storage_moved": translate(
            "Failures", "The data folder was moved or removed while in use. What was saved is in it. Put it back."
        ),
        "storage_stalled": translate(
            "Failures",
            "The disk does not respond. What was saved is safe. If it stays so, quit Metier and start it again.",
        ),
        "storage_busy": translate("Failures", "Too much was written meanwhile. Try again when nothing is at work."),
        "key_missing": translate(
            "Failures", "There is no key for this provider. Put one in at Settings, Models, or choose another model."
        ),
        "no_model": translate(
            "Failures", "The offline agent is no language model and cannot write a summary. Choose a model first."
        ),
        "nothing_to_retry": translate("Failures", "There is nothing to try again here: nothing failed or was stopped."),
        "nothing_to_sum_up": translate("Failures", "There is nothing to sum up: nothing was said since the last time."),
        "window_too_small": translate(
            "Failures", "The conversation is too long for this model to sum up. Choose one with a larger window."
        ),
        "title_taken": translate("Failures", "There is a template with this title already."),
        "invalid_template": translate("Failures", "This template has errors and cannot start."),
        "rest_has_no_place": translate("Failures", "This template takes no text: write its name alone."),
        "missing_values": translate("Failures", "The prompt asks for other values by now. Name it again."),
        "filled_too_long": translate("Failures", "With these values the text would be longer than a message may be."),
        "empty_recording": translate("Failures", "There is no step yet that a template could be made of."),
        "already_sealed": translate("Failures", "This recording has become a template already."),
        "recording_ended": translate("Failures", "This recording has ended already."),
        "storage_failed": translate(
            "Failures", "The data could not be read or written. Try again. The log has the details."
        ),
        "unreadable": translate(
            "Failures", "A part of it cannot be read any more. The rest is safe, and other workflows go on."
        ),
        "run_active": translate("Failures", "It is still at work. Stop it first, or wait for its end."),
        "already_answered": translate("Failures", "This was answered already."),
        "nothing_open": translate("Failures", "Nothing waits for an answer there any more."),
        "too_large": translate("Failures", "This is larger than Metier can keep. Make it shorter."),
        "keys_not_writable": translate(
            "Failures", "The key could not be kept: its file cannot be written. Give Metier access to it."
        ),
        "keys_unreadable": translate(
            "Failures", "The file with the keys cannot be read. Mend or remove it, then put the keys in again."
        ),
        "no_keyring": translate("Failures", "This system has no keyring. The key can be kept in a file instead."),
        "queue_full": translate("Failures", "So many messages wait already that no other can."),
        "said_meanwhile": translate("Failures", "It was sent meanwhile."),
        "too_many_files": translate("Failures", "So many files cannot go along with one message."),
        "files_too_large": translate("Failures", "The files are too large to go along with one message."),
        "bad_export": translate(
            "Failures", "This file is not an export of Metier, or it is cut or damaged. Nothing was changed."
        ),
        "newer_export": translate(
            "Failures", "This file was written by a later version of Metier. Nothing was changed. Update Metier first."
        ),
        "changed_meanwhile": translate("Failures", "Something was changed meanwhile. Nothing was imported: try again."),
        "not_written": translate("Failures", "The file cannot be written. Choose another place."),
        "bad_backup": translate(
            "Failures",
            "This file is no whole backup of Metier, or one of a later version. Nothing was changed. Choose another.",
        ),
        "no_data": translate("Failures", "There is no data to back up yet."),
        "worker_gone": translate(
            "Failures", "Reading the data ended unexpectedly. Nothing was changed. Check the data, then try again."
        ),
        "restored": translate(
            "Failures",
            "It was at work when the backup was made that is restored now. What it did afterwards is not known: look, "
            "then continue it.",
        ),
        "export_failed": translate("Failures", "The file cannot be written. Choose another place."),
        "search_broken": translate(
            "Failures", "The search index was damaged and is being made anew. Nothing else was harmed."
        ),
        "search_unavailable": translate(
            "Failures", "The search index cannot be opened or written. The conversations themselves are safe."
        ),
    }
    return words.get(code) or message or translate("Failures", "It could not be done. The log has the details.")


def model_failure_text(code: str, message: str, details: Mapping[str, Any]) -> str:
    """Return in a sentence why a model did not answer; else as `failure_words`."""
    return _model_sentence(code, details) or failure_text(code, message)


def _again_at(details: Mapping[str, Any], failed_at: datetime | None) -> str | None:
    """Return the local time at which a rate-limited provider accepts requests again, if it named one."""
    wait_s = details.get("retry_after_s")
    if (
        failed_at is None
        or details.get("status") != HTTPStatus.TOO_MANY_REQUESTS
        or not isinstance(wait_s, int | float)
    ):
        return None
    try:
        again = (failed_at + timedelta(seconds=wait_s)).astimezone() if wait_s > 0 else None
    except OverflowError:
        return None
    return None if again is None else moment(again, failed_at.astimezone())


def _model_sentence(code: str, details: Mapping[str, Any]) -> str | None:
    sentence = _bare_model_sentence(code, details)
    return None if sentence is None else _with_status(sentence, details)


def _with_status(sentence: str, details: Mapping[str, Any]) -> str:
    """Append the HTTP status of the response to the sentence, if there is one."""
    status = details.get("status")
    return f"{sentence} (HTTP\N{NO-BREAK SPACE}{status})" if isinstance(status, int) else sentence


def _bare_model_sentence(code: str, details: Mapping[str, Any]) -> str | None:
    status = details.get("status")
    match code:
        case "key_missing":
            return translate("Failures", "There is no key for this provider")
        case "key_refused":
            return translate("Failures", "The provider refused the key")
        case "connection_failed":
            return connection_failure_text(details) or translate("Failures", "The server could not be reached")
        case "timeout":
            return translate("Failures", "The server did not answer in time")
        case "truncated":
            return translate("Failures", "The answer was cut off before its end")
        case "bad_response":
            return translate("Failures", "The server’s answer could not be read")
        case "length":
            return translate("Failures", "The answer reached the model’s output limit before it was complete")
        case "content_filter":
            return translate("Failures", "The provider’s filter cut the answer off")
        case "provider_error" if "context_tokens" in details:
            return translate("Failures", "The conversation is too long for this model")
        case "provider_error" if status == 429:
            return translate(
                "Failures", "The provider’s limit is reached: too much was asked, or nothing is left to spend"
            )
        case "provider_error" if isinstance(status, int) and status >= 500:
            return translate("Failures", "The provider has trouble of its own")
        case "provider_error" if status == 404:
            return translate("Failures", "The provider knows no such model or address")
        case "provider_error":
            return translate("Failures", "The provider refused the request")
    return None


def run_failure_text(
    code: str,
    during: str | None,
    details: Mapping[str, Any] = MappingProxyType({}),
    failed_at: datetime | None = None,
) -> str | None:
    """Return in a sentence why a run ended: by its code, else by what it was doing (`ErrorInfo.failed_during`).

    `details` are the parameters of the error; with `failed_at`, a provider's Retry-After is written as a time of day.
    """
    if during == "model":
        if (again := _again_at(details, failed_at)) is not None:
            reached = translate("Failures", "The provider’s limit is reached")
            words = translate("Failures", "It can be tried again from {time}.")
            return f"{_with_status(reached, details)}. {words.format(time=again)}"
        if (sentence := _model_sentence(code, details)) is not None:
            return sentence
    match code, during:
        case "crashed", _:
            return translate("Failures", "The process that ran the code ended")
        case "not_finished", _:
            return translate("Failures", "It had not ended when it was exported")
        case "outcome_unknown", _:
            return translate("Failures", "Nobody knows whether the last action happened")
        case "round_limit" | "too_many_calls" | "repeated_call", _:
            return translate("Failures", "The agent was stopped: it kept calling tools")
        case "spending_limit", _:
            return translate("Failures", "It reached its spending limit")
        case "timeout", "tool_execution":
            return translate("Failures", "A tool did not end in time")
        case "timeout", _:
            return translate("Failures", "A step did not end in time")
        case "deadline_exceeded", _:
            return translate("Failures", "It took longer than its template allows")
        case "no_progress", _:
            return translate("Failures", "Nothing happened for too long")
        case "rejected", _:
            return translate("Failures", "It was not allowed to go on")
        case "not_allowed", _:
            return translate("Failures", "A file, folder or address is not allowed here")
        case "not_found" | "not_a_file", "tool_execution":
            return translate("Failures", "Something that a tool needs is not there")
        case "not_registered", _:
            return translate("Failures", "A tool that it needs is missing")
        case "changed_since_read", _:
            return translate("Failures", "A file was changed by someone else meanwhile")
        case "invalid_arguments" | "bad_input" | "bad_output" | "not_json" | "not_a_list", _:
            return translate("Failures", "A step got a value that it cannot use")
        case "output_too_large", _:
            return translate("Failures", "A result was too large")
        case "child_failed" | "run_failed", _:
            return translate("Failures", "A run that it started failed")
        case "recovery_exhausted", _:
            return translate("Failures", "Metier ended several times while this was at work")
        case _, "model":
            return translate("Failures", "The model’s answer failed")
        case _, "tool_execution":
            return translate("Failures", "A tool failed")
        case _, "code":
            return translate("Failures", "The code of a step failed")
        case _, "storage":
            return translate("Failures", "It could not be written down")
        case _:
            return None


def run_failure_advice(code: str, during: str | None, details: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return a sentence with the next step for the user, or an empty string if there is none (UI §10)."""
    if during == "model" and (advice := _model_advice(code, details)):
        return advice
    match code, during:
        case "crashed", _:
            return translate(
                "Failures", "Nothing else was touched. Try again; if it ends again, the code needs too much."
            )
        case "outcome_unknown", _:
            return translate("Failures", "Look whether it happened before you try again.")
        case "round_limit", _:
            return translate("Failures", "At Settings, Limits, it can be made to ask for more rounds. Then try again.")
        case "spending_limit", _:
            return translate("Failures", "At Settings, Limits, you can raise it. Then try again.")
        case "too_many_calls" | "repeated_call", _:
            return translate("Failures", "Say more exactly what is wanted, then try again.")
        case "timeout" | "no_progress", _:
            return translate("Failures", "Try again. If it stays so, the details say what did not respond.")
        case "deadline_exceeded", _:
            return translate("Failures", "Give it less to do, or raise the time limit in its template.")
        case "not_allowed", _:
            return translate("Failures", "Allow it for this workflow, then try again.")
        case "not_found" | "not_a_file", "tool_execution":
            return translate("Failures", "The details name it. Put it back or name another, then try again.")
        case "not_registered", _:
            return translate("Failures", "Switch its server on at Settings, MCP servers, then try again.")
        case "changed_since_read", _:
            return translate("Failures", "Look at the file, then try again: nothing of it was overwritten.")
        case "invalid_arguments" | "bad_input" | "bad_output" | "not_json" | "not_a_list", _:
            return translate("Failures", "The details say which. Start it again with another value.")
        case "output_too_large", _:
            return translate("Failures", "Ask for less at once, then try again.")
        case "child_failed" | "run_failed", _:
            return translate("Failures", "Open that run: it says why.")
        case "recovery_exhausted", _:
            return translate("Failures", "Try again. If Metier ends again, report it with the log.")
        case "rejected", _:
            return translate("Failures", "Ask for it in another way, or approve it the next time.")
        case "storage_full", _:
            return translate("Failures", "What was saved is safe. Make room on the disk, then try again.")
        case _, "storage":
            return translate("Failures", "What was saved is safe. See to the data folder, then try again.")
        case _, "tool_execution":
            return translate("Failures", "See what it was given, then run it again.")
        case _, "code":
            return translate(
                "Failures", "Start it again with other values. If it fails again, its template has to be changed."
            )
    return ""


def _model_advice(code: str, details: Mapping[str, Any]) -> str:
    status = details.get("status")
    match code:
        case "key_missing" | "key_refused":
            return translate("Failures", "Put in another key at Settings, Models, then try again.")
        case "connection_failed":
            return connection_advice(details) or translate(
                "Failures", "See to the connection, and to the address at Settings, Models. Then try again."
            )
        case "provider_error" if details.get("part") == "address":
            return translate("Failures", "See to the address at Settings, Models: it often ends with /v1.")
        case "provider_error" if details.get("part") == "model":
            return translate("Failures", "Choose another model: the server does not know this one.")
        case "timeout" | "truncated" | "bad_response":
            return translate("Failures", "Try again. If it stays so, choose another model.")
        case "length":
            return translate("Failures", "Ask for less at once, or let its agent give longer answers. Then try again.")
        case "content_filter":
            return translate("Failures", "Edit the message, or choose another model.")
        case "provider_error" if "context_tokens" in details:
            return translate("Failures", "Continue from a summary, or choose a model with a larger context window.")
        case "provider_error" if status == HTTPStatus.TOO_MANY_REQUESTS:
            return translate("Failures", "Wait a while and try again, or choose another model.")
        case "provider_error" if isinstance(status, int) and status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return translate("Failures", "Try again in a moment, or choose another model.")
        case "provider_error" if status == HTTPStatus.NOT_FOUND:
            return translate("Failures", "Choose another model, or see to the address at Settings, Models.")
        case "provider_error":
            return translate("Failures", "Edit the message, or choose another model.")
    return ""
