"""What a call would do to a file, line by line."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.domain.file_diff import MAX_LINES, DiffLine, FileChange, FileDiff, LineKind, compare
from core.domain.ids import RunId
from core.services.file_changes import FileChanges, proposed_change
from core.threads.pieces import Pieces, T
from core.tools.file_access import Folder, resolve_path
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.text_files import SeenFiles, stamp_of

RUN = RunId("run_1")
LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x = 1", "é", "\r"]), max_size=60).map("\n".join)


def done(work: Pieces[T]) -> T:
    """Return the result of the work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def differences(before: str, after: str) -> FileDiff:
    diff = done(compare(before, after))
    assert diff is not None
    return diff


def shown(diff: FileDiff) -> list[str]:
    signs = {LineKind.ADDED: "+", LineKind.REMOVED: "-", LineKind.SAME: " ", LineKind.GAP: "…"}
    return [
        signs[line.kind] + (line.text or (str(line.number) if line.kind is LineKind.GAP else "")) for line in diff.lines
    ]


@given(LINES, LINES)
def test_a_diff_leads_from_the_old_text_to_the_new(before: str, after: str) -> None:
    diff = differences(before, after)
    old, new, place = before.split("\n"), after.split("\n"), {True: 0, False: 0}
    rebuilt: dict[bool, list[str]] = {True: [], False: []}

    def take(is_old: bool, count: int) -> None:
        lines = old if is_old else new
        rebuilt[is_old] += lines[place[is_old] : place[is_old] + count]
        place[is_old] += count

    for line in diff.lines or ((DiffLine(LineKind.GAP, "", len(new)),)):
        for is_old in (True, False):
            if line.kind is LineKind.GAP:
                take(is_old, line.number)
            elif line.kind is LineKind.SAME or (line.kind is LineKind.REMOVED) is is_old:
                text = line.text + line.end.removesuffix("\n")
                assert (old if is_old else new)[place[is_old]] == text
                take(is_old, 1)
    for is_old, text in ((True, before), (False, after)):
        assert "\n".join(rebuilt[is_old]).rstrip("\n") == text.rstrip("\n")
    assert diff.added == sum(line.kind is LineKind.ADDED for line in diff.lines)
    assert diff.removed == sum(line.kind is LineKind.REMOVED for line in diff.lines)


def test_a_diff_shows_changes_with_the_lines_around_them() -> None:
    before = "".join(f"line {number}\n" for number in range(1, 41))
    after = before.replace("line 20\n", "line twenty\nand more\n")
    diff = differences(before, after)
    assert (diff.added, diff.removed) == (2, 1)
    assert shown(diff) == [
        "…16", " line 17", " line 18", " line 19", "-line 20", "+line twenty", "+and more",
        " line 21", " line 22", " line 23", "…17",
    ]  # fmt: skip
    assert [line.number for line in diff.lines[4:8]] == [20, 20, 21, 22]


def test_changed_line_ends_and_a_missing_one_are_differences() -> None:
    def ends(before: str, after: str) -> list[str | None]:
        return [line.end if line.end_differs else None for line in differences(before, after).lines]

    assert ends("a\r\nb\r\n", "a\nb\r\n") == ["\r\n", "\n", None]
    assert ends("a", "a\n") == ["", "\n"]
    assert ends("", "a\nb") == [None, None]
    assert ends("a\nb\n", "x\nb\n") == [None, None, None]


def test_a_secret_is_folded_in_the_lines_that_show_it() -> None:
    diff = done(compare("token=abc\nx\n", "token=xyz\nx\n", [(6, 9)], [(6, 9)]))
    assert diff is not None
    assert [line.secrets for line in diff.lines] == [((6, 9),), ((6, 9),), ()]


def test_every_second_line_of_a_long_file_is_compared_soon_and_what_is_too_long_not_at_all() -> None:
    before = "".join(f"value {number}\n" for number in range(10_000))
    after = "".join(f"value {number}{'!' if number % 2 else ''}\n" for number in range(10_000))
    diff = differences(before, after)
    assert (diff.added, diff.removed) == (5_000, 5_000)
    assert sum(1 for _ in compare(before, after)) > 1_000  # in so many pieces, each a moment of work
    assert done(compare("", "x\n" * (MAX_LINES + 1))) is None
    assert done(compare("", "x" * 100_000)) is None


def change(
    folder: Path, tool: str, arguments: dict[str, Any], seen: SeenFiles | None = None, own: OwnPlaces = NO_PLACES
) -> FileChange | None:
    proposed = proposed_change(tool, arguments)
    return done(FileChanges(seen or SeenFiles(), own).change(RUN, proposed, [str(folder)], None)) if proposed else None


def diff_of(folder: Path, tool: str, arguments: dict[str, Any]) -> list[str]:
    made = change(folder, tool, arguments)
    assert made is not None
    assert made.diff is not None
    return shown(made.diff)


def test_our_own_tools_are_compared_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    assert diff_of(tmp_path, "write_file", {"path": "a.txt", "content": "one\n2\n"}) == [" one", "-two", "+2"]
    assert diff_of(tmp_path, "write_file", {"path": "a.txt", "content": "x", "append": True}) == [" one", " two", "+x"]
    edits = [{"old": "two", "new": "three\nfour"}]
    assert diff_of(tmp_path, "edit_file", {"path": "a.txt", "edits": edits}) == [" one", "-two", "+three", "+four"]
    new = change(tmp_path, "write_file", {"path": "deep/new.txt", "content": "x\n"})
    assert new is not None
    assert (new.is_new, new.problem, new.state) == (True, None, None)
    assert new.diff is not None
    assert shown(new.diff) == ["+x"]
    assert change(tmp_path, "read_file", {"path": "a.txt"}) is None


def test_why_there_is_no_diff_has_a_code(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\none\n")
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "keys").write_text("secret")
    big = "".join(f"{number}\n" for number in range(MAX_LINES + 1))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("edit_file", {"path": "a.txt", "edits": [{"old": "nine", "new": "x"}]}),
        ("edit_file", {"path": "a.txt", "edits": [{"old": "one", "new": "x"}]}),
        ("edit_file", {"path": "none.txt", "edits": [{"old": "one", "new": "x"}]}),
        ("write_file", {"path": "b.bin", "content": "x"}),
        ("write_file", {"path": "a.txt", "content": big}),
        ("write_file", {"path": "own/keys", "content": "x"}),
        ("write_file", {"path": ".", "content": "x"}),
    ]
    own = OwnPlaces([tmp_path / "own"])
    changes = [change(tmp_path, tool, arguments, own=own) for tool, arguments in calls]
    assert [made.problem for made in changes if made is not None and made.diff is None] == [
        "no_match", "several_matches", "not_found", "not_text", "output_too_large", "not_allowed", "not_a_file",
    ]  # fmt: skip


def test_a_file_that_changed_since_the_run_read_it_says_so(tmp_path: Path) -> None:
    file, seen = tmp_path / "a.txt", SeenFiles()
    file.write_text("one\n")
    target = resolve_path("a.txt", [str(tmp_path)])
    with Folder.open(str(tmp_path)) as folder:
        seen.note(RUN, target, stamp_of(folder.state("a.txt")))
    file.write_text("one and two\n")
    made = change(tmp_path, "write_file", {"path": "a.txt", "content": "x\n"}, seen)
    assert made is not None
    assert (made.problem, made.diff is not None) == ("changed_since_read", True)


def test_a_tool_of_a_server_is_compared_where_its_names_say_what_it_does(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    path = str(file)
    expected = [" one", "-two", "+2"]
    assert diff_of(tmp_path, "mcp__fs__write_file", {"path": path, "content": "one\n2\n"}) == expected
    edits = [{"oldText": "two", "newText": "2"}]
    assert diff_of(tmp_path, "mcp__fs__edit_file", {"path": path, "edits": edits}) == expected
    replaced = {"file_path": path, "old_string": "two", "new_string": "2"}
    assert diff_of(tmp_path, "mcp__fs__str_replace_edit", replaced) == expected
    assert change(tmp_path, "mcp__fs__search", {"path": path, "content": "x"}) is None
    assert change(tmp_path, "mcp__fs__write_file", {"path": "a.txt", "content": "x"}) is None  # its own folder
    assert change(tmp_path, "mcp__fs__write_file", {"path": f"{path}.none", "content": "x"}) is None
    assert change(tmp_path, "mcp__fs__write_file", {"path": path, "content": 3}) is None
