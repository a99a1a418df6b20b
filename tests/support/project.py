"""The project as files: where it is, and what belongs to it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules(*folders: str) -> list[Path]:
    """The Python files below these folders of the project."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def project_files() -> list[Path]:
    """The files that git has, or would take. Skips the test where there is no git or no clone."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a clone, to know which files are the project's")
    # safe.directory: a clone may belong to somebody else than who tests it
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())
