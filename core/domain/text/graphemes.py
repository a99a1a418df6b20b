"""Where a text may be cut: never inside a grapheme cluster (UAX #29, the rules that matter here).

Pure, and without tables: combining marks, emoji sequences with skin tones, flags, and decomposed Hangul.
"""

import unicodedata

_JOINER = "\N{ZERO WIDTH JOINER}"
_SKIN = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)
# Vowels and final consonants, which join the character before them.
_HANGUL_LATER = range(0x1160, 0x1200)
_AM = "\u0e33\u0eb3"  # Thai and Lao, written as letters and read with what stands before them


def truncate(text: str, most: int) -> str:
    """Cut a text to the longest prefix of whole graphemes with at most `most` characters.

    A first grapheme that is longer is cut.
    """
    if len(text) <= most:
        return text
    end = most
    while end > 0 and not _may_be_cut(text, end):
        end -= 1
    return text[: end or most]


def ellipsize(text: str, most: int) -> str:
    """Cut a longer text so that it fits `most` characters together with an ellipsis."""
    return text if len(text) <= most else truncate(text, most - 1).rstrip() + "…"


def _may_be_cut(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    code = ord(after)
    is_joined = (
        before + after == "\r\n"
        or _JOINER in (before, after)
        or unicodedata.category(after)[0] == "M"
        or after in _AM
        or after == "\N{ZERO WIDTH NON-JOINER}"
        or any(code in codes for codes in (_SKIN, _TAGS, _HANGUL_LATER))
    )
    if is_joined:
        return False
    # Flags are pairs of letters, so a cut is allowed after an even number of them.
    return code not in _FLAG_LETTERS or _flag_letters_before(text, at) % 2 == 0


def _flag_letters_before(text: str, at: int) -> int:
    start = at
    while start > 0 and ord(text[start - 1]) in _FLAG_LETTERS:
        start -= 1
    return at - start
