"""Scripts: their grammar, their answers, and how the position is derived from a conversation."""

import json
from typing import Any

import pytest

from core.domain.text.masking import MASK
from core.errors import Refused
from core.llm.offline.plan import PlannedAnswer
from core.llm.offline.script import MAX_LINES, next_answer, parse_script, planned_answers
from core.ports import CallRequest, ChatMessage


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def played(*rows: dict[str, Any]) -> list[tuple[str, list[str], str | None]]:
    """List text, tools and failure of each answer."""
    made = planned_answers(parse_script(lines(*rows)))
    return [(answer.text, [call.tool for call in answer.calls], answer.failure) for answer in made]


def as_message(answer: PlannedAnswer) -> ChatMessage:
    calls = tuple(CallRequest("id", call.tool, call.arguments, call.arguments_text) for call in answer.calls)
    return ChatMessage("assistant", answer.text, calls)


def test_a_script_is_parsed_into_its_json_objects() -> None:
    rows = ({"say": "hello", "delay_ms": 5}, {"call": "add", "arguments": {"n": 1}}, {"repeat": 3}, {"fail": "oh"})
    assert parse_script(lines(*rows)) == rows


def test_empty_lines_carriage_returns_and_a_byte_order_mark_are_allowed() -> None:
    assert parse_script('\ufeff{"say": "a"}\r\n\r\n  {"fail": "b"}  \n') == ({"say": "a"}, {"fail": "b"})


def test_a_line_separator_inside_a_text_does_not_end_the_line() -> None:
    assert parse_script('{"say": "a\u2028b"}') == ({"say": "a\u2028b"},)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("hello", "expected a JSON object"),
        ("[1]", "expected a JSON object, found list"),
        ('{"say": "a"} {"say": "b"}', "expected one JSON object per line"),
        ("{}", "exactly one of say, call, ask, fail, repeat; found no key"),
        ('{"sing": "la"}', "exactly one of say, call, ask, fail, repeat; found sing"),
        ('{"ask": 5}', "'ask': expected text, found number"),
        ('{"ask": "who?", "options": "me"}', "'options': expected a list, found text"),
        ('{"ask": "who?", "options": ["me", 5]}', "'options': expected texts"),
        ('{"say": "a", "call": "b"}', "exactly one of say, call, ask, fail, repeat; found say, call"),
        ('{"say": "a", "arguments": {}}', "a say line has no 'arguments'; it takes say, delay_ms, if_failed"),
        ('{"say": 1}', "'say': expected text, found number"),
        ('{"say": "a", "delay_ms": "5"}', "'delay_ms': expected a whole number, found text"),
        ('{"say": "a", "delay_ms": true}', "'delay_ms': expected a whole number, found true/false"),
        ('{"say": "a", "delay_ms": -1}', "'delay_ms': expected 0 to 600,000, found -1"),
        ('{"call": ""}', "expected the name of a tool"),
        ('{"call": "add", "arguments": [1]}', "'arguments': expected an object, found list"),
        ('{"call": "add", "arguments": {"n": NaN}}', "NaN is not JSON"),
        ('{"call": "add", "arguments": {"n": 1e999}}', "too large for a number"),
        ('{"fail": null}', "'fail': expected text, found null"),
        ('{"repeat": 0}', "'repeat': expected 1 to 100,000, found 0"),
    ],
)
def test_a_line_outside_the_grammar_is_refused_with_its_number(row: str, expected: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse_script('{"say": "fine"}\n\n' + row)
    assert refusal.value.code == "bad_input"
    assert refusal.value.parameters["line"] == 3
    assert refusal.value.message.startswith("script, line 3: ")
    assert expected in refusal.value.message


@pytest.mark.parametrize("rows", [[{"repeat": 2}], [{"say": "a"}, {"repeat": 2}, {"repeat": 2}]])
def test_a_repeat_needs_a_line_to_repeat(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(Refused, match="needs a say, call, ask or fail line before it"):
        parse_script(lines(*rows))


def test_deep_nesting_is_refused_not_raised() -> None:
    with pytest.raises(Refused, match="nested too deeply"):
        parse_script('{"call": "add", "arguments": {"n": ' + "[" * 100_000 + "]" * 100_000 + "}}")


def test_the_size_of_a_script_is_bounded() -> None:
    row = '{"say": "a"}\n'
    assert len(parse_script(row * MAX_LINES)) == MAX_LINES
    with pytest.raises(Refused, match="line 10001: a script has at most 10,000 lines"):
        parse_script(row * (MAX_LINES + 1))
    with pytest.raises(Refused, match="over 5,000,000 bytes"):
        parse_script(" " * 5_000_001)
    with pytest.raises(Refused, match="plays more than 100,000 lines"):
        parse_script((row + '{"repeat": 60000}\n') * 2)


def test_consecutive_calls_are_one_round_and_the_next_line_answers_to_their_results() -> None:
    script = played({"say": "look"}, {"call": "a"}, {"call": "b"}, {"say": "done"})
    assert script == [("look", ["a", "b"], None), ("done", [], None)]


def test_a_failure_ends_an_answer_in_mid_stream() -> None:
    script = played({"say": "so far"}, {"fail": "gone"}, {"say": "back"})
    assert script == [("so far", [], "gone"), ("back", [], None)]


def test_a_failure_after_calls_is_the_answer_to_their_results() -> None:
    assert played({"call": "a"}, {"fail": "gone"}) == [("", ["a"], None), ("", [], "gone")]


def test_texts_of_an_answer_do_not_run_into_each_other() -> None:
    assert played({"say": "one"}, {"say": "two\n"}, {"say": "three"}, {"say": ""}) == [("one two\nthree", [], None)]


def test_a_repeated_text_is_streamed_that_often() -> None:
    assert played({"say": "tick"}, {"repeat": 3}) == [("tick tick tick", [], None)]


def test_each_repeated_call_is_a_round_of_its_own() -> None:
    script = played({"call": "a"}, {"call": "b"}, {"repeat": 2}, {"call": "c"})
    assert [tools for _, tools, _ in script] == [["a"], ["b"], ["b"], ["c"]]


def test_a_question_is_a_call_of_ask_user_and_goes_with_other_calls() -> None:
    (answer,) = planned_answers(({"ask": "who?", "options": ["me", "you"]}, {"ask": "when?"}, {"call": "a"}))
    assert [call.tool for call in answer.calls] == ["ask_user", "ask_user", "a"]
    assert answer.calls[0].arguments == {"question": "who?", "options": ["me", "you"]}
    assert answer.calls[1].arguments == {"question": "when?"}


def test_the_position_is_found_although_the_store_masks_secrets() -> None:
    script = ({"call": "a", "arguments": {"password": "hunter2"}}, {"say": "b"})
    kept = CallRequest("1", "a", {"password": MASK}, f'{{"password":"{MASK}"}}')
    heard = [ChatMessage("user", "go"), ChatMessage("assistant", "", (kept,)), ChatMessage("tool", "1", call_id="1")]
    following = next_answer(script, heard)
    assert following is not None
    assert following.text == "b"


def test_a_call_repeated_once_is_still_a_round_of_its_own() -> None:
    script = played({"call": "a"}, {"repeat": 1}, {"call": "b"})
    assert [tools for _, tools, _ in script] == [["a"], ["b"]]


def test_a_repeated_failure_fails_so_many_turns() -> None:
    assert [failure for _, _, failure in played({"fail": "no"}, {"repeat": 3})] == ["no", "no", "no"]


def test_the_next_answer_follows_the_answers_of_the_conversation() -> None:
    script = ({"call": "a", "arguments": {"n": 1}}, {"say": "b"}, {"fail": "c"}, {"say": "d"})
    conversation = [ChatMessage("user", "go")]
    planned = list(planned_answers(script))
    assert len(planned) == 3
    for answer in planned:
        assert next_answer(script, conversation) == answer
        conversation.append(as_message(answer))
    assert next_answer(script, conversation) is None


def test_answers_from_elsewhere_are_passed_over() -> None:
    script = ({"say": "one"}, {"call": "a"}, {"say": "two"})
    first, second = planned_answers(script)
    conversation = [ChatMessage("assistant", "from before"), as_message(first), ChatMessage("assistant", "other")]
    assert next_answer(script, conversation) == second


def test_a_script_is_read_no_further_than_it_was_played() -> None:
    class Unread(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            raise AssertionError("nobody has heard so far")

    script: list[dict[str, Any]] = [
        {"say": "one"},
        {"call": "a"},
        {"repeat": 99_000},
        {"say": "two"},
        Unread({"say": "three"}),
    ]
    following = next_answer(script, [ChatMessage("user", "go")])
    assert following is not None
    assert (following.text, len(following.calls)) == ("one", 1)


def test_an_answer_that_broke_off_counts_as_played() -> None:
    script = ({"say": "a long story"}, {"fail": "cut"}, {"say": "next"})
    _, second = planned_answers(script)
    assert next_answer(script, [ChatMessage("assistant", "a long")]) == second
    assert next_answer(script, [ChatMessage("assistant", "")]) == second
