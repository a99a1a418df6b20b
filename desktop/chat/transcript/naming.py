"""What a screen reader says of a turn: who speaks, when, how it stands, and how it begins."""

from PySide6.QtCore import QCoreApplication

from core.domain.message import MessageState, Role
from desktop.chat.layout.hidden import revealed
from desktop.chat.transcript.turn_view import TurnView
from desktop.chat.values import Failure, Output, Text, Turn
from desktop.translation.agents import agent_words
from desktop.translation.formats import time_of_day

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_BEGINNING = 300  # characters


def name_turn(view: TurnView, turn: Turn) -> None:
    """Name the widget of a turn."""
    name, beginning = turn_name(turn), _beginning(turn)
    if view.accessibleName() != name:
        view.setAccessibleName(name)
    if view.accessibleDescription() != beginning:
        view.setAccessibleDescription(beginning)


def turn_name(turn: Turn) -> str:
    """`You, 14:02`, `Code agent, 14:02, writing`."""
    words = [_speaker(turn), time_of_day(turn.at.astimezone()), _state(turn)]
    return ", ".join(word for word in words if word)


def _speaker(turn: Turn) -> str:
    match turn.role:
        case Role.USER:
            return translate("Transcript", "You")
        case Role.ASSISTANT:
            author = translate("Transcript", "Assistant") if not turn.author else agent_words(turn.author)
            return revealed(author if turn.model is None else f"{author}, {turn.model}")
        case Role.SYSTEM:
            return translate("Transcript", "Notice")


def _state(turn: Turn) -> str:
    if any(isinstance(part, Failure) for part in turn.parts):
        return translate("Transcript", "failed")
    match turn.state:
        case MessageState.OPEN:
            return translate("Transcript", "writing")
        case MessageState.INTERRUPTED:
            return translate("Transcript", "interrupted")
        case MessageState.FINAL:
            return ""


def _beginning(turn: Turn) -> str:
    said = next((part.text for part in turn.parts if isinstance(part, Text | Output)), "")
    return revealed(said[:_BEGINNING])
