"""The save indicator, steady enough to be read (UI §1)."""

from psygnal import Signal

from core.bus import Bus, SaveState, SaveStateChanged
from core.ports.clock import Clock
from core.stores.base import Alarm, CallLater, emit

SETTLE_S = 1.0
"""How long nothing may wait before it counts as saved: while an answer comes in, something waits twice a second."""


class SaveIndicator:
    """`changed` is emitted when `saving` changes, or `code`, the reason of a failure."""

    changed = Signal()

    def __init__(self, bus: Bus, clock: Clock, call_later: CallLater) -> None:
        self.saving = SaveState.SAVED
        self.code: str | None = None
        self._clock = clock
        self._alarm = Alarm(clock, call_later, self._calm)
        self._subscription = bus.subscribe(SaveStateChanged, self._on_changed)

    def close(self) -> None:
        """Close the subscription and the timer."""
        self._subscription.close()
        self._alarm.set(None)

    def _on_changed(self, message: SaveStateChanged) -> None:
        if message.saving is SaveState.SAVED and self.saving is SaveState.WRITING:
            self._alarm.set(self._clock.monotonic() + SETTLE_S)
        else:
            self._become(message.saving, message.code)

    def _calm(self, _now: float) -> None:
        self._become(SaveState.SAVED, None)

    def _become(self, saving: SaveState, code: str | None) -> None:
        self._alarm.set(None)
        if (saving, code) != (self.saving, self.code):
            self.saving, self.code = saving, code
            emit(self.changed)
