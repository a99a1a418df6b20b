"""`edit_file`: replace passages of a text file (AGENTS_AND_TOOLS §5)."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from core.domain.access import Access
from core.domain.risk import Risk
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces
from core.tools import schema
from core.tools.file_access import PickedFiles, path_errors, resolve_path
from core.tools.file_copies import ChangeRecord, FileCopies, keeping, record_changes, require_same
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_count
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool
from core.tools.text_files import SeenFiles, TextFile, encoded, read_text, replace_file, require_stamp, storable

MAX_EDITS = 100
MAX_CHARACTERS = 200_000
SHOWN_LINES = 10
BATCH = 1_000
HINT_CHARACTERS = 200_000  # what a search may take without holding up the loop
_LONE_NEWLINE = re.compile(r"(?<!\r)\n")

_INFO = ToolInfo(
    name="edit_file",
    title="Edit file",
    description=(
        "Replaces passages of a text file (UTF-8) and returns {path, replacements, added, removed}: how many passages "
        "were replaced, and how many lines that added and removed. Each old must be an exact copy of a passage that "
        "occurs once, with enough around it to be the only one; with all, every occurrence is replaced. All edits are "
        "found in the file as it is before the call and may not overlap. If one cannot be made, none is. Line ends, "
        "byte order mark and mode of the file are kept."
    ),
    input_schema=schema.of_object(
        {
            "path": schema.path("The file to edit."),
            "edits": schema.array(
                "The passages to replace.",
                schema.of_object(
                    {
                        "old": schema.text("The passage, exactly as it is in the file.", MAX_CHARACTERS),
                        "new": schema.text("What takes its place.", MAX_CHARACTERS, can_be_empty=True),
                    },
                    {"all": schema.flag("Replace every occurrence.", default=False)},
                ),
                MAX_EDITS,
                minItems=1,
            ),
        }
    ),
    risk=Risk.MEDIUM,
    category=Category.FILES,
)

Replacement = tuple[int, int, str]
"""Where a passage begins and ends, and what takes its place."""


def tool(picked: PickedFiles, own: OwnPlaces, seen: SeenFiles, copies: FileCopies) -> Tool:
    """Return the tool, which keeps `copies` of what it changes. Errors: as `write_file`, `not_text`,
    `output_too_large`, `no_match`, `several_matches`, and `invalid_arguments` for edits that overlap or change nothing;
    after an error the file is unchanged.

    In a file whose lines all end with CRLF, a newline of an edit stands for that.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path, edits = context.from_base(arguments["path"]), arguments["edits"]

        def work(files: Sequence[str], record: ChangeRecord) -> Pieces[dict[str, Any]]:
            target = resolve_path(path, context.allow, files, own, context.read_only)
            with path_errors(target.path), target.parent() as (folder, name):
                seen.require_unchanged(context.run_id, target, folder, name)
                before = yield from record.before(folder, name)
                file = yield from read_text(folder, name)
                require_same(before, folder, name)
                replacements = yield from find_all(file, edits)
                written: list[bytes] = []
                pieces = keeping(_encoded(file.text, replacements), written)
                stamp = yield from replace_file(folder, name, pieces, lambda: require_stamp(file.stamp, folder, name))
                yield from record.add("written", target, before, b"".join(written))
            seen.note(context.run_id, target, stamp)
            removed = sum(_lines(file.text[start:end]) for start, end, _ in replacements)
            added = sum(_lines(new) for _, _, new in replacements)
            return {"path": target.path, "replacements": len(replacements), "added": added, "removed": removed}

        return await record_changes(copies, picked, context, work)

    return Tool(_INFO, server=call, summary=_summary, lacking=lacking_folders(own, picked, path=Access.WRITE))


def find_all(file: TextFile, edits: Sequence[Arguments]) -> Pieces[list[Replacement]]:
    """Return the replacements of all edits, in the order of the file. Raises ToolFailed as the tool does."""
    text = file.text
    is_crlf = 0 < file.lines == text.count("\r\n")
    found = []
    for number, edit in enumerate(edits, 1):
        old, new = edit["old"], storable(edit["new"])
        if is_crlf:
            old, new = _LONE_NEWLINE.sub("\r\n", old), _LONE_NEWLINE.sub("\r\n", new)
        if old == new:
            raise ToolFailed("invalid_arguments", f"edit {number} changes nothing: old and new are the same")
        places = yield from _places(text, old)
        if not places:
            raise ToolFailed("no_match", f"edit {number}: the passage is not in the file{_hint(text, old)}")
        if len(places) > 1 and not edit.get("all", False):
            raise ToolFailed("several_matches", _several(number, text, places))
        found += [(start, start + len(old), new, number) for start in places]
    yield
    found.sort()
    for (_, end, _, one), (start, _, _, other) in pairwise(found):
        if start < end:
            raise ToolFailed("invalid_arguments", f"edits {min(one, other)} and {max(one, other)} overlap")
    return [(start, end, new) for start, end, new, _ in found]


def _places(text: str, old: str) -> Pieces[list[int]]:
    """Return where the passage begins, each time after the end of the one before."""
    places: list[int] = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        if len(places) % BATCH == 0:
            yield
        at = text.find(old, at + len(old))
    return places


def _hint(text: str, old: str) -> str:
    """Return what may be wrong with a passage that was not found."""
    stripped = old.strip()
    if stripped and stripped != old and stripped in text:
        return "; without the blanks at its ends it is"
    words = old.split()
    if 1 < len(words) < BATCH and len(text) < HINT_CHARACTERS and re.search(r"\s+".join(map(re.escape, words)), text):
        return "; with other blanks or line ends it is"
    return ""


def _several(number: int, text: str, places: Sequence[int]) -> str:
    shown = ", ".join(str(text.count("\n", 0, at) + 1) for at in places[:SHOWN_LINES])
    more = " and more" if len(places) > SHOWN_LINES else ""
    return (
        f"edit {number}: the passage is {len(places):,} times in the file, on lines {shown}{more}; "
        "copy more of what is around it, or set all"
    )


def _encoded(text: str, replacements: Sequence[Replacement]) -> Iterator[bytes]:
    at = 0
    for start, end, new in (*replacements, (len(text), len(text), "")):
        yield from encoded(text, at, start)
        yield from encoded(new)
        at = end


def _lines(passage: str) -> int:
    """Return how many lines the passage touches."""
    return passage.count("\n") + (bool(passage) and not passage.endswith("\n"))


def _summary(arguments: Arguments, value: Any) -> str:
    return f"{format_count(value['replacements'], 'passage')}: +{value['added']} −{value['removed']}"
