"""The save indicator, steady enough to be read (UI §1)."""

from psygnal import Signal

from core.bus import Bus, SaveState, SaveStateChanged
from core.ports.clock import Clock
from core.stores.base import CallLater, Store, emit

SETTLE_S = 1.0
"""How long nothing may wait before it counts as saved: while an answer comes in, something waits twice a second."""


class SaveIndicator(Store):
    """`changed` is emitted when `saving` changes, or `code`, the reason of a failure."""

    changed = Signal()

    def __init__(self, bus: Bus, clock: Clock, call_later: CallLater) -> None:
        super().__init__()
        self.saving = SaveState.SAVED
        self.code: str | None = None
        self._clock = clock
        self._alarm = self._make_alarm(clock, call_later, self._on_settled)
        self._subscribe(bus, SaveStateChanged, self._on_changed)

    def _on_changed(self, message: SaveStateChanged) -> None:
        if message.saving is SaveState.SAVED and self.saving is SaveState.WRITING:
            self._alarm.set(self._clock.monotonic() + SETTLE_S)
        else:
            self._set(message.saving, message.code)

    def _on_settled(self, _now: float) -> None:
        self._set(SaveState.SAVED, None)

    def _set(self, saving: SaveState, code: str | None) -> None:
        self._alarm.set(None)
        if (saving, code) != (self.saving, self.code):
            self.saving, self.code = saving, code
            emit(self.changed)
