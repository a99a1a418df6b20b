"""Heights of things that stand under each other, and where each one begins. Pure."""

from bisect import bisect_right
from collections.abc import Iterable


class Heights:
    """A column of heights. What is asked often and changed at the end stays cheap however long it is."""

    def __init__(self, heights: Iterable[float] = ()) -> None:
        self._heights = list(heights)
        self._tops = [0.0]  # right as far as it goes

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> float:
        return self._heights[index]

    @property
    def total(self) -> float:
        return self.top(len(self._heights))

    def set(self, index: int, height: float) -> None:
        if height != self._heights[index]:
            self._heights[index] = height
            del self._tops[index + 1 :]

    def replace(self, start: int, heights: Iterable[float]) -> None:
        """From `start` on, these instead."""
        self._heights[start:] = heights
        del self._tops[start + 1 :]

    def top(self, index: int) -> float:
        """Where it begins; for the number of heights, where the last one ends."""
        for known in range(len(self._tops) - 1, index):
            self._tops.append(self._tops[known] + self._heights[known])
        return self._tops[index]

    def at(self, y: float) -> int:
        """Which one stands at `y`: the first above the column, the last below it. Needs at least one."""
        self.top(len(self._heights))
        return min(max(bisect_right(self._tops, y) - 1, 0), len(self._heights) - 1)
