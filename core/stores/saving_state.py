"""Whether what runs tell is on disk, as steady as a person can read it (UI §1)."""

from psygnal import Signal

from core.bus import Bus, Saving, SavingChanged
from core.ports.clock import Clock
from core.stores.alarm import Alarm, CallLater
from core.stores.listeners import tell

CALM_S = 1.0
"""How long nothing may wait before it counts as saved: while an answer comes in, something waits twice a second."""


class SavingState:
    """`changed` tells that `saving` or `code`, why it failed, is another one."""

    changed = Signal()

    def __init__(self, bus: Bus, clock: Clock, call_later: CallLater) -> None:
        self.saving = Saving.SAVED
        self.code: str | None = None
        self._clock = clock
        self._alarm = Alarm(clock, call_later, self._calm)
        self._subscription = bus.subscribe(SavingChanged, self._on_changed)

    def close(self) -> None:
        """Hear nothing more, and leave no timer behind."""
        self._subscription.close()
        self._alarm.set(None)

    def _on_changed(self, message: SavingChanged) -> None:
        if message.saving is Saving.SAVED and self.saving is Saving.WRITING:
            self._alarm.set(self._clock.monotonic() + CALM_S)
        else:
            self._become(message.saving, message.code)

    def _calm(self, _now: float) -> None:
        self._become(Saving.SAVED, None)

    def _become(self, saving: Saving, code: str | None) -> None:
        self._alarm.set(None)
        if (saving, code) != (self.saving, self.code):
            self.saving, self.code = saving, code
            tell(self.changed)
