"""Emphasis beside the punctuation of Chinese, Japanese and Korean. Pure.

CommonMark lets a run of `*` close only if a blank or punctuation follows where punctuation precedes it, and open only
the other way round (section 6.2); `~~` needs either on its outer side. These scripts set no blanks: `**结论：**可以`
would show its asterisks. Marks around the run let it open and close; they are removed from what is shown.
"""

import re
import unicodedata

# Noncharacters: no text has them, and a parser takes them for letters.
_LETTER, _BEGIN, _END = "\ufdd5", "\ufdd6", "\ufdd7"
_COMMA = "\N{IDEOGRAPHIC COMMA}"
MARKS = f"{_LETTER}|{_BEGIN}{_COMMA}|{_COMMA}{_END}"
"""A pattern of all that is to be removed."""

# A run with the characters around it. An escaped run is none.
_RUN = re.compile(r"(?<=([^\s\\*~]))(\*+|~~)(?=([^\s*~]))")
# Letters that are written without blanks: kana, Han, Hangul, and full-width forms.
_UNSPACED = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u318f\u31a0-\u31bf\u31f0-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_WIDE_PUNCTUATION = re.compile(
    "[\u3001-\u3004\u3008-\u3020\u3030\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)


def mark_emphasis(text: str) -> str:
    """Return Markdown with marks wherever such a run would neither open nor close."""
    return text if text.isascii() else _RUN.sub(_marked, text)


def without_marks(text: str) -> str:
    """Remove the marks from a link target."""
    return re.sub(MARKS, "", text)


def _marked(match: re.Match[str]) -> str:
    before, run, after = match.groups()
    if run == "~~":
        is_wide = any(_UNSPACED.match(side) or _WIDE_PUNCTUATION.match(side) for side in (before, after))
        return f"{_BEGIN}{_COMMA}{run}{_COMMA}{_END}" if is_wide else run
    if _is_punctuation(before) == _is_punctuation(after):
        return run
    punctuation, letter = (before, after) if _is_punctuation(before) else (after, before)
    if not (_WIDE_PUNCTUATION.match(punctuation) or _UNSPACED.match(letter)):
        return run
    return f"{_LETTER}{run}" if punctuation is before else f"{run}{_LETTER}"


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
