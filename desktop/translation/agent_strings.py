"""What agents and models are called, in the language of now."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

OFFLINE = "offline"
"""The name under which the core tells of the offline agent; no other agent can have it."""


def offline_words() -> str:
    """What the offline agent is called, everywhere: it is no language model, and says so."""
    return translate("Agents", "Offline agent, no language model")


def agent_words(name: str) -> str:
    """The name of an agent as it is told in a run."""
    return offline_words() if name == OFFLINE else name
