"""What each generation of models accepts, as data, and the parameters of a request that follow from it.

Sources, at platform.claude.com/docs: "Models overview" (longest answers), "Troubleshooting thinking" (the kinds of
thinking that a model takes, or answers 400 to), "Migrating to Claude Opus 4.7" (no sampling parameters any more,
thoughts are left out unless asked for).
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from core.domain.model import ModelChoice, Reasoning
from core.llm.presets import Quirks


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model accepts. `output_tokens` are its longest answer, thinking included. `thinking`: it is given a budget
    of tokens, or an effort and decides itself. `sampling`: it takes a temperature.
    """

    output_tokens: int
    thinking: Literal["none", "budget", "effort"]
    sampling: bool = True


# From the named version on, the newest first. A model without a version is newer than all that are listed.
_GENERATIONS = (
    ((4, 7), Abilities(128_000, "effort", sampling=False)),
    ((4, 6), Abilities(128_000, "effort")),
    ((4, 2), Abilities(64_000, "budget")),
    ((4, 0), Abilities(32_000, "budget")),
    ((3, 7), Abilities(64_000, "budget")),
    ((3, 5), Abilities(8_192, "none")),
    ((0, 0), Abilities(4_096, "none")),
)
# Other servers take the older form; a longer answer than this may exceed the window of a local model.
_OTHER = Abilities(8_192, "budget")
_VERSION = re.compile(r"claude-(?:[a-z]+-)?v?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)")

# Room for thoughts and answer. What is not used costs nothing.
ANSWER_TOKENS = 64_000
MIN_BUDGET = 1_024
BUDGETS = {Reasoning.LOW: 4_096, Reasoning.MEDIUM: 12_288, Reasoning.HIGH: 32_768}


def abilities_of(model: str | None) -> Abilities:
    """Look up what a model accepts, by its id."""
    name = (model or "").lower()
    if "claude" not in name:
        return _OTHER
    found = _VERSION.search(name)
    if found is None:
        return _GENERATIONS[0][1]
    version = int(found[1]), int(found[2] or 0)
    return next(abilities for first, abilities in _GENERATIONS if version >= first)


def parameters(choice: ModelChoice, quirks: Quirks, *, may_think: bool) -> dict[str, Any]:
    """Return the limits, the temperature and the thinking of a request, as the model takes them.

    `may_think`: the conversation is one in which a model with a budget may think.
    """
    abilities = abilities_of(choice.model)
    kind = quirks.thinking or abilities.thinking
    max_tokens = choice.max_tokens or _default_max_tokens(choice, abilities)
    if quirks.max_output_tokens is not None:
        max_tokens = min(max_tokens, quirks.max_output_tokens)
    fields: dict[str, Any] = {"max_tokens": max_tokens}
    if choice.reasoning is not Reasoning.OFF and kind == "effort":
        fields["thinking"] = {"type": "adaptive", "display": "summarized"}
        fields["output_config"] = {"effort": str(choice.reasoning)}
    elif choice.reasoning is not Reasoning.OFF and kind == "budget" and may_think:
        # The budget is part of `max_tokens`, and at least a quarter is left for the answer.
        budget = min(BUDGETS[choice.reasoning], max_tokens * 3 // 4)
        if budget >= MIN_BUDGET:
            fields["thinking"] = {"type": "enabled", "budget_tokens": budget}
    # A model that thinks takes no other temperature than its own.
    if choice.temperature is not None and abilities.sampling and "thinking" not in fields:
        fields["temperature"] = min(choice.temperature, 1.0)
    return fields


def _default_max_tokens(choice: ModelChoice, abilities: Abilities) -> int:
    """Return the limit that the format requires, where the user has chosen none."""
    limit = min(abilities.output_tokens, ANSWER_TOKENS)
    if abilities is _OTHER and choice.context_tokens is not None:
        return max(MIN_BUDGET, min(limit * 4, choice.context_tokens // 4))
    return limit
