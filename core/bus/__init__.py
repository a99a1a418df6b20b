"""Typed publish and subscribe on one event loop: events flow up."""

from core.bus.bus import Bus, Subscription
from core.bus.changes import (
    QueueChanged,
    SaveState,
    SaveStateChanged,
    SettingsChanged,
    WorkflowChanged,
    WorkflowDeleted,
)

__all__ = [
    "Bus",
    "QueueChanged",
    "SaveState",
    "SaveStateChanged",
    "SettingsChanged",
    "Subscription",
    "WorkflowChanged",
    "WorkflowDeleted",
]
