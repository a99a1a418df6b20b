"""How long toasts stay, and what stops their time."""

import pytest

from core.domain.toast import ToastType
from tests.stores.rig import Pile

SUCCESS, INFO, WARNING, ERROR = ToastType.SUCCESS, ToastType.INFO, ToastType.WARNING, ToastType.ERROR


@pytest.mark.parametrize(("kind", "seconds"), [(SUCCESS, 5), (INFO, 5), (WARNING, 10), (ERROR, 10)])
def test_a_toast_stays_as_long_as_its_kind_does(kind: ToastType, seconds: float) -> None:
    pile = Pile()
    pile.say("text", kind)
    pile.time.advance(seconds - 0.01)
    assert pile.seen == ["text"]
    pile.time.advance(0.01)
    assert pile.seen == []
    assert pile.history == ["text"]
    assert pile.time.timers == 0


def test_a_question_stays_until_it_is_closed() -> None:
    pile = Pile()
    pile.ask("question")
    pile.time.advance(100_000)
    assert pile.seen == ["question"]
    assert pile.time.timers == 0
    assert pile.toasts.visible[0].persistent


def test_a_toast_may_have_a_time_of_its_own() -> None:
    pile = Pile()
    assert pile.say("text", duration_s=1).duration_s == 1
    pile.time.advance(1)
    assert pile.seen == []


def test_a_single_timer_serves_all_and_tick_returns_the_next_time() -> None:
    pile = Pile()
    pile.say("short")
    pile.say("long", WARNING)
    assert pile.time.timers == 1
    now = pile.time.monotonic()
    assert pile.toasts.tick(now) == now + 5
    assert pile.toasts.tick(now + 5) == now + 10
    assert pile.seen == ["long"]
    assert pile.toasts.tick(now + 10) is None


def test_a_pause_stops_the_time_of_all_and_gives_the_rest_back() -> None:
    pile = Pile()
    pile.say("text")
    pile.time.advance(3)
    pile.toasts.pause("hover")
    assert pile.time.timers == 0
    pile.time.advance(60)
    pile.toasts.resume("hover")
    pile.time.advance(1.9)
    assert pile.seen == ["text"]
    pile.time.advance(0.2)
    assert pile.seen == []


def test_a_pause_lasts_until_its_last_reason_is_gone() -> None:
    pile = Pile()
    pile.say("text")
    pile.toasts.pause("hover")
    pile.toasts.pause("inactive")
    pile.toasts.pause("hover")
    pile.toasts.resume("hover")
    pile.time.advance(60)
    assert pile.seen == ["text"]
    pile.toasts.resume("inactive")
    pile.toasts.resume("inactive")
    pile.time.advance(5)
    assert pile.seen == []


def test_a_toast_added_during_a_pause_has_its_full_time_afterwards() -> None:
    pile = Pile()
    pile.toasts.pause("inactive")
    pile.time.advance(60)
    pile.say("text")
    pile.time.advance(60)
    assert pile.toasts.tick(pile.time.monotonic()) is None
    pile.toasts.resume("inactive")
    pile.time.advance(4.9)
    assert pile.seen == ["text"]
    pile.time.advance(0.1)
    assert pile.seen == []
