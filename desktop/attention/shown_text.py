"""Texts of a card as they are shown: hidden characters, long blanks and folded secrets as marks (UI §6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.domain.call_description import Span
from core.domain.text.hidden import MOST_BLANKS, Piece, PieceKind, hidden_mark, text_pieces
from desktop.translation import number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_MOST_BLANKS_IN_LINE = 8
_MOST_IN_LINE = 8_000
_BEGINNING, _ENDING = 240, 120  # characters of a long value that stay in sight


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as it is shown; `marks` are the places in it that stand for something else."""

    text: str
    marks: tuple[Span, ...]


def shown_text(
    text: str, secrets: Sequence[Span] = (), *, first: int = 0, is_line: bool = False, most_blanks: int = MOST_BLANKS
) -> ShownText:
    """Return the text with marks. `secrets` are folded, their places counted from `first` characters before the text.

    `is_line`: on a single line, with a mark for each line end.
    """
    shown, marks, length = list[str](), list[Span](), 0
    for piece in _pieces(text, [(start - first, end - first) for start, end in secrets], most_blanks):
        is_text = piece.kind is PieceKind.TEXT
        content = piece.text if is_text else _mark(piece, is_line=is_line)
        if is_line:
            content = content.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
        if not is_text:
            marks.append((length, length + len(content)))
        shown.append(content)
        length += len(content)
    return ShownText("".join(shown), tuple(marks))


def shown_line(text: str, secrets: Sequence[Span] = ()) -> str:
    """Return a value that decides about a call on one line; of a long one the beginning, the end and its size."""
    if len(text) > 2 * _MOST_IN_LINE:
        ending = len(text) - _MOST_IN_LINE
        beginning = shown_text(text[:_MOST_IN_LINE], secrets, is_line=True, most_blanks=_MOST_BLANKS_IN_LINE).text
        end = shown_text(text[ending:], secrets, first=ending, is_line=True, most_blanks=_MOST_BLANKS_IN_LINE).text
    else:
        beginning = end = shown_text(text, secrets, is_line=True, most_blanks=_MOST_BLANKS_IN_LINE).text
        if len(beginning) <= _BEGINNING + _ENDING:
            return beginning
    left_out = translate("Attention", "⟨… {number} characters in all …⟩").format(number=number(len(text)))
    return f"{beginning[:_BEGINNING]} {left_out} {end[-_ENDING:]}"


def _pieces(text: str, secrets: Sequence[Span], most_blanks: int) -> list[Piece]:
    pieces, at = list[Piece](), 0
    for first, last in secrets:
        start, end = max(first, at), min(last, len(text))
        if start < end:
            pieces += text_pieces(text[at:start], most_blanks=most_blanks)
            pieces.append(Piece(PieceKind.SECRET, text[start:end]))
            at = end
    return pieces + text_pieces(text[at:], most_blanks=most_blanks)


def _mark(piece: Piece, *, is_line: bool) -> str:
    match piece.kind:
        case PieceKind.BLANKS:
            return translate("Attention", "⟨{number} blanks⟩").format(number=number(len(piece.text)))
        case PieceKind.LINES:
            lines = number(piece.text.count("\n") or piece.text.count("\r"))
            mark = translate("Attention", "⟨{number} line ends⟩").format(number=lines)
            return mark if is_line else f"\n{mark}\n"
        case PieceKind.SECRET:
            return translate("Attention", "⟨secret, {number} characters⟩").format(number=number(len(piece.text)))
        case _:
            return hidden_mark(piece.text)
