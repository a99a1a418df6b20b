"""The words of a text, as they are searched: without case and accents, in whatever script. Pure.

`Été`, `été` and `ETE` are one word; ligatures and compatibility forms are what they stand for. Scripts that are
written without spaces have a word for each character.
"""

import re
import unicodedata

LONGEST = 32
"""Longer words are known by so many characters."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "\u0131": "i"})


def words_of(text: str) -> list[str]:
    """Each word once, in the order in which they first come."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char)).translate(_LIGATURES)
    return list(dict.fromkeys(word[:LONGEST] for word in _WORD.findall(plain)))
