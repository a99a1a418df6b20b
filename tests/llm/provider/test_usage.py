"""Counts and costs as providers report them."""

from dataclasses import replace
from typing import Any

import pytest

from core.domain.model import ModelChoice
from core.domain.tokens import rounded_cost
from core.llm.provider.usage import openai_usage
from core.ports import Usage

CHOICE = ModelChoice(base_url="http://h", price_in=1, price_out=10, price_cached=0.1, price_cache_write=2)


# Fields of OpenAI (both APIs), OpenRouter, DeepSeek and Moonshot, as their references name them.
@pytest.mark.parametrize(
    ("fields", "usage"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 100}, Usage(1000, 100, 0.002)),
        (
            {"prompt_tokens": 1000, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 400}},
            Usage(1000, 0, 0.00064, 400),
        ),
        (
            {
                "input_tokens": 1000,
                "output_tokens": 0,
                "input_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 500},
            },
            Usage(1000, 0, 0.00114, 400, 500),
        ),
        (
            {"prompt_tokens": 1000, "completion_tokens": 0, "prompt_cache_hit_tokens": 400},
            Usage(1000, 0, 0.00064, 400),
        ),
        ({"prompt_tokens": 1000, "completion_tokens": 0, "cached_tokens": 400}, Usage(1000, 0, 0.00064, 400)),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}, "cost": 0.5},
            Usage(9, 0, 0.5, 4),
        ),
        ({"prompt_tokens": 5, "prompt_tokens_details": None, "cost": True}, Usage(5, 0, 0.000005)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": -4}}, Usage(5, 0, 0.000005)),
        ({"prompt_tokens": "many"}, None),
        ({}, None),
    ],
)
def test_cached_tokens_are_part_of_the_input_and_cost_less(fields: dict[str, Any], usage: Usage | None) -> None:
    found = openai_usage(fields, CHOICE)
    rounded = None if found is None else replace(found, cost=rounded_cost(found.cost))
    assert rounded == usage
