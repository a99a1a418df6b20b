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
        last = self.seen.turn
        if self.is_on or last is None or not self._column.has(last):
            return 0
        number = self._column.number_of(last)
        grown = len(self._column.laid_out(number).blocks) - self.seen.blocks
        return len(self._column.layouts) - 1 - number + max(0, grown)

    def _now(self) -> Seen:
        if not self._column.layouts:
            return Seen()
        last = self._column.laid_out(len(self._column.layouts) - 1)
        return Seen(last.turn.id, len(last.blocks))
