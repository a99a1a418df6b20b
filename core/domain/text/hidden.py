"""Characters that are not seen as themselves: marks for the user, escapes in JSON, nothing for models. Pure.

They follow from their Unicode properties, not from a list of known tricks: what is ignorable by default or a format
control, controls, separators of lines and paragraphs, surrogates, noncharacters, and blanks that are no spaces. A
character that the text around it needs stays as it is: the joiners of emoji, Persian and the Indic scripts, a variation
selector behind what it varies, a direction mark beside a letter of that direction, the tags of the three flags.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

# Default_Ignorable_Code_Point of Unicode 16.0 (DerivedCoreProperties.txt), which `unicodedata` lacks. It is the
# larger part of category Cf, and fillers, selectors and points that are reserved to be ignored.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# The rest of category Cf. Arabic, Syriac and Kaithi number signs are not in it: they are drawn around their numbers.
_FORMAT = "\ufff9-\ufffb\U00013430-\U0001343f"
_SEPARATORS = "\u2028\u2029"
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_DRAWN_BLANK = "\u2800\ufffc"  # an empty Braille pattern, and the place of an object
_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # not the tab and the ends of lines
_HIDDEN = _CONTROLS + _IGNORABLE + _FORMAT + _SEPARATORS + _NO_CHARACTERS + _DRAWN_BLANK

_FLAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls"))
_FLAG = f"\U0001f3f4(?:{_FLAGS})\U000e007f"
_RUN = re.compile(f"{_FLAG}|([{_HIDDEN}])\\1*")
_IS_HIDDEN = re.compile(f"[{_HIDDEN}]")

# Scripts whose letters join, or whose words are divided, by characters without a width.
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua9ff\uaa00-\uabff"
    "\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
_PICTURE = re.compile("[\u203c\u2049\u2139\u3030\U0001f000-\U0001faff]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_BRAILLE = re.compile("[\u2801-\u28ff]")

_MOST_MARKS = 3  # of the same character in a row; more are counted


def reveal(text: str) -> str:
    """Return the text with each hidden character replaced by a mark that names it, such as ⟨U+202E⟩."""
    return _RUN.sub(_shown, text)


def hidden_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the places of hidden characters, and the mark of each; a run of the same character is one place."""
    for match in _RUN.finditer(text):
        if not _belongs(match):
            yield match.start(), match.end(), _mark(match)


def without_hidden(text: str) -> str:
    """Return the text without its hidden characters: what a model reads of a description."""
    return _RUN.sub(lambda match: match[0] if _belongs(match) else "", text)


def placeholders(text: str) -> str:
    """Return the text with U+FFFD for each hidden character: of the same length, so that places in it still hold."""
    return _RUN.sub(lambda match: match[0] if _belongs(match) else "\ufffd" * len(match[0]), text)


def escape_hidden(json_text: str) -> str:
    r"""Return the same JSON with hidden characters and long runs of blanks as escapes, such as \u202e."""
    escaped = _RUN.sub(lambda match: match[0] if _belongs(match) else _escaped(match[0]), json_text)
    return _BLANKS_IN_STRING.sub(lambda match: _escaped(match[0]), escaped)


_SPACES = "\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
MOST_BLANKS, MOST_LINES = 40, 12
# A line of JSON begins outside of a string, with its indentation.
_BLANKS_IN_STRING = re.compile(rf"(?<![\n{_SPACES}])[{_SPACES}]{{{MOST_BLANKS + 1},}}")

# What a terminal obeys, or lets reorder a line. A lone carriage return goes back to the start of the line.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def terminal_text(text: str) -> str:
    """Return the text with marks for what a terminal would obey: controls but the tab and the end of a line, and
    characters that change the direction."""
    return _OBEYED.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links and other texts for the terminal
    r"|\x1b[ -/]*[0-~]?"
)
_TAKEN_BACK = re.compile(r"[^\n\x08]\x08 ?\x08?")
_LEFT_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printed_text(text: str) -> str:
    """Return what a terminal would have shown of the text, about: without its codes, of a line that was written over
    the last state.
    """
    lines = _CODES.sub("", text).split("\n")
    shown = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return _LEFT_CONTROLS.sub("", _TAKEN_BACK.sub("", shown))


class PieceKind(StrEnum):
    """What a piece of a shown text is. `lines` are empty lines."""

    TEXT = "text"
    HIDDEN = "hidden"
    BLANKS = "blanks"
    LINES = "lines"
    SECRET = "secret"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, as it is in the source."""

    kind: PieceKind
    text: str


def text_pieces(text: str, *, most_blanks: int = MOST_BLANKS) -> list[Piece]:
    """Cut a text into plain pieces, hidden characters, and runs of blanks or empty lines that would push what follows
    out of sight: of more than `most_blanks`, or MOST_LINES."""
    pieces, at = [], 0
    for start, end, kind in sorted([*_hidden_places(text), *_blank_places(text, most_blanks)]):
        if start > at:
            pieces.append(Piece(PieceKind.TEXT, text[at:start]))
        pieces.append(Piece(kind, text[start:end]))
        at = end
    return [*pieces, Piece(PieceKind.TEXT, text[at:])] if at < len(text) else pieces


def _hidden_places(text: str) -> Iterator[tuple[int, int, PieceKind]]:
    return ((start, end, PieceKind.HIDDEN) for start, end, _ in hidden_runs(text))


_LONG_RUN = re.compile(rf"(?P<lines>(?:[{_SPACES}]*+[\n\r]){{{MOST_LINES},}}+)|[{_SPACES}]{{8,}}+")


def _blank_places(text: str, most_blanks: int) -> Iterator[tuple[int, int, PieceKind]]:
    for match in _LONG_RUN.finditer(text):
        if match["lines"] or len(match[0]) > most_blanks:
            yield *match.span(), PieceKind.LINES if match["lines"] else PieceKind.BLANKS


def hidden_mark(text: str) -> str:
    """Return the mark of a run of one hidden character."""
    name = f"U+{ord(text[0]):04X}"
    return f"⟨{name}⟩" * len(text) if len(text) <= _MOST_MARKS else f"⟨{len(text):,} × {name}⟩"


def _shown(match: re.Match[str]) -> str:
    return match[0] if _belongs(match) else _mark(match)


def _mark(match: re.Match[str]) -> str:
    return hidden_mark(match[0])


def _escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _belongs(match: re.Match[str]) -> bool:
    """Return whether the text around it needs the character: it stays as it is."""
    sign, text = match[1], match.string
    if sign is None:  # a flag
        return True
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if sign == "\u2800":  # pictures made of Braille patterns
        return bool(_BRAILLE.match(before) or _BRAILLE.match(after))
    if len(match[0]) > 1:
        return False
    if sign in "\u200e\u200f\u061c":
        return _is_right_to_left(before) or _is_right_to_left(after)
    if not before or _IS_HIDDEN.match(before):
        # of two in a row one is too many, but for a joiner behind the selector of a picture
        return sign == "\u200d" and before == "\ufe0f" and _is_picture(after)
    if sign == "\u200d" and _is_picture(before) and _is_picture(after):
        return True
    if sign in "\u200b\u200c\u200d":
        return _JOINING.match(before) is not None
    if sign in "\ufe0e\ufe0f":
        return (before in "#*0123456789" and after == "\u20e3") or _is_picture(before)
    if "\ufe00" <= sign <= "\ufe0d":
        return before > "\x7f" and unicodedata.category(before) in ("Lo", "Sm", "So")
    if "\U000e0100" <= sign <= "\U000e01ef":
        return _HAN.match(before) is not None
    return "\u180b" <= sign <= "\u180f" and _MONGOLIAN.match(before) is not None


def _is_picture(sign: str) -> bool:
    return sign > "\x7f" and (_PICTURE.match(sign) is not None or unicodedata.category(sign) in ("So", "Sm"))


def _is_right_to_left(sign: str) -> bool:
    return bool(sign) and unicodedata.bidirectional(sign) in ("R", "AL") and not _IS_HIDDEN.match(sign)
