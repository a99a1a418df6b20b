"""Which part of a connection failed, and what to do about it (AGENTS_AND_TOOLS §11)."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def connection_failure_text(details: Mapping[str, Any]) -> str | None:
    """Return in a sentence without a full stop why there is no connection; None if that is not known."""
    origin, variable = str(details.get("origin", "")), str(details.get("variable", ""))
    host = origin.partition("://")[2]
    match details.get("part"):
        case "name":
            text = translate("Failures", "The name {host} was not found")
        case "refused":
            text = translate("Failures", "Nothing answers at {origin}")
        case "unreachable" | "broken":
            text = translate("Failures", "{origin} could not be reached")
        case "slow":
            text = translate("Failures", "{origin} did not answer in time")
        case "proxy" if details.get("proxy"):
            text = translate("Failures", "The proxy {proxy} does not lead to {host}")
        case "proxy":
            text = translate("Failures", "The proxy of {variable} cannot be used")
        case "certificate":
            text = translate("Failures", "The certificate of {host} is not trusted, so nothing was sent")
        case "tls":
            text = translate("Failures", "There is no encrypted connection to {host}")
        case _:
            return None
    return text.format(origin=origin, host=host, variable=variable, proxy=details.get("proxy", ""))


def connection_advice(details: Mapping[str, Any]) -> str | None:
    """Return the next step after a connection that was not made; None if its part is not known."""
    match details.get("part"):
        case "name":
            return translate("Failures", "See to the spelling of the address, and to the connection. Then try again.")
        case "refused":
            return translate("Failures", "Start the server there, or see to the port of its address. Then try again.")
        case "unreachable" | "slow" | "broken":
            return translate("Failures", "See to the connection and to the address. Then try again.")
        case "proxy":
            text = translate("Failures", "See to {variable}, or list the server in NO_PROXY; then start the app again.")
            return text.format(variable=details.get("variable", ""))
        case "certificate":
            return translate(
                "Failures",
                "See to the clock and to the address; a company’s certificates are chosen at Settings, Models.",
            )
        case "tls":
            return translate("Failures", "See whether its address begins with http:// instead. Then try again.")
    return None
