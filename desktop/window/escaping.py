"""Esc, where nothing that is open has taken it (UI §4).

It closes the innermost thing, and never stops, denies or discards. What has the focus while it is open hears Esc
itself, in this order: an input method, the names that are offered, a menu, what was opened over the window, a
notification, the card that asks. What is left comes here.
"""

from collections.abc import Callable, Sequence


class Escaping:
    """`steps` are tried in their order: each closes something and says True, or has nothing to close."""

    def __init__(self, steps: Sequence[Callable[[], bool]]) -> None:
        self._steps = tuple(steps)

    def close_innermost(self) -> None:
        """Do the first that can be done."""
        for step in self._steps:
            if step():
                return
