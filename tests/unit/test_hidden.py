"""Characters that are not seen: marked for the user, escaped in JSON, removed for models, not obeyed by a terminal."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.text.hidden import (
    PieceKind,
    escape_hidden,
    hidden_runs,
    placeholders,
    reveal,
    terminal_text,
    text_pieces,
    without_hidden,
)

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
# Format characters that are drawn: number signs around their numbers.
_DRAWN = {0x6DD, 0x70F, 0x8E2, 0x890, 0x891, 0x110BD, 0x110CD, *range(0x600, 0x606)}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("é\u200bé", "é⟨U+200B⟩é"),
        ("a\x00b\x1b[31m\x9b", "a⟨U+0000⟩b⟨U+001B⟩[31m⟨U+009B⟩"),
        ("ok\U000e0041\U000e0042", "ok⟨U+E0041⟩⟨U+E0042⟩"),
        ("ok\U000e0163", "ok⟨U+E0163⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("echo\u3164hi\u115f\u1160\uffa0", "echo⟨U+3164⟩hi⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩"),
        ("pay\u2800\u034f", "pay⟨U+2800⟩⟨U+034F⟩"),
        ("ls \U0001d173\U0001bca0 x", "ls ⟨U+1D173⟩⟨U+1BCA0⟩ x"),
        ("x\u061cy\u200ez\u200f", "x⟨U+061C⟩y⟨U+200E⟩z⟨U+200F⟩"),
        ("a\u2028b\u2029c\ufdd0d\uffff", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+FDD0⟩d⟨U+FFFF⟩"),
        ("rm\u00ad -r\u2060f\ufeff", "rm⟨U+00AD⟩ -r⟨U+2060⟩f⟨U+FEFF⟩"),
        ("a\ufe0fb\ufe00c\u180e", "a⟨U+FE0F⟩b⟨U+FE00⟩c⟨U+180E⟩"),
        ("+\u200d=", "+⟨U+200D⟩="),
        ("\U0001f3f4\U000e0041\U000e007f", "\U0001f3f4⟨U+E0041⟩⟨U+E007F⟩"),
        ("می\u200c\u200cx", "می⟨U+200C⟩⟨U+200C⟩x"),
        ("❤\ufe0f\ufe0f", "❤⟨U+FE0F⟩⟨U+FE0F⟩"),
        ("a" + "\u200b" * 3_000 + "b", "a⟨3,000 × U+200B⟩b"),
    ],
)
def test_what_is_not_seen_is_named(text: str, seen: str) -> None:
    assert reveal(text) == seen


KEPT = [
    "👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🧑🏽\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3 🙂\u200d↔\ufe0f ‼\ufe0f",
    ENGLAND,
    f"{PERSIAN} \u0647\u200d",
    "क्\u200dष র\u200d্য",
    "ไทย\u200bไทย",
    "שלום\u200f! مرحبا\u200f (abc)",
    "葛\U000e0100城市",
    "⠀⠀⢀⣴⠀⠀",
    "e\u0301 tab\tline\r\n« bonjour\u00a0»",
    "ᠮᠣᠩᠭᠣᠯ\u180b",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert reveal(text) == without_hidden(text) == escape_hidden(text) == placeholders(text) == text
    assert list(hidden_runs(text)) == []


def test_every_character_of_these_properties_is_marked_between_latin_letters() -> None:
    unmarked = {
        point
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and reveal(f"a{chr(point)}b")[1] != "⟨"
    }
    assert unmarked == _DRAWN | {*map(ord, "\t\n\r")}


@given(st.text(alphabet=st.sampled_from('ab"\\\n\u202e\u200b\u200c\x00\x85\ud800\U000e0041 \u2003😀می'), max_size=50))
def test_json_with_escapes_is_the_same_json(text: str) -> None:
    value = {"k": text + " " * 50, text: [text]}
    written = escape_hidden(json.dumps(value, indent=2, ensure_ascii=False))
    assert json.loads(written) == value
    assert "\u202e" not in written
    assert "\x85" not in written


def test_json_keeps_its_indentation_and_escapes_long_blanks_in_texts_alone() -> None:
    deep: object = "x"
    for _ in range(60):
        deep = [deep]
    plain = json.dumps(deep, indent=2)
    assert escape_hidden(plain) == plain
    assert escape_hidden(json.dumps("a" + " " * 41 + "b")) == '"a' + r"\u0020" * 41 + 'b"'
    assert escape_hidden(json.dumps("a" + " " * 40 + "b")) == json.dumps("a" + " " * 40 + "b")


@given(st.text(alphabet="ab \n\u2003\u202e\u200b", max_size=80))
def test_the_pieces_of_a_text_are_all_of_it(text: str) -> None:
    assert "".join(piece.text for piece in text_pieces(text, most_blanks=8)) == text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("notes.txt" + " " * 3_000 + "/../../.profile", {PieceKind.BLANKS: 3_000}),
        ("ls" + "\u2003" * 300 + "; reboot", {PieceKind.BLANKS: 300}),
        ("a \u00a0\t" * 20, {PieceKind.BLANKS: 0}),
        ("ok\n" + "  \n" * 500 + "rm x", {PieceKind.LINES: 1_501}),
        ("def f():\n" + " " * 40 + "return\n\n\n", {}),
    ],
)
def test_long_blanks_and_empty_lines_are_pieces_of_their_own(text: str, kinds: dict[PieceKind, int]) -> None:
    pieces = [piece for piece in text_pieces(text) if piece.kind is not PieceKind.TEXT]
    assert {piece.kind: len(piece.text) for piece in pieces} == {kind: size for kind, size in kinds.items() if size}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\x1b]0;mine\x07\x1b[2J \u202etxt", "⟨U+001B⟩]0;mine⟨U+0007⟩⟨U+001B⟩[2J ⟨U+202E⟩txt"),
        ("\x9b2J\x85\x7f\x08", "⟨U+009B⟩2J⟨U+0085⟩⟨U+007F⟩⟨U+0008⟩"),
        ("safe\rrm -rf", "safe⟨U+000D⟩rm -rf"),
        (f"tab\tline\r\n{PERSIAN} 👨\u200d👩 é", f"tab\tline\n{PERSIAN} 👨\u200d👩 é"),
    ],
)
def test_a_terminal_obeys_nothing(text: str, written: str) -> None:
    assert terminal_text(text) == written


def test_long_texts_take_no_long_time() -> None:
    for text in (" " * 300_000, "\n" * 300_000, " \n" * 100_000, "\u200b\u200c" * 10_000, "a\n" * 100_000):
        assert sum(len(piece.text) for piece in text_pieces(text)) == len(text)
