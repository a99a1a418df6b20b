"""Repositories whose reads go through a function first: to fail, or to take time."""

from collections.abc import Awaitable, Callable
from typing import Any

Intercept = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]

READS = {
    "runs": ("get", "page", "unfinished"),
    "messages": ("of_workflow",),
    "snapshots": ("of_run",),
    "interruptions": ("open",),
    "events": ("of_run",),
    "chunks": ("of_run",),
}


def intercept_reads(storage: object, intercept: Intercept, reads: dict[str, tuple[str, ...]] = READS) -> None:
    """Pass these methods of the storage's repositories through `intercept`, which gets the call to make."""
    for name, methods in reads.items():
        repository = getattr(storage, name)
        for method in methods:
            setattr(repository, method, _intercepted(getattr(repository, method), intercept))


def _intercepted(method: Callable[..., Awaitable[Any]], intercept: Intercept) -> Callable[..., Awaitable[Any]]:
    def call(*arguments: Any, **named: Any) -> Awaitable[Any]:
        return intercept(lambda: method(*arguments, **named))

    return call
