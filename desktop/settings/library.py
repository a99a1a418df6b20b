"""What the page of prompts works on: the service behind it, and who runs what takes a while."""

from dataclasses import dataclass

from core.bus import Bus
from core.services.prompts import PromptService
from desktop.settings.minds import Spawn


@dataclass(frozen=True, slots=True)
class Library:
    prompts: PromptService
    bus: Bus
    spawn: Spawn
