"""Where a transcript stands and what a person did in it: kept for each workflow, and given back on a switch."""

from dataclasses import dataclass

from core.domain.ids import MessageId


@dataclass(frozen=True, slots=True)
class ScrollAnchor:
    """A place in the conversation: `offset` pixels below where the block `key` of a turn begins."""

    turn: MessageId
    key: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A place in the text of a block: `at` counts as Qt does, in UTF-16 units."""

    turn: MessageId
    key: str
    at: int


@dataclass(frozen=True, slots=True)
class LastSeen:
    """Which turn was the last, and how many blocks there were in it. Turns that come before it are no news."""

    turn: MessageId | None = None
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """A line that a person unfolded, or folded."""

    turn: MessageId
    key: str
    is_unfolded: bool


@dataclass(frozen=True, slots=True)
class ViewState:
    """The default is that of a conversation that was not looked at yet: at its end, following what comes.

    `top` is what stands at the upper edge, unless it follows, and `below` how many turns there were from there on;
    `seen` is what there was when following stopped.
    """

    follows: bool = True
    top: ScrollAnchor | None = None
    seen: LastSeen = LastSeen()  # frozen, so that one may serve as everyone's default
    folds: frozenset[Fold] = frozenset()
    selection: tuple[TextPosition, TextPosition] | None = None
    below: int = 0


AT_END = ViewState()
