"""Texts of models and agents: key locations, prices and errors."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.server_address import AddressChange, AddressFault
from core.services.outcome import Failed
from desktop.translation import model_failure_text

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def key_location_text(source: str | None, needs_key: bool, key_file: Path | None) -> str:
    """Return where the key of an address is stored; `source` is None without a key."""
    match source:
        case "environment":
            return translate("Minds", "The key is read from an environment variable.")
        case "keyring":
            return translate("Minds", "A key is kept in the keyring of this system.")
        case "file":
            text = translate("Minds", "A key is kept in {file}, which only you can read: this system has no keyring.")
            return text.format(file=key_file)
        case _ if needs_key:
            return translate(
                "Minds", "This provider needs a key. It is kept in the keyring of this system, if it has one."
            )
        case _:
            return translate("Minds", "No key is kept. Servers on this computer need none.")


def address_change_text(changes: Iterable[AddressChange]) -> str:
    """Return what was mended of an address, or "" if that shows by itself."""
    words = {
        AddressChange.FOUND: translate("Minds", "Only the address was taken."),
        AddressChange.SCHEME: translate("Minds", "http:// or https:// was added."),
        AddressChange.ENDPOINT: translate("Minds", "The path of a request was left out: the app adds it."),
        AddressChange.VERSION: translate("Minds", "The path to the API was corrected."),
        AddressChange.HOST: translate("Minds", "A server that listens at 0.0.0.0 is asked at 127.0.0.1."),
        AddressChange.FRAGMENT: translate("Minds", "What follows the # was left out."),
    }
    return " ".join(words[change] for change in dict.fromkeys(changes))


def other_name_text(typed: str, listed: str | None) -> str:
    """Return how a server's list of models calls the model that was typed; "" if as it was typed."""
    if listed is None:
        return translate("Minds", "It does not list “{model}”.").format(model=typed)
    if listed == typed:
        return ""
    return translate("Minds", "“{typed}” is called “{model}” here.").format(typed=typed, model=listed)


def address_fault_text(fault: str) -> str:
    """Return why an address cannot be used, and what to do about it."""
    match fault:
        case AddressFault.EMPTY:
            return translate("Minds", "Enter the address of the server. It looks like https://host/v1.")
        case AddressFault.SPACES:
            return translate("Minds", "An address has no spaces.")
        case AddressFault.SCHEME:
            return translate("Minds", "An address begins with http:// or https://.")
        case AddressFault.PORT:
            return translate("Minds", "The port, after the colon, is a number from 1 to 65535.")
        case AddressFault.USER:
            return translate("Minds", "An address has no user name and no password. Put the key in its own field.")
        case AddressFault.QUERY:
            return translate(
                "Minds",
                "The address ends before the question mark. What follows may hold a key: put that in its own field.",
            )
        case _:
            return translate("Minds", "This is no address of a server. It looks like https://host/v1.")


def model_summary(model: ModelChoice) -> str:
    """Return address, context window and price of a model."""
    parts = [model.origin.partition("://")[2]]
    if model.context_tokens is not None:
        tokens = QLocale().toString(model.context_tokens)
        parts.append(translate("Minds", "{tokens} tokens").format(tokens=tokens))
    parts.append(price_text(model.price_in, model.price_out))
    return " · ".join(parts)


def price_text(price_in: float | None, price_out: float | None) -> str:
    """Return the price per million tokens."""
    if price_in is None and price_out is None:
        return translate("Minds", "price unknown")
    if not price_in and not price_out:
        return translate("Minds", "free")
    prices = [_dollars(price) for price in (price_in, price_out)]
    return translate("Minds", "{price_in} in, {price_out} out").format(price_in=prices[0], price_out=prices[1])


def _dollars(price: float | None) -> str:
    if price is None:
        return translate("Minds", "unknown")
    return translate("Minds", "${price}").format(price=QLocale().toString(price, "g", 6))


def reasoning_labels() -> dict[str, str]:
    return {
        Reasoning.OFF: translate("Minds", "Off"),
        Reasoning.LOW: translate("Minds", "Low"),
        Reasoning.MEDIUM: translate("Minds", "Medium"),
        Reasoning.HIGH: translate("Minds", "High"),
    }


def wire_format_labels() -> dict[WireFormatName, str]:
    """Return the names of the APIs, with whom they come from: others speak them too."""
    return {
        WireFormatName.CHAT_COMPLETIONS: translate("Minds", "Chat completions (OpenAI)"),
        WireFormatName.OPENAI_RESPONSES: translate("Minds", "Responses (OpenAI)"),
        WireFormatName.ANTHROPIC_MESSAGES: translate("Minds", "Messages (Anthropic)"),
        WireFormatName.GEMINI: translate("Minds", "Gemini (Google)"),
    }


def model_refusal_text(failed: Failed) -> str:
    """Return why a request failed, for its form."""
    match failed.code, failed.details.get("field"):
        case "name_taken", _:
            return translate("Minds", "Another agent has this name.")
        case "bad_input", "name":
            return translate("Minds", "A name has 1 to 64 characters.")
        case "bad_input", "system_prompt":
            return translate("Minds", "The instructions have at most 10,000 characters.")
        case "bad_address", _:
            return address_fault_text(failed.details.get("fault", ""))
        case "bad_key", _:
            return translate("Minds", "This is no key: it has letters, digits and signs, and no spaces.")
        case "keys_not_writable" | "keys_unreadable", _:
            return translate("Minds", "The file of keys cannot be read or written, so the key is not kept.")
        case "no_keyring", _:
            return translate("Minds", "The keyring does not answer, so the key is still there.")
        case _:
            return model_failure_text(failed.code, failed.message, failed.details)
