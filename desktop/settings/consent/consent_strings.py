"""Texts of consent exceptions and of the audit log."""

from typing import assert_never

from PySide6.QtCore import QCoreApplication

from core.domain.audit import AuditEntry, Decider, Decision
from core.domain.command_rules import EXACT, PREFIX
from core.domain.consent import Rule
from core.domain.text.hidden import reveal
from core.services.consent import Binding

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def rule_label(rule: Rule, binding: Binding | None = None) -> str:
    """Return the rule; of a permission for tools of a server also whether it holds for them as they are now."""
    if rule is Rule.ASK:
        return translate("ConsentWords", "Always asked about")
    match binding:
        case None:
            return translate("ConsentWords", "Never asked about")
        case Binding.HOLDS:
            return translate("ConsentWords", "Never asked about, as long as it stays as it is")
        case Binding.VOID:
            return translate("ConsentWords", "Asked about again: it has changed since")
        case Binding.NONE:
            return translate("ConsentWords", "Asked about once more: allowed by an older version")
        case _:
            assert_never(binding)


def exception_label(name: str) -> str:
    """Return a tool's name, or a phrase for all tools of a server or for the commands of a rule."""
    if name.startswith(EXACT):
        line = reveal(name.removeprefix(EXACT)).replace("\n", " ⏎ ")
        return translate("ConsentWords", "Command “{line}”").format(line=line)
    if name.startswith(PREFIX):
        return translate("ConsentWords", "Commands that begin with “{words}”").format(words=name.removeprefix(PREFIX))
    _, prefix, server = name.partition("mcp__")
    if prefix and "__" not in server:
        return translate("ConsentWords", "All tools of the server “{server}”").format(server=server)
    return name


def decision_label(entry: AuditEntry) -> str:
    """Return the decision, and what decided where it was not the user at that moment."""
    match entry.decision, entry.decider:
        case Decision.APPROVED, Decider.PERSON:
            return {
                "run": translate("ConsentWords", "Approved for the run"),
                "always": translate("ConsentWords", "Approved always"),
                "prefix": translate("ConsentWords", "Approved always"),
            }.get(entry.scope or "once", translate("ConsentWords", "Approved"))
        case Decision.APPROVED, Decider.RUN:
            return translate("ConsentWords", "Covered by the run’s approval")
        case Decision.APPROVED, Decider.EXCEPTION:
            return translate("ConsentWords", "Covered by an exception")
        case Decision.APPROVED, _:
            return translate("ConsentWords", "Approved, time was over")
        case Decision.EDITED, _:
            return translate("ConsentWords", "Approved with changes")
        case Decision.REJECTED, Decider.PERSON:
            return translate("ConsentWords", "Rejected")
        case Decision.REJECTED, _:
            return translate("ConsentWords", "Rejected, time was over")
        case Decision.CANCELLED, _:
            return translate("ConsentWords", "Taken back, the run ended")
        case _:
            return translate("ConsentWords", "Time was over, asked again")
