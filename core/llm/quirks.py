"""What is known of servers and models before they refuse it, as data, each entry with its source (AGENTS_AND_TOOLS §2).

Everything else is learnt from refusals (`core.llm.provider.lessons`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.domain.model import ModelChoice
from core.llm.presets import CUSTOM, Quirks, preset_at, preset_of


@dataclass(frozen=True, slots=True)
class Entry:
    """What holds for a provider (the id of a preset) or, where it is None, for all of them, and for models whose name
    has the pattern. Later entries win.
    """

    provider: str | None
    changes: Mapping[str, Any]
    source: str
    model: str = ""


ENTRIES = (
    Entry(
        "openai",
        {"max_tokens": "max_completion_tokens", "reasoning": "reasoning_effort", "max_tools": 128},
        "https://platform.openai.com/docs/api-reference/chat/create",
    ),
    Entry("deepseek", {"reasoning": "reasoning_effort"}, "https://api-docs.deepseek.com/guides/thinking_mode.md"),
    Entry("groq", {"max_tokens": "max_completion_tokens"}, "https://console.groq.com/docs/api-reference.md"),
    # It refuses the name under which other servers return their reasoning.
    Entry(
        "groq",
        {"refused_keys": frozenset({"reasoning_content"})},
        "https://github.com/tashfeenahmed/freellmapi/issues/1070",
    ),
    Entry(
        "cerebras",
        {"refused_keys": frozenset({"reasoning_content"})},
        "https://github.com/Kilo-Org/kilocode/issues/10375",
    ),
    # Without it the thoughts stand in the content, between tags, and would have to go back there.
    Entry(
        "minimax",
        {"fields": {"reasoning_split": True}, "max_tokens": "max_completion_tokens"},
        "https://platform.minimax.io/docs/api-reference/text-openai-api",
    ),
    Entry(
        "openai",
        {"system": False},
        "https://github.com/microsoft/agent-framework/issues/1077",
        model="^o1-(mini|preview)",
    ),
    Entry("openrouter", {"reasoning": "reasoning"}, "https://openrouter.ai/docs/use-cases/reasoning-tokens"),
    Entry("mistral", {"stream_options": False}, "https://docs.mistral.ai/api/#tag/chat"),
    # Their chat templates check it, so it holds behind every router and on local servers.
    Entry(
        None,
        {"short_ids": True},
        "https://github.com/ml-explore/mlx-lm/issues/1375",
        model=r"mistral|mixtral|ministral|magistral|devstral|codestral|pixtral|voxtral",
    ),
    Entry("mistral", {"short_ids": True}, "https://github.com/anomalyco/opencode/issues/1680"),
)


def quirks_of(choice: ModelChoice) -> Quirks:
    """Return what is known of a model and its server."""
    preset = preset_of(choice)
    provider = (preset_at(choice.base_url) if preset is CUSTOM else preset).id
    model = (choice.model or "").lower()
    quirks = Quirks()
    for entry in ENTRIES:
        if entry.provider in (None, provider) and re.search(entry.model, model):
            quirks = replace(quirks, **entry.changes)
    return quirks
