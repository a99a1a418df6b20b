"""Typed publish and subscribe on one event loop: events flow up."""

from core.bus.bus import Bus, Subscription
from core.bus.changes import (
    AgentsChanged,
    ConsentExceptionsChanged,
    MemoriesChanged,
    PromptsChanged,
    QueueChanged,
    SaveState,
    SaveStateChanged,
    SearchIndexChanged,
    ServersChanged,
    SettingsChanged,
    WorkflowChanged,
    WorkflowDeleted,
)

__all__ = [
    "AgentsChanged",
    "Bus",
    "ConsentExceptionsChanged",
    "MemoriesChanged",
    "PromptsChanged",
    "QueueChanged",
    "SaveState",
    "SaveStateChanged",
    "SearchIndexChanged",
    "ServersChanged",
    "SettingsChanged",
    "Subscription",
    "WorkflowChanged",
    "WorkflowDeleted",
]
