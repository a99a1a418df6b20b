"""`export` and `import` on the command line."""

import json
from pathlib import Path

from tests.support.command_line import CommandLine, Said


def made(m: CommandLine) -> str:
    """Two conversations; returns the workflow of the first."""
    first = m("chat", '/tool calculator {"expression": "6 * 7"}')
    m("chat", "say 2 words")
    return str(json.loads(first.err.splitlines()[-1])["workflow_id"])


def exported(m: CommandLine, *arguments: str) -> Said:
    said = m("export", *arguments)
    assert said.code == 0, said
    return said


def test_everything_goes_out_and_comes_back(tmp_path: Path) -> None:
    m, other = CommandLine(tmp_path / "data"), CommandLine(tmp_path / "other")
    workflow_id = made(m)
    file = str(tmp_path / "all.json")
    assert exported(m, "--all", "-o", file).last["counts"]["workflows"] == 2
    dry = other("import", file, "--dry-run")
    assert (dry.code, dry.last["imported"]) == (0, False)
    assert other("list").lines == []
    done = other("import", file)
    assert (done.code, done.last["imported"]) == (0, True)
    assert done.last["counts"] == {"workflows": {"new": 2}}
    assert other("list").lines == m("list").lines
    again = other("import", file, "--on-conflict", "rename")
    assert again.last["counts"] == {"workflows": {"same": 2}}
    shown = exported(other, workflow_id, "--markdown")
    assert "`calculator`" in shown.out
    assert shown.out.startswith("# ")
    exported(other, "--all", "-o", str(tmp_path / "again.json"))
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("all.json", "again.json"))
    assert {**first, "exported_at": None} == {**second, "exported_at": None}


def test_one_workflow_by_its_title(tmp_path: Path) -> None:
    m = CommandLine(tmp_path / "data")
    made(m)
    said = exported(m, "SAY 2 words", "-o", str(tmp_path / "one.zip"))
    assert said.last == {"file": str(tmp_path / "one.zip"), "counts": {"workflows": 1}, "left_out": []}
    m("chat", "say 2 words")
    several = m("export", "say 2 words", "-o", str(tmp_path / "x.json"))
    assert (several.code, several.last["error"]["code"], len(several.last["error"]["ids"])) == (2, "ambiguous", 2)


def test_wrong_usage_and_wrong_files_are_told_and_change_nothing(tmp_path: Path) -> None:
    m = CommandLine(tmp_path / "data")
    (tmp_path / "cut.json").write_text('{"format": "metier.export/1", "workflows": [')
    (tmp_path / "newer.json").write_text('{"format": "metier.export/7"}')
    wrong = {
        ("export",): "usage",
        ("export", "--all"): "usage",
        ("export", "--markdown", "--all"): "usage",
        ("export", "none", "-o", "x.json"): "not_found",
        ("export", "--all", "-o", str(tmp_path / "no" / "folder.json")): "not_written",
        ("import",): "usage",
        ("import", str(tmp_path / "none.json")): "bad_input",
        ("import", str(tmp_path / "cut.json")): "bad_export",
        ("import", str(tmp_path / "newer.json")): "newer_export",
        ("import", str(tmp_path / "cut.json"), "--on-conflict", "merge"): "usage",
    }
    for arguments, code in wrong.items():
        said = m(*arguments)
        assert (said.code, said.last["error"]["code"]) == (2, code), arguments
    assert m("list").lines == []
    assert not (tmp_path / "x.json").exists()
