"""What a search in the settings finds."""

import unicodedata


def matches(query: str, text: str) -> bool:
    """Whether every word of the query stands in the text; case and accents do not count. No words: yes."""
    folded = _folded(text)
    return all(word in folded for word in _folded(query).split())


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
