"""What a call of a tool is like, as far as consent goes (AGENTS_AND_TOOLS §5, §6)."""

from collections.abc import Collection
from dataclasses import replace

from core.domain.consent import CallTraits, ConsentPolicy, Rule
from core.tools.registry import Arguments, Tool


class MemoryBook:
    """A `ConsentBook` of a process that keeps no settings."""

    def __init__(self, policy: ConsentPolicy | None = None) -> None:
        self.policy = policy or ConsentPolicy()

    def allow(self, tool: str) -> None:
        self.policy = replace(self.policy, exceptions={**self.policy.exceptions, tool: Rule.ALLOW})


def traits(tool: Tool, arguments: Arguments, origins: Collection[str] = (), *, reaches_out: bool = False) -> CallTraits:
    """What there is to know of such a call, in a run that allows these origins, before anybody is asked."""
    info, risk = tool.info, tool.risk(arguments, origins)
    return CallTraits(info.name, info.category, risk, tool.effect(arguments), reaches_out)
