"""`search_files`: the lines of files that hold a text or match a pattern (AGENTS_AND_TOOLS §5).

The search walks by names, so that a folder that is replaced by a link meanwhile would lead it out of what is allowed,
and it knows nothing of the app's own files. So only places are taken from it: the text of a match is read anew, through
folders that are opened as for every file tool. What cannot be read that way is left out.
"""

import codecs
import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import FileIO
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any

from core.domain.access import Access
from core.domain.tool import Category, ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.threads.pieces import Pieces, in_thread
from core.tools import schema
from core.tools.file_access import (
    SYSTEM_FOLDERS,
    PickedFiles,
    ResolvedPath,
    is_system_path,
    path_errors,
    resolve_path,
    retry_with_picked,
    shown_name,
)
from core.tools.lacking_places import lacking_folders
from core.tools.measure import format_count
from core.tools.own_places import OwnPlaces
from core.tools.registry import Arguments, Tool
from core.tools.ripgrep import SEARCH_S, Match, search

MAX_MATCHES = 500
LINE_BYTES = 400
BEFORE_BYTES = 100  # of a long line, what is shown before its match
_FILE_SIZE = "10M"  # as read_file
_CUT = "\N{HORIZONTAL ELLIPSIS}"

_INFO = ToolInfo(
    name="search_files",
    title="Search files",
    description=(
        "Searches the text files of a folder and its sub-folders, or a single file, and returns {path, matches: "
        "[{path, line, text}], truncated}: each matching line once, sorted by path; a long line is cut around its "
        "first match. Not searched: what .gitignore leaves out, .git, links, binary files and files above 10 MB. "
        f"truncated is true above {MAX_MATCHES} lines or {SEARCH_S:g} seconds, incomplete if something could not be "
        "read."
    ),
    input_schema=schema.of_object(
        {"query": schema.text("The text to find, exactly as it is; with regex, a regular expression.", 2_000)},
        {
            "path": {**schema.path("The folder or file to search."), "default": "."},
            "regex": schema.flag("Whether query is a regular expression (as in Rust or RE2).", default=False),
            "ignore_case": schema.flag("Take capitals and small letters as the same.", default=False),
            "names": schema.array(
                "Search only files that have such a name.",
                schema.text("Wildcards (* ? [a-z] {a,b}) for the name of a file, without its folder: *.txt", 255),
                20,
            ),
            "exclude": schema.array(
                "Leave out such files and folders.", schema.text("As in .gitignore: tests/ or *.min.js", 255), 20
            ),
            "ignored": schema.flag("Search what .gitignore leaves out, too.", default=False),
        },
    ),
    category=Category.FILES,
)


def tool(picked: PickedFiles, own: OwnPlaces) -> Tool:
    """Return the tool. Errors: as `core.tools.file_access` and `core.tools.ripgrep`.

    Names that are not UTF-8 are shown with escapes, as by `list_files`; other bytes of a line as `\\xe9`.
    """

    async def call(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        path = context.from_base(arguments.get("path", "."))
        options = [*_options(arguments)]

        async def work(files: Sequence[str]) -> dict[str, Any]:
            target, is_file, hidden = await in_thread(_resolve(path, context.allow, files, own))
            folder, name = os.path.split(target.real) if is_file else (target.real, "")
            found = await search([*options, *hidden], folder, name, MAX_MATCHES)
            matches = await in_thread(_read(target, found.matches, is_file=is_file))
            result: dict[str, Any] = {"path": target.path, "matches": matches, "truncated": found.is_truncated}
            return {**result, "incomplete": True} if found.is_incomplete else result

        return await retry_with_picked(picked, context, work)

    lacking = lacking_folders(own, picked, path=Access.READ)
    return Tool(_INFO, server=call, read_only=True, timeout_s=SEARCH_S + 10, summary=_summary, lacking=lacking)


def _options(arguments: Arguments) -> Iterator[str]:
    """Yield the program's options. Raises ToolFailed `invalid_arguments` for what none of its options can say."""
    names = arguments.get("names", ())
    texts = [arguments["query"], *names, *arguments.get("exclude", ())]
    if any("\0" in text or text.encode(errors="replace").decode() != text for text in texts):
        raise ToolFailed("invalid_arguments", "there is a NUL character, or half a character (a lone surrogate)")
    if any("/" in name for name in names):
        raise ToolFailed("invalid_arguments", "names are without folders; use path and exclude for folders")
    query, is_regex = arguments["query"], arguments.get("regex", False)
    yield from ("--hidden", "--no-require-git", f"--max-filesize={_FILE_SIZE}")
    yield "--no-fixed-strings" if is_regex else "--fixed-strings"
    yield "--ignore-case" if arguments.get("ignore_case", False) else "--case-sensitive"
    if "\n" in query or (is_regex and "\\n" in query):
        yield "--multiline"
    if arguments.get("ignored", False):
        yield "--no-ignore"
    if names:
        # A type, since a glob would also find what is ignored. A colon ends the name of the type.
        yield from (f"--type-add=wanted:{name.replace(':', '?')}" for name in names)
        yield "--type=wanted"
    yield from (f"--glob=!{pattern}" for pattern in (".git", *arguments.get("exclude", ())))
    yield f"--regexp={query}"


def _resolve(
    path: str, allow: Sequence[str], files: Sequence[str], own: OwnPlaces
) -> Pieces[tuple[ResolvedPath, bool, list[str]]]:
    """Return where the path leads, whether that is a file, and options that keep the search out of what none may see:
    a matter of time and of the limit alone, since nothing is read there in any case.
    """
    target = resolve_path(path, allow, files, own)
    yield
    real = PurePath(target.real)
    is_file = not os.path.isdir(real)  # noqa: PTH112 - never raises
    with path_errors(target.path):
        if is_file:
            with target.parent() as (folder, name):
                folder.open_file(name, os.O_RDONLY).close()
        else:
            target.folder().close()
    system = () if is_system_path(real) else map(Path, SYSTEM_FOLDERS)
    places = [PurePath(os.path.realpath(place)) for place in (*own.data, *own.program, *system)]
    inside = [place.relative_to(real).as_posix() for place in places if place.is_relative_to(real)]
    return target, is_file, [f"--glob=!/{glob.escape(place)}" for place in inside]


def _read(target: ResolvedPath, found: Sequence[Match], *, is_file: bool) -> Pieces[list[dict[str, Any]]]:
    """Return the matches with their text; not those in files that may not be read or are gone."""
    matches = []
    for parts, of_file in groupby(found, key=lambda match: match.parts):
        path = target.path if is_file else str(Path(target.path, *map(shown_name, parts)))
        place = target if is_file else replace(target, parts=(*target.parts, *parts))
        if is_system_path(PurePath(place.real)) and not is_system_path(PurePath(target.real)):
            continue
        try:
            with place.parent() as (folder, name), folder.open_file(name, os.O_RDONLY) as file:
                for match in of_file:
                    matches.append({"path": path, "line": match.line, "text": _text(file, match)})
                    yield
        except (OSError, ToolFailed):
            continue
    return matches


def _text(file: FileIO, match: Match) -> str:
    """Return the line, or of a long one the part around its match."""
    skipped = match.start - BEFORE_BYTES if match.start > LINE_BYTES - BEFORE_BYTES else 0
    file.seek(match.offset + skipped)
    data = file.read(LINE_BYTES + 1) or b""
    line, end, _ = data.partition(b"\n")
    is_cut = not end and len(data) > LINE_BYTES
    if skipped:
        line = line.lstrip(bytes(range(0x80, 0xC0)))  # the rest of a character
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    text = decoder.decode(line[:LINE_BYTES], final=not is_cut).removeprefix("\ufeff").removesuffix("\r")
    return f"{_CUT if skipped else ''}{text}{_CUT if is_cut else ''}"


def _summary(arguments: Arguments, value: Any) -> str:
    matches = value["matches"]
    in_files = format_count(len({match["path"] for match in matches}), "file")
    more = " and more" if value["truncated"] else ""
    return f"{format_count(len(matches), 'line')} in {in_files}{more}" if matches else "nothing found" + more
