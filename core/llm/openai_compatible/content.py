"""The text and the thoughts in a piece of an answer, in all the forms that servers give them."""

import re
from collections.abc import Iterator
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def text_in(delta: dict[str, Any]) -> str:
    """What is said: a text, content blocks, or a refusal in the place of both."""
    said = "".join(_texts(delta.get("content"), "text"))
    refusal = delta.get("refusal")
    return said or (refusal if isinstance(refusal, str) else "")


def reasoning_in(delta: dict[str, Any]) -> str:
    """What is thought. Servers that know two names for it may use both; it is one thought."""
    for name in ("reasoning_content", "reasoning"):
        thought = delta.get(name)
        if isinstance(thought, str) and thought:
            return thought
    content, details = delta.get("content"), delta.get("reasoning_details")
    if isinstance(content, str) and details is None:  # nearly always
        return ""
    return "".join(_texts(content, "thinking")) or "".join(_texts(details, "thinking"))


def _texts(content: Any, wanted: str) -> Iterator[str]:
    """The texts of that kind in a content: a text alone says "text"; blocks name their kind."""
    if isinstance(content, str):
        if wanted == "text":
            yield content
        return
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            if wanted == "text":
                yield block
        elif isinstance(block, dict):
            yield from _texts_of_block(block, wanted)


def _texts_of_block(block: dict[str, Any], wanted: str) -> Iterator[str]:
    match block.get("type"):
        case "thinking" | "reasoning" | "reasoning.text" | "reasoning.summary":
            if wanted == "thinking":
                inner = block.get("thinking") or block.get("text") or block.get("summary")
                yield from _texts(inner, "text")
        case None | "text" | "output_text" | "refusal":
            text = block.get("text") or block.get("refusal")
            if wanted == "text" and isinstance(text, str):
                yield text


class SurrogateJoiner:
    """Joins characters that were cut in two: a server may write each half of a surrogate pair by itself."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, text: str) -> str:
        """The text as far as it is whole."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return join_surrogates(text)

    def rest(self) -> str:
        """The half that nothing followed, as a replacement character."""
        half, self._half = self._half, ""
        return join_surrogates(half)


def join_surrogates(text: str) -> str:
    """The text with its surrogate pairs as characters, and what is half a pair replaced."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
