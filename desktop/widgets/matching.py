"""What a search by typing finds: case and accents do not count."""

import unicodedata
from functools import lru_cache


def matches(query: str, text: str) -> bool:
    """Whether every word of the query stands in the text. No words: yes."""
    found = folded(text)
    return all(word in found for word in folded(query).split())


@lru_cache(maxsize=20_000)
def folded(text: str) -> str:
    """The text without case and accents. The last 20 000 are remembered: a list is searched at each key."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
