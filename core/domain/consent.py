"""Which tool calls need a person's consent, by what was set (AGENTS_AND_TOOLS §6). Pure.

A call that reaches out of its workflow is asked about whatever holds for its category and its risk, but in automatic
mode.

An exception for a tool, or for the server that it is of, wins over what holds for its category: the more particular
holds. A person made it; so an `allow` holds in every mode, while an `ask` asks nobody in automatic mode, where people
were told that nobody is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from core.domain.interruption import Action
from core.domain.risk import Risk
from core.domain.settings import OnTimeout, Settings
from core.domain.template import ValidationMode
from core.domain.tool import Category, Effect, mcp_server_of

NEVER_ASKED = frozenset({"ask_user", "todo", "pick_file"})
FREE_TO_READ = frozenset({Category.FILES, Category.DATABASE})


class Rule(StrEnum):
    """What an exception says of a tool, or of all tools of a server."""

    ALLOW = "allow"
    ASK = "ask"


_EXCEPTION = "consent_exception:"


def exception_setting(name: str) -> str:
    """The name of the setting that keeps the exception for a tool or a server; null where there is none any more."""
    return _EXCEPTION + name


def parse_exceptions(settings: Mapping[str, object]) -> dict[str, Rule]:
    """The exceptions among stored settings. One that cannot be read is none: a person is asked."""
    found = {name.removeprefix(_EXCEPTION): value for name, value in settings.items() if name.startswith(_EXCEPTION)}
    return {name: Rule(value) for name, value in found.items() if isinstance(value, str) and value in set(Rule)}


class Ruling(StrEnum):
    """What becomes of a call: it is free, an exception lets it pass, or a person is asked."""

    FREE = "free"
    EXCEPTED = "excepted"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class CallTraits:
    """What a call is like, as far as consent goes. `reaches_out`: to what belongs to another workflow."""

    tool: str
    category: Category
    risk: Risk
    effect: Effect
    reaches_out: bool = False


@dataclass(frozen=True, slots=True)
class ConsentTerms:
    """What holds for a call. A request for it is open for `timeout_ms` (None: for ever), and is answered with
    `on_timeout` then; SKIP asks again."""

    ruling: Ruling
    risk: Risk = Risk.MEDIUM
    timeout_ms: int | None = None
    on_timeout: Action = Action.REJECT


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """What holds now. `exceptions`: by the name of a tool, or of a server as `mcp__SERVER`."""

    settings: Settings = field(default_factory=Settings)
    exceptions: Mapping[str, Rule] = field(default_factory=dict)

    def terms(self, call: CallTraits, mode: ValidationMode) -> ConsentTerms:
        """Whether somebody is asked before the call, in a run of this mode, and how."""
        settings = self.settings
        timeout_ms = settings.consent_timeout_s * 1000 if settings.consent_expires else None
        return ConsentTerms(self._ruling(call, mode), call.risk, timeout_ms, self._on_timeout)

    def _ruling(self, call: CallTraits, mode: ValidationMode) -> Ruling:
        if call.tool in NEVER_ASKED or not self._asks(call, mode):
            return Ruling.FREE
        return Ruling.EXCEPTED if self._exception(call.tool) is Rule.ALLOW else Ruling.ASK

    @property
    def _on_timeout(self) -> Action:
        match self.settings.consent_on_timeout:
            case OnTimeout.REJECT:
                return Action.REJECT
            case OnTimeout.APPROVE:
                return Action.APPROVE
            case OnTimeout.ASK_AGAIN:
                return Action.SKIP
            case _:
                assert_never(self.settings.consent_on_timeout)

    def _asks(self, call: CallTraits, mode: ValidationMode) -> bool:
        """Whether the call would be asked about, were it not for an `allow`."""
        settings = self.settings
        match mode:
            case ValidationMode.AUTO:
                return call.risk is Risk.HIGH and settings.confirm_high_risk
            case ValidationMode.MANUAL:
                is_free = call.risk is Risk.LOW and settings.low_risk_free_in_manual
                return call.reaches_out or not is_free
            case ValidationMode.SELECTIVE:
                if call.reaches_out or self._exception(call.tool) is Rule.ASK:
                    return True
                if call.risk is Risk.LOW and settings.low_risk_free_in_selective:
                    return False
                is_reading = call.category in FREE_TO_READ and call.effect is Effect.NONE
                return settings.asks_for(call.category) and not is_reading
            case _:
                assert_never(mode)

    def _exception(self, tool: str) -> Rule | None:
        """That of the tool, else of its server."""
        server = mcp_server_of(tool)
        return self.exceptions.get(tool) or (self.exceptions.get(f"mcp__{server}") if server is not None else None)
