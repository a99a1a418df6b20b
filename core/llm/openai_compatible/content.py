"""The text and the reasoning in a piece of an answer, in all the forms that servers use."""

from collections.abc import Iterator
from typing import Any


def text_in(delta: dict[str, Any]) -> str:
    """Extract the text: a string, content blocks, or a refusal in place of both."""
    text = "".join(_texts(delta.get("content"), "text"))
    refusal = delta.get("refusal")
    return text or (refusal if isinstance(refusal, str) else "")


def reasoning_in(delta: dict[str, Any]) -> str:
    """Extract the reasoning. Servers may send it under two names at once; it is the same thought."""
    for name in ("reasoning_content", "reasoning"):
        thought = delta.get(name)
        if isinstance(thought, str) and thought:
            return thought
    content, details = delta.get("content"), delta.get("reasoning_details")
    if isinstance(content, str) and details is None:  # the usual case, checked first for speed
        return ""
    return "".join(_texts(content, "thinking")) or "".join(_texts(details, "thinking"))


def _texts(content: Any, kind: str) -> Iterator[str]:
    """Yield the texts of that `kind` in a content. A plain string is "text"; blocks name their kind."""
    if isinstance(content, str):
        if kind == "text":
            yield content
        return
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            if kind == "text":
                yield block
        elif isinstance(block, dict):
            yield from _texts_of_block(block, kind)


def _texts_of_block(block: dict[str, Any], kind: str) -> Iterator[str]:
    match block.get("type"):
        case "thinking" | "reasoning" | "reasoning.text" | "reasoning.summary":
            if kind == "thinking":
                inner = block.get("thinking") or block.get("text") or block.get("summary")
                yield from _texts(inner, "text")
        case None | "text" | "output_text" | "refusal":
            text = block.get("text") or block.get("refusal")
            if kind == "text" and isinstance(text, str):
                yield text
