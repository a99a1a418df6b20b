"""What we use of the database's driver, loaded without its clients for servers.

`import surrealdb` loads aiohttp and requests too, with which it would reach a server over HTTP: half of the time that
it takes, and 15 MB. Our database runs in this process. So the driver finds modules there that have nothing in
them but names, and whoever wants the real ones later gets those.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_CLIENTS = ("aiohttp", "requests")


class _Names(ModuleType):
    """A module that is only looked at by annotations."""

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
    from surrealdb.data.types.range import BoundExcluded, BoundIncluded, Range
    from surrealdb.errors import SurrealError

__all__ = ["AsyncSurreal", "BoundExcluded", "BoundIncluded", "Range", "RecordID", "SurrealError"]
