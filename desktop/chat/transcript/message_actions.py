"""What can be done with a message, and what that is called."""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from core.domain.message import MessageState, Role
from desktop.chat.layout.column import Column
from desktop.chat.values import Output, Text, Turn

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class MessageAction(StrEnum):
    """COPY takes what is read, COPY_MARKDOWN what was written. RETRY sends the message again that the last answer is
    for, EDIT has the last one written anew."""

    COPY = "copy"
    COPY_MARKDOWN = "copy_markdown"
    RETRY = "retry"
    EDIT = "edit"


def actions_of(column: Column, number: int) -> Sequence[MessageAction]:
    """What can be done with the turn of this number now."""
    turn = column.layouts[number].turn
    offered = []
    if any(isinstance(part, Text | Output) and part.text for part in turn.parts):
        offered.append(MessageAction.COPY)
        if turn.role is Role.ASSISTANT:
            offered.append(MessageAction.COPY_MARKDOWN)
    if number == len(column.layouts) - 1 and may_retry(turn):
        offered.append(MessageAction.RETRY)
    if number == last_said(column):
        offered.append(MessageAction.EDIT)
    return offered


def may_retry(turn: Turn) -> bool:
    """Whether what it answers can be sent again, if it is the last one."""
    return turn.role is Role.ASSISTANT and turn.is_answer and turn.state is not MessageState.OPEN


def last_said(column: Column) -> int | None:
    """The number of the last turn of a person."""
    numbers = range(len(column.layouts) - 1, -1, -1)
    return next((number for number in numbers if column.layouts[number].turn.role is Role.USER), None)


def action_words(action: MessageAction) -> str:
    match action:
        case MessageAction.COPY:
            return translate("MessageActions", "Copy message")
        case MessageAction.COPY_MARKDOWN:
            return translate("MessageActions", "Copy as Markdown")
        case MessageAction.RETRY:
            return translate("MessageActions", "Try again")
        case MessageAction.EDIT:
            return translate("MessageActions", "Edit and send again")
