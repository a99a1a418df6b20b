"""The check of the vocabulary counts docstrings and comments, and compares with an earlier commit."""

import subprocess
from pathlib import Path

import pytest

from tests.architecture.vocabulary import main, measure, worse

PLAIN = '"""Return the runs."""\n# why\nx = 1\n'
DIALECT = '"""Tells nobody about those."""\nx = 1\n'


def test_words_count_per_thousand_words_of_docstrings() -> None:
    figures = measure([PLAIN, DIALECT])
    assert {name: round(figure) for name, figure in figures.items()} == {
        "pronouns": 143,
        "tell": 143,
        "person": 143,
        "return": 143,
        "comments": 14,
    }


def test_words_outside_docstrings_and_directives_do_not_count() -> None:
    figures = measure(['"""Count."""\none = "told"  # noqa: E501\n'])
    assert set(figures.values()) == {0.0}


def test_only_a_rise_of_a_checked_figure_is_worse() -> None:
    before = {"pronouns": 3.0, "tell": 0.3, "person": 0.2, "return": 9.0, "comments": 2.0}
    assert worse(before, {**before, "tell": 0.34, "return": 1.0, "comments": 0.0}) == []
    assert worse(before, {**before, "pronouns": 3.1, "person": 0.1}) == ["pronouns"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository whose last commit has plain docstrings."""
    for folder in ("core", "desktop"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "module.py").write_text(PLAIN, encoding="utf-8")
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    for command in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "--message", "Begin"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path


def test_a_tree_with_changes_is_compared_with_its_last_commit(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone / "core" / "module.py").write_text(DIALECT, encoding="utf-8")
    assert main([], clone) == 1
    assert capsys.readouterr().out.count("has risen") == 3


def test_a_clean_tree_without_an_earlier_commit_passes_and_reports_it(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], clone) == 0
    assert "nothing to compare with" in capsys.readouterr().out


def test_a_named_commit_is_compared(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--against", "HEAD"], clone) == 0
    assert "has risen" not in capsys.readouterr().out
