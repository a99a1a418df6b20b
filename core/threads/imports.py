"""Late imports, in a single thread at a time.

Two threads that import modules of one library at the same time may each see a module of the other half loaded: to avoid
a deadlock, Python gives it out as it is.
"""

import functools
import importlib
import threading

_lock = threading.RLock()


@functools.cache
def import_once(*names: str) -> None:
    """Import the modules, unless they are loaded. Call it before an import statement that several threads may come to
    first.
    """
    with _lock:
        for name in names:
            importlib.import_module(name)
