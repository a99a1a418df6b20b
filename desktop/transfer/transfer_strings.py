"""The texts of export and import, in the current language."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from core.services.import_export.exporting import Kind
from core.services.import_export.library import Outcome
from desktop.translation import number

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def kind_name(kind: Kind) -> str:
    """Return the name of a kind, for a check box."""
    return {
        Kind.WORKFLOWS: translate("Transfer", "Workflows"),
        Kind.TEMPLATES: translate("Transfer", "Templates"),
        Kind.AGENTS: translate("Transfer", "Agents"),
        Kind.PROMPTS: translate("Transfer", "Prompts"),
        Kind.SERVERS: translate("Transfer", "MCP servers"),
        Kind.MEMORIES: translate("Transfer", "General memories"),
        Kind.SETTINGS: translate("Transfer", "Settings"),
    }[kind]


def counts_text(counts: Mapping[Outcome, int]) -> str:
    """Return how many things of a kind have which outcome: `3 new, 1 already here`."""
    words = {
        Outcome.NEW: translate("Transfer", "{count} new"),
        Outcome.SAME: translate("Transfer", "{count} already here"),
        Outcome.SKIPPED: translate("Transfer", "{count} left as they are"),
        Outcome.REPLACED: translate("Transfer", "{count} replaced"),
        Outcome.RENAMED: translate("Transfer", "{count} as a copy"),
        Outcome.BUSY: translate("Transfer", "{count} at work, left as they are"),
    }
    return ", ".join(
        text.format(count=number(counts[outcome])) for outcome, text in words.items() if counts.get(outcome)
    )
