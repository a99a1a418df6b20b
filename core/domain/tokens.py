"""How much of a model's window a conversation takes. How many tokens a text has, only the model knows; here it is
estimated, rather too high than too low."""

DEFAULT_CONTEXT_TOKENS = 32_768
"""The window of a model that tells none."""

_BYTES_A_TOKEN = 3
_ANSWER_SHARE = 4
_ANSWER_TOKENS = 8192


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_A_TOKEN)


def characters_for(tokens: int) -> int:
    """How long a text of ASCII may be that has so many tokens."""
    return tokens * _BYTES_A_TOKEN


def available_tokens(window_tokens: int | None, answer_tokens: int | None) -> int:
    """What a conversation may take of a window: room for the answer is left (`answer_tokens`, else a quarter of the
    window, at most 8192)."""
    window = window_tokens or DEFAULT_CONTEXT_TOKENS
    reserved = min(_ANSWER_TOKENS, window // _ANSWER_SHARE) if answer_tokens is None else answer_tokens
    return max(0, window - reserved)


_PER = 1_000_000


def cost(input_tokens: int, output_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """Dollars, unrounded, so that many small ones add up; prices are for a million tokens. None where a price is not
    known."""
    if price_in is None or price_out is None:
        return None
    return input_tokens / _PER * price_in + output_tokens / _PER * price_out


def rounded_cost(dollars: float | None) -> float | None:
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
