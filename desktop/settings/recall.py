"""What the page of memories works on: the service behind it, and who runs what takes a while."""

from dataclasses import dataclass

from core.bus import Bus
from core.services.memories import MemoryService
from desktop.settings.minds import Spawn


@dataclass(frozen=True, slots=True)
class Recall:
    memories: MemoryService
    bus: Bus
    spawn: Spawn
