"""Strings of the token bar: short for display, full for tool tips and screen readers."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.domain.tokens import cost_text
from core.stores.usage import TokenUsage
from desktop.translation import compact, number, percent
from desktop.widgets import Tone

translate = QCoreApplication.translate  # under this name, since lupdate looks for calls of `translate`

WARNING_SHARE = 0.75
NEARLY_FULL_SHARE = 0.9
FULL_SHARE = 1.0


@dataclass(frozen=True, slots=True)
class TokenText:
    """`short` is displayed, `full` explains it; both are empty where there is nothing to show."""

    short: str = ""
    full: str = ""


def context_text(
    tokens: int, limit: int, *, is_cut: bool, is_assumed: bool = False, fixed_tokens: int | None = None
) -> TokenText:
    """Return how full the context is. `limit` must be positive; `is_assumed`: the window of the model is not known.
    `fixed_tokens` are those of the system prompt and the tools.
    """
    share = tokens / limit
    if is_assumed:
        short = translate("TokenBar", "Context ≈ {percent} of an assumed {room}").format(
            percent=_percent(share), room=compact(limit)
        )
    elif share >= FULL_SHARE:
        short = translate("TokenBar", "Context full")
    elif share >= NEARLY_FULL_SHARE:
        short = translate("TokenBar", "Context {percent}, nearly full").format(percent=_percent(share))
    else:
        short = translate("TokenBar", "Context {percent}").format(percent=_percent(share))
    full = translate(
        "TokenBar", "The conversation uses about {tokens} of the {room} tokens that the model’s context has for it."
    ).format(tokens=number(tokens), room=number(limit))
    if fixed_tokens is not None:
        full += " " + translate("TokenBar", "{tokens} of them are the system prompt and the tools.").format(
            tokens=number(fixed_tokens)
        )
    if is_assumed:
        full += " " + translate(
            "TokenBar", "The context window of this model is not known, only assumed. You can set it in the settings."
        )
    if is_cut or share >= FULL_SHARE:
        full += " " + translate("TokenBar", "Its oldest messages are no longer sent.")
    return TokenText(short, full)


def context_tone(share: float) -> Tone:
    if share >= NEARLY_FULL_SHARE:
        return "error"
    return "warn" if share >= WARNING_SHARE else "muted"


def turn_text(spent: TokenUsage) -> TokenText:
    if not _is_spent(spent):
        return TokenText()
    short = translate("TokenBar", "Turn {tokens}").format(tokens=_short_tokens(spent))
    return TokenText(short, translate("TokenBar", "Last turn: {tokens}.").format(tokens=_full_tokens(spent)))


def total_text(spent: TokenUsage) -> TokenText:
    if not _is_spent(spent):
        return TokenText()
    short = translate("TokenBar", "Total {tokens}").format(tokens=_short_tokens(spent))
    return TokenText(short, translate("TokenBar", "Whole workflow: {tokens}.").format(tokens=_full_tokens(spent)))


def cost_label(spent: TokenUsage) -> TokenText:
    """Return the cost of the workflow: an estimate from prices, never an invoice. An unknown price is not free."""
    if not _is_spent(spent):
        return TokenText()
    if spent.cost is None or (spent.is_cheaper and spent.cost == 0):
        short = translate("TokenBar", "Cost unknown")
        return TokenText(
            short, translate("TokenBar", "No price is known for this model. You can set one in the settings.")
        )
    if spent.is_cheaper:
        short = translate("TokenBar", "More than {cost}").format(cost=cost_text(spent.cost))
        return TokenText(short, translate("TokenBar", "Estimated cost. Some answers have no known price."))
    if spent.cost == 0:
        return TokenText(translate("TokenBar", "Free"), translate("TokenBar", "This workflow costs nothing."))
    short = translate("TokenBar", "≈ {cost}").format(cost=cost_text(spent.cost))
    return TokenText(short, translate("TokenBar", "Estimated cost of the workflow, from the price of the model."))


def speed_text(tokens_a_second: float | None) -> TokenText:
    if tokens_a_second is None:
        return TokenText()
    speed = number(max(1, round(tokens_a_second)))
    short = translate("TokenBar", "{speed} tokens/s").format(speed=speed)
    return TokenText(
        short, translate("TokenBar", "Speed of the last answer: {speed} tokens a second.").format(speed=speed)
    )


def _percent(share: float) -> str:
    """Return the share rounded down: 99.6 % is not 100 % yet."""
    return percent(int(share * 100) / 100)


def _is_spent(spent: TokenUsage) -> bool:
    return spent.is_known or spent.is_less


def _short_tokens(spent: TokenUsage) -> str:
    if not spent.is_known:
        return translate("TokenBar", "unknown")
    return f"↑\N{NO-BREAK SPACE}{compact(spent.input_tokens)} ↓\N{NO-BREAK SPACE}{compact(spent.output_tokens)}"


def _full_tokens(spent: TokenUsage) -> str:
    if not spent.is_known:
        return translate("TokenBar", "the provider does not report token counts")
    words = translate("TokenBar", "{given} tokens in, {made} out")
    if spent.cached_tokens:
        words = translate("TokenBar", "{given} tokens in, of which {cached} from the cache, {made} out")
    full = words.format(
        given=number(spent.input_tokens), cached=number(spent.cached_tokens), made=number(spent.output_tokens)
    )
    return full + (translate("TokenBar", ", and some that were not counted") if spent.is_less else "")
