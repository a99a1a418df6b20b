"""The commands of the offline agent."""

from typing import Any

import pytest

from core.domain.tool import ToolInfo
from core.llm.offline.commands import parse_commands
from core.llm.offline.plan import PlannedCall


def calls(message: str) -> list[list[PlannedCall]]:
    """List the rounds of a message."""
    return [list(answer.calls) for answer in parse_commands(message, ())]


def text(message: str, *tools: ToolInfo) -> str:
    (answer,) = parse_commands(message, tools)
    assert answer.calls == ()
    return answer.text


def test_a_tool_is_called_with_its_json() -> None:
    assert calls('/tool add {"n": 1}') == [[PlannedCall("add", {"n": 1}, '{"n": 1}')]]


def test_consecutive_lines_are_one_round_and_an_empty_line_begins_another() -> None:
    rounds = calls("/tool a {}\n  /tool b {}\r\n\n/tool c {}")
    assert [[call.tool for call in made] for made in rounds] == [["a", "b"], ["c"]]


def test_a_sub_agent_is_begun_with_the_rest_of_the_line() -> None:
    assert calls("spawn say 3 words\nSPAWN  ask Why?") == [
        [
            PlannedCall("spawn_agent", {"prompt": "say 3 words"}, '{"prompt":"say 3 words"}'),
            PlannedCall("spawn_agent", {"prompt": "ask Why?"}, '{"prompt":"ask Why?"}'),
        ]
    ]
    assert "`spawn PROMPT`" in text("help")


def test_json_may_go_over_several_lines() -> None:
    assert calls('/tool a {\n "n": 1\n}\n/tool b') == [
        [PlannedCall("a", {"n": 1}, '{\n "n": 1\n}'), PlannedCall("b", {}, "")]
    ]


def test_a_call_without_json_has_no_arguments() -> None:
    assert calls("/tool list_todo") == [[PlannedCall("list_todo", {}, "")]]


@pytest.mark.parametrize("written", ['{"n": 1', "n=1", '{"n": NaN}', '{"n": 1e999}', '[{"n": 1}]', '{"n": 1} yes'])
def test_broken_json_stays_as_written_and_never_becomes_an_empty_object(written: str) -> None:
    assert calls(f"/tool add {written}\n/tool b {{}}") == [
        [PlannedCall("add", None, written), PlannedCall("b", {}, "{}")]
    ]


@pytest.mark.parametrize("count", [1, 2, 1000, 100_000])
def test_that_many_words_are_streamed(count: int) -> None:
    assert len(text(f"Say {count} words").split()) == count


def test_the_words_are_the_same_each_time() -> None:
    assert text("say 500 words") == text("SAY  500  WORDS ")


@pytest.mark.parametrize("count", ["0", "100001", "9" * 5000])
def test_the_number_of_words_is_bounded(count: str) -> None:
    assert text(f"say {count} words") == "I can say 1 to 100,000 words at once."


def test_words_may_precede_a_call() -> None:
    (answer,) = parse_commands("say 2 words\n/tool a", ())
    assert (len(answer.text.split()), answer.calls[0].tool) == (2, "a")


def test_help_documents_the_grammar_and_lists_the_tools() -> None:
    tool = ToolInfo("add", "Add", "Adds numbers. At length.", {"properties": {"n": {}, "m": {}}})
    told = text("help", tool)
    for command in ("no language model", "`/tool NAME", "`say N words`", "`help`", "- `add {n, m}`: Adds numbers.\n"):
        assert command in told + "\n"
    assert "At length" not in told


def test_help_says_so_where_there_are_no_tools() -> None:
    assert text("/Help!").endswith("I was given no tools here.")


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("ask Which colour?", {"question": "Which colour?"}),
        ("Ask  Which [one]? [red,  dark blue , ]", {"question": "Which [one]?", "options": ["red", "dark blue"]}),
        ("ask [red]", {"question": "[red]"}),
    ],
)
def test_a_question_is_a_call_of_ask_user(message: str, asked: dict[str, Any]) -> None:
    (answer,) = parse_commands(message, ())
    (call,) = answer.calls
    assert (call.tool, call.arguments) == ("ask_user", asked)


@pytest.mark.parametrize("message", ["ask", "hello", "/tool", "say no words", "", "/tool a {}\nand then?"])
def test_everything_else_gets_an_honest_answer_and_nothing_is_run(message: str) -> None:
    told = text(message)
    assert "not a language model" in told
    assert "`help`" in told


def test_what_was_read_is_echoed_cut_to_a_sensible_length() -> None:
    assert "`hello there`" in text("hello there")
    assert "… (5,000 characters)" in text("x" * 5000)


def test_what_is_echoed_cannot_leave_its_quotes() -> None:
    assert "`` a`b ``" not in text("a`b")
    assert "``a`b``" in text("a`b")
