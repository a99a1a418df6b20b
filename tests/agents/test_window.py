"""What fits a model's window, and how results are cut to their budget."""

import json

import pytest

from core.agents import window as window_of
from core.agents.results import ROUND_BYTES, cut_to_budget
from core.agents.window import message_tokens, tool_tokens
from core.domain.tokens import available_tokens
from core.domain.tool import ToolInfo
from core.ports import CallRequest, ChatMessage
from tests.agents.cast import assert_valid

SYSTEM = ChatMessage("system", "s" * 30)
PROMPT = ChatMessage("user", "the prompt")


def turn(number: int, size: int = 300) -> list[ChatMessage]:
    call = CallRequest(f"c{number}", "f", {}, "{}")
    return [
        ChatMessage("user", f"question {number} ".ljust(size)),
        ChatMessage("assistant", "", (call,)),
        ChatMessage("tool", f"result {number} ".ljust(size), call_id=call.id),
        ChatMessage("assistant", f"answer {number} ".ljust(size)),
    ]


def fitting(
    messages: list[ChatMessage], prompt_at: int, tools: tuple[ToolInfo, ...], window: int, answer: int | None = None
) -> tuple[ChatMessage, ...]:
    """Fit a conversation into a window of that size, and how much of the history is left out."""
    fitted = window_of.fit_context(messages, prompt_at, sum(map(tool_tokens, tools)), available_tokens(window, answer))
    history = [message for message in messages[:prompt_at] if message.role != "system"]
    told = [
        message for message in fitted.messages[: fitted.messages.index(messages[prompt_at])] if message.role != "system"
    ]
    assert history[fitted.dropped :] == told
    return fitted.messages


def history(turns: int) -> list[ChatMessage]:
    return [SYSTEM, *(message for number in range(turns) for message in turn(number)), PROMPT]


def test_what_fits_is_sent_whole() -> None:
    messages = history(5)
    assert fitting(messages, len(messages) - 1, (), 100_000) == tuple(messages)


@pytest.mark.parametrize("window", range(256, 4000, 97))
def test_the_newest_units_are_sent_whole_and_the_prompts_always(window: int) -> None:
    messages = history(9)
    told = fitting(messages, len(messages) - 1, (), window)
    assert_valid(told)
    assert (told[0], told[-1]) == (SYSTEM, PROMPT)
    kept = told[1:-1]
    assert tuple(messages[-1 - len(kept) : -1]) == kept
    assert not kept or kept[0].role == "user"
    assert sum(map(message_tokens, told)) <= max(window, message_tokens(SYSTEM) + message_tokens(PROMPT))


def test_a_larger_window_never_keeps_less() -> None:
    messages = history(9)
    kept = [len(fitting(messages, len(messages) - 1, (), window)) for window in range(256, 6000, 50)]
    assert kept == sorted(kept)
    assert kept[0] == 2
    assert kept[-1] == len(messages)


def test_of_a_long_turn_the_newest_rounds_and_the_prompt_are_sent() -> None:
    rounds = [message for number in range(20) for message in turn(number)[1:3]]
    messages = [*history(3), *rounds]
    told = fitting(messages, len(messages) - len(rounds) - 1, (), 1000)
    assert_valid(told)
    assert told[:2] == (SYSTEM, PROMPT)
    assert told[-1] == rounds[-1]
    assert 2 < len(told) < len(messages)


def test_the_newest_round_is_sent_however_large_it_is() -> None:
    call = CallRequest("c", "f", {}, "{}")
    newest = [ChatMessage("assistant", "", (call,)), ChatMessage("tool", "x" * 100_000, call_id="c")]
    assert fitting([SYSTEM, PROMPT, *newest], 1, (), 1000) == (SYSTEM, PROMPT, *newest)


def test_tools_and_the_answer_take_their_part_of_the_window() -> None:
    messages = history(9)
    tool = ToolInfo("f", "F", "d" * 900, {"type": "object"})
    at = len(messages) - 1
    assert len(fitting(messages, at, (tool,), 2000)) < len(fitting(messages, at, (), 2000))
    assert len(fitting(messages, at, (), 2000, 1500)) < len(fitting(messages, at, (), 2000, 10))


def test_other_scripts_count_for_what_they_are() -> None:
    assert message_tokens(ChatMessage("user", "亚" * 90)) > message_tokens(ChatMessage("user", "a" * 90)) * 2
    assert message_tokens(ChatMessage("user", "\ud800")) > 0


def test_results_within_the_budget_stay_whole() -> None:
    texts = ["x" * 20_000, "y" * 30_000, ""]
    assert cut_to_budget(texts) == texts


@pytest.mark.parametrize(
    "sizes", [[60_000], [100, 60_000], [30_000, 30_000], [40_000, 9_000, 100_000], [10_000] * 20, [10_000_000, 1]]
)
def test_results_over_the_budget_are_cut_largest_first(sizes: list[int]) -> None:
    cut = cut_to_budget(["x" * size for size in sizes])
    assert sum(len(text.encode()) for text in cut) <= ROUND_BYTES
    for text, size in zip(cut, sizes, strict=True):
        assert len(text) == size or text.endswith(f"[cut here: {size:,} bytes in all]")
    largest = max(len(text) for text in cut)
    assert all(len(text) == size for text, size in zip(cut, sizes, strict=True) if size < largest)
    assert sum(len(text) for text in cut) > ROUND_BYTES * 0.95


def test_a_cut_goes_through_no_character() -> None:
    (cut,) = cut_to_budget(["亚" * 30_000])
    kept, _, mark = cut.partition("\n")
    assert kept == "亚" * len(kept)
    assert mark == "[cut here: 90,000 bytes in all]"
    assert len(cut.encode()) <= ROUND_BYTES
    cut_to_budget([json.dumps("\ud800" * 60_000), "\ud800" * 60_000])
