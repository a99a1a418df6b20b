"""Reasoning that is part of the text. The texts are written by hand, after answers of DeepSeek R1, Qwen 3, QwQ,
Magistral, Seed and Kimi.
"""

from collections.abc import Sequence

import pytest

from core.llm.openai_compatible.think_tags import ThoughtSplitter
from core.ports import ModelDelta
from tests.llm.provider.conftest import said_and_thought

# (text as it came, reasoning, answer)
TEXTS = {
    "a block": ("<think>\nTwo.\n</think>\n\nFour.", "Two.", "Four."),
    "blanks before": ("\n \n<think>Two.</think>Four.", "Two.", "Four."),
    "an empty block": ("<think>\n\n</think>\n\nFour.", "", "Four."),
    "capitals": ("<Think>Two.</THINK> Four.", "Two.", "Four."),
    "another name": ("<thinking>Two.</thinking>\nFour.", "Two.", "Four."),
    "brackets": ("[THINK]Two.[/THINK]Four.", "Two.", "Four."),
    "a prefix": ("<seed:think>Two.</seed:think>Four.", "Two.", "Four."),
    "triangles": ("◁think▷Two.◁/think▷Four.", "Two.", "Four."),
    "two blocks": ("<think>Two.</think>\n<think>Three.</think>\nFour.", "Two.Three.", "Four."),
    "blanks and marks within": ("<think> a < b\n\n c <thin d </thin </think>x", "a < b\n\n c <thin d </thin", "x"),
    "never closed": ("<think>Two.\n\nAnd", "Two.\n\nAnd", ""),
    "closed in part": ("<think>Two.</thi", "Two.</thi", ""),
    "only a block": ("<think>Two.</think>\n", "Two.", ""),
    "the closing tag alone": ("Two.\n</think>\n\nFour.", "Two.", "Four."),
    "the closing tag alone, in one line": ("Two.</think>Four.", "Two.", "Four."),
    "the closing tag alone, at the end": ("Two.\n</think>", "Two.", ""),
    "the closing tag first": ("</think>\n\nFour.", "", "Four."),
    "the closing tag after code": ("Try\n```\na = 1\n```\n</think>\n\nFour.", "Try\n```\na = 1\n```", "Four."),
    "code": ("So:\n\n```xml\n<think>plan</think>\n```\n", "", "So:\n\n```xml\n<think>plan</think>\n```\n"),
    "code at once": ("```\n</think>\n```", "", "```\n</think>\n```"),
    "a mention": ("The tag </think> ends it.\n</think>", "", "The tag </think> ends it.\n</think>"),
    "a mention in quotes": ('It ends with "</think>".', "", 'It ends with "</think>".'),
    "a mention in code": ("Write `</think>`\nbelow.", "", "Write `</think>`\nbelow."),
    "later": ("Four.\n<think>no</think>", "", "Four.\n<think>no</think>"),
    "after the answer has begun": ("<think>a</think>4 </think>\n<think>b</think>", "a", "4 </think>\n<think>b</think>"),
    "other tags": ("<b>Four</b> a < b [1] <thinker>", "", "<b>Four</b> a < b [1] <thinker>"),
    "the beginning of a tag": ("<thi", "", "<thi"),
    "blanks": (" \n", "", " \n"),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_reasoning_is_told_apart_however_the_text_is_cut(name: str) -> None:
    text, thought, answer = TEXTS[name]
    cuts = [[text], list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]
    for pieces in cuts:
        assert said_and_thought(split(pieces)) == (answer, thought), pieces


def test_plain_text_is_never_held_back() -> None:
    splitter = ThoughtSplitter()
    for piece in ("Once", " upon ", "a\n", "time"):
        assert said_and_thought(splitter.feed(piece)) == (piece, "")


def split(pieces: Sequence[str]) -> list[ModelDelta]:
    splitter = ThoughtSplitter()
    return [*(delta for piece in pieces for delta in splitter.feed(piece)), *splitter.flush()]
