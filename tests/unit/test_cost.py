"""The cost of answers, and how it is displayed."""

import pytest

from core.domain.model import ModelChoice
from core.domain.tokens import cost_text, rounded_cost


@pytest.mark.parametrize(
    ("given", "made", "price_in", "price_out", "dollars"),
    [
        (10_000, 2_000, 2, 6, 0.032),
        (0, 0, 2, 6, 0),
        (1, 0, 2, 6, 0.000002),
        (1, 1, 0, 0, 0),
        (1, 1, 0.1, 0.1, 0),  # less than half of a millionth
        (1, 1, None, 6, None),
        (1, 1, 2, None, None),
    ],
)
def test_a_cost_has_six_decimals_and_is_unknown_without_prices(
    given: int, made: int, price_in: float | None, price_out: float | None, dollars: float | None
) -> None:
    choice = ModelChoice(base_url="http://h", price_in=price_in, price_out=price_out)
    assert rounded_cost(choice.cost(given, made)) == dollars


@pytest.mark.parametrize(
    ("prices", "dollars"),
    [
        ({}, 0.02),  # without a price of its own, what is cached costs what other input does
        ({"price_cached": 0.2}, 0.0092),
        ({"price_cached": 0, "price_cache_write": 2.5}, 0.009),
        ({"price_in": None, "price_cached": 0.2}, None),
    ],
)
def test_cached_input_has_its_own_prices(prices: dict[str, float | None], dollars: float | None) -> None:
    choice = ModelChoice(**{"base_url": "http://h", "price_in": 2, "price_out": 6, **prices})
    assert rounded_cost(choice.cost(10_000, 0, 6_000, 2_000)) == dollars


@pytest.mark.parametrize(
    ("dollars", "said"),
    [
        (None, "unknown"),
        (0, "Free"),
        (0.000001, "<$0.0001"),
        (0.0000999, "<$0.0001"),
        (0.0001, "$0.0001"),
        (0.0042, "$0.0042"),
        (0.01, "$0.01"),
        (0.032, "$0.03"),
        (12.345, "$12.35"),
    ],
)
def test_a_cost_is_formatted_with_as_many_decimals_as_it_needs(dollars: float | None, said: str) -> None:
    assert cost_text(dollars) == said
