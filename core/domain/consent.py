"""Which tool calls need the user's consent, by the settings (AGENTS_AND_TOOLS §6). Pure.

A command of the system needs consent in every mode, but for rules of its own (`core.domain.command_rules`) and the
approval of the very same call for its run. An exception for the tool does not cover it.

A call that reaches outside its workflow needs consent whatever its category and risk, except in automatic mode.

An exception for a tool, or for its MCP server, overrides its category: the more specific rule wins. `allow` holds in
every mode, but for calls of high risk only where it was given to such a call, and for tools of servers only as long as
they are defined as they were. `ask` has no effect in automatic mode, which promises never to ask.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, assert_never

from core.domain.command_rules import CommandCall, OfferedRule
from core.domain.definition import definition_changes
from core.domain.interruption import Action, InterruptionRequest
from core.domain.risk import Risk
from core.domain.settings import OnTimeout, Settings
from core.domain.template import ValidationMode
from core.domain.tool import Category, Effect, mcp_server_of

NEVER_ASKED = frozenset({"ask_user", "todo", "pick_file"})
FREE_TO_READ = frozenset({Category.FILES, Category.DATABASE})
_TIMEOUT_ACTIONS = {
    OnTimeout.REJECT: Action.REJECT,
    OnTimeout.APPROVE: Action.APPROVE,
    OnTimeout.ASK_AGAIN: Action.SKIP,
}


class Rule(StrEnum):
    """What an exception decides for a tool, or for all tools of a server."""

    ALLOW = "allow"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Permission:
    """What an `allow` was given to: the definition of each tool of a server, by name, and calls of high risk; of a rule
    for commands, whether they reach the network, and all that the user can.
    """

    definitions: Mapping[str, str] = field(default_factory=dict)
    covers_high_risk: bool = False
    covers_network: bool = False
    covers_unconfined: bool = False

    @classmethod
    def of(cls, ask: InterruptionRequest) -> "Permission":
        """Return the permission that the approval of this request gives."""
        definition = bound_definition(ask)
        definitions = {ask.tool: definition} if ask.tool is not None and definition is not None else {}
        rule = OfferedRule.parse(ask.options)
        network, unconfined = (rule.covers_network, rule.covers_unconfined) if rule is not None else (False, False)
        return cls(definitions, ask.risk is Risk.HIGH, network, unconfined)

    def covers(self, command: CommandCall) -> bool:
        """Return whether a rule for the command covers what it would reach."""
        is_network_covered = self.covers_network or not command.has_network
        return is_network_covered and (self.covers_unconfined or command.is_confined)

    def stored(self) -> Any:
        """Return the value of the setting."""
        if not self.definitions and not self.covers_high_risk:
            return Rule.ALLOW
        commands = {"network": self.covers_network, "unconfined": self.covers_unconfined}
        return {
            "rule": Rule.ALLOW,
            "high_risk": self.covers_high_risk,
            "definitions": dict(self.definitions),
            **{name: True for name, is_covered in commands.items() if is_covered},
        }


def bound_definition(ask: InterruptionRequest) -> str | None:
    """Return the definition of the tool that a request for consent was about, if others define it."""
    found = ask.options.get("definition") if isinstance(ask.options, Mapping) else None
    return found if isinstance(found, str) else None


_EXCEPTION = "consent_exception:"


def exception_setting(name: str) -> str:
    """Return the name of the setting that stores the exception of a tool or server. A null value means no exception."""
    return _EXCEPTION + name


def parse_exceptions(settings: Mapping[str, object]) -> dict[str, Rule]:
    """Find the exceptions among stored settings. An invalid value counts as no exception, so the user is asked."""
    rules = {name: value.get("rule") if isinstance(value, Mapping) else value for name, value in _stored(settings)}
    return {name: Rule(value) for name, value in rules.items() if isinstance(value, str) and value in set(Rule)}


def parse_permissions(settings: Mapping[str, object]) -> dict[str, Permission]:
    """Find what the exceptions among stored settings were given to. An older version stored no more than the rule."""
    return {
        name: Permission(
            {
                tool: text
                for tool, text in (value.get("definitions") or {}).items()
                if isinstance(tool, str) and isinstance(text, str)
            },
            value.get("high_risk") is True,
            value.get("network") is True,
            value.get("unconfined") is True,
        )
        for name, value in _stored(settings)
        if isinstance(value, Mapping) and isinstance(value.get("definitions") or {}, Mapping)
    }


def _stored(settings: Mapping[str, object]) -> list[tuple[str, object]]:
    return [(name.removeprefix(_EXCEPTION), value) for name, value in settings.items() if name.startswith(_EXCEPTION)]


class Ruling(StrEnum):
    """What happens to a call: it is free, an exception allows it, or the user is asked."""

    FREE = "free"
    EXCEPTED = "excepted"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class CallTraits:
    """The properties of a call that matter for consent. `reaches_out`: it affects another workflow. `definition`: of
    its tool, if others define it. `command`: what a command of the system would run.
    """

    tool: str
    category: Category
    risk: Risk
    effect: Effect
    reaches_out: bool = False
    definition: str | None = None
    command: CommandCall | None = None


@dataclass(frozen=True, slots=True)
class ConsentTerms:
    """The terms of a call. A request for consent is open for `timeout_ms` (None: without limit) and is then closed with
    `on_timeout`, where SKIP asks again. `changes`: why an `allow` of the user does not cover the call any more, by
    `definition_changes`. `command`: the rules that the user can make for a command.
    """

    ruling: Ruling
    risk: Risk = Risk.MEDIUM
    timeout_ms: int | None = None
    on_timeout: Action = Action.REJECT
    changes: Sequence[Mapping[str, Any]] = ()
    command: OfferedRule | None = None


@dataclass(frozen=True, slots=True)
class ConsentPolicy:
    """The current rules. `exceptions` and what they were given to: by the name of a tool, or of a server as
    `mcp__SERVER`.
    """

    settings: Settings = field(default_factory=Settings)
    exceptions: Mapping[str, Rule] = field(default_factory=dict)
    permissions: Mapping[str, Permission] = field(default_factory=dict)

    def terms(self, call: CallTraits, mode: ValidationMode) -> ConsentTerms:
        """Return whether and how the user is asked before the call, in a run of this mode."""
        settings = self.settings
        timeout_ms = settings.consent_timeout_s * 1000 if settings.consent_expires else None
        on_timeout = _TIMEOUT_ACTIONS[settings.consent_on_timeout]
        if call.category is Category.SYSTEM and on_timeout is Action.APPROVE:
            on_timeout = Action.REJECT
        offered = OfferedRule.of(call.command) if call.command is not None else None
        return ConsentTerms(self._ruling(call, mode), call.risk, timeout_ms, on_timeout, self._changes(call), offered)

    def _ruling(self, call: CallTraits, mode: ValidationMode) -> Ruling:
        if call.category is Category.SYSTEM:
            return Ruling.EXCEPTED if self._allows_command(call.command) else Ruling.ASK
        if call.tool in NEVER_ASKED or not self._asks(call, mode):
            return Ruling.FREE
        return Ruling.EXCEPTED if self._allows(call, mode) else Ruling.ASK

    def _allows_command(self, command: CommandCall | None) -> bool:
        names = command.rule_names() if command is not None else ()
        return any(
            self.exceptions.get(name) is Rule.ALLOW and self.permissions.get(name, Permission()).covers(command)
            for name in names
            if command is not None
        )

    def _allows(self, call: CallTraits, mode: ValidationMode) -> bool:
        if self._exception(call.tool) is not Rule.ALLOW or self._changes(call):
            return False
        return call.risk is not Risk.HIGH or mode is ValidationMode.AUTO or self._permission(call.tool).covers_high_risk

    def _changes(self, call: CallTraits) -> Sequence[Mapping[str, Any]]:
        """Return how the tool differs from what the user allowed."""
        if call.definition is None or self._exception(call.tool) is not Rule.ALLOW:
            return ()
        given = self._permission(call.tool).definitions
        if given and call.tool not in given:  # the server has a new tool
            return [{"part": "new"}]
        return definition_changes(given.get(call.tool), call.definition)

    def _permission(self, tool: str) -> Permission:
        name = tool if tool in self.exceptions else f"mcp__{mcp_server_of(tool)}"
        return self.permissions.get(name, Permission())

    def _asks(self, call: CallTraits, mode: ValidationMode) -> bool:
        """Return whether the call would need consent if there were no `allow` exception."""
        settings = self.settings
        match mode:
            case ValidationMode.AUTO:
                return call.risk is Risk.HIGH and settings.confirm_high_risk
            case ValidationMode.MANUAL:
                is_free = call.risk is Risk.LOW and settings.low_risk_free_in_manual
                return call.reaches_out or not is_free
            case ValidationMode.SELECTIVE:
                if call.reaches_out or call.risk is Risk.HIGH or self._exception(call.tool) is Rule.ASK:
                    return True
                if call.risk is Risk.LOW and settings.low_risk_free_in_selective:
                    return False
                # Of files and the database, only what changes them is asked about (AGENTS_AND_TOOLS §6).
                is_reading = call.category in FREE_TO_READ and call.effect is Effect.NONE
                return settings.asks_for(call.category) and not is_reading
            case _:
                assert_never(mode)

    def _exception(self, tool: str) -> Rule | None:
        """Return the exception of the tool, else that of its server."""
        server = mcp_server_of(tool)
        return self.exceptions.get(tool) or (self.exceptions.get(f"mcp__{server}") if server is not None else None)
