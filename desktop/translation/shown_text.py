"""Texts and diffs as they are shown: hidden characters, long blanks and folded secrets as marks (UI §6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QCoreApplication

from core.domain.file_diff import DiffLine, FileDiff, LineKind, Span
from core.domain.text.hidden import MOST_BLANKS, MOST_LINES, Piece, PieceKind, hidden_mark, text_pieces
from desktop.translation.formats import number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_MOST_BLANKS_IN_LINE = 8
_MOST_IN_LINE = 8_000
_BEGINNING, _ENDING = 240, 120  # characters of a long value that stay in sight


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as it is shown; `marks` are the places in it that stand for something else."""

    text: str
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A row of a diff: its text as it is shown, and its number (`DiffLine`). A gap has no text."""

    kind: LineKind
    text: str
    number: int = 0
    marks: tuple[Span, ...] = ()


def diff_rows(diff: FileDiff, *, are_secrets_shown: bool = False) -> Iterator[DiffRow]:
    """Yield the rows that show a diff. Many empty lines that are added or removed in a row are a single row."""
    for (kind, is_empty), group in groupby(diff.lines, key=lambda line: (line.kind, not line.text.strip())):
        lines = list(group)
        if is_empty and len(lines) >= MOST_LINES:
            text = translate("Attention", "⟨{number} line ends⟩").format(number=number(len(lines)))
            yield DiffRow(kind, text, lines[0].number, ((0, len(text)),))
        else:
            for line in lines:
                yield _diff_row(line, are_secrets_shown=are_secrets_shown)


def _diff_row(line: DiffLine, *, are_secrets_shown: bool) -> DiffRow:
    if line.kind is LineKind.GAP:
        return DiffRow(line.kind, "", line.number)
    shown = shown_text(line.text, () if are_secrets_shown else line.secrets, is_line=True)
    text, marks = shown.text, shown.marks
    end = _ENDS.get(line.end) if line.end_differs else None
    if end is not None:
        marks = (*marks, (len(text), len(text) + len(end)))
        text += end
    return DiffRow(line.kind, text, line.number, marks)


_ENDS = {"\r\n": "⟨CR LF⟩", "\n": "⟨LF⟩", "": "⟨EOF⟩"}


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
