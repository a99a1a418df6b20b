"""View state of a transcript: scroll anchor, folds and selection. The window saves it per workflow and restores it on a
switch.
"""

from dataclasses import dataclass

from core.domain.ids import MessageId


@dataclass(frozen=True, slots=True)
class ScrollAnchor:
    """A scroll anchor: `offset` pixels below the top of the block `key` of a turn."""

    turn: MessageId
    key: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A position in the text of a block, in UTF-16 units as in Qt."""

    turn: MessageId
    key: str
    at: int


@dataclass(frozen=True, slots=True)
class LastSeen:
    """The last turn when following stopped, and its number of blocks. Earlier turns do not count as new."""

    turn: MessageId | None = None
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """A line that the user has folded or unfolded."""

    turn: MessageId
    key: str
    is_unfolded: bool


@dataclass(frozen=True, slots=True)
class ViewState:
    """View state of a conversation; the default is that of a conversation never viewed: at its end, following.

    `anchor` is that of the upper edge unless the end is followed, `turns_below` the number of turns from there on, and
    `seen` what there was when following stopped.
    """

    is_following: bool = True
    anchor: ScrollAnchor | None = None
    seen: LastSeen = LastSeen()  # frozen, so that all instances can share the default
    folds: frozenset[Fold] = frozenset()
    selection: tuple[TextPosition, TextPosition] | None = None
    turns_below: int = 0


AT_END = ViewState()
