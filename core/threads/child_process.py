"""Worker processes of the app: the same program, started for a module's `main`."""

import os
import subprocess
import sys
from pathlib import Path

if sys.platform == "win32":
    CREATION_FLAGS = subprocess.CREATE_NO_WINDOW  # or a console opens beside the window
else:
    CREATION_FLAGS = 0

_ROOT = Path(__file__).resolve().parents[2]

# Windows needs the first, interpreters outside the system's folders the second, dates in user code the third.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "TZ")


def child_command(module: str, switch: str) -> list[str]:
    """Return program and arguments of a process that calls `main` of this module, or gets the switch in a frozen build.

    `-I` keeps the working folder, PYTHONPATH and the user's site out of it.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, switch]
    bootstrap = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from {module} import main; main()"
    return [sys.executable, "-I", "-c", bootstrap]


def child_environment() -> dict[str, str]:
    """Return the environment of a worker: a few variables, no keys, proxies or home."""
    return {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
