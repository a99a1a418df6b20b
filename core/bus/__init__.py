"""Facts go up: typed publish and subscribe on one loop."""

from core.bus.bus import Bus, Subscription
from core.bus.changes import (
    AgentsChanged,
    ExceptionsChanged,
    MemoriesChanged,
    PromptsChanged,
    QueueChanged,
    Saving,
    SavingChanged,
    SearchIndexChanged,
    ServersChanged,
    SettingsChanged,
    WorkflowChanged,
    WorkflowDeleted,
)

__all__ = [
    "AgentsChanged",
    "Bus",
    "ExceptionsChanged",
    "MemoriesChanged",
    "PromptsChanged",
    "QueueChanged",
    "Saving",
    "SavingChanged",
    "SearchIndexChanged",
    "ServersChanged",
    "SettingsChanged",
    "Subscription",
    "WorkflowChanged",
    "WorkflowDeleted",
]
