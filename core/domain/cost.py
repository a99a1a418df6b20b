"""What an answer costs, and how that is said (AGENTS_AND_TOOLS §9)."""

_PER = 1_000_000


def cost(input_tokens: int, output_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """Dollars, unrounded, so that many small ones add up; prices are for a million tokens. None where a price is not
    known."""
    if price_in is None or price_out is None:
        return None
    return input_tokens / _PER * price_in + output_tokens / _PER * price_out


def rounded(dollars: float | None) -> float | None:
    """A cost as it is told: 6 decimals."""
    return None if dollars is None else round(dollars, 6)


def cost_text(dollars: float | None) -> str:
    """How a cost is shown."""
    if dollars is None:
        return "unknown"
    if dollars == 0:
        return "Free"
    if dollars < 0.0001:
        return "<$0.0001"
    return f"${dollars:.4f}" if dollars < 0.01 else f"${dollars:.2f}"
