"""Token estimates and costs (AGENTS_AND_TOOLS §3, §9).

Only the model knows how many tokens a text has. The estimates here err on the high side, so that a conversation which
fits by the estimate also fits the model.
"""

# For models with unknown context window.
DEFAULT_CONTEXT_TOKENS = 32_768

# English prose has about 4 bytes per token, JSON and code about 3, most other scripts more tokens but also more bytes.
_BYTES_A_TOKEN = 3
_ANSWER_SHARE = 4
_ANSWER_TOKENS = 8192


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_A_TOKEN)


def characters_for(tokens: int) -> int:
    """Return how many ASCII characters fit into that many tokens."""
    return tokens * _BYTES_A_TOKEN


def available_tokens(window_tokens: int | None, answer_tokens: int | None) -> int:
    """Compute how many tokens of the context window a conversation may use.

    The rest is reserved for the answer: `answer_tokens`, by default a quarter of the window, at most 8192.
    """
    window = window_tokens or DEFAULT_CONTEXT_TOKENS
    reserved = min(_ANSWER_TOKENS, window // _ANSWER_SHARE) if answer_tokens is None else answer_tokens
    return max(0, window - reserved)


def rounded_cost(dollars: float | None) -> float | None:
    """Round a cost to 6 decimals, as it is reported."""
    return None if dollars is None else round(dollars, 6)


def cost_text(dollars: float | None) -> str:
    """Format a cost for display."""
    if dollars is None:
        return "unknown"
    if dollars == 0:
        return "Free"
    if dollars < 0.0001:
        return "<$0.0001"
    return f"${dollars:.4f}" if dollars < 0.01 else f"${dollars:.2f}"
