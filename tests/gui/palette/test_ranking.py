"""What a query finds, and in which order."""

import time

import pytest

from desktop.palette.entries import Entry, Kind, Query, parse_query, rank_entries
from desktop.theme import Icon


def entries(*titles: str) -> list[Entry]:
    return [Entry(Kind.WORKFLOW, str(at), title, "", Icon.MESSAGE_CIRCLE) for at, title in enumerate(titles)]


def found(words: str, *titles: str) -> list[str]:
    return [entry.title for entry in rank_entries(words, entries(*titles))]


def test_the_beginning_counts_most_then_a_word_then_any_place_then_scattered_letters() -> None:
    titles = ("Fix nightly bug", "A rebuild", "A build", "Build all")
    assert found("build", *titles) == ["Build all", "A build", "A rebuild"]
    assert found("fnb", *titles) == ["Fix nightly bug"]


def test_among_equals_the_order_of_the_list_stays() -> None:
    assert found("build", "Build b", "Build a") == ["Build b", "Build a"]
    assert found("", "z", "a") == ["z", "a"]


def test_case_and_accents_do_not_count() -> None:
    assert found("etude", "ÉTUDE", "Étude de cas", "Else") == ["ÉTUDE", "Étude de cas"]
    assert found("STRASSE", "Straße") == ["Straße"]


def test_every_word_has_to_be_found_in_any_order() -> None:
    assert found("bill ref", "Refactor billing", "Refactor", "Billing") == ["Refactor billing"]


@pytest.mark.parametrize("words", ["(", "[a", "\\", ".*", "a" * 300, "日本", "🙂"])
def test_whatever_is_typed_is_only_text(words: str) -> None:
    assert found(words, "plain") == []
    assert found(words, f"x {words} y") == [f"x {words} y"]


@pytest.mark.parametrize(
    ("typed", "kind", "words"),
    [
        ("", Kind.WORKFLOW, ""),
        ("  tax ", Kind.WORKFLOW, "tax"),
        (">", Kind.COMMAND, ""),
        (" > stop", Kind.COMMAND, "stop"),
        ("@ass", Kind.AGENT, "ass"),
        ("?copy", Kind.HELP, "copy"),
        ("a > b", Kind.WORKFLOW, "a > b"),
    ],
)
def test_a_prefix_asks_for_one_list(typed: str, kind: Kind, words: str) -> None:
    assert parse_query(typed) == Query(kind, words)


def test_ten_thousand_titles_are_searched_in_little_more_than_it_takes_to_look_at_each() -> None:
    listed = entries(*(f"Workflow {number} of the {number % 17}th kind" for number in range(10_000)))
    rank_entries("9999", listed)  # the folded titles are remembered

    def took(work: object) -> float:
        began = time.process_time()
        assert callable(work)
        for _ in range(3):
            work()
        return time.process_time() - began

    look = took(lambda: [entry for entry in listed if "9999" in entry.title.lower() and entry.title.startswith("W")])
    search = took(lambda: rank_entries("work 999", listed))
    assert search < 20 * look
