"""Decide whether a value is displayed as Markdown, a table or JSON; diffs as text. Pure."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.file_diff import DiffLine, FileDiff, LineKind
from core.domain.text.json_text import indented_json

MAX_PARSED_CHARACTERS = 1_000_000
MAX_TABLE_CHARACTERS = 10_000
MAX_TABLE_COLUMNS = 12
MAX_CELL_CHARACTERS = 300
MAX_DIFF_LINES = 1_000

_JSON_START = re.compile(r"\s*[\[{]")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#!&])")


@dataclass(frozen=True, slots=True)
class MarkdownText:
    text: str


@dataclass(frozen=True, slots=True)
class JsonText:
    """JSON, indented up to 64,000 characters."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A list of flat objects. `rows` are the first rows as displayed, `source` is the JSON of all rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    source: str


Presentation = MarkdownText | JsonText | Table


def present_output(text: str) -> Presentation:
    """Return how the text of a run's output is displayed: a table, JSON, or else Markdown."""
    if not _JSON_START.match(text):
        return MarkdownText(text)
    # parsing more would block the frame
    if len(text) > MAX_PARSED_CHARACTERS:
        return JsonText(text)
    try:
        value = json.loads(text)
    # text that merely begins like JSON
    except (ValueError, RecursionError):
        return MarkdownText(text)
    return _to_table(value, text) or JsonText(indented_json(value, text))


def present_value(value: Any) -> Presentation:
    """Return how a step's output or a call's arguments are displayed."""
    if isinstance(value, str):
        return MarkdownText(value)
    text = json.dumps(value, ensure_ascii=False)
    return _to_table(value, text) or JsonText(indented_json(value, text))


def table_markdown(table: Table) -> str:
    """Return the table as Markdown, with the text of its cells escaped."""
    lines = [table.columns, ("---",) * len(table.columns), *table.rows]
    escaped = (lines[1] if line is lines[1] else tuple(map(_escape_cell, line)) for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _escape_cell(cell: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(cell.split()))


def _to_table(value: Any, source: str) -> Table | None:
    """Return a table, or None unless `value` is a list of objects with few fields and no nested structure."""
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) and row for row in value):
        return None
    columns = tuple(dict.fromkeys(str(key) for row in value for key in row))
    if len(columns) > MAX_TABLE_COLUMNS or any(isinstance(cell, dict | list) for row in value for cell in row.values()):
        return None
    return Table(columns, tuple(_first_rows(value, columns)), len(value), source)


def _first_rows(rows: list[dict[str, Any]], columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield as many rows as can be laid out at once."""
    room = MAX_TABLE_CHARACTERS
    for row in rows:
        cells = tuple(_cell_text(row[column]) if column in row else "" for column in columns)
        yield cells
        room -= sum(map(len, cells)) + 10 * len(cells)
        if room < 0:
            return


def _cell_text(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_CELL_CHARACTERS else text[: MAX_CELL_CHARACTERS - 1] + "…"


_SIGNS = {LineKind.ADDED: "+", LineKind.REMOVED: "-", LineKind.SAME: " "}
_ENDS = {"\r\n": "⟨CR LF⟩", "\n": "⟨LF⟩", "": "⟨EOF⟩"}


def diff_text(diff: FileDiff) -> str:
    """Return a diff as text, with a sign at the beginning of each line, cut after MAX_DIFF_LINES. Line ends are marked
    where they change.
    """
    shown = "".join(map(_diff_line, diff.lines[:MAX_DIFF_LINES]))
    more = len(diff.lines) - MAX_DIFF_LINES
    return f"{shown}{_gap(more)}" if more > 0 else shown


def _diff_line(line: DiffLine) -> str:
    if line.kind is LineKind.GAP:
        return _gap(line.number)
    end = _ENDS.get(line.end, "") if line.end_differs else ""
    return f"{_SIGNS[line.kind]}{line.text}{end}\n"


def _gap(lines: int) -> str:
    return f"@@ \N{MIDLINE HORIZONTAL ELLIPSIS} {lines} @@\n"
