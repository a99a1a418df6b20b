"""A message on its way from the composer to the core."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.messages import AttachedText


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A text with attachments. `interrupts`: it stops the active turn."""

    text: str
    attached: tuple[AttachedText, ...] = ()
    interrupts: bool = False

    @property
    def hashes(self) -> Sequence[str]:
        """The hashes by which the composer recognizes the attachments."""
        return [attached.about.hash for attached in self.attached]
