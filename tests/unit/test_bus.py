"""The bus: order, isolation, and subscriptions that can be closed at any time."""

import logging
import weakref
from dataclasses import dataclass

import pytest

from core.bus import Bus
from core.domain.events import Event, RunResumed, RunStarted, RunWaiting
from core.domain.ids import RunId, WorkflowId
from tests.support.clock import START


@dataclass(frozen=True)
class Said:
    word: str


@dataclass(frozen=True)
class Counted:
    number: int


def test_a_message_reaches_the_subscribers_of_its_class_in_the_order_of_subscription() -> None:
    bus, heard = Bus(), list[str]()
    bus.subscribe(Said, lambda said: heard.append(f"first {said.word}"))
    bus.subscribe(Counted, lambda counted: heard.append(f"number {counted.number}"))
    bus.subscribe(Said, lambda said: heard.append(f"second {said.word}"))
    bus.publish(Said("hello"))
    assert heard == ["first hello", "second hello"]


def test_a_message_without_subscribers_is_no_error() -> None:
    Bus().publish(Said("hello"))


def test_a_subscriber_that_raises_stops_neither_the_others_nor_the_publisher() -> None:
    errors, heard = list[Exception](), list[str]()
    bus = Bus(errors.append)
    wrong = ValueError("wrong")

    def fail(said: Said) -> None:
        raise wrong

    bus.subscribe(Said, fail)
    bus.subscribe(Said, lambda said: heard.append(said.word))
    bus.publish(Said("one"))
    bus.publish(Said("two"))
    assert heard == ["one", "two"]
    assert errors == [wrong, wrong]


def test_an_error_is_logged_where_no_reporter_is_given(caplog: pytest.LogCaptureFixture) -> None:
    bus = Bus()
    bus.subscribe(Said, lambda said: 1 // 0)
    with caplog.at_level(logging.ERROR):
        bus.publish(Said("hello"))
    assert "ZeroDivisionError" in caplog.text


def test_what_is_published_during_a_delivery_follows_after_it_for_everyone() -> None:
    bus, first, second = Bus(), list[str](), list[str]()

    def answer(said: Said) -> None:
        first.append(said.word)
        if said.word == "question":
            bus.publish(Said("answer"))

    bus.subscribe(Said, answer)
    bus.subscribe(Said, lambda said: second.append(said.word))
    bus.publish(Said("question"))
    assert first == second == ["question", "answer"]


def test_a_closed_subscription_receives_nothing_and_can_be_closed_again() -> None:
    bus, heard = Bus(), list[str]()
    subscription = bus.subscribe(Said, lambda said: heard.append(said.word))
    subscription.close()
    subscription.close()
    bus.publish(Said("hello"))
    assert heard == []
    assert not subscription.is_open


def test_the_bus_lets_the_handler_of_a_closed_subscription_go() -> None:
    class Listener:
        def hear(self, said: Said) -> None: ...

    bus, listener = Bus(), Listener()
    held = weakref.ref(listener)
    subscription = bus.subscribe(Said, listener.hear)
    del listener
    assert held() is not None
    subscription.close()
    del subscription
    assert held() is None


def test_a_subscription_closed_during_a_delivery_misses_that_message() -> None:
    bus, heard = Bus(), list[str]()
    bus.subscribe(Said, lambda said: later.close())
    later = bus.subscribe(Said, lambda said: heard.append(said.word))
    bus.publish(Said("hello"))
    assert heard == []


def test_a_subscriber_may_close_itself_without_the_next_one_missing_the_message() -> None:
    bus, heard = Bus(), list[str]()
    once = bus.subscribe(Said, lambda said: once.close())
    bus.subscribe(Said, lambda said: heard.append(said.word))
    bus.publish(Said("hello"))
    assert heard == ["hello"]


def test_a_subscriber_that_joins_during_a_delivery_gets_the_next_message() -> None:
    bus, heard = Bus(), list[str]()
    with bus.subscribe(Said, lambda said: bus.subscribe(Said, lambda late: heard.append(late.word))):
        bus.publish(Said("one"))
    bus.publish(Said("two"))
    assert heard == ["two"]


def test_a_subscription_ends_with_its_block() -> None:
    bus, heard = Bus(), list[str]()
    with bus.subscribe(Said, lambda said: heard.append(said.word)):
        bus.publish(Said("inside"))
    bus.publish(Said("outside"))
    assert heard == ["inside"]


def test_an_interrupt_of_the_process_passes_and_leaves_the_bus_usable() -> None:
    bus, heard = Bus(), list[str]()

    def interrupt(said: Said) -> None:
        raise KeyboardInterrupt

    with bus.subscribe(Said, interrupt), pytest.raises(KeyboardInterrupt):
        bus.publish(Said("one"))
    bus.subscribe(Said, lambda said: heard.append(said.word))
    bus.publish(Said("two"))
    assert heard == ["two"]


def test_a_subscriber_may_ask_for_the_events_of_a_few_facts_and_keeps_its_place_among_the_others() -> None:
    bus, heard = Bus(), list[str]()
    bus.subscribe(Event, lambda event: heard.append(f"first {event.fact.type}"))
    bus.subscribe(Event, lambda event: heard.append(f"second {event.fact.type}"), (RunStarted, RunWaiting))
    bus.subscribe(Event, lambda event: heard.append(f"third {event.fact.type}"))
    for fact in (RunStarted(), RunResumed()):
        bus.publish(Event(RunId("r"), WorkflowId("w"), 1, START, fact))
    assert heard == [
        *("first run_started", "second run_started", "third run_started"),
        *("first run_resumed", "third run_resumed"),
    ]


def test_a_subscription_opened_or_closed_later_counts_for_facts_that_were_delivered_before() -> None:
    bus, heard = Bus(), list[str]()
    event = Event(RunId("r"), WorkflowId("w"), 1, START, RunStarted())
    bus.publish(event)
    with bus.subscribe(Event, lambda event: heard.append("inside"), (RunStarted,)):
        bus.publish(event)
    bus.publish(event)
    assert heard == ["inside"]
