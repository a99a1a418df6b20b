"""The cost of answers, and how it is displayed."""

import pytest

from core.domain.tokens import cost, cost_text, rounded_cost


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
    assert rounded_cost(cost(given, made, price_in, price_out)) == dollars


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
