"""Searches tools by words, for what has too many of them to be sent to a model (AGENTS_AND_TOOLS §7)."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.domain.tool import ToolInfo

FIND_TOOLS = "find_tools"
FOUND_TOOLS = 20
"""How many tools a search returns at most."""

_DESCRIPTION_CHARACTERS = 500
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WEIGHTS = (4, 2, 1)


def find_tools(tools: Iterable[ToolInfo], query: str, most: int = FOUND_TOOLS) -> list[ToolInfo]:
    """Return the tools that share words with the query, the best first; of equals in the order of their names."""
    words = _words(query)
    scored = [(_score(tool, words), tool.name, tool) for tool in tools]
    return [tool for score, _, tool in sorted(scored, key=lambda each: (-each[0], each[1])) if score][:most]


def _score(tool: ToolInfo, words: frozenset[str]) -> int:
    texts = (tool.name, tool.title, tool.description[:_DESCRIPTION_CHARACTERS])
    return sum(weight * len(words & _words(text)) for text, weight in zip(texts, _WEIGHTS, strict=True))


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case and without a plural's s; a name in camel case has several."""
    words = (word.lower() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words if len(word) > 2)


def searched_tools(tools: Sequence[ToolInfo], queries: Iterable[str]) -> list[ToolInfo]:
    """Return what these searches find, each tool once."""
    found: dict[str, ToolInfo] = {}
    for query in queries:
        found |= {tool.name: tool for tool in find_tools(tools, query)}
    return list(found.values())
