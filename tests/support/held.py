"""What this process holds, to be compared before and after: tasks, timers, descriptors, processes, threads, listeners,
and objects of the product."""

import asyncio
import ctypes
import gc
import os
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from psygnal import SignalInstance

from core.bus import Bus

ROWS = {"core.domain.agent.AgentSelection", "core.domain.workflow.Workflow", "core.stores.workflows.ListedWorkflow"}
"""What a row of the sidebar is made of: one of each stays for each workflow."""

_PROC = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class Held:
    """How many there are. What a system cannot tell is 0. `objects` are instances of the product's classes by name."""

    tasks: int
    timers: int
    descriptors: int
    processes: int
    threads: int
    subscriptions: int
    listeners: int
    objects: Counter[str] = field(default_factory=Counter)

    @property
    def numbers(self) -> dict[str, int]:
        """All but the objects, by name."""
        names = ("tasks", "timers", "descriptors", "processes", "threads", "subscriptions", "listeners")
        return {name: getattr(self, name) for name in names}

    def grown(self, before: "Held") -> dict[str, int]:
        """What there is more of than before, by name. Less is no leak: what came before may have gone late."""
        numbers = {name: count - before.numbers[name] for name, count in self.numbers.items()}
        classes = self.objects.keys() | before.objects.keys()
        objects = {name: self.objects[name] - before.objects[name] for name in sorted(classes)}
        return {name: by for name, by in (*numbers.items(), *objects.items()) if by > 0}


def held() -> Held:
    """What is held now. To be called in the running loop, whose task that calls is counted too."""
    gc.collect()
    loop = asyncio.get_running_loop()
    objects: Counter[str] = Counter()
    subscriptions = listeners = 0
    for one in gc.get_objects():
        if isinstance(one, SignalInstance):
            listeners += len(one)
        elif isinstance(one, Bus):
            subscriptions += len(one._subscriptions)
        module = getattr(type(one), "__module__", None)
        if isinstance(module, str) and module.startswith(("core.", "desktop.")):
            objects[f"{module}.{type(one).__qualname__}"] += 1
    return Held(
        tasks=len(asyncio.all_tasks(loop)),
        timers=len(timers()),
        descriptors=_descriptors(),
        processes=len(children()),
        threads=threading.active_count(),
        subscriptions=subscriptions,
        listeners=listeners,
        objects=objects,
    )


def timers() -> list[float]:
    """In how many seconds the timers of the running loop are due."""
    loop = asyncio.get_running_loop()
    scheduled: Iterable[asyncio.TimerHandle] = getattr(loop, "_scheduled", ())
    return [one.when() - loop.time() for one in scheduled if not one.cancelled()]


def resident_bytes() -> int:
    """The memory that this process keeps from others, once what is free in it is given back; 0 where unknown."""
    gc.collect()
    if not (_PROC / "statm").exists():
        return 0
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int((_PROC / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _descriptors() -> int:
    """Without those of /proc: the one that reads the folder, and those by which the database's engine watches all
    processes of the machine."""
    found = 0
    for link in (_PROC / "fd").glob("*"):
        with suppress(OSError):  # closed in this moment
            found += not str(link.readlink()).startswith("/proc/")
    return found


def children() -> set[int]:
    """The processes that this one has started and that are still there; none where the system does not tell."""
    found: set[int] = set()
    for task in (_PROC / "task").glob("*/children"):
        with suppress(OSError):  # a thread that ended in this moment
            found.update(map(int, task.read_text().split()))
    return found
