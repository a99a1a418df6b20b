"""Whether the end of the conversation is followed, and how much has come since it is not."""

from desktop.chat.layout.column import Column
from desktop.chat.position import Seen


class Follow:
    """On, until a person looks further up."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self.is_on = True
        self.seen = Seen()

    def set(self, *, is_on: bool) -> None:
        """Follow or stop following."""
        if self.is_on and not is_on:
            self.seen = self._now()
        self.is_on = is_on

    def restore(self, seen: Seen, *, is_on: bool) -> None:
        """As it was when the conversation was left."""
        self.is_on, self.seen = is_on, seen

    def new_count(self) -> int:
        """Turns that have come since following stopped, and blocks in what was the last turn then."""
        turns = len(self._column.layouts)
        if self.is_on or not self.seen.turns or turns < self.seen.turns:
            return 0
        grown = len(self._column.laid_out(self.seen.turns - 1).blocks) - self.seen.blocks
        return turns - self.seen.turns + max(0, grown)

    def _now(self) -> Seen:
        turns = len(self._column.layouts)
        return Seen(turns, len(self._column.laid_out(turns - 1).blocks)) if turns else Seen()
