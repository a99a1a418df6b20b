"""The contracts of import-linter hold, and the core lives without Qt."""

import subprocess
import sys
from pathlib import Path

from tests.support.project import ROOT, modules

IMPORT_ALL_WITHOUT_QT = """
import importlib, sys
for blocked in ("PySide6", "shiboken6", "qasync"):
    sys.modules[blocked] = None  # importing it, or a part of it, raises ModuleNotFoundError
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_the_contracts_of_import_linter_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_module_of_the_core_imports_where_there_is_no_qt() -> None:
    paths = [path.relative_to(ROOT).with_suffix("") for path in modules("core") if path.stem != "__main__"]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    assert "core.errors" in names
    program = [sys.executable, "-P", "-W", "error", "-c", IMPORT_ALL_WITHOUT_QT, *names]
    run = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
