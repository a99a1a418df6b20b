"""What a call that waits for consent would do to a file, compared with the file as it is now (UI §6)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from core.domain.call_description import Weight, secret_places, weight_of
from core.domain.file_diff import MAX_CHARACTERS, FileChange, compare
from core.domain.ids import RunId
from core.domain.text.secret_names import name_words
from core.domain.tool import mcp_server_of
from core.errors import ToolFailed
from core.threads.pieces import Pieces
from core.tools.builtin.edit_file import find_all
from core.tools.file_access import is_system_path, path_errors, resolve_path
from core.tools.own_places import OwnPlaces
from core.tools.text_files import SeenFiles, TextFile, read_text, require_stamp, stamp_of, storable

_WRITING = frozenset({"write", "create", "save", "overwrite", "append", "put", "update", "edit", "replace", "insert"})
_TEXTS = ("content", "contents", "text", "file_text", "file_content", "new_content", "new_contents")
_PAIRS = (("old_string", "new_string"), ("old_str", "new_str"), ("oldText", "newText"), ("old_text", "new_text"))


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """What a call does to a file: its new `text`, or `edits` with old, new and all. `covered` are the names of these
    arguments.
    """

    path: str
    text: str = ""
    edits: Sequence[Mapping[str, Any]] = ()
    is_appended: bool = False
    is_own: bool = True
    covered: tuple[str, ...] = ()


def proposed_change(tool: str, arguments: Any) -> ProposedChange | None:
    """Return the change that a call makes to a file, or None if it makes none. Of a tool of a server the names of its
    arguments decide: a path, and a text or pairs of passages.
    """
    if not isinstance(arguments, Mapping):
        return None
    if mcp_server_of(tool) is not None:
        return _of_server(tool, arguments)
    path, text, edits = arguments.get("path"), arguments.get("content"), arguments.get("edits")
    if not isinstance(path, str):
        return None
    if tool == "write_file" and isinstance(text, str):
        return ProposedChange(path, text, is_appended=arguments.get("append") is True, covered=("content",))
    if tool == "edit_file" and (pairs := _pairs(edits, "old", "new")):
        return ProposedChange(path, edits=pairs, covered=("edits",))
    return None


def _of_server(tool: str, arguments: Mapping[str, Any]) -> ProposedChange | None:
    paths = [value for name, value in arguments.items() if weight_of(name) is Weight.PATH and isinstance(value, str)]
    verbs = _WRITING.intersection(name_words(tool.rpartition("__")[2]))
    if len(paths) != 1 or not verbs or not os.path.isabs(paths[0]):  # noqa: PTH117
        return None
    for old, new in _PAIRS:
        pairs = _pairs(arguments.get("edits"), old, new) or _pairs([arguments], old, new)
        if pairs:
            edits = [{"old": pair[old], "new": pair[new], "all": pair.get("replace_all") is True} for pair in pairs]
            covered = ("edits",) if "edits" in arguments else (old, new)
            return ProposedChange(paths[0], edits=edits, is_own=False, covered=covered)
    texts = [name for name in _TEXTS if isinstance(arguments.get(name), str)]
    if len(texts) != 1 or "insert" in verbs:
        return None
    is_appended = "append" in verbs or arguments.get("append") is True
    return ProposedChange(paths[0], arguments[texts[0]], is_appended=is_appended, is_own=False, covered=(texts[0],))


def _pairs(edits: Any, old: str, new: str) -> Sequence[Mapping[str, Any]]:
    """Return the edits if each has both passages, else none."""
    if not isinstance(edits, list):
        return ()
    fit = [
        edit
        for edit in edits
        if isinstance(edit, Mapping) and isinstance(edit.get(new), str) and isinstance(edit.get(old), str) and edit[old]
    ]
    return fit if len(fit) == len(edits) else ()


class FileChanges:
    """Compares proposed changes with files. `seen` is what the runs know of them; no `own` file is read."""

    def __init__(self, seen: SeenFiles, own: OwnPlaces) -> None:
        self._seen = seen
        self._own = own

    def change(
        self, run_id: RunId, proposed: ProposedChange, folders: Sequence[str], base: str | None
    ) -> Pieces[FileChange | None]:
        """Return the change, or None where there is no file that a tool of a server could mean."""
        path = os.path.join(base or next(iter(folders), ""), proposed.path)  # noqa: PTH118
        try:
            return (yield from self._change(run_id, proposed, path, folders))
        except ToolFailed as error:
            if not proposed.is_own:
                return None
            return FileChange(path, problem=error.code)
        except (OSError, ValueError):
            return None

    def state(self, path: str) -> Pieces[tuple[int, ...] | None]:
        """Return the state of the file, to be compared with that of a change; None without a file."""
        yield
        try:
            return tuple(stamp_of(os.stat(path)))  # noqa: PTH116
        except (OSError, ValueError):
            return None

    def _change(
        self, run_id: RunId, proposed: ProposedChange, path: str, folders: Sequence[str]
    ) -> Pieces[FileChange | None]:
        # What the user is shown may lie outside of the folders of the run: the tool refuses that later, or asks.
        around = os.path.dirname(path)  # noqa: PTH120
        if around and is_system_path(PurePath(os.path.realpath(around))):
            around = ""
        target = resolve_path(path, [*folders, *([around] if os.path.isabs(around) else [])], (), self._own)  # noqa: PTH117
        file: TextFile | None = None
        change = FileChange(target.real, is_certain=proposed.is_own, covered=proposed.covered)
        with path_errors(target.path):
            try:
                with target.parent() as (folder, name):
                    file = yield from read_text(folder, name)
                    if proposed.is_own and not proposed.is_appended:
                        try:
                            self._seen.require_unchanged(run_id, target, folder, name)
                        except ToolFailed as error:
                            change = replace(change, problem=error.code)
                    require_stamp(file.stamp, folder, name)
            except FileNotFoundError:
                if proposed.edits or not proposed.is_own:
                    raise
        before = "" if file is None else file.text
        after = before + storable(proposed.text) if proposed.is_appended else storable(proposed.text)
        if proposed.edits and file is not None:
            try:
                replacements = yield from find_all(file, proposed.edits)
            except ToolFailed as error:
                if not proposed.is_own:
                    raise
                return replace(change, problem=error.code, state=tuple(file.stamp))
            after = _replaced(before, replacements)
            yield
        if max(len(before), len(after)) <= MAX_CHARACTERS:
            hidden = (yield from secret_places(before)), (yield from secret_places(after))
            diff = yield from compare(before, after, *hidden)
        else:
            diff = None
        if diff is None and change.problem is None:
            change = replace(change, problem="output_too_large")
        state = None if file is None else tuple(file.stamp)
        return replace(change, diff=diff, is_new=file is None, state=state)


def _replaced(text: str, replacements: Sequence[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, new in replacements:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])
