"""How much of a model's window a conversation takes. How many tokens a text has, only the model knows; here it is
estimated, rather too high than too low."""

USUAL_TOKENS = 32_768
"""The window of a model that tells none."""

_BYTES_A_TOKEN = 3
_ANSWER_SHARE = 4
_ANSWER_TOKENS = 8192


def text_tokens(text: str) -> int:
    """About how many tokens a text has."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_A_TOKEN)


def characters_of(tokens: int) -> int:
    """How long a text of ASCII may be that has so many tokens."""
    return tokens * _BYTES_A_TOKEN


def room_tokens(window_tokens: int | None, answer_tokens: int | None) -> int:
    """What a conversation may take of a window: room for the answer is left (`answer_tokens`, else a quarter of the
    window, at most 8192)."""
    window = window_tokens or USUAL_TOKENS
    reserved = min(_ANSWER_TOKENS, window // _ANSWER_SHARE) if answer_tokens is None else answer_tokens
    return max(0, window - reserved)
