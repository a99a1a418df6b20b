"""Saved, writing or failed, without a flicker."""

from core.bus import Bus, Saving, SavingChanged
from core.stores.saving_state import CALM_S, SavingState
from tests.stores.rig import FakeTime


def test_it_is_saved_when_nothing_has_waited_for_a_moment_and_failed_at_once() -> None:
    bus, time = Bus(), FakeTime()
    state = SavingState(bus, time, time.call_later)
    told: list[Saving] = []
    state.changed.connect(lambda: told.append(state.saving))
    for _ in range(5):
        bus.publish(SavingChanged(Saving.WRITING))
        time.advance(0.5)
        bus.publish(SavingChanged(Saving.SAVED))
    assert told == [Saving.WRITING]
    time.advance(CALM_S)
    assert told == [Saving.WRITING, Saving.SAVED]
    bus.publish(SavingChanged(Saving.FAILED, "storage_full"))
    assert (state.saving, state.code) == (Saving.FAILED, "storage_full")
    bus.publish(SavingChanged(Saving.SAVED))
    assert (state.saving, state.code, time.timers) == (Saving.SAVED, None, 0)
    state.close()
