"""Reasoning that a server sends as part of the text, between tags: `<think>…</think>` (AGENTS_AND_TOOLS §10).

start ──opening tag──► thought ──closing tag──► start, and then text that is final
  └─────any word─────► watch ──closing tag alone──► all of it was a thought
"""

import re
from collections.abc import Iterator

from core.ports import ModelDelta, ReasoningDelta, TextDelta, TextWasReasoning

# As chat templates of public models write them; the last two are Mistral's and Kimi's.
_TAGS = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think")},
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
}
_ALL = (*_TAGS, *_TAGS.values())
_TAG = re.compile("|".join(map(re.escape, _ALL)), re.IGNORECASE)
_FIRST = re.compile("[<[◁]")
_LONGEST = max(map(len, _ALL))
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
# What stands before a tag in a sentence about it.
_QUOTING = " \t'\"“«([{`\u2018"


class ThoughtSplitter:
    """Splits a streamed text into reasoning and answer.

    Reasoning stands at the beginning, perhaps after blanks, and may be empty or never end. The opening tag may be
    missing, since some chat templates put it into the prompt: then everything before the closing tag is reasoning. Tags
    within a sentence, in code, or after the answer has begun are text.
    """

    def __init__(self) -> None:
        self._closing = ""  # the tag that ends the current thought
        self._held = ""
        self._said: list[str] | None = []  # None: what follows is text, whatever it contains
        self._has_begun = False
        self._has_thought = False
        self._is_thought_begun = False

    def feed(self, text: str) -> Iterator[ModelDelta]:
        """Add a piece, and yield what is certain."""
        if self.passes(text):
            yield TextDelta(text)
        else:
            self._held += text
            yield from self._split(is_end=False)

    def passes(self, text: str) -> bool:
        """Return whether a piece is text as it stands, and if so, add it."""
        if not self._has_begun or self._held:
            return False
        if self._said is not None:
            if _FIRST.search(text) is not None:
                return False
            self._said.append(text)
        return True

    def flush(self) -> Iterator[ModelDelta]:
        """Yield the rest."""
        yield from self._split(is_end=True)

    def _split(self, *, is_end: bool) -> Iterator[ModelDelta]:
        is_stuck = False
        while self._held and not is_stuck:
            before = len(self._held), self._closing, self._has_begun
            if self._closing:
                yield from self._take_thought(is_end=is_end)
            elif self._has_begun:
                yield from self._take_text(is_end=is_end)
            else:
                yield from self._begin(is_end=is_end)
            is_stuck = before == (len(self._held), self._closing, self._has_begun)

    def _begin(self, *, is_end: bool) -> Iterator[ModelDelta]:
        """Decide what the answer begins with, or what follows a thought."""
        words = self._held.lstrip()
        small = words[:_LONGEST].lower()
        if opening := next((tag for tag in _TAGS if small.startswith(tag)), None):
            self._held, self._closing, self._is_thought_begun = words[len(opening) :], _TAGS[opening], False
        elif closing := next((tag for tag in _TAGS.values() if small.startswith(tag)), None):
            self._held, self._has_thought, self._said = words[len(closing) :], True, None
        elif is_end or (words and not any(tag.startswith(small) for tag in _ALL)):
            self._has_begun = True
            if self._has_thought:
                self._held, self._said = words, None
        yield from ()

    def _take_thought(self, *, is_end: bool) -> Iterator[ModelDelta]:
        text = self._held if self._is_thought_begun else self._held.lstrip()
        end = re.search(re.escape(self._closing), text, re.IGNORECASE)
        if end is not None:
            thought, self._held = text[: end.start()].rstrip(), text[end.end() :]
            self._closing, self._has_thought, self._said = "", True, None
        elif is_end:
            thought, self._held = text.rstrip(), ""
        else:
            thought = text[: len(text) - _tag_start(text, (self._closing,))].rstrip()
            self._held = text[len(thought) :]
        if thought:
            self._is_thought_begun = True
            yield ReasoningDelta(thought)

    def _take_text(self, *, is_end: bool) -> Iterator[ModelDelta]:
        text = self._held
        tag = _TAG.search(text) if self._said is not None else None
        if tag is None or self._said is None:
            certain = text if is_end or self._said is None else text[: len(text) - _tag_start(text, _ALL)]
            self._held = text[len(certain) :]
            if self._said is not None:
                self._said.append(certain)
            if certain:
                yield TextDelta(certain)
            return
        said, after = "".join([*self._said, text[: tag.start()]]), text[tag.end() :]
        if not is_end and not after.strip() and "\n" not in after:
            self._said.append(text[: tag.start()])  # what follows the tag decides
            self._held = text[tag.start() :]
            if tag.start():
                yield TextDelta(text[: tag.start()])
        elif tag[0].lower() in _TAGS or not _ends_thought(said, after):
            self._said = None
        else:
            has_shown = any(self._said)
            self._held, self._has_begun, self._has_thought, self._said = after, False, True, None
            thought = said.strip()
            if has_shown:
                yield TextWasReasoning(thought)
            elif thought:
                yield ReasoningDelta(thought)


def _ends_thought(before: str, after: str) -> bool:
    """Return whether a closing tag between these texts is one, and not mentioned by them."""
    line_before, line_after = before[before.rfind("\n") + 1 :], after.partition("\n")[0]
    if len(_FENCE.findall(before)) % 2 or line_before.count("`") % 2:
        return False
    return not line_before.strip() or not line_after.strip() or line_before[-1] not in _QUOTING


def _tag_start(text: str, tags: tuple[str, ...]) -> int:
    """Count the characters at the end of a text that may be the beginning of a tag."""
    end = text[1 - _LONGEST :].lower()
    at = 0
    while at < len(end):
        if any(tag.startswith(end[at:]) for tag in tags):
            return len(end) - at
        at += 1
    return 0
