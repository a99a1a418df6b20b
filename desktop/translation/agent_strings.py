"""Names of agents and models in the current language."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

OFFLINE = "offline"
"""The name under which the core tells of the offline agent; no other agent can have it."""


def offline_words() -> str:
    """Return the name of the offline agent, which makes clear that it is no language model."""
    return translate("Agents", "Offline agent, no language model")


def agent_words(name: str) -> str:
    """Return the display name of an agent that a run refers to."""
    return offline_words() if name == OFFLINE else name
