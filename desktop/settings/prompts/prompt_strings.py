"""Texts of prompts: variables and errors."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from core.domain.names import NAME_CHARACTERS
from core.domain.prompt import (
    CATEGORY_CHARACTERS,
    CONTENT_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    MAX_VARIABLES,
)
from core.services.outcome import Failed
from desktop.translation.failure_strings import failure_words
from desktop.translation.formats import number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_LISTED_NAMES = 12


def variables_text(names: Sequence[str]) -> str:
    """Return the variables that the prompt asks for."""
    if not names:
        return translate("Prompts", "Asks for nothing. Write {{name}} where something is to be filled in.")
    named = ", ".join(names[:_LISTED_NAMES])
    if len(names) > _LISTED_NAMES:
        more = number(len(names) - _LISTED_NAMES)
        return translate("Prompts", "Asks for: {names} and {more} more").format(names=named, more=more)
    return translate("Prompts", "Asks for: {names}").format(names=named)


def prompt_refusal_text(failed: Failed) -> str:
    """Return why a prompt was not saved, removed or restored."""
    match failed.code, failed.details.get("field"):
        case "name_taken", _:
            return translate("Prompts", "Another prompt has this name.")
        case "bad_input", "name":
            text = translate("Prompts", "A name has 1 to {limit} characters, all of which can be shown.")
            return text.format(limit=number(NAME_CHARACTERS))
        case "bad_input", "category":
            text = translate("Prompts", "A category has at most {limit} characters, all of which can be shown.")
            return text.format(limit=number(CATEGORY_CHARACTERS))
        case "bad_input", "description":
            text = translate("Prompts", "A description has at most {limit} characters.")
            return text.format(limit=number(DESCRIPTION_CHARACTERS))
        case "bad_input", "content":
            text = translate(
                "Prompts", "A prompt has a text, of at most {limit} characters and {most} names to fill in."
            )
            return text.format(limit=number(CONTENT_CHARACTERS), most=number(MAX_VARIABLES))
        case _:
            return failure_words(failed.code, failed.message)
