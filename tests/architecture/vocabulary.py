"""Counts the vocabulary of docstrings, and fails where it has become worse: `python -m tests.architecture.vocabulary`.

Prints, for the tree and for an earlier commit, how often groups of words occur per 1,000 words of docstrings in core
and desktop, and the share of comment lines. Pronouns without their noun and words that personify code must not rise;
the other figures are only reported (STYLE).
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "desktop")
GROUPS = {
    "pronouns": r"\b(one|ones|those)\b",
    "tell": r"\b(tells?|told|telling|says?|said|saying|hears?|heard)\b",
    "person": r"\b(persons?|people|somebody|nobody|whoever|everybody|anybody)\b",
    "return": r"\b(returns?|returned|raises?|raised)\b",
}
CHECKED = ("pronouns", "tell", "person")
COMMENTS = "comments"
TOLERANCE = 0.05
"""Half of the last digit that is printed."""

_DIRECTIVE = re.compile(r"#\s*(type:|noqa|fmt:|pragma|!)")


class NoSuchCommit(Exception):
    """Git, the repository or the commit is missing."""


def measure(sources: Iterable[str]) -> dict[str, float]:
    """Return the figures of some modules: per 1,000 words of docstrings, and comments in per cent of the lines."""
    texts: list[str] = []
    comments = lines = 0
    for source in sources:
        texts += _docstrings(source)
        comments += _comment_lines(source)
        lines += source.count("\n") + 1
    text = " ".join(texts)
    words = max(1, len(re.findall(r"\w+", text)))
    figures = {name: len(re.findall(pattern, text, re.IGNORECASE)) * 1000 / words for name, pattern in GROUPS.items()}
    return {**figures, COMMENTS: 100 * comments / max(1, lines)}


def worse(before: dict[str, float], now: dict[str, float]) -> list[str]:
    """Return the checked figures that have risen by more than rounding."""
    return [name for name in CHECKED if now[name] > before[name] + TOLERANCE]


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the table; return the exit code, 1 where a checked figure has risen."""
    parser = argparse.ArgumentParser(prog="python -m tests.architecture.vocabulary", description=__doc__)
    parser.add_argument("--against", metavar="REV", help="HEAD~1, or HEAD where the tree has changes, if absent")
    against = parser.parse_args(arguments).against
    now = measure(path.read_text("utf-8") for folder in FOLDERS for path in sorted((root / folder).rglob("*.py")))
    try:
        against = against or ("HEAD" if _git(root, "status", "--porcelain", "--", *FOLDERS) else "HEAD~1")
        before = measure(_sources_of(root, against))
    except NoSuchCommit as error:
        sys.stdout.write(f"vocabulary: nothing to compare with: {error}\n")
        return 0
    risen = worse(before, now)
    sys.stdout.write(f"{'':10}{against[:10]:>10}{'now':>10}\n")
    for name, figure in now.items():
        mark = "  has risen" if name in risen else ""
        sys.stdout.write(f"{name:10}{before[name]:10.1f}{figure:10.1f}{mark}\n")
    return 1 if risen else 0


def _docstrings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _comment_lines(source: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string) for token in tokens)


def _sources_of(root: Path, revision: str) -> Iterator[str]:
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", revision, "--", *FOLDERS))) as archive:
        for member in archive:
            if member.name.endswith(".py") and (file := archive.extractfile(member)) is not None:
                yield file.read().decode()


def _git(root: Path, *arguments: str) -> bytes:
    # safe.directory: a clone may belong to another user than the user who checks it
    command = ["git", "-c", "safe.directory=*", "-C", str(root), *arguments]
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise NoSuchCommit("there is no git") from None
    except subprocess.CalledProcessError as error:
        raise NoSuchCommit(error.stderr.decode("utf-8", "replace").strip()) from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
