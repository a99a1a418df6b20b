"""The vendored build of sucrase is unchanged, and carries its licence."""

import hashlib
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "core" / "sandbox" / "vendor"


def test_sucrase_is_the_build_that_its_hash_names() -> None:
    expected, name = (VENDOR / "sucrase.js.sha256").read_text(encoding="ascii").split()
    assert name == "sucrase.js"
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == expected


def test_sucrase_comes_with_its_version_and_licence() -> None:
    assert "sucrase 3.35.1" in (VENDOR / "sucrase.js").read_text(encoding="ascii").splitlines()[0]
    assert "The MIT License" in (VENDOR / "sucrase.LICENSE").read_text(encoding="utf-8")


def test_the_build_script_builds_the_version_that_is_here() -> None:
    assert "sucrase@3.35.1" in (VENDOR / "build.sh").read_text(encoding="utf-8")
