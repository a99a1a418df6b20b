"""Facts go up: typed publish and subscribe on one loop."""

from core.bus.bus import Bus, Subscription
from core.bus.changes import (
    AgentsChanged,
    ExceptionsChanged,
    PromptsChanged,
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
    "PromptsChanged",
    "SearchIndexChanged",
    "ServersChanged",
    "SettingsChanged",
    "Subscription",
    "WorkflowChanged",
    "WorkflowDeleted",
]
