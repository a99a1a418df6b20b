"""The parts of the database driver that we use, imported without its network clients.

`import surrealdb` also imports aiohttp and requests, which only a remote server needs: half of the import time and
15 MB. During the import, empty modules take their place; a later import of either gets the real module.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_CLIENTS = ("aiohttp", "requests")


class _Names(ModuleType):
    """A module that is only used in annotations."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


@contextmanager
def _without_clients() -> Iterator[None]:
    instead = {name: _Names(name) for name in _CLIENTS if name not in sys.modules}
    sys.modules.update(instead)
    try:
        yield
    finally:
        for name in instead:
            del sys.modules[name]


with _without_clients():
    from surrealdb import AsyncSurreal, RecordID
    from surrealdb.data.types.null import Null
    from surrealdb.data.types.range import BoundExcluded, BoundIncluded, Range
    from surrealdb.errors import SurrealError

# What writes the files of a store; another may not read them. The version is pinned in pyproject.toml.
ENGINE = "surrealdb 3.0.0b10"

__all__ = ["ENGINE", "AsyncSurreal", "BoundExcluded", "BoundIncluded", "Null", "Range", "RecordID", "SurrealError"]
