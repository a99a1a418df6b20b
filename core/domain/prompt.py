"""Prompts of the library: text with placeholders that are filled in when the prompt is used.

A placeholder is `{{name}}`: letters of any script, digits, `_` and `-`, not starting with a digit. Surrounding spaces
are ignored, and names are compared in Unicode form NFC. Other braces are text (AGENTS_AND_TOOLS §9). Pure.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from core.domain.document import Document
from core.domain.ids import PromptId
from core.domain.names import one_line

CATEGORY_CHARACTERS = 64
DESCRIPTION_CHARACTERS = 1_000
CONTENT_CHARACTERS = 50_000
MAX_VARIABLES = 100
# The limit of a message.
MAX_FILLED_CHARACTERS = 1_000_000

_PLACE = re.compile(r"\{\{([^{}\r\n]{1,200})\}\}")
_JOINERS = "\u200c\u200d"  # unprintable, but part of words and emoji


# Unlike other names, those of prompts may contain emoji sequences and scripts that need joiners.
def _name(text: str) -> str:
    return one_line(text, joiners=_JOINERS)


def _category(text: str) -> str:
    return one_line(text, what="a category", least=0, most=CATEGORY_CHARACTERS, joiners=_JOINERS)


def _content(text: str) -> str:
    if not text.strip():
        raise ValueError("there is no text")
    if len(variables_of(text)) > MAX_VARIABLES:
        raise ValueError(f"a text has at most {MAX_VARIABLES} variables")
    return text


class Prompt(Document):
    """A stored prompt. `content` is the text as written. `category` and `description` may be empty."""

    id: PromptId
    name: Annotated[str, AfterValidator(_name)]
    content: Annotated[str, Field(max_length=CONTENT_CHARACTERS), AfterValidator(_content)]
    description: Annotated[str, Field(max_length=DESCRIPTION_CHARACTERS)] = ""
    category: Annotated[str, AfterValidator(_category)] = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its placeholders, without duplicates, in order of first appearance."""
        return variables_of(self.content)


def variables_of(content: str) -> tuple[str, ...]:
    """List the names of the placeholders, without duplicates, in order of first appearance."""
    names = (_variable(place[1]) for place in _PLACE.finditer(content))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def fill_variables(content: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders by their values.

    Values are not searched for placeholders. A placeholder without a value stays; a value without a placeholder is
    ignored.
    """
    by_name = normalized_names(values)
    return _PLACE.sub(lambda place: by_name.get(_variable(place[1]) or "", place[0]), content)


def filled_length(content: str, values: Mapping[str, str]) -> int:
    """Compute the length of the filled text without building it: a short text can repeat a long value."""
    by_name, length = normalized_names(values), len(content)
    for place in _PLACE.finditer(content):
        value = by_name.get(_variable(place[1]) or "")
        length += 0 if value is None else len(value) - len(place[0])
    return length


def normalized_names(values: Mapping[str, str]) -> dict[str, str]:
    """Normalize the names of values like `variables_of`."""
    return {unicodedata.normalize("NFC", name): value for name, value in values.items()}


def _variable(text: str) -> str | None:
    """Normalize the name of a placeholder. Return None if it is not a name and the braces are text."""
    name = unicodedata.normalize("NFC", text.strip())
    if not name or not (name[0].isalpha() or name[0] == "_"):
        return None
    return name if all(map(_is_name_character, name)) else None


def _is_name_character(character: str) -> bool:
    return (
        character.isalnum()
        or character in "_-"
        or character in _JOINERS
        or unicodedata.category(character).startswith("M")
    )
