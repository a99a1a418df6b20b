"""Which refs are offered for which literals, how surely, and which are not."""

from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.recording import RecordedStep
from core.domain.run import StepStatus
from core.domain.text.masking import MASK
from core.recording.recorded_arguments import restore_refs
from core.recording.ref_suggestions import suggest_refs


def steps(*calls: tuple[Any, Any]) -> list[RecordedStep]:
    """Calls of one tool: what each was given, and what it gave."""
    return [
        RecordedStep(f"s_{number}", "s", given, given, StepStatus.COMPLETED, output)
        for number, (given, output) in enumerate(calls, 1)
    ]


def offered(*calls: tuple[Any, Any], given: Mapping[str, Any] | None = None, said: str = "") -> dict[str, str]:
    return {ref.path: f"{ref.ref} {ref.confidence}" for ref in suggest_refs(steps(*calls), given or {}, [said])}


@pytest.mark.parametrize(
    ("output", "value", "offer"),
    [
        ({"id": "u-1001"}, "u-1001", "@s_1.id high"),
        ({"id": 4217}, 4217, "@s_1.id high"),
        ({"rows": [{"name": "Ada"}]}, "Ada", "@s_1.rows[0].name low"),
        ({"a b": {"c.d": "between"}}, "between", '@s_1["a b"]["c.d"] medium'),
        ("a text of its own", "a text of its own", "@s_1 high"),
        ({"n": 2.0}, 2, "@s_1.n low"),
        ({"label": "u-1001", "userId": "u-1001"}, "u-1001", "@s_1.userId high"),
        ({"rows": [{"id": 7}, {"id": 8}]}, [{"id": 7}, {"id": 8}], "@s_1.rows high"),
        ({"id": "42"}, 42, None),
        ({"id": 42}, "42", None),
        ({"ok": True}, True, None),
        ({"n": 1}, 1, None),
        ({"n": 0}, 0, None),
        ({"code": "ab"}, "ab", None),
        ({"text": "the id is u-1001"}, "u-1001", None),
        ({"name": "ADA"}, "Ada", None),
        ({"token": MASK}, MASK, "@input.v high"),
    ],
)
def test_a_value_of_one_earlier_output_is_offered(output: Any, value: Any, offer: str | None) -> None:
    expected = {} if offer is None else {"/s_2/v": offer}
    assert offered(({}, output), ({"v": value}, None)) == expected


def test_a_value_of_two_outputs_is_not_offered_unless_one_repeats_what_it_was_given() -> None:
    assert offered(({}, {"city": "Paris"}), ({}, {"city": "Paris"}), ({"v": "Paris"}, None)) == {}
    echo: list[tuple[Any, Any]] = [
        ({}, {"id": "u-1001"}),
        ({"user": "u-1001"}, {"user": "u-1001"}),
        ({"v": "u-1001"}, None),
    ]
    assert offered(*echo) == {"/s_2/user": "@s_1.id high", "/s_3/v": "@s_1.id high"}


def test_what_the_user_said_is_offered_as_a_key_of_the_input() -> None:
    said = "Send report.txt and (notes) to ada@example.org, 250 times."
    call = {"path": "report.txt", "to": ["ada@example.org"], "times": 250, "note": "port", "more": {"path": "notes"}}
    call |= {"name": "report", "host": "example.org", "count": 25}
    assert offered((call, None), ({"path": "report.txt"}, None), said=said) == {
        "/s_1/path": "@input.path medium",
        "/s_1/to/0": "@input.to medium",
        "/s_1/times": "@input.times low",
        "/s_1/more/path": "@input.path_2 low",
        "/s_2/path": "@input.path medium",
    }


def test_the_input_of_the_recording_comes_before_what_was_said() -> None:
    given = {"user": {"id": "u-1001"}, "path": "x"}
    assert offered(({"id": "u-1001"}, None), given=given, said="for u-1001") == {"/s_1/id": "@input.user.id high"}


def test_literals_beside_refs_are_offered_and_the_refs_are_not() -> None:
    step = RecordedStep("s_2", "s", {"a": "@s_1.id", "b": "u-1001", "c": "for u-1001"}, {}, StepStatus.COMPLETED)
    step.resolved_arguments = {"a": "u-1001", "b": "u-1001", "c": "for u-1001"}
    found = suggest_refs([*steps(({}, {"id": "u-1001"})), step], {}, [])
    assert [each.path for each in found] == ["/s_2/b"]


@pytest.mark.parametrize(
    ("written", "resolved", "given", "kept"),
    [
        ({"a": "@x.y", "b": 1}, {"a": 5, "b": 1}, {"a": 5, "b": 2}, {"a": "@x.y", "b": 2}),
        ({"a": "@x.y"}, {"a": 5}, {"a": 6, "c": "@x"}, {"a": 6, "c": "@@x"}),
        ({"a": ["@x.y", "z"]}, {"a": [5, "z"]}, {"a": [5, "q", "@n"]}, {"a": ["@x.y", "q", "@@n"]}),
    ],
)
def test_refs_stay_where_the_user_leaves_an_argument_as_it_was(
    written: Any, resolved: Any, given: Any, kept: Any
) -> None:
    assert restore_refs(written, resolved, given) == kept
