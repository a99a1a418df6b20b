"""Which toasts are seen, which wait, and which are pushed out."""

from tests.stores.rig import Pile


def test_the_newest_stands_last() -> None:
    pile = Pile()
    pile.say("one")
    pile.say("two")
    assert pile.seen == ["one", "two"]


def test_at_most_five_are_visible_and_the_oldest_goes() -> None:
    pile = Pile()
    for number in range(7):
        pile.say(str(number))
    assert pile.seen == ["2", "3", "4", "5", "6"]
    assert pile.history == ["0", "1"]


def test_a_persistent_toast_is_never_pushed_out() -> None:
    pile = Pile()
    pile.ask("question")
    for number in range(7):
        pile.say(str(number))
    assert pile.seen == ["question", "3", "4", "5", "6"]


def test_more_than_five_questions_wait_for_a_place() -> None:
    pile = Pile()
    pile.say("info")
    for number in range(7):
        pile.ask(f"q{number}")
    assert pile.seen == ["q0", "q1", "q2", "q3", "q4"]
    assert pile.waiting == ["q5", "q6"]
    assert pile.history == ["info"]
    pile.toasts.dismiss(pile.toasts.visible[1].id)
    assert pile.seen == ["q0", "q2", "q3", "q4", "q5"]
    assert pile.waiting == ["q6"]


def test_what_finds_only_questions_waits_and_has_its_full_time_when_it_is_seen() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    pile.say("info")
    pile.time.advance(60)
    assert pile.waiting == ["info"]
    pile.toasts.dismiss(pile.toasts.visible[0].id)
    pile.time.advance(4.9)
    assert pile.seen[-1] == "info"
    pile.time.advance(0.1)
    assert "info" not in pile.seen


def test_a_question_that_waits_goes_before_what_came_earlier_and_of_that_only_the_newest_wait() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    for number in range(6):
        pile.say(str(number))
    pile.ask("q5")
    assert pile.waiting == ["q5", "1", "2", "3", "4", "5"]
    assert pile.history == ["0"]


def test_when_a_toast_expires_the_next_waiting_toast_is_shown() -> None:
    pile = Pile()
    for number in range(5):
        pile.ask(f"q{number}")
    pile.say("first")
    pile.say("second")
    pile.toasts.dismiss(pile.toasts.visible[0].id)
    assert (pile.seen[-1], pile.waiting) == ("first", ["second"])
    pile.time.advance(5)
    assert (pile.seen[-1], pile.waiting) == ("second", [])


def test_of_thirty_in_a_second_the_questions_are_seen_and_none_is_lost() -> None:
    pile = Pile()
    for number in range(30):
        if number in (3, 11, 19):
            pile.ask(f"q{number}")
        else:
            pile.say(str(number))
        pile.time.advance(1 / 30)
    assert pile.seen == ["q3", "q11", "q19", "28", "29"]
    assert len(pile.history) == 25
    pile.toasts.clear()
    assert (pile.seen, pile.time.timers) == ([], 0)
    assert sorted(pile.history) == sorted({*map(str, range(30)), "q3", "q11", "q19"} - {"3", "11", "19"})
