"""Starts of the user that the gate may refuse (ENGINE §9, UI §7)."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal

from core.domain.ids import WorkflowId
from core.domain.run import Run
from core.domain.template import ValidationMode, stricter_mode
from core.services.outcome import Failed, Outcome
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import StartSource

Begin = Callable[..., Awaitable[Outcome[Run]]]
"""A start of a service, which takes `mode`, `gated` and `queued`."""


@dataclass(frozen=True, slots=True)
class GatedStart:
    """A start that was made while `place` was viewed, None for a new workflow.

    `again` makes a start of the source COMMAND once more, and lets it wait for a free slot if its argument is true.
    `least` is the least strict mode that the run can have.
    """

    place: WorkflowId | None
    source: StartSource
    again: Callable[[bool], Coroutine[Any, Any, None]]
    least: ValidationMode = ValidationMode.AUTO


class GatedStarts(Controller):
    """Makes starts, and keeps the last refused one of each place for as long as the limit holds."""

    changed = Signal()

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._refused: dict[WorkflowId | None, GatedStart] = {}

    async def run(self, begin: Begin, start: GatedStart, *, queued: bool) -> Outcome[Run]:
        """Start in the mode of the settings, or a stricter one; `queued`: the run may wait for a free slot."""
        outcome = await begin(mode=self.mode_of(start), gated=True, queued=queued)
        if is_limit(outcome):
            self._refused[start.place] = start
            self.changed.emit()
        elif not isinstance(outcome, Failed):
            self.forget(start.place)
        return outcome

    def mode_of(self, start: GatedStart) -> ValidationMode:
        """Return the mode that the run would have now: a start can only add requests for approval, never remove any."""
        return stricter_mode(self._core.settings.current.validation_mode, start.least)

    def refused(self, place: WorkflowId | None) -> GatedStart | None:
        """Return the last start of this place if it was refused, and the limit still holds."""
        return self._refused.get(place)

    def forget(self, place: WorkflowId | None) -> None:
        """Drop the refused start of a place."""
        if self._refused.pop(place, None) is not None:
            self.changed.emit()

    def forget_admitted(self) -> None:
        """Drop the refused starts that would be admitted now."""
        can_start = self._stores.background.can_start
        for place in [place for place, start in self._refused.items() if can_start(self.mode_of(start))]:
            self.forget(place)


def is_limit(outcome: Outcome[Run]) -> bool:
    """Return whether the gate refused the start."""
    return isinstance(outcome, Failed) and outcome.code == "limit_reached"
