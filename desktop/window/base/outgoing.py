"""What a person sends."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.messages import AttachedText


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A text with what goes along; `interrupts`: the turn at work is stopped for it."""

    text: str
    attached: tuple[AttachedText, ...] = ()
    interrupts: bool = False

    @property
    def hashes(self) -> Sequence[str]:
        """By which the composer knows what went along."""
        return [one.about.hash for one in self.attached]
