"""Texts of memories: types, excerpts, summaries and errors."""

from datetime import datetime

from PySide6.QtCore import QCoreApplication

from core.domain.memory import CONTENT_CHARACTERS, Memory, MemoryType
from core.services.outcome import Failed
from desktop.translation.failure_strings import failure_words
from desktop.translation.formats import moment, number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

EXCERPT_CHARACTERS = 300
NAME_CHARACTERS = 60


def type_labels() -> dict[MemoryType, str]:
    return {
        MemoryType.USER_PREF: translate("Memories", "Preference"),
        MemoryType.CONTEXT: translate("Memories", "Context"),
        MemoryType.KNOWLEDGE: translate("Memories", "Knowledge"),
        MemoryType.DECISION: translate("Memories", "Decision"),
    }


def excerpt(memory: Memory) -> str:
    """Return the beginning of the text on a single line."""
    line = " ".join(
        "".join(sign if sign.isprintable() else " " for sign in memory.content[: 4 * EXCERPT_CHARACTERS]).split()
    )
    return line[:EXCERPT_CHARACTERS] or "…"


def display_name(memory: Memory) -> str:
    """Return the name for buttons and messages."""
    text = excerpt(memory)
    return text if len(text) <= NAME_CHARACTERS else text[: NAME_CHARACTERS - 1].rstrip() + "…"


def memory_summary(memory: Memory, title: str | None, now: datetime) -> str:
    """Return type, workflow, creation time, length and expiry. `title` is the workflow's title, None if it was deleted;
    `now` is local time.
    """
    parts = [type_labels()[memory.type]]
    if memory.workflow_id is None:
        parts.append(translate("Memories", "for all conversations"))
    elif title is None:
        parts.append(translate("Memories", "of one conversation"))
    else:
        parts.append(translate("Memories", "of “{title}”").format(title=title))
    parts.append(moment(memory.created_at.astimezone(), now))
    parts.append(translate("Memories", "{count} characters").format(count=number(memory.length)))
    if memory.expires_at is not None:
        expires = moment(memory.expires_at.astimezone(), now)
        parts.append(translate("Memories", "until {time}").format(time=expires))
    return " · ".join(parts)


def memory_refusal_text(failed: Failed) -> str:
    """Return why a memory was not changed, deleted or restored."""
    if failed.code == "bad_input":
        text = translate("Memories", "A memory has 1 to {limit} characters, and not blanks alone.")
        return text.format(limit=number(CONTENT_CHARACTERS))
    return failure_words(failed.code, failed.message)
