"""`ask_user`: the question, the accepted answers, and the result for the caller."""

from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.interruption import (
    Action,
    Answer,
    Interruption,
    InterruptionKind,
    InterruptionRequest,
    InterruptionStatus,
)
from core.domain.tool import CallResult, CallStatus
from core.tools.builtin import ask_user
from tests.contracts.rows import START
from tests.tools.rig import call, context, error_of, invoker

OPTIONS = [{"id": "r", "label": "Red"}, {"id": "b"}, "green"]


class Person:
    """A user who answers, and records the questions."""

    def __init__(self, answer: Answer | None, status: InterruptionStatus = InterruptionStatus.ANSWERED) -> None:
        self.asked: list[InterruptionRequest] = []
        self._answer = answer
        self._status = status

    async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
        self.asked.append(ask)
        opened = Interruption(
            InterruptionId("int_1"),
            RunId("run_1"),
            WorkflowId("wf_1"),
            ask,
            InterruptionStatus.AWAITING_ANSWER,
            1,
            START,
        )
        return opened.closed(self._status, self._answer, START)


async def asked(person: Person, **arguments: Any) -> CallResult:
    where = replace(context(), step="reply", index=2, ask=person)
    return await call(invoker(ask_user.tool()), arguments, name="ask_user", context=where)


SKIPPING = Answer(Action.SKIP)


async def test_a_question_is_put_at_the_place_of_its_call() -> None:
    person = Person(SKIPPING)
    await asked(person, question="Which?", options=OPTIONS, context="It matters.", timeout_seconds=1.5)
    (ask,) = person.asked
    assert (ask.kind, ask.step, ask.index, ask.call_id) == (InterruptionKind.QUESTION, "reply", 2, "call_1")
    assert (ask.prompt, ask.input, ask.tool, ask.timeout_ms) == ("Which?", {"context": "It matters."}, "ask_user", 1500)
    assert ask.options == [
        {"id": "r", "label": "Red"},
        {"id": "b", "label": "b"},
        {"id": "green", "label": "green"},
    ]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (
            "checkbox",
            [{"options": ["r"]}, {"options": ["r", "b"], "text": ""}],
            [{}, {"options": []}, {"options": ["x"]}, {"options": ["r"], "text": "x"}, {"text": "x"}, [], "r"],
        ),
        (
            "text",
            [{"text": "x"}, {"text": "x" * 10_000, "options": []}],
            [{}, {"text": ""}, {"text": "x" * 10_001}, {"text": "x", "options": ["r"]}, {"text": 5}],
        ),
        (
            "mixed",
            [{"options": ["r"]}, {"text": "x"}, {"options": ["b"], "text": "x"}, {"options": [], "text": "x"}],
            [{}, {"options": [], "text": ""}, {"options": ["x"]}, {"text": "x", "more": 1}, None],
        ),
    ],
)
async def test_what_may_be_submitted_goes_by_the_type(kind: str, good: list[Any], bad: list[Any]) -> None:
    person = Person(SKIPPING)
    given = {} if kind == "text" else {"options": OPTIONS}
    await asked(person, question="Which?", type=kind, **given)
    validator = Draft202012Validator(person.asked[0].schema)
    assert [value for value in good if not validator.is_valid(value)] == []
    assert [value for value in bad if validator.is_valid(value)] == []


async def test_without_a_type_it_goes_by_the_options() -> None:
    text, mixed = Person(SKIPPING), Person(SKIPPING)
    await asked(text, question="?")
    await asked(mixed, question="?", options=["a"])
    assert text.asked[0].schema["properties"]["options"]["maxItems"] == 0
    assert "anyOf" in mixed.asked[0].schema


async def test_a_question_can_limit_how_many_are_chosen() -> None:
    one, many = Person(SKIPPING), Person(SKIPPING)
    await asked(one, question="?", options=["a", "b"], max_choices=1)
    await asked(many, question="?", options=["a", "b"], max_choices=9)
    validator = Draft202012Validator(one.asked[0].schema)
    assert [validator.is_valid({"options": chosen}) for chosen in (["a"], ["a", "b"])] == [True, False]
    assert many.asked[0].schema["properties"]["options"]["maxItems"] == 2


@pytest.mark.parametrize(
    ("answer", "status", "read"),
    [
        (Answer(Action.SUBMIT, {"options": ["r", "r"]}), InterruptionStatus.ANSWERED, {"options": ["r"], "text": ""}),
        (Answer(Action.SUBMIT, {"text": "x"}), InterruptionStatus.ANSWERED, {"options": [], "text": "x"}),
        (SKIPPING, InterruptionStatus.ANSWERED, {"options": [], "text": "", "skipped": True}),
        (SKIPPING, InterruptionStatus.EXPIRED, {"options": [], "text": "", "expired": True}),
    ],
)
async def test_the_caller_reads_options_and_text_or_that_there_are_none(
    answer: Answer, status: InterruptionStatus, read: dict[str, Any]
) -> None:
    assert (await asked(Person(answer, status), question="?", options=["r"])).value == read


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"question": ""},
        {"question": "x" * 2001},
        {"question": "?", "type": "radio"},
        {"question": "?", "type": "checkbox"},
        {"question": "?", "type": "mixed", "options": []},
        {"question": "?", "type": "text", "options": ["a"]},
        {"question": "?", "options": [str(number) for number in range(21)]},
        {"question": "?", "options": ["a", {"id": "a"}]},
        {"question": "?", "options": ["x" * 65]},
        {"question": "?", "options": [{"id": "x" * 65}]},
        {"question": "?", "options": [{"id": "a", "label": "x" * 257}]},
        {"question": "?", "options": [{"label": "a"}]},
        {"question": "?", "context": "x" * 5001},
        {"question": "?", "timeout_seconds": 0},
        {"question": "?", "options": ["a"], "max_choices": 0},
        {"question": "?", "max_choices": 1},
    ],
)
async def test_what_is_no_question_is_not_asked(arguments: dict[str, Any]) -> None:
    person = Person(SKIPPING)
    assert error_of(await asked(person, **arguments))[0] == "invalid_arguments"
    assert person.asked == []


async def test_the_limits_themselves_are_allowed() -> None:
    options = [{"id": str(number).zfill(64), "label": "x" * 256} for number in range(20)]
    result = await asked(Person(SKIPPING), question="x" * 2000, options=options, context="x" * 5000)
    assert result.status is CallStatus.COMPLETED


async def test_where_no_user_can_be_asked_it_is_not_available() -> None:
    result = await call(invoker(ask_user.tool()), {"question": "?"}, name="ask_user")
    assert error_of(result)[0] == "not_available"


async def test_it_has_no_time_limit() -> None:
    class Slow(Person):
        async def __call__(self, ask: InterruptionRequest, *, anew: bool = False) -> Interruption:
            await where_time_flies.sleep(5_000)
            return await super().__call__(ask)

    tools = invoker(ask_user.tool())
    where_time_flies = tools._clock
    where = replace(context(), step="s", ask=Slow(SKIPPING))

    class Instant:
        now, monotonic = where_time_flies.now, where_time_flies.monotonic

        async def sleep(self, seconds: float) -> None:
            return None

    where_time_flies = Instant()
    result = await call(
        tools, {"question": "?"}, name="ask_user", context=where, default_timeout_s=0.001, timeout_s=0.001
    )
    assert result.status is CallStatus.COMPLETED
