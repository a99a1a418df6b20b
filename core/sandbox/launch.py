"""How a worker process is started: from the sources, or from a frozen build."""

import os
import subprocess
import sys
from pathlib import Path

WORKER_SWITCH = "--sandbox-worker"
"""A frozen build that is started with this switch alone must call `core.sandbox.worker.main()` and nothing else."""

if sys.platform == "win32":
    CREATION_FLAGS = subprocess.CREATE_NO_WINDOW  # or a console opens beside the window
else:
    CREATION_FLAGS = 0

_ROOT = Path(__file__).resolve().parents[2]

# Windows needs the first, interpreters outside the system's folders the second, the code's dates the third.
_KEPT_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "TZ")


def command() -> list[str]:
    """Return program and arguments. `-I` keeps the working folder, PYTHONPATH and the user's site out of the worker."""
    if getattr(sys, "frozen", False):
        return [sys.executable, WORKER_SWITCH]
    bootstrap = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from core.sandbox.worker import main; main()"
    return [sys.executable, "-I", "-c", bootstrap]


def environment() -> dict[str, str]:
    """Return the environment of a worker: a few variables, no keys, proxies or home."""
    return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
