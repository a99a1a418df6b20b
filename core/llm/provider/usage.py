"""Token counts as providers report them, with what was cached apart."""

from typing import Any

from core.domain.model import ModelChoice
from core.ports import Usage

_MAX_COST = 1e6


def count_of(fields: Any, *names: str) -> int | None:
    """Return the first valid count under these names; None without any, or if `fields` is no object."""
    for name in names if isinstance(fields, dict) else ():
        count = fields.get(name)
        if isinstance(count, int | float) and not isinstance(count, bool) and 0 <= count < 2**53:
            return int(count)
    return None


def usage_of(
    choice: ModelChoice, input_tokens: int | None, output_tokens: int | None, cached: int = 0, written: int = 0
) -> Usage | None:
    """Return the usage of an answer with its cost; None if nothing was counted. The input includes what was cached."""
    if input_tokens is None and output_tokens is None:
        return None
    given, made = input_tokens or 0, output_tokens or 0
    return Usage(given, made, choice.cost(given, made, cached, written), cached, written)


def openai_usage(fields: dict[str, Any], choice: ModelChoice) -> Usage | None:
    """Parse the usage of chat completions or responses, with the cost if the provider reports it; None if invalid."""
    details = next((fields[name] for name in ("prompt_tokens_details", "input_tokens_details") if name in fields), None)
    usage = usage_of(
        choice,
        count_of(fields, "prompt_tokens", "input_tokens"),
        count_of(fields, "completion_tokens", "output_tokens"),
        count_of(details, "cached_tokens") or count_of(fields, "prompt_cache_hit_tokens", "cached_tokens") or 0,
        count_of(details, "cache_write_tokens") or 0,
    )
    cost = fields.get("cost")
    if usage is None or not isinstance(cost, int | float) or isinstance(cost, bool) or not 0 <= cost < _MAX_COST:
        return usage
    return Usage(usage.input_tokens, usage.output_tokens, float(cost), usage.cached_tokens, usage.cache_write_tokens)
