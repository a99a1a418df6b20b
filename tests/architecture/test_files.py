"""What holds for the files of the project, whatever they do."""

import ast
import os
import re
import subprocess

import pytest

from tests.support.project import ROOT, modules, project_files

UNFINISHED = r"\b(?:TODO|FIXME|XXX|(?i:stubs?|stubbed|mocks?|mocked|for now|not (?:yet )?implemented))\b"
MACHINE = r"(?<![\w.])/(?:work|root|tmp)/\w"
REGISTRY = r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org)\b"

FOREIGN = ("LICENSE", "core/sandbox/vendor/sucrase")  # other people's text, as it came
EXEMPT = {
    UNFINISHED: (
        "README.md",  # its list says what is missing
        "resources/templates/",  # *Folder report* counts the TODO comments of a folder
        "tests/e2e/test_runs.py",  # runs it on files that hold some
        "tests/architecture/test_files.py",  # names the words that it looks for
    ),
    MACHINE: (),
    REGISTRY: ("tests/architecture/test_files.py",),
}

SCRIPTS = [".ci/run", ".dev/setup", ".dev/start", ".dev/test", ".dev/translate"]


@pytest.mark.parametrize("pattern", [UNFINISHED, MACHINE, REGISTRY], ids=["unfinished", "machine", "registry"])
def test_no_file_holds_an_unfinished_part_a_path_of_a_machine_or_a_registry(pattern: str) -> None:
    found = []
    for path in project_files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(FOREIGN + EXEMPT[pattern]):
            continue
        data = path.read_bytes()
        if b"\0" in data:  # a picture or a font says nothing
            continue
        lines = data.decode("utf-8", "replace").splitlines()
        found += [f"{name}:{number}: {line}" for number, line in enumerate(lines, 1) if re.search(pattern, line)]
    assert found == []


def test_every_module_opens_with_a_docstring() -> None:
    trees = {path: ast.parse(path.read_bytes()) for path in modules("core", "tests")}
    assert [str(path) for path, tree in trees.items() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_executable_and_parses(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / name], check=True)


# What only shows a text, or compares the positions in a document.
SHOW_TEXT = (
    "desktop/widgets/",
    "desktop/toasts/card_parts.py",
    "desktop/settings/general/about_page.py",
    "desktop/chat/",
)


def test_a_field_of_several_lines_is_read_without_losing_characters() -> None:
    """`toPlainText` loses no-break spaces: `MultiLineEdit` and `LongLines` do not."""
    found = []
    for path in modules("desktop"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(SHOW_TEXT) and re.search(
            r"\.(?:to|set)PlainText\(|Q(?:Plain)?TextEdit\(", path.read_text("utf-8")
        ):
            found.append(name)
    assert found == []
