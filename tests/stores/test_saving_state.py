"""Saved, writing or failed, without a flicker."""

from core.bus import Bus, SaveState, SaveStateChanged
from core.stores.indicators import SETTLE_S, SaveIndicator
from tests.support.clock import FakeClock


def test_it_is_saved_when_nothing_has_waited_for_a_moment_and_failed_at_once() -> None:
    bus, time = Bus(), FakeClock()
    state = SaveIndicator(bus, time, time.call_later)
    told: list[SaveState] = []
    state.changed.connect(lambda: told.append(state.saving))
    for _ in range(5):
        bus.publish(SaveStateChanged(SaveState.WRITING))
        time.advance(0.5)
        bus.publish(SaveStateChanged(SaveState.SAVED))
    assert told == [SaveState.WRITING]
    time.advance(SETTLE_S)
    assert told == [SaveState.WRITING, SaveState.SAVED]
    bus.publish(SaveStateChanged(SaveState.FAILED, "storage_full"))
    assert (state.saving, state.code) == (SaveState.FAILED, "storage_full")
    bus.publish(SaveStateChanged(SaveState.SAVED))
    assert (state.saving, state.code, time.timers) == (SaveState.SAVED, None, 0)
    state.close()
